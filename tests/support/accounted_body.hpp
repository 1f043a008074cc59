#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/coupled_subsystems.hpp"

/// A body that keeps energy accounts, in any number of directions, and the ways to join such bodies.
namespace ergon::testing {

struct BodyParameters {
  double m_kg = 1.0;
  double k_N_m = 0.0;             ///< spring to the ground
  double kc_N_m = 0.0;            ///< > 0: holds a coupling spring whose far end is an input
  std::vector<double> v0_m_s{0};  ///< one per direction
  double effort_unit_N =
      1.0;  ///< efforts at its ports are counted in these; other than 1: ports without unit
  bool keeps_account = true;
  bool reevaluates = true;
  std::function<void()> at_step{};  ///< what else its steps do, on whatever thread
};

/// Semi-implicit Euler, one step per communication step:
///   v ← v + h(−k x − kc(x − ξ) + f + g)/m,  x ← x + h v,  force = kc(x − ξ)
///   inputs  [position_in ξ, velocity_in]  force_in f, external g;   outputs  [force]  position, velocity
class Body final : public Rewinding, public EnergyAccount {
 public:
  explicit Body(BodyParameters parameters) : p_(std::move(parameters)), n_(p_.v0_m_s.size()) {}

  [[nodiscard]] Description describe() const override {
    const std::string_view effort = p_.effort_unit_N == 1.0 ? "N" : "";
    Description d;
    if (holds_spring()) {
      d.inputs = {port("position_in", "m"), port("velocity_in", "m/s")};
      d.outputs = {port("force", effort)};
      d.feedthrough = {{0, 0}};
    }
    d.inputs.push_back(port("force_in", effort));
    d.inputs.push_back(port("external", "N"));
    d.outputs.push_back(port("position", "m"));
    d.outputs.push_back(port("velocity", "m/s"));
    d.samples_input = InputSampling::start;
    d.reevaluates_outputs = p_.reevaluates;
    return d;
  }

  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_.assign(rows() * n_, 0.0);
    std::copy(p_.v0_m_s.begin(), p_.v0_m_s.end(), row(velocity));
    return {};
  }

  StepStatus step(double /*t*/, double h, const InputView& u) override {
    if (p_.at_step) p_.at_step();
    const std::size_t first = first_force();
    for (std::size_t i = 0; i < n_; ++i) {
      double& x = row(position)[i];
      double& v = row(velocity)[i];
      const double bond_N = p_.effort_unit_N * u.start(first * n_ + i);
      const double external_N = u.start((first + 1) * n_ + i);
      double total_N = -p_.k_N_m * x + bond_N + external_N;
      if (holds_spring()) {
        row(received)[i] += jump_J(u.start(i), i);
        row(last_end)[i] = u.start(i);
        total_N -= p_.kc_N_m * (x - u.start(i));
      }
      const double before = v;
      v += h * total_N / p_.m_kg;
      row(received + first)[i] += bond_N * 0.5 * (before + v) * h;
      row(received + first + 1)[i] += external_N * 0.5 * (before + v) * h;
      row(previous)[i] = x;
      x += h * v;
    }
    return {};
  }

  void outputs(double /*t*/, const double* u, double* y) override {
    if (holds_spring()) {
      for (std::size_t i = 0; i < n_; ++i) *y++ = p_.kc_N_m * (row(position)[i] - u[i]) / p_.effort_unit_N;
    }
    y = std::copy_n(row(position), n_, y);
    std::copy_n(row(velocity), n_, y);
  }

  [[nodiscard]] const EnergyAccount* energy_account() const override {
    return p_.keeps_account ? this : nullptr;
  }
  void sample(const AccountInputs& inputs, AccountSample& sample) const override {
    sample.stored_J = stored_J(inputs.used);
    sample.synchronised_J = stored_J(inputs.newest);
    sample.dissipated_J = 0.0;
    std::copy_n(row(received), this->inputs() * n_, sample.received_J.begin());
    for (std::size_t i = 0; holds_spring() && i < n_; ++i)
      sample.received_J[i] += jump_J(inputs.newest[i], i);
  }

 private:
  enum Row : std::size_t { position, velocity, previous, last_end, received };

  [[nodiscard]] double stored_J(const double* u) const {
    double sum_J = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double x = row(position)[i];
      const double v = row(velocity)[i];
      sum_J += 0.5 * (p_.m_kg * v * v + p_.k_N_m * x * x);
      if (holds_spring()) sum_J += 0.5 * p_.kc_N_m * (x - u[i]) * (x - u[i]);
    }
    return sum_J;
  }
  [[nodiscard]] bool holds_spring() const { return p_.kc_N_m > 0.0; }
  [[nodiscard]] std::size_t first_force() const { return holds_spring() ? 2 : 0; }
  [[nodiscard]] std::size_t inputs() const { return first_force() + 2; }
  [[nodiscard]] std::size_t rows() const { return received + inputs(); }
  double* row(std::size_t r) { return state_.data() + r * n_; }
  [[nodiscard]] const double* row(std::size_t r) const { return state_.data() + r * n_; }
  [[nodiscard]] Port port(std::string name, std::string_view unit) const {
    return {std::move(name), Unit::of(unit), n_, "", 0.0, true};
  }
  /// The far end of the spring jumps: half of it before the last motion, half after, as a leapfrog has it.
  [[nodiscard]] double jump_J(double end_m, std::size_t i) const {
    const auto stretched_J = [&](double x, double end) { return 0.5 * p_.kc_N_m * (x - end) * (x - end); };
    double work_J = 0.0;
    for (const double x : {row(previous)[i], row(position)[i]}) {
      work_J += 0.5 * (stretched_J(x, end_m) - stretched_J(x, row(last_end)[i]));
    }
    return work_J;
  }

  BodyParameters p_;
  std::size_t n_;
};

/// `giver` holds the spring and pushes `receiver`.
inline BondSpec spring_bond(const std::string& name, const std::string& giver, const std::string& receiver) {
  BondSpec spec;
  spec.name = name;
  spec.a = {{giver + ".force"}, {giver + ".velocity_in"}, {giver + ".position_in"}};
  spec.b = {{receiver + ".force_in"}, {receiver + ".velocity"}, {receiver + ".position"}};
  return spec;
}

using Settings = std::map<std::string, std::variant<double, std::string, bool>>;

inline CorrectionRequest correction(const std::string& bond, const std::string& method,
                                    const Settings& settings = {}) {
  CorrectionRequest request{bond, method, {}, {}};
  for (const auto& [key, value] : settings) request.settings[key] = {value, {}};
  return request;
}

}  // namespace ergon::testing
