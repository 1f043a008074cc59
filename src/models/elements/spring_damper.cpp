#include "ergon/models/elements/spring_damper.hpp"

namespace ergon {
namespace {

ElementInfo element(std::string name, std::string summary, const char* spring, const char* damper) {
  ElementInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {
      {"k", "N/m", 0.0, "stiffness of the spring (N/m^0.5 for square-root)"},
      {"c", "N.s/m", 0.0, "coefficient of the damper (N.s2/m2 for quadratic)"},
      {"rest_length", "m", 0.0, "position_j - position_i at which the spring is relaxed"},
      spring_law_parameter("spring", spring, "law of the spring"),
      damper_law_parameter("damper", damper, "law of the damper"),
  };
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<SpringDamper>(Spring{given.number("k"), spring_law(given.text("spring"))},
                                          Damper{given.number("c"), damper_law(given.text("damper"))},
                                          given.number("rest_length"));
  };
  info.examples = {{"stiff", {{"k", {100.0, {}}}, {"c", {0.5, {}}}, {"rest_length", {0.3, {}}}}}};
  return info;
}

}  // namespace

Description SpringDamper::describe() const {
  const Unit metre = Unit::of("m");
  const Unit metre_per_second = Unit::of("m/s");
  Description description;
  description.inputs = {{"position_i", metre, 1, "position of end i"},
                        {"velocity_i", metre_per_second, 1, "velocity of end i"},
                        {"position_j", metre, 1, "position of end j"},
                        {"velocity_j", metre_per_second, 1, "velocity of end j"}};
  description.outputs = {{"force_i", Unit::of("N"), 1, "force on what is at end i"},
                         {"force_j", Unit::of("N"), 1, "force on what is at end j"}};
  for (std::size_t output = 0; output < 2; ++output) {
    for (std::size_t input = 0; input < 4; ++input) description.feedthrough.push_back({output, input});
  }
  description.algebraic = true;
  return description;
}

void SpringDamper::output_jacobian(double /*t*/, const double* u, double* jacobian) const {
  const double k = spring_.slope_N_m(elongation_m(u));
  const double c = damper_.slope_Ns_m(u[1] - u[3]);
  const double row[4] = {k, c, -k, -c};
  for (std::size_t i = 0; i < 4; ++i) {
    jacobian[i] = -row[i];
    jacobian[4 + i] = row[i];
  }
}

ElementInfo spring_damper_element() {
  return element("spring-damper", "spring and damper between two ends, linear by default", "linear",
                 "linear");
}
ElementInfo square_root_element() {
  return element("square-root", "spring whose force grows with the square root of its elongation, and damper",
                 "square-root", "linear");
}
ElementInfo quadratic_damper_element() {
  return element("quadratic-damper", "spring, and damper whose force grows with the square of its rate",
                 "linear", "quadratic");
}

}  // namespace ergon
