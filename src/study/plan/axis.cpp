#include "ergon/study/plan/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <variant>

#include "ergon/core/csv_fields.hpp"
#include "ergon/core/expression/parser.hpp"
#include "ergon/core/problem.hpp"

namespace ergon::study {
namespace {

constexpr std::size_t most_values = 1'000'000;

std::string without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// At commas outside of brackets and quotes.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '(' || c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ')' || c == ']' || c == '}')) --depth;
    if (i == text.size() || (c == ',' && depth == 0 && !quoted)) {
      parts.push_back(without_blanks(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return parts;
}

struct KnownFunction {
  const char* name;
  Axis::Kind kind;
  const char* remedy;
};
constexpr KnownFunction functions[] = {
    {"lin", Axis::Kind::lin, "lin(first,last,count)"},
    {"log", Axis::Kind::log, "log(first,last,count), both greater than 0"},
    {"uniform", Axis::Kind::uniform, "uniform(lowest,highest)"},
    {"loguniform", Axis::Kind::loguniform, "loguniform(lowest,highest), both greater than 0"},
    {"normal", Axis::Kind::normal, "normal(mean,deviation), with a deviation greater than 0"},
    {"lognormal", Axis::Kind::lognormal,
     "lognormal(mean,deviation) of the logarithm, with a deviation greater than 0"}};

bool is_logarithmic(Axis::Kind kind) {
  return kind == Axis::Kind::log || kind == Axis::Kind::loguniform;
}

/// As few digits as values of a grid need: a step size is a fraction of whole numbers, 0.000316228 and not its seventeen digits.
std::string text_of(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}
constexpr int digits_of_lin = 12, digits_of_log = 6, digits_of_samples = 12;

std::vector<std::string> column_of(const std::string& file, const std::string& column,
                                   const std::string& where) {
  std::ifstream stream(file);
  if (!stream) throw InputError({where, 0, 0}, fmt::format("'{}' cannot be read.", file), "Name a CSV file.");
  std::string line;
  std::getline(stream, line);
  const char separator = csv_separator(line);
  const auto cells = [separator](const std::string& text) {
    std::vector<std::string> list;
    std::size_t begin = 0;
    for (std::size_t end = text.find(separator); end != std::string::npos;
         end = text.find(separator, begin)) {
      list.push_back(without_blanks(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    list.push_back(without_blanks(std::string_view(text).substr(begin)));
    return list;
  };
  const auto names = cells(line);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end())
    throw InputError({file, 1, 0}, fmt::format("There is no column '{}'.", column),
                     did_you_mean(column, names));
  const auto number = static_cast<std::size_t>(found - names.begin());
  std::vector<std::string> values;
  for (int row = 2; std::getline(stream, line); ++row) {
    if (without_blanks(line).empty()) continue;
    const auto all = cells(line);
    if (number >= all.size() || all[number].empty())
      throw InputError({file, row, 0}, fmt::format("This row has no value in column '{}'.", column),
                       "Add it, or remove the row.");
    values.push_back(all[number]);
  }
  if (values.empty()) throw InputError({file, 1, 0}, "The file has no rows.", "Add samples.");
  return values;
}

}  // namespace

double normal_quantile(double u) {
  // A rational start, good to 4.5e-4 [abramowitz1964, 26.2.23], and Halley's method on Φ(x) = u.
  const double tail = std::min(u, 1.0 - u);
  const double t = std::sqrt(-2.0 * std::log(tail));
  double x =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  x = -x;  // of the lower tail
  for (int i = 0; i < 3; ++i) {
    const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - tail;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    const double newton = error / density;
    x -= newton / (1.0 + 0.5 * x * newton);
  }
  return u < 0.5 ? x : -x;
}

Axis Axis::parse(const std::string& text, const std::string& where) {
  const auto equals = text.find('=');
  Axis axis;
  if (equals != std::string::npos) axis.setting = without_blanks(std::string_view(text).substr(0, equals));
  if (axis.setting.empty())
    throw InputError({where, 0, 0}, fmt::format("'{}' does not say which setting varies.", text),
                     "Write PATH=VALUES, such as right.m=0.01,0.1,1.");
  const std::string values = without_blanks(std::string_view(text).substr(equals + 1));
  if (values.empty())
    throw InputError({where, 0, 0}, fmt::format("'{}' has no values.", axis.setting),
                     "Write PATH=VALUES, such as right.m=0.01,0.1,1 or right.m=lin(0,1,11).");
  const auto open = values.find('(');
  const bool is_call = open != std::string::npos && values.back() == ')';
  const std::string name = is_call ? without_blanks(std::string_view(values).substr(0, open)) : "";
  const auto arguments = is_call
                             ? parts_of(std::string_view(values).substr(open + 1, values.size() - open - 2))
                             : std::vector<std::string>{};
  if (name == "csv") {
    if (arguments.size() != 2)
      throw InputError({where, 0, 0}, fmt::format("'{}' needs a file and a column.", values),
                       "Write csv(FILE,COLUMN).");
    axis.values = column_of(arguments[0], arguments[1], where);
    return axis;
  }
  for (const KnownFunction& function : functions) {
    if (name != function.name) continue;
    axis.kind = function.kind;
    std::vector<double> numbers;
    for (const std::string& argument : arguments) {
      const auto value = expression::evaluate_text(argument);
      if (const auto* number = std::get_if<double>(&value); number != nullptr && std::isfinite(*number))
        numbers.push_back(*number);
    }
    const bool is_grid = axis.kind == Kind::lin || axis.kind == Kind::log;
    const bool is_spread = axis.kind == Kind::normal || axis.kind == Kind::lognormal;
    bool fits = numbers.size() == arguments.size() && numbers.size() == (is_grid ? 3U : 2U);
    if (fits) {
      axis.a = numbers[0];
      axis.b = numbers[1];
      if (is_logarithmic(axis.kind)) fits = axis.a > 0.0 && axis.b > 0.0;
      if (is_spread) fits = axis.b > 0.0;
      if (!is_grid && !is_spread) fits = fits && axis.a < axis.b;
      if (is_grid) {
        fits = fits && numbers[2] >= 1.0 && numbers[2] <= static_cast<double>(most_values) &&
               std::trunc(numbers[2]) == numbers[2];
        if (fits) axis.count = static_cast<std::size_t>(numbers[2]);
      }
    }
    if (!fits)
      throw InputError({where, 0, 0}, fmt::format("'{}' is not understood.", values),
                       fmt::format("Write {}.", function.remedy));
    return axis;
  }
  axis.values = parts_of(values);
  if (std::any_of(axis.values.begin(), axis.values.end(), [](const auto& v) { return v.empty(); }))
    throw InputError({where, 0, 0}, fmt::format("A value of '{}' is empty.", axis.setting),
                     "Remove the comma, or add the value.");
  return axis;
}

std::string Axis::value(std::size_t number) const {
  if (kind == Kind::list) return values[number];
  if (count == 1) return text_of(a, digits_of_lin);
  const double share = static_cast<double>(number) / static_cast<double>(count - 1);
  if (kind == Kind::lin) return text_of(a + share * (b - a), digits_of_lin);
  // The ends are as they were written.
  if (number == 0) return text_of(a, digits_of_lin);
  if (number + 1 == count) return text_of(b, digits_of_lin);
  return text_of(a * std::pow(b / a, share), digits_of_log);
}

std::string Axis::quantile(double u) const {
  switch (kind) {
    case Kind::list:
      return values[std::min(values.size() - 1,
                             static_cast<std::size_t>(u * static_cast<double>(values.size())))];
    case Kind::lin:
    case Kind::uniform:
      return text_of(a + u * (b - a), digits_of_samples);
    case Kind::log:
    case Kind::loguniform:
      return text_of(a * std::pow(b / a, u), digits_of_samples);
    case Kind::normal:
      return text_of(a + b * normal_quantile(u), digits_of_samples);
    case Kind::lognormal:
      break;
  }
  return text_of(std::exp(a + b * normal_quantile(u)), digits_of_samples);
}

}  // namespace ergon::study
