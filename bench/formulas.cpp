// What a model in formulas costs, against the same model in C++: a step and its outputs, in one process, by turns.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ergon/models/registry.hpp"

namespace {

using namespace ergon;

std::unique_ptr<Subsystem> made(const std::string& name, const GivenParameters& parameters,
                                const GivenParameters& initial, const std::string& method) {
  ProblemList problems;
  const auto info = extended(*find_model(name), parameters);
  const ModelRequest request{name,
                             ParameterSet(info->parameters, parameters, name, problems),
                             ParameterSet(info->initial, initial, name, problems),
                             {.method = method},
                             ".",
                             {}};
  auto subsystem = info->make(request, problems);
  if (!subsystem || problems.has_errors()) throw InputError(problems);
  subsystem->initialize({});
  return subsystem;
}

/// Nanoseconds for a step and its outputs, the least of some rounds.
class Timed {
 public:
  explicit Timed(std::unique_ptr<Subsystem> subsystem) : subsystem_(std::move(subsystem)) {
    for (const Port& port : subsystem_->describe().inputs) u_.resize(u_.size() + port.size, 0.1);
    for (const Port& port : subsystem_->describe().outputs) y_.resize(y_.size() + port.size);
  }
  void round() {
    constexpr int steps = 20000;
    subsystem_->initialize({});
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      subsystem_->step(1e-3 * i, 1e-3, InputView{u_.data(), u_.size(), 0});
      subsystem_->outputs(1e-3 * (i + 1), u_.data(), y_.data());
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    least_ns_ = std::min(least_ns_, spent.count() / steps);
  }
  [[nodiscard]] double least_ns() const { return least_ns_; }

 private:
  std::unique_ptr<Subsystem> subsystem_;
  std::vector<double> u_, y_;
  double least_ns_ = 1e300;
};

constexpr const char* two_masses = R"(input f1 [N], f2 [N]
parameter m1 [kg] = 1, m2 [kg] = 1, k1 [N/m] = 10, kc [N/m] = 100, k2 [N/m] = 1000
parameter c1 [N*s/m] = 0.01, cc [N*s/m] = 0.01, c2 [N*s/m] = 0.01
state x1 [m] = 0, x2 [m] = 0, v1 [m/s] = 1, v2 [m/s] = -1
pull = kc*(x1 - x2) + cc*(v1 - v2)
x1' = v1; x2' = v2
m1*v1' = f1 - k1*x1 - c1*v1 - pull
m2*v2' = f2 - k2*x2 - c2*v2 + pull
output x1, x2, v1, v2
energy stored = (m1*v1^2 + m2*v2^2 + k1*x1^2 + kc*(x1 - x2)^2 + k2*x2^2)/2
energy kinetic = (m1*v1^2 + m2*v2^2)/2
power dissipated = c1*v1^2 + cc*(v1 - v2)^2 + c2*v2^2
power f1 = f1*v1; power f2 = f2*v2
)";

}  // namespace

int main() {
  using List = std::vector<double>;
  const GivenParameters chain = {{"m", {List{1.0, 1.0}, {}}},
                                 {"k", {List{10.0, 1000.0}, {}}},
                                 {"c", {List{0.01, 0.01}, {}}},
                                 {"kc", {List{100.0}, {}}},
                                 {"cc", {List{0.01}, {}}}};
  const GivenParameters formulas = {{"equations", {std::string(two_masses), {}}}};
  std::printf("two masses, ns per step and outputs\n%-22s %10s %10s %8s\n", "integrator", "C++", "formulas",
              "ratio");
  for (const char* method : {"semi-implicit-euler", "explicit-euler", "rk4", "newmark", "cvode-bdf"}) {
    Timed native(made("oscillator.chain", chain, {{"v", {List{1.0, -1.0}, {}}}}, method));
    Timed formula(made("equations.expression", formulas, {}, method));
    constexpr int rounds = 15;
    for (int i = 0; i < rounds; ++i) {
      native.round();
      formula.round();
    }
    std::printf("%-22s %10.1f %10.1f %8.2f\n", method, native.least_ns(), formula.least_ns(),
                formula.least_ns() / native.least_ns());
  }
  return 0;
}
