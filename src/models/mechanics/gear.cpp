#include "ergon/models/mechanics/gear.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

ElementInfo gear_like(std::string name, std::string summary, bool is_gear) {
  ElementInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {{"k", "N.m/rad", 0.0, "torsional stiffness, seen from shaft i", {}, 0.0},
                     {"c", "N.m.s/rad", 0.0, "torsional damping, seen from shaft i", {}, 0.0}};
  if (is_gear) {
    info.parameters.push_back({"ratio", "", 1.0, "n: turns of shaft i for one turn of shaft j"});
    info.parameters.push_back(
        {"backlash", "rad", 0.0, "play from flank to flank, seen from shaft i", {}, 0.0});
    info.parameters.push_back({"depth",
                               "rad",
                               1e-4,
                               "with backlash, damping is in full where teeth are pressed in this far",
                               {},
                               0.0,
                               true});
    info.parameters.push_back(
        {"efficiency", "", 1.0, "output over input power, shaft i driving", {}, 0.0, true});
    info.parameters.push_back({"loss_speed",
                               "rad/s",
                               0.1,
                               "below this speed of shaft j losses fall in proportion to it",
                               {},
                               0.0,
                               true});
  }
  info.parameters.push_back({"rest_angle", "rad", 0.0, "angle_i - n * angle_j at which it is relaxed"});
  info.make = [is_gear](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    Gear::Parameters p;
    p.stiffness_Nm_rad = given.number("k");
    p.damping_Nms_rad = given.number("c");
    p.rest_rad = given.number("rest_angle");
    if (is_gear) {
      p.ratio = given.number("ratio");
      p.backlash_rad = given.number("backlash");
      p.depth_rad = given.number("depth");
      p.efficiency = given.number("efficiency");
      p.loss_speed_rad_s = given.number("loss_speed");
      if (p.efficiency > 1.0) {
        problems.error({}, "The 'efficiency' of a gear is above 1.", "Give a number above 0, up to 1.");
        return nullptr;
      }
    }
    return std::make_unique<Gear>(p);
  };
  return info;
}

}  // namespace

Description Gear::describe() const {
  const Unit angle = Unit::of("rad");
  const Unit speed = Unit::of("rad/s");
  const Unit torque = Unit::of("N.m");
  Description description;
  description.inputs = {{"angle_i", angle, 1, "of shaft i"},
                        {"angular_velocity_i", speed, 1, "of shaft i"},
                        {"angle_j", angle, 1, "of shaft j"},
                        {"angular_velocity_j", speed, 1, "of shaft j"}};
  description.outputs = {{"torque_i", torque, 1, "on shaft i"},
                         {"torque_j", torque, 1, "on shaft j"},
                         {"twist", angle, 1, "angle_i - ratio * angle_j - rest_angle"}};
  for (std::size_t output = 0; output < 2; ++output) {
    for (std::size_t input = 0; input < 4; ++input) description.feedthrough.push_back({output, input});
  }
  description.feedthrough.push_back({2, 0});
  description.feedthrough.push_back({2, 2});
  description.algebraic = true;
  return description;
}

Gear::Mesh Gear::mesh(const double* u) const {
  Mesh m;
  m.twist = (u[0] - p_.ratio * u[2]) - p_.rest_rad;
  m.rate = u[1] - p_.ratio * u[3];
  m.pressed = m.twist;
  if (p_.backlash_rad > 0.0) {
    const double beyond = std::abs(m.twist) - 0.5 * p_.backlash_rad;
    m.pressed = beyond <= 0.0 ? 0.0 * m.twist : std::copysign(beyond, m.twist);  // NaN stays NaN
    m.share = std::min(1.0, std::abs(m.pressed) / p_.depth_rad);
  }
  m.torque = p_.stiffness_Nm_rad * m.pressed + m.share * p_.damping_Nms_rad * m.rate;
  return m;
}

double Gear::direction(double omega_j) const {
  return std::clamp(omega_j / p_.loss_speed_rad_s, -1.0, 1.0);
}

void Gear::evaluate(const double* u, double* y) const {
  const Mesh m = mesh(u);
  const double on_j = p_.ratio * m.torque;
  y[0] = -m.torque;
  y[1] = on_j - (1.0 - p_.efficiency) * std::abs(on_j) * direction(u[3]);
  y[2] = m.twist;
}

double Gear::stored_J(const double* u) const {
  const double pressed = mesh(u).pressed;
  return 0.5 * p_.stiffness_Nm_rad * pressed * pressed;
}

double Gear::dissipation_W(const double* u) const {
  const Mesh m = mesh(u);
  return m.share * p_.damping_Nms_rad * m.rate * m.rate +
         (1.0 - p_.efficiency) * std::abs(p_.ratio * m.torque) * direction(u[3]) * u[3];
}

void Gear::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const Mesh m = mesh(u);
  const double n = p_.ratio;
  double by_twist = p_.stiffness_Nm_rad;  // dτ/dδ
  if (p_.backlash_rad > 0.0) {
    if (m.pressed == 0.0) by_twist = 0.0;
    if (m.pressed != 0.0 && m.share < 1.0)
      by_twist += std::copysign(1.0, m.pressed) / p_.depth_rad * p_.damping_Nms_rad * m.rate;
  }
  const double by_rate = m.share * p_.damping_Nms_rad;
  const double row[4] = {by_twist, by_rate, -n * by_twist, -n * by_rate};
  const double lost = 1.0 - p_.efficiency;
  const double on_j = n * m.torque;
  const double factor = n * (1.0 - lost * std::copysign(1.0, on_j) * direction(u[3]));
  for (std::size_t i = 0; i < 4; ++i) {
    jacobian[i] = -row[i];
    jacobian[4 + i] = factor * row[i];
    jacobian[8 + i] = 0.0;
  }
  if (std::abs(u[3]) < p_.loss_speed_rad_s) jacobian[4 + 3] -= lost * std::abs(on_j) / p_.loss_speed_rad_s;
  jacobian[8] = 1.0;
  jacobian[10] = -n;
}

ElementInfo shaft_element() {
  ElementInfo info = gear_like("shaft", "torsional spring and damper between two inertias", false);
  info.examples = {{"stiff", {{"k", {100.0, {}}}, {"c", {0.5, {}}}, {"rest_angle", {0.3, {}}}}}};
  return info;
}

ElementInfo gear_element() {
  ElementInfo info =
      gear_like("gear", "gear with compliant teeth, backlash and losses between two inertias", true);
  info.examples = {{"worn",
                    {{"k", {100.0, {}}},
                     {"c", {0.5, {}}},
                     {"ratio", {3.0, {}}},
                     {"backlash", {0.02, {}}},
                     {"efficiency", {0.9, {}}}}},
                   {"slow",
                    {{"k", {100.0, {}}},
                     {"c", {0.5, {}}},
                     {"ratio", {-2.0, {}}},
                     {"backlash", {0.01, {}}},
                     {"depth", {50.0, {}}},
                     {"efficiency", {0.8, {}}},
                     {"loss_speed", {100.0, {}}}}}};
  return info;
}

}  // namespace ergon
