#include "ergon/fmi/description/model_description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon::fmi {

const char* name_of(VariableType type) {
  static constexpr const char* names[] = {"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                          "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                          "Boolean", "String",  "Binary", "Enumeration", "Clock"};
  return names[static_cast<int>(type)];
}
const char* name_of(Causality causality) {
  static constexpr const char* names[] = {
      "structuralParameter", "parameter", "calculatedParameter", "input", "output", "local", "independent"};
  return names[static_cast<int>(causality)];
}
const char* name_of(Variability variability) {
  static constexpr const char* names[] = {"constant", "fixed", "tunable", "discrete", "continuous"};
  return names[static_cast<int>(variability)];
}
const char* name_of(Initial initial) {
  static constexpr const char* names[] = {"", "exact", "approx", "calculated"};
  return names[static_cast<int>(initial)];
}
const char* name_of(ClockInterval interval) {
  static constexpr const char* names[] = {"constant", "fixed",     "tunable",
                                          "changing", "countdown", "triggered"};
  return names[static_cast<int>(interval)];
}

const UnitInfo* ModelDescription::unit(const std::string& name) const {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const UnitInfo& u) { return u.name == name; });
  return found == units.end() ? nullptr : &*found;
}

const TypeInfo* ModelDescription::type(const std::string& name) const {
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const TypeInfo& t) { return t.name == name; });
  return found == types.end() ? nullptr : &*found;
}

std::optional<std::size_t> ModelDescription::find(const std::string& name) const {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    if (v.name == name || std::find(v.aliases.begin(), v.aliases.end(), name) != v.aliases.end()) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> ModelDescription::find_reference(std::uint32_t reference) const {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].reference == reference) return i;
  }
  return std::nullopt;
}

Unit unit_of(const ModelDescription& model, const Variable& variable) {
  if (variable.unit.empty()) return {};
  const UnitInfo* info = model.unit(variable.unit);
  const std::optional<Unit> known = Unit::parse(variable.unit);
  if (info == nullptr || !info->has_base) return known.value_or(Unit{});
  // kg m s A K mol cd rad  →  m kg s A K mol cd
  Unit unit;
  unit.text = variable.unit;
  const int order[] = {1, 0, 2, 3, 4, 5, 6};
  for (std::size_t i = 0; i < Unit::base_units; ++i)
    unit.exponents[i] = static_cast<std::int8_t>(info->exponents[static_cast<std::size_t>(order[i])]);
  unit.factor = info->factor;
  unit.offset = variable.relative_quantity ? 0.0 : info->offset;
  unit.names_angle = info->exponents[7] != 0;
  if (unit.exponents == std::array<std::int8_t, Unit::base_units>{0, 0, -1} && !unit.names_angle && known &&
      known->same_dimension(unit)) {
    return *known;  // a hertz counts cycles, which base units cannot tell
  }
  return unit;
}

std::optional<std::size_t> element_count(const ModelDescription& model, const Variable& variable,
                                         const std::vector<std::pair<std::uint32_t, std::uint64_t>>& values) {
  std::uint64_t count = 1;
  for (const Dimension& d : variable.dimensions) {
    std::uint64_t size = d.start;
    if (d.reference) {
      const auto given = std::find_if(values.begin(), values.end(),
                                      [&](const auto& pair) { return pair.first == *d.reference; });
      if (given != values.end()) {
        size = given->second;
      } else if (const auto index = model.find_reference(*d.reference);
                 index && !model.variables[*index].start.empty()) {
        const double start = model.variables[*index].start.front();
        if (!(start >= 0.0 && start <= 2147483648.0)) return std::nullopt;
        size = static_cast<std::uint64_t>(start);
      }
    }
    if (size > (std::uint64_t{1} << 31) || count * size > (std::uint64_t{1} << 31)) return std::nullopt;
    count *= size;
  }
  return static_cast<std::size_t>(count);
}

std::int64_t first_integer(const Variable& v) {
  const std::vector<std::int64_t> all = integer_starts(v);
  return all.empty() ? 0 : all.front();
}

std::vector<std::int64_t> integer_starts(const Variable& v) {
  if (!v.start_integers.empty()) return v.start_integers;
  // Those of fewer bits fit; what is not an integer was refused, or is no more than a guess.
  constexpr double most = 9.0e18;
  std::vector<std::int64_t> all;
  for (const double start : v.start)
    all.push_back(std::abs(start) <= most ? static_cast<std::int64_t>(start) : 0);
  return all;
}

}  // namespace ergon::fmi
