#include "ergon/models/control/pid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/core/flat_state.hpp"
#include "ergon/models/control/sample_clock.hpp"
#include "ergon/models/equations/equation_model.hpp"
#include "ergon/models/equations/equation_text.hpp"

namespace ergon {
namespace {

constexpr double unlimited = 1e30;

constexpr const char* pid_text = R"(input wanted, measured
parameter k_p = 1, k_i = 0, k_d = 0, T_f = 1, T_t = 1, lower = -1, upper = 1
state integral = 0, filtered = 0
error = wanted - measured
raw = k_p*error + integral + k_d*(error - filtered)/T_f
limited = min(max(raw, lower), upper)
integral' = k_i*error + (limited - raw)/T_t
filtered' = (error - filtered)/T_f
output out = limited
)";

constexpr const char* integrator_text = R"(input in
parameter gain = 1, lower = -1, upper = 1
state x = 0
rate = gain*in
x' = if((x >= upper and rate > 0) or (x <= lower and rate < 0), 0, rate)
output out = min(max(x, lower), upper)
)";

struct PidNumbers {
  double k_p, k_i, k_d, T_f, T_t, lower, upper;
};

/// The same with a sample time: at each instant from the inputs there, held until the next one.
class SampledPid final : public Subsystem, public FlatState, public Differentiable, public StateDerivative {
 public:
  SampledPid(const PidNumbers& numbers, double sample_time_s, double integral, double filtered)
      : p_(numbers), clock_(sample_time_s), start_{integral, filtered, 0.0}, s_(start_) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = {{"wanted", {}, 1, "set point"}, {"measured", {}, 1, "what is controlled"}};
    description.outputs = {{"out", {}, 1, "control signal, within its limits"}};
    description.feedthrough = {{0, 0}, {0, 1}};
    return description;
  }
  StepStatus initialize(const Experiment& experiment) override {
    clock_.start(experiment.start_s);
    s_ = start_;
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    if (!clock_.can_step(h)) return {false, SampleClock::too_many};
    clock_.for_instants(t, h, [&](double tau) {
      const double error = u(0, tau) - u(1, tau);
      const double raw = raw_signal(error);
      s_.held = limited(raw);
      s_.filtered += filter_gain() * (error - s_.filtered);
      s_.integral += clock_.period_s() * (p_.k_i * error + (s_.held - raw) / p_.T_t);
    });
    return {};
  }
  void outputs(double t, const double* u, double* y) override {
    y[0] = clock_.is_instant(t) ? limited(raw_signal(u[0] - u[1])) : s_.held;
  }
  void output_jacobian(double t, const double* u, double* jacobian) const override {
    const double raw = raw_signal(u[0] - u[1]);
    const bool follows = clock_.is_instant(t) && raw > p_.lower && raw < p_.upper;
    jacobian[0] = follows ? p_.k_p + p_.k_d / (p_.T_f + clock_.period_s()) : 0.0;
    jacobian[1] = -jacobian[0];
  }
  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }
  // It changes in jumps: nothing to solve for.
  [[nodiscard]] std::vector<std::string> state_names() const override { return {}; }
  void states(double* /*z*/) const override {}
  void set_states(const double* /*z*/) override {}
  bool derivative(double /*t*/, const double* /*u*/, double* /*z_dot*/) const override { return true; }

 private:
  struct State {
    double integral, filtered, held;
  };
  [[nodiscard]] double filter_gain() const { return clock_.period_s() / (p_.T_f + clock_.period_s()); }
  /// The derivative part is (e − e_f before the instant)/(T_f + T): what is left of it after the filter has moved, over T_f.
  [[nodiscard]] double raw_signal(double error) const {
    return p_.k_p * error + s_.integral + p_.k_d * (error - s_.filtered) / (p_.T_f + clock_.period_s());
  }
  [[nodiscard]] double limited(double raw) const {
    return raw < p_.lower ? p_.lower : raw > p_.upper ? p_.upper : raw;
  }
  [[nodiscard]] std::size_t row_size() const override { return 3; }
  void write_row(std::span<double> row) const override {
    row[0] = s_.integral;
    row[1] = s_.filtered;
    row[2] = s_.held;
  }
  void read_row(std::span<const double> row) override { s_ = {row[0], row[1], row[2]}; }

  PidNumbers p_;
  SampleClock clock_;
  State start_;
  State s_;
};

EquationValues numbers_of(const ModelRequest& request) {
  EquationValues values;
  for (const auto& [name, value] : request.parameters.values())
    if (const double* number = std::get_if<double>(&value)) values.parameters[name] = *number;
  for (const auto& [name, value] : request.initial.values())
    if (const double* number = std::get_if<double>(&value)) values.states[name] = *number;
  return values;
}

bool limits_fit(const ModelRequest& request, ProblemList& problems) {
  const double lower = request.parameters.number("lower");
  const double upper = request.parameters.number("upper");
  if (lower < upper) return true;
  problems.error(request.where,
                 fmt::format("'{}': lower = {} is not below upper = {}.", request.name, lower, upper),
                 "Let lower < upper.");
  return false;
}

std::unique_ptr<Subsystem> make_pid(const ModelRequest& request, ProblemList& problems) {
  if (!limits_fit(request, problems)) return nullptr;
  const ParameterSet& given = request.parameters;
  const double sample_time_s = given.number("sample_time");
  if (sample_time_s > 0.0) {
    const PidNumbers numbers{given.number("k_p"),  given.number("k_i"), given.number("k_d"),
                             given.number("T_f"),  given.number("T_t"), given.number("lower"),
                             given.number("upper")};
    return std::make_unique<SampledPid>(numbers, sample_time_s, request.initial.number("integral"),
                                        request.initial.number("filtered"));
  }
  return make_equations(read_equations(pid_text, numbers_of(request)), request, problems);
}

ParameterInfo limit(const char* name, double standard, const char* help) {
  return {name, "", standard, help};
}

}  // namespace

ModelInfo pid_model() {
  ModelInfo info;
  info.name = "control.pid";
  info.summary = "PID controller with filtered derivative, limits and anti-windup, continuous or sampled";
  info.parameters = {
      {"k_p", "", 1.0, "proportional gain"},
      {"k_i", "1/s", 0.0, "integral gain"},
      {"k_d", "s", 0.0, "derivative gain"},
      {"T_f", "s", 0.01, "time constant of the derivative's filter", {}, 0.0, true},
      {"T_t", "s", 0.1, "time constant with which the integral part leaves a limit", {}, 0.0, true},
      limit("lower", -unlimited, "the output is never below"),
      limit("upper", unlimited, "the output is never above"),
      {"sample_time", "s", 0.0, "0: continuous", {}, 0.0}};
  info.initial = {{"integral", "", 0.0, "integral part at the start"},
                  {"filtered", "", 0.0, "filtered error at the start"}};
  info.make = make_pid;
  const GivenParameters gains = {{"k_p", {2.0, {}}}, {"k_i", {5.0, {}}}, {"k_d", {0.1, {}}}};
  info.examples = {{"all parts", gains, {{"integral", {0.3, {}}}}}, {"limited", gains}, {"sampled", gains}};
  info.examples[1].parameters["T_f"] = {0.5, {}};
  info.examples[1].parameters["lower"] = {-2.5, {}};
  info.examples[1].parameters["upper"] = {3.0, {}};
  info.examples[2].parameters["sample_time"] = {1e-3, {}};
  return info;
}

ModelInfo integrator_model() {
  ModelInfo info;
  info.name = "control.integrator";
  info.summary = "out is the integral of gain * in, kept within limits";
  info.parameters = {{"gain", "1/s", 1.0, "factor"},
                     limit("lower", -unlimited, "where it stops"),
                     limit("upper", unlimited, "where it stops")};
  info.initial = {{"x", "", 0.0, "value at the start"}};
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    if (!limits_fit(request, problems)) return nullptr;
    return make_equations(read_equations(integrator_text, numbers_of(request)), request, problems);
  };
  info.examples = {
      {"limited", {{"gain", {3.0, {}}}, {"lower", {-0.5, {}}}, {"upper", {0.5, {}}}}, {{"x", {0.2, {}}}}}};
  return info;
}

}  // namespace ergon
