#include "ergon/core/port_type.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

/// Beyond, not every whole number is a double.
constexpr double largest_exact_whole_number = 9007199254740992.0;  // 2⁵³

StoredValue refused(const char* problem) {
  StoredValue value;
  value.problem = problem;
  return value;
}

StoredValue to_real(const TypedValue& value) {
  StoredValue result;
  if (const auto* number = std::get_if<double>(&value)) {
    result.real = *number;
    return result;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    result.real = static_cast<double>(*whole);
    return result;
  }
  return refused("is not a number");
}

StoredValue to_integer(const TypedValue& value) {
  StoredValue result;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    result.integer = *whole;
    return result;
  }
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || *number != std::floor(*number) || std::abs(*number) > largest_exact_whole_number)
    return refused("is not a whole number");
  result.integer = static_cast<std::int64_t>(*number);
  return result;
}

StoredValue to_item(const TypedValue& value, const std::vector<EnumerationItem>& items) {
  StoredValue result = to_integer(value);
  const auto* name = std::get_if<std::string>(&value);
  const auto found = std::find_if(items.begin(), items.end(), [&](const EnumerationItem& item) {
    return name != nullptr ? item.name == *name : result.problem == nullptr && item.value == result.integer;
  });
  if (found == items.end()) return refused("is none of its items");
  result.problem = nullptr;
  result.integer = found->value;
  return result;
}

}  // namespace

const char* name_of(PortType type) {
  switch (type) {
    case PortType::real:
      return "real";
    case PortType::integer:
      return "integer";
    case PortType::boolean:
      return "boolean";
    case PortType::enumeration:
      return "enumeration";
    case PortType::text:
      return "text";
    case PortType::binary:
      break;
  }
  return "binary";
}

StoredValue to_stored(const TypedValue& value, PortType type, const std::vector<EnumerationItem>& items) {
  StoredValue result;
  switch (type) {
    case PortType::real:
      return to_real(value);
    case PortType::integer:
      return to_integer(value);
    case PortType::boolean:
      if (const auto* flag = std::get_if<bool>(&value)) {
        result.integer = *flag ? 1 : 0;
        return result;
      }
      return refused("is neither true nor false");
    case PortType::enumeration:
      return to_item(value, items);
    case PortType::text:
    case PortType::binary:
      break;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    result.text = *text;
    return result;
  }
  return refused("is not a string");
}

std::string shown(std::int64_t value, PortType type, const std::vector<EnumerationItem>& items) {
  if (type == PortType::boolean && (value == 0 || value == 1)) return value == 1 ? "true" : "false";
  if (type == PortType::enumeration) {
    for (const EnumerationItem& item : items) {
      if (item.value == value) return item.name;
    }
  }
  return std::to_string(value);
}

}  // namespace ergon
