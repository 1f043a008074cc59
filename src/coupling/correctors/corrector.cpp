#include "ergon/coupling/correctors/corrector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double norm(std::span<const double> a) {
  return a.size() == 1 ? std::abs(a[0]) : std::sqrt(dot(a, a));
}

bool CorrectionLimits::apply(std::span<const double> effort, std::span<const double> previous, double H_s,
                             std::span<double> next) const {
  bool capped = false;
  const double most = std::min(relative * norm(effort), absolute_N);
  const double size = norm(next);
  // A direction without a finite size (a flow near 0) has nothing that could be shortened.
  if (!std::isfinite(size)) {
    std::fill(next.begin(), next.end(), 0.0);
    capped = true;
  } else if (size > most) {
    for (double& value : next) value *= most / size;
    capped = true;
  }
  if (std::isfinite(rate_N_s)) {
    double change = 0.0;
    for (std::size_t i = 0; i < next.size(); ++i) change += (next[i] - previous[i]) * (next[i] - previous[i]);
    change = std::sqrt(change);
    if (change > rate_N_s * H_s) {
      const double part = rate_N_s * H_s / change;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = previous[i] + part * (next[i] - previous[i]);
      capped = true;
    }
  }
  return capped;
}

bool give_no_more_than_taken(const ReceiverStep& step, double& taken_J, std::span<double> next) {
  taken_J -= 0.5 * (dot(step.applied, step.flow0) + dot(step.applied, step.flow1)) * step.H_s;
  const double gives_J = dot(next, step.flow1) * step.H_s;
  const double may_give_J = std::max(0.0, taken_J);
  if (gives_J <= may_give_J) return false;
  for (double& value : next) value *= may_give_J / gives_J;
  return true;
}

CorrectionLimits read_limits(const CorrectorPlace& place, const CorrectionSettings& settings,
                             double default_relative) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const bool unlimited = settings.word("limit", "") == "none";
  return {unlimited ? none : settings.number("limit", default_relative),
          std::abs(place.scale) * settings.number("limit_absolute", none),
          std::abs(place.scale) * settings.number("rate_limit", none)};
}

CorrectionKey limit_key(std::string_view help, std::vector<std::string_view> words) {
  return {"limit", help, true, 0.0, 100.0, std::move(words), false};
}
CorrectionKey limit_absolute_key() {
  return {"limit_absolute", "upper bound in the unit of the effort (SI)", true, 0.0, 1e300, {}, false};
}
CorrectionKey rate_limit_key() {
  return {"rate_limit", "largest change per second, in the unit of the effort (SI)", true, 0.0, 1e300, {},
          false};
}

const CorrectorInfo* find_corrector(std::string_view name) {
  for (const CorrectorInfo& info : correctors()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

namespace {

bool takes(const CorrectionKey& key, const std::variant<double, std::string, bool>& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return key.takes_number && *number >= key.minimum && *number <= key.maximum;
  }
  if (const auto* word = std::get_if<std::string>(&value)) {
    return std::find(key.words.begin(), key.words.end(), *word) != key.words.end();
  }
  return key.takes_flag;
}

std::string what_it_takes(const CorrectionKey& key) {
  std::vector<std::string> choices;
  if (key.takes_number && key.maximum < 1e299) {
    choices.push_back(fmt::format("a number from {} to {}", key.minimum, key.maximum));
  } else if (key.takes_number) {
    choices.push_back(fmt::format("a number ≥ {}", key.minimum));
  }
  for (const std::string_view word : key.words) choices.push_back(fmt::format("\"{}\"", word));
  if (key.takes_flag) choices.emplace_back("true or false");
  return fmt::format("Give {}.", fmt::join(choices, " or "));
}

std::string text_of(const std::variant<double, std::string, bool>& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *word);
  return std::get<bool>(value) ? "true" : "false";
}

}  // namespace

void check_correction(const CorrectionRequest& request, ProblemList& problems) {
  const CorrectorInfo* info = find_corrector(request.method);
  if (info == nullptr) {
    std::vector<std::string> names = {"none"};
    for (const CorrectorInfo& c : correctors()) names.emplace_back(c.name);
    problems.error(request.where,
                   fmt::format("Bond '{}': there is no correction '{}'.", request.bond, request.method),
                   did_you_mean(request.method, names));
    return;
  }
  for (const auto& [name, setting] : request.settings) {
    const auto key = std::find_if(info->keys.begin(), info->keys.end(),
                                  [&](const CorrectionKey& k) { return k.name == name; });
    if (key == info->keys.end()) {
      std::vector<std::string> names;
      for (const CorrectionKey& k : info->keys) names.emplace_back(k.name);
      problems.error(
          setting.where,
          fmt::format("Bond '{}': correction '{}' has no setting '{}'.", request.bond, request.method, name),
          did_you_mean(name, names));
    } else if (!takes(*key, setting.value)) {
      problems.error(setting.where,
                     fmt::format("Bond '{}': '{}' of correction '{}' cannot be {}.", request.bond, name,
                                 request.method, text_of(setting.value)),
                     what_it_takes(*key));
    }
  }
}

}  // namespace ergon
