#include "ergon/models/control/velocity_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/models/integrator_options.hpp"
#include "ergon/models/internal_steps.hpp"

namespace ergon {
namespace {

constexpr std::size_t input_count = 4;

/// Of first order: both are the same.
const std::vector<std::string>& methods() {
  static const std::vector<std::string> all = {"semi-implicit-euler", "explicit-euler"};
  return all;
}

std::unique_ptr<Subsystem> make_velocity_controller(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, methods(), problems);
  const ParameterSet& given = request.parameters;
  const VelocityController::Parameters p{
      given.number("k_p"),     given.number("k_d"),    given.number("fastest"), given.number("velocity"),
      given.number("start_s"), given.number("full_s"), given.number("end_s")};
  bool ok = integration.has_value();
  if (p.full_s < p.begins_s || p.ends_s < p.full_s) {
    problems.error(request.where,
                   fmt::format("'{}': the desired velocity begins at {} s, is in full at {} s and ends at "
                               "{} s, which is not an order of times.",
                               request.name, p.begins_s, p.full_s, p.ends_s),
                   "Let start_s <= full_s <= end_s.");
    ok = false;
  }
  const double spool = request.initial.number("spool");
  if (spool > 1.0) {
    problems.error(request.where, fmt::format("'{}': spool = {} is beyond 1.", request.name, spool),
                   "A spool is between 0 and 1.");
    ok = false;
  }
  if (!ok) return nullptr;
  return std::make_unique<VelocityController>(p, spool, integration->step_s);
}

}  // namespace

VelocityController::VelocityController(const Parameters& parameters, double spool,
                                       std::optional<double> step_s)
    : p_(parameters), initial_spool_(spool), spool_(spool), step_s_(step_s) {}

Description VelocityController::describe() const {
  Description description;
  Port velocity{"velocity", Unit::of("m/s"), 1, "of the actuator"};
  velocity.nominal = 0.1;
  Port acceleration{"acceleration", Unit::of("m/s2"), 1, "of the actuator"};
  Port wanted{"wanted_velocity", Unit::of("m/s"), 1, "desired velocity, added to that of the parameters"};
  wanted.nominal = 0.1;
  wanted.optional = true;
  Port wanted_rate{"wanted_acceleration", Unit::of("m/s2"), 1, "its rate"};
  wanted_rate.optional = true;
  description.inputs = {velocity, acceleration, wanted, wanted_rate};
  description.outputs = {{"spool", Unit{}, 1, "displacement of the valve's spool, 0 to 1"},
                         {"desired_velocity", Unit::of("m/s"), 1, "that of the parameters at this time"}};
  description.samples_input = step_s_ ? InputSampling::continuous : InputSampling::start;
  return description;
}

StepStatus VelocityController::initialize(const Experiment& /*experiment*/) {
  spool_ = initial_spool_;
  return {};
}

VelocityController::Desired VelocityController::desired(double t) const {
  if (t > p_.begins_s && t <= p_.full_s) {
    const double slope = p_.velocity_m_s / (p_.full_s - p_.begins_s);
    return {slope * (t - p_.begins_s), slope};
  }
  if (t > p_.full_s && t <= p_.ends_s) return {p_.velocity_m_s, 0.0};
  return {};
}

double VelocityController::rate(double t, const double* u) const {
  const Desired own = desired(t);
  const double wanted = u[2] + own.velocity_m_s;
  const double wanted_rate = u[3] + own.acceleration_m_s2;
  const double rate = -p_.proportional_1_m * (wanted - u[0]) - p_.derivative_s_m * (wanted_rate - u[1]);
  return std::clamp(rate, -p_.fastest_1_s, p_.fastest_1_s);  // NaN passes, and shows
}

StepStatus VelocityController::step(double t, double h, const InputView& u) {
  const long n = step_s_ ? count_internal_steps(h, *step_s_) : 1;
  if (n == 0) return {false, "more than 1e9 internal steps in one communication step"};
  const double internal = h / static_cast<double>(n);
  for (long i = 0; i < n; ++i) {
    const double tau = static_cast<double>(i) * internal;
    double now[input_count];
    for (std::size_t k = 0; k < input_count; ++k) now[k] = u(k, tau);
    spool_ = std::clamp(spool_ + internal * rate(t + tau, now), 0.0, 1.0);
  }
  return {};
}

void VelocityController::outputs(double t, const double* /*u*/, double* y) {
  y[0] = spool_;
  y[1] = desired(t).velocity_m_s;
}

void VelocityController::output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const {
  constexpr std::size_t output_count = 2;
  std::fill_n(jacobian, output_count * input_count, 0.0);
}

bool VelocityController::derivative(double t, const double* u, double* z_dot) const {
  z_dot[0] = rate(t, u);
  return std::isfinite(z_dot[0]);
}

ModelInfo velocity_controller_model() {
  ModelInfo info;
  info.name = "control.velocity";
  info.summary = "moves the spool of a valve so that its actuator follows a desired velocity";
  info.parameters = {{"k_p", "1/m", 6.0, "proportional gain"},
                     {"k_d", "s/m", 1.0, "derivative gain"},
                     {"fastest", "1/s", 3.0, "the spool moves no faster", {}, 0.0, true},
                     {"velocity", "m/s", 0.0, "desired velocity between full_s and end_s"},
                     {"start_s", "s", 0.0, "time at which the desired velocity begins to grow from 0"},
                     {"full_s", "s", 0.0, "time at which it has its full value"},
                     {"end_s", "s", 0.0, "time after which it is 0 again"}};
  info.initial = {{"spool", "", 0.5, "displacement of the spool at the start", {}, 0.0}};
  info.integrators = methods();
  info.make = make_velocity_controller;
  info.examples = {
      {"lift",
       {{"velocity", {-0.05, {}}}, {"start_s", {0.1, {}}}, {"full_s", {0.2, {}}}, {"end_s", {0.4, {}}}}}};
  return info;
}

}  // namespace ergon
