#include "ergon/core/unit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <stdexcept>
#include <string>

namespace ergon {
namespace {

struct Row {
  const char* text;
  std::array<std::int8_t, Unit::base_units> exponents;  // m kg s A K mol cd
  double factor;
};

TEST(Unit, ReadsWhatEngineersWrite) {
  const Row table[] = {
      {"1", {}, 1.0},
      {"m", {1}, 1.0},
      {"mm", {1}, 1e-3},
      {"km", {1}, 1e3},
      {"kg", {0, 1}, 1.0},
      {"t", {0, 1}, 1e3},
      {"min", {0, 0, 1}, 60.0},
      {"ms", {0, 0, 1}, 1e-3},
      {"N", {1, 1, -2}, 1.0},
      {"kN", {1, 1, -2}, 1e3},
      {"MPa", {-1, 1, -2}, 1e6},
      {"mbar", {-1, 1, -2}, 1e5 * 1e-3},
      {"kWh", {2, 1, -2}, 3.6e6},
      {"daN", {1, 1, -2}, 10.0},
      {"µm", {1}, 1e-6},
      {"um", {1}, 1e-6},
      {"m/s", {1, 0, -1}, 1.0},
      {"m/s/s", {1, 0, -2}, 1.0},
      {"m/s2", {1, 0, -2}, 1.0},
      {"m/s^2", {1, 0, -2}, 1.0},
      {"m s-2", {1, 0, -2}, 1.0},
      {"m·s⁻²", {1, 0, -2}, 1.0},
      {"m³/s", {3, 0, -1}, 1.0},
      {"l/min", {3, 0, -1}, 1e-3 / 60.0},
      {"km/h", {1, 0, -1}, 1000.0 / 3600.0},
      {"kg.m2/s2", {2, 1, -2}, 1.0},
      {"kg*m^2", {2, 1}, 1.0},
      {"N·m", {2, 1, -2}, 1.0},
      {"N.m.s/rad", {2, 1, -1}, 1.0},
      {"N/(m/s)", {0, 1, -1}, 1.0},
      {"(m/s)2", {2, 0, -2}, 1.0},
      {"1/s", {0, 0, -1}, 1.0},
      {"rad/s", {0, 0, -1}, 1.0},
      {"rpm", {0, 0, -1}, 2.0 * std::numbers::pi / 60.0},
      {"rev/min", {0, 0, -1}, 2.0 * std::numbers::pi / 60.0},
      {"deg", {}, std::numbers::pi / 180.0},
      {"°", {}, std::numbers::pi / 180.0},
      {"%", {}, 0.01},
      {"V", {2, 1, -3, -1}, 1.0},
      {"kΩ", {2, 1, -3, -2}, 1e3},
      {"K", {0, 0, 0, 0, 1}, 1.0},
      {"mol", {0, 0, 0, 0, 0, 1}, 1.0},
      {"cd", {0, 0, 0, 0, 0, 0, 1}, 1.0},
  };
  for (const Row& row : table) {
    const auto unit = Unit::parse(row.text);
    ASSERT_TRUE(unit) << row.text;
    EXPECT_EQ(unit->exponents, row.exponents) << row.text;
    EXPECT_DOUBLE_EQ(unit->factor, row.factor) << row.text;
    EXPECT_EQ(unit->offset, 0.0) << row.text;
    EXPECT_FALSE(unit->is_unspecified());
  }
}

TEST(Unit, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"foo", "m/", "/s", "m**2", "(m", "m)", "()", "10", "12m", "k", "mkg", "m^x",
                           "m2kg", "m(s)", " ", "m^200", "((m^100)^100)"}) {
    EXPECT_FALSE(Unit::parse(text)) << '"' << text << '"';
  }
  EXPECT_FALSE(Unit::parse(std::string(100000, '(')));
  EXPECT_THROW(Unit::of("foo"), std::logic_error);
}

TEST(Unit, EmptyMeansNotSaidAndFitsEverything) {
  const Unit nothing = Unit::of("");
  EXPECT_TRUE(nothing.is_unspecified());
  const UnitConversion c = conversion(nothing, Unit::of("kN"));
  EXPECT_EQ(c.gain, 1.0);
  EXPECT_EQ(c.offset, 0.0);
  EXPECT_FALSE(Unit::of("1").is_unspecified());
}

TEST(Unit, ConvertsByFactor) {
  EXPECT_DOUBLE_EQ(conversion(Unit::of("kN"), Unit::of("N")).gain, 1000.0);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("m/s"), Unit::of("km/h")).gain, 3.6);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("deg"), Unit::of("rad")).gain, std::numbers::pi / 180.0);
}

// A hertz is one cycle per second: 60 rpm are 1 Hz and 2π rad/s.
TEST(Unit, CyclesAreNotRadians) {
  EXPECT_DOUBLE_EQ(60.0 * conversion(Unit::of("rpm"), Unit::of("Hz")).gain, 1.0);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("Hz"), Unit::of("rad/s")).gain, 2.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("rad/s"), Unit::of("Hz")).gain, 0.5 / std::numbers::pi);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("Hz"), Unit::of("deg/s")).gain, 360.0);
  EXPECT_EQ(conversion(Unit::of("Hz"), Unit::of("rev/s")).gain, 1.0);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("kHz/s"), Unit::of("rad/s2")).gain, 2000.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(conversion(Unit::of("N.m/Hz"), Unit::of("N.m.s/rad")).gain, 0.5 / std::numbers::pi);
  // Where nobody speaks of angles a hertz is one event per second.
  EXPECT_EQ(conversion(Unit::of("Hz"), Unit::of("1/s")).gain, 1.0);
  EXPECT_EQ(conversion(Unit::of("kHz"), Unit::of("Hz")).gain, 1000.0);
  EXPECT_EQ(conversion(Unit::of("m.Hz"), Unit::of("m/s")).gain, 1.0);
}

// Torque × speed is power whatever the speed is counted in: 1 N·m at 1 Hz are 2π W.
TEST(Unit, RatesOfAnglesMayBeCountedInCycles) {
  EXPECT_DOUBLE_EQ(Unit::of("Hz").to_SI(), 2.0 * std::numbers::pi);
  EXPECT_EQ(Unit::of("rad/s").to_SI(), 1.0);
  EXPECT_DOUBLE_EQ(rate_factor(Unit::of("Hz"), Unit::of("rad")), 2.0 * std::numbers::pi);
  EXPECT_EQ(rate_factor(Unit::of("Hz"), Unit::of("rev")), 1.0);
  EXPECT_EQ(rate_factor(Unit::of("mm/s"), Unit::of("m")), 1e-3);
  EXPECT_EQ(rate_factor(Unit::of("m/s"), Unit::of("")), 1.0);
}

// Two spellings of one unit must be a plain copy, bit for bit, or coupling would round where nothing is converted.
TEST(Unit, TwoSpellingsOfOneUnitConvertExactly) {
  const char* pairs[][2] = {
      {"rpm", "rev/min"}, {"N", "kg.m/s2"}, {"W", "J/s"}, {"Pa", "N/m2"}, {"m/s", "m*s^-1"}};
  for (const auto& [a, b] : pairs) {
    const UnitConversion c = conversion(Unit::of(a), Unit::of(b));
    EXPECT_EQ(c.gain, 1.0) << a << " and " << b;
    EXPECT_EQ(c.offset, 0.0);
  }
}

// value_SI = factor·value + offset on both sides: 20 °C = 293.15 K.
TEST(Unit, ConvertsTemperaturesWithTheirOffset) {
  const UnitConversion to_kelvin = conversion(Unit::of("degC"), Unit::of("K"));
  EXPECT_DOUBLE_EQ(to_kelvin.gain * 20.0 + to_kelvin.offset, 293.15);
  const UnitConversion to_millikelvin = conversion(Unit::of("degC"), Unit::of("mK"));
  EXPECT_NEAR(to_millikelvin.gain * 20.0 + to_millikelvin.offset, 293150.0, 1e-9);
  const UnitConversion to_celsius = conversion(Unit::of("mK"), Unit::of("°C"));
  EXPECT_NEAR(to_celsius.gain * 293150.0 + to_celsius.offset, 20.0, 1e-12);
  // In a product a degree is a difference.
  EXPECT_EQ(Unit::of("J/degC").offset, 0.0);
  EXPECT_EQ(Unit::of("degC/s").offset, 0.0);
}

TEST(Unit, KnowsPowersAndRates) {
  EXPECT_TRUE(product_is_power(Unit::of("N"), Unit::of("m/s")));
  EXPECT_TRUE(product_is_power(Unit::of("N.m"), Unit::of("rad/s")));
  EXPECT_TRUE(product_is_power(Unit::of("bar"), Unit::of("l/min")));
  EXPECT_TRUE(product_is_power(Unit::of("V"), Unit::of("A")));
  EXPECT_FALSE(product_is_power(Unit::of("N"), Unit::of("m")));
  EXPECT_TRUE(is_rate_of(Unit::of("mm/s"), Unit::of("m")));
  EXPECT_TRUE(is_rate_of(Unit::of("rpm"), Unit::of("rad")));
  EXPECT_FALSE(is_rate_of(Unit::of("m"), Unit::of("m/s")));
  EXPECT_TRUE(Unit::per_second(Unit::of("m")).same_dimension(Unit::of("m/s")));
}

}  // namespace
}  // namespace ergon
