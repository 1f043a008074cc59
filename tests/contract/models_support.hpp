#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ergon/models/registry.hpp"
#include "support/model_making.hpp"

// Every model of the registry in every setting, and seeded inputs for it.

namespace ergon::contract {

using namespace testing_models;

/// Communication step of these tests, in seconds.
constexpr double h = 2.5e-3;

/// A model with its defaults (example −1) or one of its examples, and an integrator.
struct Variant {
  const ModelInfo* info = nullptr;
  int example = -1;
  IntegratorOptions integrator{};
};

inline Example example_of(const std::vector<Example>& examples, int index) {
  return index < 0 ? Example{} : examples[static_cast<std::size_t>(index)];
}

inline std::string name_of(const Variant& variant) {
  const std::string example =
      variant.example < 0 ? "defaults" : example_of(variant.info->examples, variant.example).name;
  return variant.info->name + ", " + example + ", " + variant.integrator.method +
         (variant.integrator.step_s ? " with internal steps" : "");
}

/// A model and an integrator: what one test is about.
struct Pairing {
  const ModelInfo* info = nullptr;
  const IntegratorInfo* integrator = nullptr;
};

inline std::string test_name(const Pairing& pairing) {
  if (pairing.info == nullptr) return "elements";
  std::string name = pairing.info->name;
  if (pairing.info->integrated) name += "__" + pairing.integrator->name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
// So that a failure is printed with a name.
inline void PrintTo(const Pairing& pairing, std::ostream* stream) {
  *stream << test_name(pairing);
}  // NOLINT

/// Every model with every integrator that it takes; one pairing for who has no state.
inline std::vector<Pairing> pairings() {
  std::vector<Pairing> all;
  for (const ModelInfo& info : models()) {
    for (const IntegratorInfo& integrator : integrators()) {
      if (info.takes_integrator(integrator.name)) all.push_back({&info, &integrator});
      if (!info.integrated) break;
    }
  }
  return all;
}

/// Defaults and examples, each with one step per communication step and, where it has a say, with internal steps.
inline std::vector<Variant> variants_of(const Pairing& pairing) {
  std::vector<Variant> all;
  for (int example = -1; example < static_cast<int>(pairing.info->examples.size()); ++example) {
    all.push_back({pairing.info, example, {.method = pairing.integrator->name}});
    if (!pairing.info->integrated || pairing.integrator->variable_step) continue;
    all.push_back({pairing.info, example, {.method = pairing.integrator->name, .step_s = 0.3 * h}});
  }
  return all;
}

inline std::unique_ptr<Subsystem> make(const Variant& variant) {
  const Example example = example_of(variant.info->examples, variant.example);
  ProblemList problems;
  auto subsystem = make_model(variant.info->name, example.parameters, example.initial, variant.integrator,
                              problems, "", example.joints, example.machine);
  EXPECT_NE(subsystem, nullptr) << text_of(problems);
  if (subsystem != nullptr) {
    EXPECT_TRUE(subsystem->initialize({}).ok);
  }
  return subsystem;
}

inline std::size_t scalars(const std::vector<Port>& ports) {
  std::size_t count = 0;
  for (const Port& port : ports) count += port.size;
  return count;
}

/// The port of each scalar: reals first, as everywhere.
inline std::vector<std::size_t> port_of_scalar(const std::vector<Port>& ports) {
  std::vector<std::size_t> result;
  for (const ValueKind kind : {ValueKind::real, ValueKind::integer, ValueKind::text}) {
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (value_kind_of(ports[port].type) == kind) result.insert(result.end(), ports[port].size, port);
    }
  }
  return result;
}

/// A step with these polynomials; behind the reals of plane 0 there are the integers that hold.
inline StepStatus step_with(Subsystem& subsystem, double t, double length,
                            const std::vector<double>& coefficients, std::size_t inputs, int degree) {
  give_integers(subsystem,
                {coefficients.begin(), coefficients.begin() + static_cast<std::ptrdiff_t>(inputs)});
  return subsystem.step(t, length, {coefficients.data(), inputs, degree});
}

/// Seeded inputs: values within the nominal size of their port from its start value, ±1 unless it says otherwise, that
/// move by about a tenth of that in a step. Booleans are 0 or 1.
class RandomInputs {
 public:
  RandomInputs(const std::vector<Port>& ports, unsigned seed) : generator_(seed) {
    for (const std::size_t p : port_of_scalar(ports)) {
      start_.push_back(ports[p].start);
      nominal_.push_back(ports[p].nominal);
      is_boolean_.push_back(ports[p].type == PortType::boolean);
    }
  }
  std::vector<double> values() {
    std::vector<double> u = deviations();
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += start_[i];
      if (is_boolean_[i]) u[i] = u[i] > 0.0 ? 1.0 : 0.0;
    }
    return u;
  }
  /// Coefficients of polynomials over one step.
  std::vector<double> polynomial(int degree) {
    std::vector<double> coefficients = values();
    double scale = 0.1 / h;
    for (int d = 1; d <= degree; ++d, scale *= 0.1 / h) {
      for (double value : deviations()) coefficients.push_back(value * scale);
    }
    return coefficients;
  }

 private:
  std::vector<double> deviations() {
    std::vector<double> u;
    for (const double size : nominal_) u.push_back(size * uniform_(generator_));
    return u;
  }

  std::vector<double> start_;
  std::vector<double> nominal_;
  std::vector<bool> is_boolean_;
  std::mt19937 generator_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// Equal bit for bit: −0 is not 0, and NaN is itself.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// A saved state.
inline std::unique_ptr<StateSlot> saved(Subsystem& subsystem) {
  auto slot = subsystem.rewindable()->make_slot();
  subsystem.rewindable()->save(*slot);
  return slot;
}

}  // namespace ergon::contract
