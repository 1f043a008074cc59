#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

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
enum class Lane : std::uint8_t { real, integer, text };

[[nodiscard]] constexpr Lane lane_of(PortType type) {
  switch (type) {
    case PortType::real:
      return Lane::real;
    case PortType::integer:
    case PortType::boolean:
    case PortType::enumeration:
      return Lane::integer;
    case PortType::text:
    case PortType::binary:
      break;
  }
  return Lane::text;
}

/// "real", "integer", … as scenarios and messages say it.
[[nodiscard]] const char* name_of(PortType type);

/// One of the values that an enumeration can have.
struct EnumerationItem {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const EnumerationItem&) const = default;
};

/// How many scalars of each lane.
struct LaneCounts {
  std::size_t reals = 0;
  std::size_t integers = 0;
  std::size_t texts = 0;

  [[nodiscard]] std::size_t& of(Lane lane) {
    return lane == Lane::real ? reals : lane == Lane::integer ? integers : texts;
  }
  [[nodiscard]] std::size_t of(Lane lane) const {
    return lane == Lane::real ? reals : lane == Lane::integer ? integers : texts;
  }
  [[nodiscard]] bool has_discrete() const { return integers + texts > 0; }
};

/// One value of any type, as a user states it: a start value, a parameter that changes.
using TypedValue = std::variant<double, std::int64_t, bool, std::string>;

/// A value as the lane of a port of this type holds it. `problem` says, as part of a sentence, why there is none: "is no
/// whole number".
struct LaneValue {
  double real = 0.0;
  std::int64_t integer = 0;
  std::string text{};
  const char* problem = nullptr;
};
[[nodiscard]] LaneValue to_lane(const TypedValue& value, PortType type,
                                const std::vector<EnumerationItem>& items);

/// A value of the integer lane as a user reads it: 42, true, the name of an item.
[[nodiscard]] std::string shown(std::int64_t value, PortType type, const std::vector<EnumerationItem>& items);

}  // namespace ergon
