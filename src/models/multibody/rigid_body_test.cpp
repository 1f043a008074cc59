#include "ergon/models/multibody/rigid_body.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "support/named_ports.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::Vector3d;
using List = std::vector<double>;

const IntegratorOptions accurate_body{.method = "rk4", .step_s = 1e-3};

Eigen::Matrix3d rotation_of(Driven& body) {
  return Eigen::Quaterniond(body.number("orientation", 0), body.number("orientation", 1),
                            body.number("orientation", 2), body.number("orientation", 3))
      .toRotationMatrix();
}

TEST(RigidBody, TorqueFreeRotationKeepsEnergyAndAngularMomentum) {
  const Eigen::Matrix3d J = Vector3d(0.08, 0.05, 0.02).asDiagonal();
  for (const char* method : {"rk4", "cvode-adams", "cvode-bdf"}) {
    IntegratorOptions options{.method = method, .rtol = 1e-11, .atol = 1e-13};
    if (std::string(method) == "rk4") options.step_s = 5e-4;
    // About the axis of the middle moment of inertia: it tumbles.
    Driven body(make_model("multibody.rigid_body", {{"J", List{0.08, 0.05, 0.02}}},
                           {{"angular_velocity", List{0.01, 6.0, 0.02}}}, options));
    const auto momentum = [&] {
      const Eigen::Matrix3d R = rotation_of(body);
      return Vector3d(R * J * R.transpose() * body.vector("angular_velocity"));
    };
    const double energy = body.energy().stored_J;
    const Vector3d start = momentum();
    double upright = 1.0;  // cosine of the angle between the body's y axis and world y
    for (int i = 0; i < 500; ++i) {
      body.step(0.01);
      upright = std::min(upright, rotation_of(body)(1, 1));
    }
    EXPECT_LT(upright, -0.9) << "it was to tumble";
    EXPECT_NEAR(body.energy().stored_J, energy, 1e-7 * energy) << method;
    EXPECT_LT((momentum() - start).norm(), 1e-7 * start.norm()) << method;
    double length = 0.0;
    for (std::size_t i = 0; i < 4; ++i) length += std::pow(body.number("orientation", i), 2);
    EXPECT_NEAR(length, 1.0, 1e-15);
  }
}

TEST(RigidBody, FallsFreely) {
  Driven body(make_model("multibody.rigid_body",
                         {{"m", 3.0},
                          {"gravity", List{0.0, 0.0, -9.81}},
                          {"markers", "tip"},
                          {"marker_positions", List{1.0, 0.0, 0.0}}},
                         {{"velocity", List{1.0, 0.0, 2.0}}, {"angular_velocity", List{0.0, 0.0, 2.0}}},
                         accurate_body));
  body.step(0.5);
  EXPECT_LT((body.vector("position") - Vector3d(0.5, 0.0, 1.0 - 0.5 * 9.81 * 0.25)).norm(), 1e-12);
  EXPECT_LT((body.vector("velocity") - Vector3d(1.0, 0.0, 2.0 - 9.81 * 0.5)).norm(), 1e-12);
  // Spinning about a principal axis: the marker has turned by 1 rad.
  const Vector3d arm(std::cos(1.0), std::sin(1.0), 0.0);
  EXPECT_LT((body.vector("tip_position") - body.vector("position") - arm).norm(), 1e-10);
  EXPECT_LT((body.vector("tip_axes") - arm).norm(), 1e-10);
  const Vector3d rate = Vector3d(0.0, 0.0, 2.0).cross(arm);
  EXPECT_LT((body.vector("tip_velocity") - body.vector("velocity") - rate).norm(), 1e-10);
  EXPECT_LT((body.vector("tip_axes_rate") - rate).norm(), 1e-10);
}

TEST(RigidBody, AForceAtAMarkerIsAForceAndATorqueAtTheCentre) {
  const Values parameters = {{"m", 2.0},
                             {"J", List{0.3, 0.4, 0.5, 0.02, -0.03, 0.01}},
                             {"markers", "hook"},
                             {"marker_positions", List{0.2, -0.3, 0.4}}};
  const Values initial = {{"orientation", List{1.0, 0.5, -0.2, 0.1}},
                          {"angular_velocity", List{1.0, 2.0, 3.0}}};
  // Over one step of Euler's method a force that stays in the world is also one that stays on the body.
  const IntegratorOptions euler{.method = "explicit-euler"};
  Driven at_marker(make_model("multibody.rigid_body", parameters, initial, euler));
  Driven at_centre(make_model("multibody.rigid_body", parameters, initial, euler));
  const Vector3d force(5.0, -4.0, 3.0);
  const Vector3d arm = at_marker.vector("hook_position") - at_marker.vector("position");
  at_marker.set("hook_force", force);
  at_centre.set("force", force);
  at_centre.set("hook_torque", Vector3d(arm.cross(force)));
  const double power = force.dot(at_marker.vector("hook_velocity"));
  at_marker.step(0.01);
  at_centre.step(0.01);
  EXPECT_LT((at_marker.vector("velocity") - at_centre.vector("velocity")).norm(), 1e-15);
  EXPECT_LT((at_marker.vector("angular_velocity") - at_centre.vector("angular_velocity")).norm(), 1e-14);
  double work = 0.0;
  for (std::size_t i = 0; i < 3; ++i) work += at_marker.received("hook_force", i);
  EXPECT_NEAR(work, 0.01 * power, 1e-14);
}

TEST(RigidBody, HangingOnAStiffSpringItIsAPhysicalPendulum) {
  // Top of the rod held at the origin by a spring, as a loop of the test: in the limit a physical pendulum.
  Driven body(make_model("multibody.rigid_body",
                         {{"J", List{0.08, 0.08, 0.01}},
                          {"gravity", List{0.0, 0.0, -9.81}},
                          {"markers", "top"},
                          {"marker_positions", List{0.0, 0.0, 0.5}}},
                         {{"position", List{0.0, 0.5 * std::sin(0.6), -0.5 * std::cos(0.6)}},
                          {"orientation", List{std::cos(0.3), std::sin(0.3), 0.0, 0.0}}},
                         {.method = "rk4"}));
  // φ̈ = −m g s sin φ / (J + m s²), by the same method with the same step.
  double phi = 0.6, omega = 0.0;
  const double h = 2e-5, factor = 9.81 * 0.5 / (0.08 + 0.25);
  for (int i = 0; i < 25000; ++i) {
    body.set("top_force", Vector3d(-1e6 * body.vector("top_position") - 2e2 * body.vector("top_velocity")));
    body.step(h);
    omega -= h * factor * std::sin(phi);
    phi += h * omega;
  }
  EXPECT_NEAR(std::atan2(body.vector("position")[1], -body.vector("position")[2]), phi, 2e-4);
  EXPECT_NEAR(body.vector("angular_velocity")[0], omega, 1e-3);
}

TEST(RigidBody, ItsEffectiveInertiaIsWhatAForceMeets) {
  Driven body(
      make_model("multibody.rigid_body",
                 {{"m", 2.0},
                  {"J", List{0.3, 0.4, 0.5, 0.02, -0.03, 0.01}},
                  {"gravity", List{0.0, 0.0, -9.81}},
                  {"markers", "hook"},
                  {"marker_positions", List{0.2, -0.3, 0.4}}},
                 {{"orientation", List{1.0, 0.5, -0.2, 0.1}}, {"angular_velocity", List{1.0, 2.0, 3.0}}},
                 {.method = "rk4"}));
  const Description description = body.subsystem().describe();
  for (const auto& [input, velocity] :
       {std::pair{"hook_force", "hook_velocity"}, std::pair{"hook_torque", "angular_velocity"}}) {
    for (std::size_t component = 0; component < 3; ++component) {
      body.subsystem().initialize({});
      const auto met = interface_of(body.subsystem(), {offset_of(description.inputs, input) + component},
                                    {offset_of(description.outputs, velocity) + component},
                                    List(size_of(description.inputs), 0.0));
      const double mass = met.mass.at(0);
      const double free_acceleration = met.force.at(0) / mass;
      constexpr double h = 1e-6;
      for (const double force : {0.0, 7.0}) {
        body.subsystem().initialize({});
        Vector3d push = Vector3d::Zero();
        push[static_cast<Eigen::Index>(component)] = force;
        body.set(input, Eigen::VectorXd(push));
        const double before = body.number(velocity, component);
        body.step(h);
        EXPECT_NEAR((body.number(velocity, component) - before) / h, free_acceleration + force / mass, 1e-3)
            << input << component;
        body.set(input, List{0.0, 0.0, 0.0});
      }
    }
  }
}

// Force and torque at a marker, all six components at once:  with r the lever and J the inertia in world axes
//   v̇ = (1/m − r× J⁻¹ r×) f − r× J⁻¹ τ,   ω̇ = J⁻¹ (r × f + τ)
TEST(RigidBody, AWrenchMeetsTheWholeBody) {
  const Eigen::Matrix3d inertia =
      (Eigen::Matrix3d() << 0.3, 0.02, -0.03, 0.02, 0.4, 0.01, -0.03, 0.01, 0.5).finished();
  const Eigen::Quaterniond turn = Eigen::Quaterniond(1.0, 0.5, -0.2, 0.1).normalized();
  Driven body(make_model("multibody.rigid_body",
                         {{"m", 2.0},
                          {"J", List{0.3, 0.4, 0.5, 0.02, -0.03, 0.01}},
                          {"markers", "hook"},
                          {"marker_positions", List{0.2, -0.3, 0.4}}},
                         {{"orientation", List{1.0, 0.5, -0.2, 0.1}}}));
  const Description description = body.subsystem().describe();
  std::vector<std::size_t> efforts, flows;
  for (std::size_t i = 0; i < 3; ++i) {
    efforts.push_back(offset_of(description.inputs, "hook_force") + i);
    flows.push_back(offset_of(description.outputs, "hook_velocity") + i);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    efforts.push_back(offset_of(description.inputs, "hook_torque") + i);
    flows.push_back(offset_of(description.outputs, "angular_velocity") + i);
  }
  const auto met = interface_of(body.subsystem(), efforts, flows, List(size_of(description.inputs), 0.0));
  ASSERT_EQ(met.mass.size(), 36U);
  const Eigen::Matrix3d R = turn.toRotationMatrix();
  const Eigen::Matrix3d inverse = R * inertia.inverse() * R.transpose();
  const Vector3d r = R * Vector3d(0.2, -0.3, 0.4);
  const Eigen::Matrix3d cross =
      (Eigen::Matrix3d() << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0).finished();
  Eigen::Matrix<double, 6, 6> mobility;
  mobility << Eigen::Matrix3d::Identity() / 2.0 - cross * inverse * cross, -cross * inverse, inverse * cross,
      inverse;
  const Eigen::Matrix<double, 6, 6, Eigen::RowMajor> mass =
      Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(met.mass.data());
  EXPECT_LT((mass * mobility - Eigen::Matrix<double, 6, 6>::Identity()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RigidBody, WhatCannotBeIsRefused) {
  EXPECT_NE(
      refusal("multibody.rigid_body", {{"J", List{1.0, 1.0, 1.0, 2.0, 0.0, 0.0}}}).find("must be positive"),
      std::string::npos);
  EXPECT_NE(refusal("multibody.rigid_body", {{"J", List{1.0, 1.0}}}).find("'J' has 2 numbers"),
            std::string::npos);
  EXPECT_NE(refusal("multibody.rigid_body", {}, {{"orientation", List{0.0, 0.0, 0.0, 0.0}}}).find("is 0"),
            std::string::npos);
  EXPECT_NE(refusal("multibody.rigid_body", {{"markers", "a"}}).find("Give 3 numbers for each marker"),
            std::string::npos);
  EXPECT_NE(refusal("multibody.rigid_body", {{"markers", "a a"}, {"marker_positions", List(6, 0.0)}})
                .find("Two markers are called 'a'"),
            std::string::npos);
  EXPECT_NE(
      refusal("multibody.rigid_body",
              {{"markers", "a"}, {"marker_positions", List(3, 0.0)}, {"marker_axes", List{1, 0, 0, 2, 0, 0}}})
          .find("span no frame"),
      std::string::npos);
}

}  // namespace
}  // namespace ergon
