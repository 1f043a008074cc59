#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "ergon/models/joints/joint_law.hpp"
#include "support/model_making.hpp"

// Smooth motions for joints, and all joints of the registry.

namespace ergon::testing_models {

/// Two bodies that move and turn smoothly, each in its own way.
inline MarkerMotion motion_at(double t, double phase, Space space) {
  const bool plane = space == Space::plane;
  const Eigen::Vector3d first = plane ? Eigen::Vector3d(Eigen::Vector3d::UnitZ())
                                      : Eigen::Vector3d(1.0, 2.0, -0.5 + phase).normalized();
  const Eigen::Vector3d second = plane ? Eigen::Vector3d(Eigen::Vector3d::UnitZ())
                                       : Eigen::Vector3d(-1.0, 0.3 * phase, 2.0).normalized();
  const double a = 0.4 * std::sin(1.3 * t + phase), a_dot = 0.52 * std::cos(1.3 * t + phase);
  const double b = 0.3 * std::cos(0.7 * t - phase), b_dot = -0.21 * std::sin(0.7 * t - phase);
  MarkerMotion end;
  end.axes = Eigen::AngleAxisd(a, first).toRotationMatrix() * Eigen::AngleAxisd(b, second).toRotationMatrix();
  end.angular_velocity_rad_s = a_dot * first + b_dot * (Eigen::AngleAxisd(a, first) * second);
  end.position_m = {0.2 * std::sin(t + phase), 0.1 * std::cos(2.0 * t) + 0.1 * phase,
                    0.15 * std::sin(1.7 * t - phase)};
  end.velocity_m_s = {0.2 * std::cos(t + phase), -0.2 * std::sin(2.0 * t), 0.255 * std::cos(1.7 * t - phase)};
  if (plane) end.position_m[2] = end.velocity_m_s[2] = 0.0;
  return end;
}

/// Calls `check` with every joint of the registry and each of its examples.
template <typename Check>
void for_every_joint(Check check) {
  for (const ElementInfo& info : elements()) {
    if (!info.make_joint) continue;  // joint.actuator is a law with an input of its own
    for (const Example& example : info.examples) {
      SCOPED_TRACE(info.name + ", " + example.name);
      check(info, example);
    }
  }
}

inline std::shared_ptr<const JointLaw> law_of(const ElementInfo& info, const GivenParameters& parameters) {
  ProblemList problems;
  auto law = info.make_joint(ParameterSet(info.parameters, parameters, "'tested'", problems), problems);
  EXPECT_FALSE(problems.has_errors()) << text_of(problems);
  return law;
}

/// An atpoint joint in world axes, as published, leaves the moment of its two forces: gap × force.
inline bool balances_moments(const ElementInfo& info, const Example& example) {
  const bool has_frame = std::any_of(info.parameters.begin(), info.parameters.end(),
                                     [](const ParameterInfo& p) { return p.name == "frame"; });
  return !has_frame || example.parameters.contains("frame");
}

}  // namespace ergon::testing_models
