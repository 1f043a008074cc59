#include "ergon/report/compare.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ergon/core/problem.hpp"

namespace ergon::report {
namespace {

/// The value at t, where `from` is the first sample not before it; moves on with growing t.
double value_at(const Samples& samples, double t, bool held, std::size_t& from) {
  while (from < samples.time_s.size() && samples.time_s[from] < t) ++from;
  if (from == samples.time_s.size()) return samples.values.back();
  if (from == 0 || samples.time_s[from] == t) return samples.values[from];
  const double before = samples.values[from - 1];
  if (held) return before;
  const double share = (t - samples.time_s[from - 1]) / (samples.time_s[from] - samples.time_s[from - 1]);
  return before + share * (samples.values[from] - before);
}

struct Span {
  double from_s = 0.0;
  double to_s = 0.0;
};

Span span_of(const Samples& samples) {
  if (samples.time_s.empty()) return {0.0, -1.0};
  return {samples.time_s.front(), samples.time_s.back()};
}

std::size_t points_in(const Samples& samples, const Span& span) {
  return static_cast<std::size_t>(std::count_if(samples.time_s.begin(), samples.time_s.end(), [&](double t) {
    return t >= span.from_s && t <= span.to_s;
  }));
}

double largest_of(const Samples& samples) {
  double largest = 0.0;
  for (const double value : samples.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Texts are compared by what they say, not by their numbers in each file.
Samples comparable(const RunFolder& run, std::size_t number, std::map<std::string, double>& numbers) {
  CsvColumn column = run.column(number);
  const std::vector<std::string> texts = column.texts;
  Samples samples = run.samples(std::move(column));
  if (texts.empty()) return samples;
  for (double& value : samples.values) {
    const std::string& text = texts[static_cast<std::size_t>(value)];
    value = numbers.try_emplace(text, static_cast<double>(numbers.size())).first->second;
  }
  return samples;
}

bool is_wanted(const std::string& name, const std::vector<std::string>& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

/// Columns of the reference by the names that the runs have.
std::map<std::string, std::string> new_names(const RunFolder& reference, const CompareOptions& options) {
  std::map<std::string, std::string> names;
  for (const std::string& pair : options.renamed) {
    const auto equals = pair.find('=');
    const std::string theirs = pair.substr(0, equals);
    if (equals == std::string::npos || !reference.find(theirs)) {
      const std::vector<std::string>& known = reference.variables();
      throw InputError(
          {}, fmt::format("'{}' renames no column of '{}'.", pair, reference.name()),
          equals == std::string::npos ? "Write --rename theirs=ours." : did_you_mean(theirs, known));
    }
    names[theirs] = pair.substr(equals + 1);
  }
  return names;
}

double duration_of(const Samples& samples) {
  const Span span = span_of(samples);
  return span.to_s - span.from_s;
}

double mean_step_of(const Samples& samples) {
  return samples.time_s.size() > 1 ? duration_of(samples) / static_cast<double>(samples.time_s.size() - 1)
                                   : 0.0;
}

RunErrors errors_of(const RunFolder& run, const RunFolder& reference, const CompareOptions& options) {
  RunErrors errors;
  errors.run = run.name();
  const auto renamed = new_names(reference, options);
  double shortest_s = 0.0;
  double beyond_s = 0.0;
  for (std::size_t i = 0; i < reference.variables().size(); ++i) {
    const std::string& theirs = reference.variables()[i];
    const auto other = renamed.find(theirs);
    const std::string name = other == renamed.end() ? theirs : other->second;
    if (!is_wanted(name, options.variables)) continue;
    const std::optional<std::size_t> ours = run.find(name);
    if (!ours) {
      errors.missing.push_back(name);
      continue;
    }
    const bool is_text = run.is_text(*ours);
    if (is_text != reference.is_text(i)) {
      errors.remarks.push_back(fmt::format("'{}' is text in one of both and a number in the other.", name));
      continue;
    }
    std::map<std::string, double> numbers;
    const Samples a = comparable(run, *ours, numbers);
    const Samples b = comparable(reference, i, numbers);
    VariableError error = error_of(a, b, is_text);
    error.name = name;
    error.unit = run.info(name).unit;
    if (error.unit.empty()) error.unit = reference.info(theirs).unit;
    if (options.tolerance || options.absolute_tolerance > 0.0)
      error.within =
          error.max_error <= options.absolute_tolerance + options.tolerance.value_or(0.0) * error.scale;
    // A slow subsystem may have its last sample a step before the end.
    const double missing_s = duration_of(b) - duration_of(a);
    if (missing_s > 1.5 * mean_step_of(b)) shortest_s = std::max(shortest_s, missing_s);
    if (-missing_s > 1.5 * std::max(mean_step_of(a), mean_step_of(b)))
      beyond_s = std::max(beyond_s, -missing_s);
    errors.variables.push_back(std::move(error));
  }
  if (shortest_s > 0.0)
    errors.remarks.push_back(
        fmt::format("It covers {:.6g} s less than the reference, which is not compared.", shortest_s));
  if (beyond_s > 0.0)
    errors.remarks.push_back(
        fmt::format("The reference covers {:.6g} s less than the run: nothing is compared there.", beyond_s));
  return errors;
}

}  // namespace

VariableError error_of(const Samples& run, const Samples& reference, bool held) {
  VariableError error;
  error.scale = largest_of(reference);
  const Span common{std::max(span_of(run).from_s, span_of(reference).from_s),
                    std::min(span_of(run).to_s, span_of(reference).to_s)};
  const bool at_run = points_in(run, common) <= points_in(reference, common);
  const Samples& points = at_run ? run : reference;
  const Samples& other = at_run ? reference : run;
  double squares = 0.0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < points.time_s.size(); ++i) {
    const double t = points.time_s[i];
    if (t < common.from_s || t > common.to_s) continue;
    const double a = points.values[i];
    const double b = value_at(other, t, held, from);
    ++error.points;
    if (std::isnan(a) && std::isnan(b)) continue;  // both have nothing to tell
    const double difference = std::abs(a - b);
    squares += difference * difference;
    if (difference <= error.max_error) continue;  // false for NaN, which stays
    if (std::isnan(error.max_error)) continue;
    error.max_error = difference;
    error.at_s = t;
  }
  error.rms_error = error.points > 0 ? std::sqrt(squares / static_cast<double>(error.points)) : 0.0;
  return error;
}

bool RunErrors::within() const {
  return missing.empty() && remarks.empty() &&
         std::all_of(variables.begin(), variables.end(),
                     [](const auto& v) { return v.within.value_or(true) && v.points > 0; });
}

Comparison compare(std::span<const RunFolder> runs, const RunFolder& reference,
                   const CompareOptions& options) {
  Comparison comparison;
  comparison.reference = reference.name();
  comparison.tolerance = options.tolerance;
  for (const auto& [theirs, ours] : new_names(reference, options)) comparison.renamed[ours] = theirs;
  for (const RunFolder& run : runs) {
    comparison.runs.push_back(errors_of(run, reference, options));
    if (!comparison.runs.back().variables.empty()) continue;
    throw InputError({},
                     fmt::format("'{}' and '{}' have no variable in common.", run.name(), reference.name()),
                     "Give columns the same names, or map them: --rename theirs=ours.");
  }
  return comparison;
}

Json to_json(const Comparison& comparison) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json list = Json::array();
  for (const RunErrors& run : comparison.runs) {
    Json variables = Json::array();
    for (const VariableError& v : run.variables) {
      variables.push_back({{"name", v.name},
                           {"unit", v.unit},
                           {"max_error", finite(v.max_error)},
                           {"rms_error", finite(v.rms_error)},
                           {"scale", finite(v.scale)},
                           {"at_s", finite(v.at_s)},
                           {"relative", finite(v.relative())},
                           {"within", v.within ? Json(*v.within) : Json(nullptr)}});
    }
    list.push_back({{"run", run.run},
                    {"variables", std::move(variables)},
                    {"missing", run.missing},
                    {"remarks", run.remarks}});
  }
  return list;
}

}  // namespace ergon::report
