#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// What the values of a port are.
enum class PortType : std::uint8_t {
  real,
  integer,      ///< 64 bits, signed
  boolean,      ///< 0 or 1
  enumeration,  ///< the value of one of its items
  text,         ///< UTF-8
  binary,       ///< bytes that mean something to both ends alone
};

/// Where values are kept: reals as doubles; integers, booleans and enumerations as 64-bit integers; texts and bytes as strings.
enum class ValueKind : std::uint8_t { real, integer, text };

[[nodiscard]] constexpr ValueKind value_kind_of(PortType type) {
  switch (type) {
    case PortType::real:
      return ValueKind::real;
    case PortType::integer:
    case PortType::boolean:
    case PortType::enumeration:
      return ValueKind::integer;
    case PortType::text:
    case PortType::binary:
      break;
  }
  return ValueKind::text;
}

/// "real", "integer", … as scenarios and messages say it.
[[nodiscard]] ERGON_API const char* name_of(PortType type);

/// One of the values that an enumeration can have.
struct EnumerationItem {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const EnumerationItem&) const = default;
};

/// How many scalars of each kind.
struct ValueCounts {
  std::size_t reals = 0;
  std::size_t integers = 0;
  std::size_t texts = 0;

  [[nodiscard]] std::size_t& of(ValueKind kind) {
    return kind == ValueKind::real ? reals : kind == ValueKind::integer ? integers : texts;
  }
  [[nodiscard]] std::size_t of(ValueKind kind) const {
    return kind == ValueKind::real ? reals : kind == ValueKind::integer ? integers : texts;
  }
  [[nodiscard]] bool has_discrete() const { return integers + texts > 0; }
};

/// One value of any type, as a user states it: a start value, a parameter that changes.
using TypedValue = std::variant<double, std::int64_t, bool, std::string>;

/// A value as a port of this type holds it. `problem` says, as part of a sentence, why there is none: "is no
/// whole number".
struct StoredValue {
  double real = 0.0;
  std::int64_t integer = 0;
  std::string text{};
  const char* problem = nullptr;
};
[[nodiscard]] ERGON_API StoredValue to_stored(const TypedValue& value, PortType type,
                                              const std::vector<EnumerationItem>& items);

/// A value of the integer kind as a user reads it: 42, true, the name of an item.
[[nodiscard]] ERGON_API std::string shown(std::int64_t value, PortType type,
                                          const std::vector<EnumerationItem>& items);

}  // namespace ergon
