#include "ergon/models/mechanics/suspension.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

/// Positions and rates of ends i and j, forces on both.
Description two_ended(const char* i, const char* j) {
  const Unit metre = Unit::of("m");
  const Unit metre_per_second = Unit::of("m/s");
  Description description;
  description.inputs = {{"position_i", metre, 1, fmt::format("position of {}", i)},
                        {"velocity_i", metre_per_second, 1, fmt::format("velocity of {}", i)},
                        {"position_j", metre, 1, fmt::format("position of {}", j)},
                        {"velocity_j", metre_per_second, 1, fmt::format("velocity of {}", j)}};
  description.outputs = {{"force_i", Unit::of("N"), 1, fmt::format("force on {}", i)},
                         {"force_j", Unit::of("N"), 1, fmt::format("force on {}", j)}};
  for (std::size_t output = 0; output < 2; ++output) {
    for (std::size_t input = 0; input < 4; ++input) description.feedthrough.push_back({output, input});
  }
  description.algebraic = true;
  return description;
}

/// A curve through the points of two lists; nothing after reporting what is wrong with them.
std::optional<Curve> curve_of(const ParameterSet& given, const char* x_name, const char* y_name,
                              ProblemList& problems) {
  const std::vector<double>& x = given.list(x_name);
  const std::vector<double>& y = given.list(y_name);
  if (x.size() < 2 || x.size() != y.size()) {
    problems.error({}, fmt::format("'{}' has {} numbers and '{}' {}.", x_name, x.size(), y_name, y.size()),
                   "Give as many numbers in both, two at least.");
    return std::nullopt;
  }
  for (std::size_t k = 1; k < x.size(); ++k) {
    if (x[k] > x[k - 1]) continue;
    problems.error({}, fmt::format("'{}' does not increase: {} follows {}.", x_name, x[k], x[k - 1]),
                   "List its points from the smallest to the largest.");
    return std::nullopt;
  }
  return Curve::table(x, y);
}

/// Passive: what it opposes has its own sign at every point, and between two of them.
bool opposes_motion(const ParameterSet& given, const Curve& damper, ProblemList& problems) {
  const std::vector<double>& rate = given.list("damper_rate");
  const std::vector<double>& force = given.list("damper_force");
  for (std::size_t k = 0; k < rate.size(); ++k) {
    if (rate[k] * force[k] >= 0.0) continue;
    problems.error(
        {},
        fmt::format("The damper gives {} N at {} m/s, which does not oppose the motion.", force[k], rate[k]),
        "Forces of a damper have the sign of their rate, and are 0 at rate 0.");
    return false;
  }
  if (damper.value(0.0) == 0.0) return true;
  problems.error({}, fmt::format("The damper gives {} N at rest.", damper.value(0.0)),
                 "Give its table a point with rate 0 and force 0.");
  return false;
}

}  // namespace

Description TableSpringDamper::describe() const {
  Description description = two_ended("end i", "end j");
  description.outputs.push_back({"compression", Unit::of("m"), 1, "position_i - position_j + rest_length"});
  description.outputs.push_back({"spring_force", Unit::of("N"), 1, "of the spring, on end j"});
  description.outputs.push_back({"damper_force", Unit::of("N"), 1, "of the damper, on end j"});
  for (const std::size_t output : {2U, 3U}) {
    description.feedthrough.push_back({output, 0});
    description.feedthrough.push_back({output, 2});
  }
  description.feedthrough.push_back({4, 1});
  description.feedthrough.push_back({4, 3});
  return description;
}

void TableSpringDamper::evaluate(const double* u, double* y) const {
  y[2] = compression_m(u);
  y[3] = spring_.value(y[2]);
  y[4] = damper_.value(u[1] - u[3]);
  y[1] = y[3] + y[4];
  y[0] = -y[1];
}

void TableSpringDamper::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const double k = spring_.slope(compression_m(u));
  const double c = damper_.slope(u[1] - u[3]);
  const double rows[5][4] = {
      {-k, -c, k, c}, {k, c, -k, -c}, {1.0, 0.0, -1.0, 0.0}, {k, 0.0, -k, 0.0}, {0.0, c, 0.0, -c}};
  for (std::size_t i = 0; i < 5; ++i) std::copy_n(rows[i], 4, jacobian + 4 * i);
}

Description Tyre::describe() const {
  Description description = two_ended("the road", "the wheel");
  description.outputs.push_back({"deflection", Unit::of("m"), 1, "how far it is pressed in, 0 in the air"});
  description.feedthrough.push_back({2, 0});
  description.feedthrough.push_back({2, 2});
  return description;
}

double Tyre::force_N(const double* u) const {
  const double deflection = deflection_m(u);
  const double force = stiffness_N_m_ * deflection + damping_Ns_m_ * (u[1] - u[3]);
  return deflection <= 0.0 || force <= 0.0 ? 0.0 : force;  // NaN stays NaN
}

void Tyre::evaluate(const double* u, double* y) const {
  y[1] = force_N(u);
  y[0] = -y[1];
  const double deflection = deflection_m(u);
  y[2] = deflection <= 0.0 ? 0.0 : deflection;
}

double Tyre::stored_J(const double* u) const {
  const double deflection = deflection_m(u);
  return deflection > 0.0 ? 0.5 * stiffness_N_m_ * deflection * deflection : 0.0;
}

double Tyre::dissipation_W(const double* u) const {
  const double deflection = deflection_m(u);
  if (deflection <= 0.0) return 0.0;
  const double rate = u[1] - u[3];
  return (force_N(u) - stiffness_N_m_ * deflection) * rate;
}

void Tyre::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const bool touches = deflection_m(u) > 0.0;
  const bool pushes = force_N(u) > 0.0;
  const double k = pushes ? stiffness_N_m_ : 0.0;
  const double c = pushes ? damping_Ns_m_ : 0.0;
  const double row[4] = {k, c, -k, -c};
  for (std::size_t i = 0; i < 4; ++i) {
    jacobian[i] = -row[i];
    jacobian[4 + i] = row[i];
    jacobian[8 + i] = 0.0;
  }
  if (touches) {
    jacobian[8] = 1.0;
    jacobian[10] = -1.0;
  }
}

ElementInfo table_spring_damper_element() {
  using List = std::vector<double>;
  ElementInfo info;
  info.name = "table-spring-damper";
  info.summary = "spring and damper by tables, with bump and rebound, between two ends";
  info.parameters = {{"spring_compression", "m", List{-1.0, 1.0}, "points of the spring, increasing"},
                     {"spring_force", "N", List{0.0, 0.0}, "its force at each of them"},
                     {"damper_rate", "m/s", List{-1.0, 1.0}, "points of the damper: rebound < 0 < bump"},
                     {"damper_force", "N", List{0.0, 0.0}, "its force at each of them"},
                     {"rest_length", "m", 0.0, "position_j - position_i at compression 0"}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    const auto spring = curve_of(given, "spring_compression", "spring_force", problems);
    const auto damper = curve_of(given, "damper_rate", "damper_force", problems);
    if (!spring || !damper || !opposes_motion(given, *damper, problems)) return nullptr;
    return std::make_unique<TableSpringDamper>(*spring, *damper, given.number("rest_length"));
  };
  info.examples = {{"progressive",
                    {{"spring_compression", {List{-0.5, 0.0, 0.3, 0.8}, {}}},
                     {"spring_force", {List{-40.0, 0.0, 30.0, 130.0}, {}}},
                     {"damper_rate", {List{-0.6, 0.0, 0.4}, {}}},
                     {"damper_force", {List{-60.0, 0.0, 20.0}, {}}},
                     {"rest_length", {0.3, {}}}}}};
  return info;
}

ElementInfo tyre_element() {
  ElementInfo info;
  info.name = "tyre";
  info.summary = "tyre between a road (end i) and a wheel (end j): pushes, never pulls";
  info.parameters = {{"k", "N/m", 2e5, "vertical stiffness", {}, 0.0},
                     {"c", "N.s/m", 0.0, "vertical damping", {}, 0.0},
                     {"radius", "m", 0.0, "position_j - position_i at which it begins to touch", {}, 0.0}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<Tyre>(given.number("k"), given.number("c"), given.number("radius"));
  };
  info.examples = {{"touching", {{"k", {100.0, {}}}, {"c", {0.5, {}}}, {"radius", {3.0, {}}}}}};
  return info;
}

}  // namespace ergon
