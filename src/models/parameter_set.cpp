#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/models/registry.hpp"

namespace ergon {
namespace {

const char* type_name(const ParameterValue& value) {
  switch (value.index()) {
    case 0:
    case 4:
      return "a number";
    case 1:
      return "true or false";
    case 2:
      return "a string";
    default:
      return "a list of numbers";
  }
}

constexpr const char* correct_it = "Correct it, or leave it out for the default value.";

/// What is wrong with one number, or an empty text.
std::string complaint(const ParameterInfo& info, double value) {
  if (!std::isfinite(value)) return "is not finite";
  if (!info.minimum) return {};
  if (info.minimum_excluded ? value > *info.minimum : value >= *info.minimum) return {};
  return fmt::format("is {}; it must be {} {}", value, info.minimum_excluded ? "greater than" : "at least",
                     *info.minimum);
}

/// What is known of a parameter, in parentheses, or an empty text.
std::string in_parentheses(const std::string& help, const std::string& unit) {
  if (help.empty() && unit.empty()) return {};
  return fmt::format(" ({}{}{})", help, help.empty() || unit.empty() ? "" : ", ", unit);
}

/// A value with the type of `info`; nothing, after reporting it, where it is unusable.
std::optional<ParameterValue> checked(const ParameterInfo& info, const GivenParameter& given,
                                      const std::string& owner, ProblemList& problems) {
  ParameterValue value = given.value;
  const std::string meaning = in_parentheses(info.help, info.unit);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (info.whole) {
      const std::string wrong = complaint(info, static_cast<double>(*whole));
      if (wrong.empty()) return value;
      problems.error(given.where, fmt::format("{}: '{}'{} {}.", owner, info.name, meaning, wrong),
                     correct_it);
      return std::nullopt;
    }
    value = static_cast<double>(*whole);
  }
  // One number for a list is a list of one: models spread it over all their members.
  if (std::holds_alternative<std::vector<double>>(info.standard) && std::holds_alternative<double>(value)) {
    value = std::vector<double>{std::get<double>(value)};
  }
  if (value.index() != info.standard.index()) {
    problems.error(given.where, fmt::format("{}: '{}' is {}.", owner, info.name, type_name(value)),
                   fmt::format("Give {}{}.", type_name(info.standard), in_parentheses(info.help, {})));
    return std::nullopt;
  }
  if (const double* number = std::get_if<double>(&value)) {
    if (const std::string wrong = complaint(info, *number); !wrong.empty()) {
      problems.error(given.where, fmt::format("{}: '{}'{} {}.", owner, info.name, meaning, wrong),
                     correct_it);
      return std::nullopt;
    }
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string wrong = complaint(info, (*list)[i]);
      if (wrong.empty()) continue;
      problems.error(given.where, fmt::format("{}: '{}[{}]'{} {}.", owner, info.name, i, meaning, wrong),
                     correct_it);
      return std::nullopt;
    }
  }
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && !info.choices.empty()) {
    if (std::find(info.choices.begin(), info.choices.end(), *text) == info.choices.end()) {
      problems.error(given.where, fmt::format("{}: '{}' cannot be '{}'.", owner, info.name, *text),
                     did_you_mean(*text, info.choices));
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

ParameterSet::ParameterSet(const std::vector<ParameterInfo>& infos, const GivenParameters& given,
                           const std::string& owner, ProblemList& problems) {
  for (const ParameterInfo& info : infos) values_[info.name] = info.standard;
  for (const auto& [name, parameter] : given) {
    const auto info = std::find_if(infos.begin(), infos.end(),
                                   [&wanted = name](const auto& one) { return one.name == wanted; });
    if (info == infos.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& known : infos) names.push_back(known.name);
      problems.error(parameter.where, fmt::format("{} has no '{}'.", owner, name), did_you_mean(name, names));
      continue;
    }
    // A value that is refused leaves the default, so that whatever else is wrong is found in the same pass.
    if (auto value = checked(*info, parameter, owner, problems)) {
      values_[name] = std::move(*value);
      given_.emplace(name, parameter.where);
    }
  }
}

SourceLocation ParameterSet::where(const std::string& name, const SourceLocation& otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : found->second;
}
double ParameterSet::number(const std::string& name) const {
  return std::get<double>(values_.at(name));
}
bool ParameterSet::flag(const std::string& name) const {
  return std::get<bool>(values_.at(name));
}
const std::string& ParameterSet::text(const std::string& name) const {
  return std::get<std::string>(values_.at(name));
}
const std::vector<double>& ParameterSet::list(const std::string& name) const {
  return std::get<std::vector<double>>(values_.at(name));
}

}  // namespace ergon
