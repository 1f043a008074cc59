#include "ergon/scenario/build/output_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "ergon/scenario/build/output_selection.hpp"

namespace ergon {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Nothing where the dimensions differ. Differences have no offset: 1 degC is 1 K.
std::optional<Accuracy> in_unit_of_output(Accuracy accuracy, const Unit& unit) {
  if (accuracy.kind != Accuracy::Kind::absolute || unit.is_unspecified()) return accuracy;
  if (!accuracy.unit.same_dimension(unit)) return std::nullopt;
  accuracy.value *= conversion(accuracy.unit, unit).gain;
  accuracy.unit = unit;
  return accuracy;
}

}  // namespace

std::optional<Accuracy> Accuracy::parse(std::string_view text) {
  text = without_blanks(text);
  Accuracy accuracy;
  if (text == "any") {
    accuracy.kind = Kind::any;
    return accuracy;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), accuracy.value);
  if (error != std::errc{} || !std::isfinite(accuracy.value) || !(accuracy.value > 0.0)) return std::nullopt;
  const std::string_view rest = without_blanks(text.substr(static_cast<std::size_t>(end - text.data())));
  constexpr double percent = 0.01;
  if (rest == "%") {
    accuracy.value *= percent;
    return accuracy;
  }
  const auto unit = rest.empty() ? std::nullopt : Unit::parse(rest);
  if (!unit) return std::nullopt;
  accuracy.kind = Kind::absolute;
  accuracy.unit = *unit;
  return accuracy;
}

std::string Accuracy::text() const {
  constexpr double percent = 100.0;
  if (kind == Kind::any) return "any";
  if (kind == Kind::relative) return fmt::format("{:.12g} %", percent * value);
  return fmt::format("{:.12g} {}", value, unit.text);
}

std::vector<Accuracy> accuracies_of(const CoupledSystem& system, const Accuracy& standard,
                                    const std::vector<std::pair<Said<std::string>, Accuracy>>& rules,
                                    ProblemList& problems) {
  std::vector<Accuracy> result(system.outputs.size(), standard);
  std::vector<std::ptrdiff_t> said(system.outputs.size(), -1);
  for (const auto& [pattern, accuracy] : rules) {
    const std::ptrdiff_t weight = literal_characters(pattern.value);
    for (const Index o : select_outputs(system, {pattern}, problems)) {
      const auto own = in_unit_of_output(accuracy, system.output_port(o).unit);
      if (!own) {
        problems.error(pattern.where,
                       fmt::format("The accuracy of '{}' is {}, but its unit is '{}'.",
                                   system.outputs[o].text, accuracy.text(), system.output_port(o).unit.text),
                       "Give an accuracy in a unit of the same dimension, or a percentage.");
        break;
      }
      if (weight < said[o]) continue;
      said[o] = weight;
      result[o] = *own;
    }
  }
  return result;
}

}  // namespace ergon
