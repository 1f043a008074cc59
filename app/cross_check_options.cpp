#include "cross_check_options.hpp"

#include <fmt/format.h>

#include <fstream>

#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"

namespace ergon::app {
namespace {

std::string trimmed(const std::string& text) {
  constexpr const char* blank = " \t\r\"";
  const auto first = text.find_first_not_of(blank);
  return first == std::string::npos ? std::string()
                                    : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace

CrossCheckOptions read_cross_check_options(const std::string& file) {
  std::ifstream stream(file);
  if (!stream)
    throw InputError({file, 0, 0}, "The file with options cannot be read.",
                     "Name one with lines such as: StopTime, 2.0");
  CrossCheckOptions options;
  std::optional<std::string> interval;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const auto comma = line.find(',');
    const std::string key = trimmed(line.substr(0, comma));
    if (key.empty()) continue;
    if (comma == std::string::npos)
      throw InputError({file, number, 1}, fmt::format("'{}' is not an option.", key),
                       "Write it as in: StopTime, 2.0");
    std::optional<std::string>* const target = key == "StartTime"              ? &options.start
                                               : key == "StopTime"             ? &options.stop
                                               : key == "StepSize"             ? &options.step
                                               : key == "OutputIntervalLength" ? &interval
                                                                               : nullptr;
    if (target == nullptr) continue;
    const std::string value = trimmed(line.substr(comma + 1));
    const auto seconds = Rational::parse(value);
    if (!seconds)
      throw InputError({file, number, static_cast<int>(comma) + 2},
                       fmt::format("{}: '{}' is not a time in s.", key, value),
                       "Write it as in: StopTime, 2.0");
    // Without zeros in front of an exponent, and other forms that a scenario does not take.
    *target = seconds->text();
  }
  const auto is_step = [](const std::optional<std::string>& text) {
    return text && Rational::parse(*text)->is_positive();
  };
  if (!is_step(options.step)) options.step = is_step(interval) ? interval : std::nullopt;
  return options;
}

}  // namespace ergon::app
