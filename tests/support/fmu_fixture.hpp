#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <ostream>
#include <string>

#include "support/fmi_kit.hpp"

namespace ergon::fmi {

/// The law of the test FMUs, in the order of their operations: one step of semi-implicit Euler.
struct Mass {
  double x = 1.0, v = 0.0, k = 100.0;
  void step(double h, double force) {
    const double acceleration = (force - k * x - 0.0 * v) / 1.0;
    v += h * acceleration;
    x += h * v;
  }
};

inline void expect_no_child_left() {
  int status = 0;
  EXPECT_EQ(::waitpid(-1, &status, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

struct Place {
  int version;
  bool isolate;
};
inline void PrintTo(const Place& place, std::ostream* stream) {
  *stream << "FMI" << place.version << (place.isolate ? " isolated" : " here");
}

/// Test FMUs of both versions, in this process and in workers.
class Fmu : public testing::TestWithParam<Place> {
 protected:
  [[nodiscard]] std::string kit(const std::string& variant = "") const {
    return "kit" + std::to_string(GetParam().version) + (variant.empty() ? "" : "_" + variant);
  }
  [[nodiscard]] ForeignOptions options() const {
    ForeignOptions o;
    o.isolate = GetParam().isolate;
    o.call_limit_s = 5.0;
    return o;
  }
  void TearDown() override { expect_no_child_left(); }
};
}  // namespace ergon::fmi
