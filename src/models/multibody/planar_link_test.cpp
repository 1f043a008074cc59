#include "ergon/models/multibody/planar_link.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/named_ports.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

const IntegratorOptions accurate_link{.method = "rk4", .step_s = 1e-3};

TEST(PlanarLink, PinnedItIsAPhysicalPendulum) {
  Driven link(make_model("multibody.planar_link",
                         {{"m", 2.0},
                          {"J", 0.3},
                          {"length", 1.5},
                          {"pinned", true},
                          {"c", 20.0},
                          {"d", 0.5},
                          {"phi0", 0.3},
                          {"gravity", List{0.0, -9.81}}},
                         {{"phi", 0.8}, {"omega", -1.0}}, accurate_link));
  link.set("end_force", List{1.0, -2.0});
  link.set("torque", List{0.7});
  // (J + m s²) φ̈ = −m g s cos φ − c (φ − φ₀) − d φ̇ + l (F_y cos φ − F_x sin φ) + M, by the midpoint rule with small steps.
  double phi = 0.8, omega = -1.0;
  const double h = 1e-5;
  const auto acceleration = [](double p, double w) {
    return (-2.0 * 9.81 * 0.75 * std::cos(p) - 20.0 * (p - 0.3) - 0.5 * w +
            1.5 * (-2.0 * std::cos(p) - std::sin(p)) + 0.7) /
           (0.3 + 2.0 * 0.75 * 0.75);
  };
  for (int i = 0; i < 100000; ++i) {
    const double phi_half = phi + 0.5 * h * omega, omega_half = omega + 0.5 * h * acceleration(phi, omega);
    phi += h * omega_half;
    omega += h * acceleration(phi_half, omega_half);
  }
  link.step(1.0);
  EXPECT_NEAR(link.number("angle"), phi, 1e-8);
  EXPECT_NEAR(link.number("angular_velocity"), omega, 1e-7);
  EXPECT_NEAR(link.pair("start_position").norm(), 0.0, 1e-15);
  EXPECT_NEAR(link.pair("end_position")[1], 1.5 * std::sin(link.number("angle")), 1e-14);
}

/// A free link and a body in space with the same data move alike in the plane.
TEST(PlanarLink, AFreeLinkIsARigidBodyThatStaysInThePlane) {
  Driven link(
      make_model("multibody.planar_link",
                 {{"m", 2.0},
                  {"J", 0.3},
                  {"length", 1.5},
                  {"gravity", List{0.0, -9.81}},
                  {"markers", "hook"},
                  {"marker_positions", List{0.2, 0.3}},
                  {"marker_axes", List{1.0, 1.0}}},
                 {{"phi", 0.8}, {"omega", -3.0}, {"position", List{0.1, 0.2}}, {"velocity", List{1.0, 2.0}}},
                 accurate_link));
  Driven body(make_model("multibody.rigid_body",
                         {{"m", 2.0},
                          {"J", List{0.2, 0.2, 0.3}},
                          {"gravity", List{0.0, -9.81, 0.0}},
                          {"markers", "end hook"},
                          {"marker_positions", List{0.75, 0.0, 0.0, 0.2, 0.3, 0.0}},
                          {"marker_axes", List{1, 0, 0, 0, 1, 0, 1, 1, 0, -1, 1, 0}}},
                         {{"orientation", List{std::cos(0.4), 0.0, 0.0, std::sin(0.4)}},
                          {"angular_velocity", List{0.0, 0.0, -3.0}},
                          {"position", List{0.1, 0.2, 0.0}},
                          {"velocity", List{1.0, 2.0, 0.0}}},
                         accurate_link));
  link.set("end_force", List{5.0, -3.0});
  link.set("hook_torque", List{0.4});
  body.set("end_force", List{5.0, -3.0, 0.0});
  body.set("hook_torque", List{0.0, 0.0, 0.4});
  link.step(0.5);
  body.step(0.5);
  for (const char* port : {"position", "velocity", "end_position", "end_velocity", "hook_position",
                           "hook_velocity", "hook_axes", "hook_axes_rate"}) {
    EXPECT_LT((link.pair(port) - body.pair(port)).norm(), 1e-9) << port;
  }
  EXPECT_NEAR(link.number("angular_velocity"), body.number("angular_velocity", 2), 1e-9);
  EXPECT_NEAR(link.energy().stored_J, body.energy().stored_J, 1e-8);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(link.received("end_force", i), body.received("end_force", i), 1e-8);
  EXPECT_NEAR(link.received("hook_torque"), body.received("hook_torque", 2), 1e-9);
}

TEST(PlanarLink, ItsEffectiveInertiaIsWhatAForceMeets) {
  for (const bool pinned : {false, true}) {
    Driven link(make_model(
        "multibody.planar_link",
        {{"m", 2.0}, {"J", 0.3}, {"length", 1.5}, {"gravity", List{0.0, -9.81}}, {"pinned", pinned}},
        {{"phi", 0.8}, {"omega", -3.0}}, {.method = "rk4"}));
    const Description description = link.subsystem().describe();
    for (const auto& [input, velocity, component] :
         {std::tuple{"end_force", "end_velocity", 0U}, std::tuple{"end_force", "end_velocity", 1U},
          std::tuple{"end_torque", "angular_velocity", 0U}}) {
      link.subsystem().initialize({});
      const auto met = interface_of(link.subsystem(), {offset_of(description.inputs, input) + component},
                                    {offset_of(description.outputs, velocity) + component},
                                    List(size_of(description.inputs), 0.0));
      const double mass = met.mass.at(0);
      const double free_acceleration = met.force.at(0) / mass;
      constexpr double h = 1e-5, push = 7.0;
      for (const double force : {0.0, push}) {
        link.subsystem().initialize({});
        List values(component + 1, 0.0);
        values[component] = force;
        link.set(input, values);
        const double before = link.number(velocity, component);
        link.step(h);
        const double acceleration = (link.number(velocity, component) - before) / h;
        EXPECT_NEAR(acceleration, free_acceleration + force / mass, 2e-3) << input << component;
        link.set(input, List(component + 1, 0.0));
      }
    }
  }
}

TEST(PlanarLink, WhatThePinDecidesIsNotGivenTwice) {
  EXPECT_NE(
      refusal("multibody.planar_link", {{"pinned", true}}, {{"position", List{1.0, 0.0}}}).find("pinned"),
      std::string::npos);
  EXPECT_NE(refusal("multibody.planar_link", {{"pin", List{1.0, 0.0}}}).find("the link is free"),
            std::string::npos);
  EXPECT_NE(refusal("multibody.planar_link", {{"gravity", List{1.0}}}).find("Give x and y"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon
