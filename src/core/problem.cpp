#include "ergon/core/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ergon {

std::string to_string(const Problem& problem) {
  static constexpr const char* names[] = {"note", "warning", "error"};
  std::string text;
  if (!problem.where.file.empty()) {
    text += problem.where.file;
    if (problem.where.line > 0) text += fmt::format(":{}", problem.where.line);
    if (problem.where.column > 0) text += fmt::format(":{}", problem.where.column);
    text += ": ";
  }
  text += fmt::format("{}: {}", names[static_cast<int>(problem.severity)], problem.what);
  if (!problem.remedy.empty()) text += " " + problem.remedy;
  return text;
}

namespace {

/// False: it has been said before, word for word.
bool add(Problem problem, std::vector<Problem>& problems) {
  const auto is_the_same = [&](const Problem& other) {
    return other.severity == problem.severity && other.where.line == problem.where.line &&
           other.where.column == problem.where.column && other.what == problem.what &&
           other.where.file == problem.where.file && other.remedy == problem.remedy;
  };
  if (std::any_of(problems.begin(), problems.end(), is_the_same)) return false;
  problems.push_back(std::move(problem));
  return true;
}

}  // namespace

void ProblemList::error(SourceLocation where, std::string what, std::string remedy) {
  if (add({Severity::error, std::move(where), std::move(what), std::move(remedy)}, problems_)) ++errors_;
}

void ProblemList::warning(SourceLocation where, std::string what, std::string remedy) {
  add({Severity::warning, std::move(where), std::move(what), std::move(remedy)}, problems_);
}

void ProblemList::note(SourceLocation where, std::string what) {
  add({Severity::note, std::move(where), std::move(what), {}}, problems_);
}

bool ProblemList::has_warnings() const {
  return std::any_of(problems_.begin(), problems_.end(),
                     [](const Problem& p) { return p.severity == Severity::warning; });
}

InputError::InputError(ProblemList problems) : problems_(std::move(problems)) {
  for (const Problem& p : problems_.all()) {
    if (!text_.empty()) text_ += '\n';
    text_ += to_string(p);
  }
}

InputError::InputError(SourceLocation where, std::string what, std::string remedy)
    : InputError([&] {
        ProblemList list;
        list.error(std::move(where), std::move(what), std::move(remedy));
        return list;
      }()) {}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitution});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view wanted, const std::vector<std::string>& candidates) {
  std::string_view best;
  // A slip touches about a third of a word at most, and never all of it; further away a suggestion would mislead.
  std::size_t best_distance = std::min(std::max<std::size_t>(2, wanted.size() / 3) + 1, wanted.size());
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(wanted, candidate);
    // "vel" for "velocity" is an abbreviation, not five slips.
    if (wanted.size() >= 2 && candidate.size() > wanted.size() && candidate.starts_with(wanted)) {
      distance = std::min<std::size_t>(distance, wanted.size() > 2 ? 2 : 1);
    }
    // "revolute" for "joint.revolute" leaves the family out.
    if (candidate.size() > wanted.size() && candidate.ends_with(wanted) &&
        candidate[candidate.size() - wanted.size() - 1] == '.') {
      distance = 0;
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "None is available.";
  if (const auto near = nearest_name(wanted, candidates); !near.empty()) {
    return fmt::format("Did you mean '{}'?", near);
  }
  constexpr std::size_t shown = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, candidates.size()); ++i) {
    list += (i ? ", " : "") + candidates[i];
  }
  if (candidates.size() > shown) list += fmt::format(" and {} more", candidates.size() - shown);
  return fmt::format("Available: {}.", list);
}

}  // namespace ergon
