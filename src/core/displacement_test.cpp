#include "ergon/core/displacement.hpp"

#include <gtest/gtest.h>

namespace ergon {
namespace {

TEST(Displacement, LengthsAndAnglesAreDisplacements) {
  for (const char* text : {"m", "mm", "km", "rad", "mrad", "deg", "rev"})
    EXPECT_TRUE(is_displacement(Unit::of(text))) << text;
  for (const char* text : {"", "1", "%", "m/s", "rad/s", "rpm", "Hz", "m*rad", "N*m/rad", "m^2", "V"})
    EXPECT_FALSE(is_displacement(Unit::of(text))) << text;
}

}  // namespace
}  // namespace ergon
