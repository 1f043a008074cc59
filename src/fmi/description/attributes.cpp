#include "ergon/fmi/description/attributes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ergon::fmi {

std::optional<double> parse_double(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  if (text == "INF") return std::numeric_limits<double>::infinity();
  if (text == "-INF") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "true") return 1.0;
  if (text == "false") return 0.0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size() && !text.empty())
    return 0.0;
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  constexpr const char* space = " \t\r\n";
  for (std::size_t begin = text.find_first_not_of(space); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(space, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(space, end);
  }
  return words;
}

void Attributes::error(const pugi::xml_node& node, std::string what, std::string remedy) const {
  problems_.error(file_.where(node), std::move(what), std::move(remedy));
}
void Attributes::warning(const pugi::xml_node& node, std::string what, std::string remedy) const {
  problems_.warning(file_.where(node), std::move(what), std::move(remedy));
}

std::string Attributes::required(const pugi::xml_node& node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute)
    error(node, fmt::format("<{}> has no '{}'.", node.name(), name), "Have the FMU exported again.");
  return attribute.value();
}

bool Attributes::flag(const pugi::xml_node& node, const char* name) const {
  const std::string value = text(node, name);
  if (value.empty() || value == "false" || value == "0") return false;
  if (value == "true" || value == "1") return true;
  warning(node, fmt::format("{} = \"{}\" is neither true nor false; it is taken for false.", name, value));
  return false;
}

std::optional<double> Attributes::number(const pugi::xml_node& node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  const std::optional<double> value = parse_double(attribute.value());
  if (!value)
    warning(node, fmt::format("{} = \"{}\" is not a number; it is ignored.", name, attribute.value()));
  return value;
}

std::optional<std::uint64_t> Attributes::count(const pugi::xml_node& node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  const std::vector<std::uint64_t> values = list<std::uint64_t>(node, name);
  return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

template <class Number>
std::vector<Number> Attributes::list(const pugi::xml_node& node, const char* name) const {
  std::vector<Number> result;
  for (const std::string& word : words_of(node.attribute(name).value())) {
    Number value{};
    bool good = true;
    if constexpr (std::is_floating_point_v<Number>) {
      const auto parsed = parse_double(word);
      good = parsed.has_value();
      value = parsed.value_or(0.0);
    } else {
      const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
      good = failed == std::errc() && end == word.data() + word.size();
    }
    if (!good) {
      error(node,
            fmt::format("'{}' in {} of <{}> is not a number that belongs there.", word.substr(0, 40), name,
                        node.name()),
            "Have the FMU exported again.");
      return {};
    }
    result.push_back(value);
  }
  return result;
}
template std::vector<double> Attributes::list<double>(const pugi::xml_node&, const char*) const;
template std::vector<std::uint32_t> Attributes::list<std::uint32_t>(const pugi::xml_node&, const char*) const;
template std::vector<std::int64_t> Attributes::list<std::int64_t>(const pugi::xml_node&, const char*) const;
template std::vector<std::uint64_t> Attributes::list<std::uint64_t>(const pugi::xml_node&, const char*) const;

std::optional<int> Attributes::choice(const pugi::xml_node& node, const char* name,
                                      std::initializer_list<const char*> choices) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return std::nullopt;
  int index = 0;
  std::vector<std::string_view> named;  // "" stands for what is not said
  for (const char* choice : choices) {
    if (std::string_view(choice) == attribute.value()) return index;
    if (*choice != '\0') named.emplace_back(choice);
    ++index;
  }
  error(node, fmt::format("{} = \"{}\" is none of {}.", name, attribute.value(), fmt::join(named, ", ")),
        "Have the FMU exported again.");
  return std::nullopt;
}

void read_type(const Attributes& a, const pugi::xml_node& node, TypeInfo& type) {
  read_limits(a, node, type);
  for (const pugi::xml_node& item : node.children("Item"))
    type.items.push_back(
        {a.required(item, "name"), static_cast<std::int64_t>(a.number(item, "value").value_or(0.0))});
}

void read_name(const Attributes& a, const pugi::xml_node& node, Variable& v) {
  v.name = a.required(node, "name");
  v.line = a.line(node);
  v.description = a.text(node, "description");
  v.reference = static_cast<std::uint32_t>(a.count(node, "valueReference").value_or(0));
  if (!node.attribute("valueReference")) (void)a.required(node, "valueReference");
  v.can_handle_multiple_set = a.flag(node, "canHandleMultipleSetPerTimeInstant");
}

void read_causality(const Attributes& attributes, const pugi::xml_node& node, FmiVersion version,
                    Variable& v) {
  const auto causality = attributes.choice(
      node, "causality",
      {"structuralParameter", "parameter", "calculatedParameter", "input", "output", "local", "independent"});
  v.causality = causality ? static_cast<Causality>(*causality) : Causality::local;
  const auto variability =
      attributes.choice(node, "variability", {"constant", "fixed", "tunable", "discrete", "continuous"});
  const bool real = is_float(v.type);
  const bool parameter = v.causality <= Causality::calculated_parameter;
  if (variability) {
    v.variability = static_cast<Variability>(*variability);
  } else if (version == FmiVersion::fmi3) {
    v.variability = parameter ? Variability::fixed : real ? Variability::continuous : Variability::discrete;
  } else {
    v.variability = Variability::continuous;
  }
  // Only real variables can be continuous; what FMI 2 has as default for all types is taken for discrete elsewhere.
  if (!real && v.variability == Variability::continuous)
    v.variability = parameter ? Variability::fixed : Variability::discrete;
  if (v.causality == Causality::parameter && !variability && version == FmiVersion::fmi2)
    v.variability = Variability::fixed;

  const auto initial = attributes.choice(node, "initial", {"", "exact", "approx", "calculated"});
  if (initial) {
    v.initial = static_cast<Initial>(*initial);
  } else if (v.variability == Variability::constant || v.causality == Causality::parameter ||
             v.causality == Causality::structural_parameter) {
    v.initial = Initial::exact;
  } else if (v.causality == Causality::input) {
    v.initial = version == FmiVersion::fmi3 ? Initial::exact : Initial::none;
  } else if (v.causality != Causality::independent) {
    v.initial = Initial::calculated;
  }
}

void read_units(const Attributes& attributes, const pugi::xml_node& definitions,
                std::vector<UnitInfo>& units) {
  static constexpr const char* bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  for (const pugi::xml_node& node : definitions.children("Unit")) {
    UnitInfo unit;
    unit.name = attributes.required(node, "name");
    if (const pugi::xml_node base = node.child("BaseUnit")) {
      unit.has_base = true;
      for (std::size_t i = 0; i < unit.exponents.size(); ++i) {
        const double exponent = attributes.number(base, bases[i]).value_or(0.0);
        unit.exponents[i] = exponent >= -100 && exponent <= 100 ? static_cast<int>(exponent) : 0;
      }
      unit.factor = attributes.number(base, "factor").value_or(1.0);
      unit.offset = attributes.number(base, "offset").value_or(0.0);
      if (!(std::isfinite(unit.factor) && unit.factor != 0.0 && std::isfinite(unit.offset))) {
        attributes.warning(
            base, fmt::format("The unit '{}' has no usable factor; it is not converted.", unit.name));
        unit.has_base = false;
      }
    }
    units.push_back(std::move(unit));
  }
}

void read_experiment(const Attributes& attributes, const pugi::xml_node& node,
                     DefaultExperiment& experiment) {
  experiment.start_s = attributes.number(node, "startTime");
  experiment.stop_s = attributes.number(node, "stopTime");
  experiment.tolerance = attributes.number(node, "tolerance");
  experiment.step_s = attributes.number(node, "stepSize");
}

}  // namespace ergon::fmi
