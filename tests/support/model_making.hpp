#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/models/registry.hpp"

// What tests of models share.

namespace ergon::testing_models {

using Values = std::vector<std::pair<std::string, ParameterValue>>;

inline GivenParameters given(const Values& values) {
  GivenParameters result;
  for (const auto& [name, value] : values) result[name] = {value, {"scenario.toml", 7, 3}};
  return result;
}

inline std::string text_of(const ProblemList& problems) {
  std::string text;
  for (const Problem& problem : problems.all()) text += to_string(problem) + "\n";
  return text;
}

/// Makes a registered model; null, with the findings in `problems`, where it is refused.
inline std::unique_ptr<Subsystem> make_model(const std::string& name, const GivenParameters& parameters,
                                             const GivenParameters& initial,
                                             const IntegratorOptions& integrator, ProblemList& problems,
                                             const std::string& base_directory = "",
                                             const std::vector<JointAttachment>& joints = {},
                                             std::shared_ptr<const MachineDescription> machine = nullptr) {
  const ModelInfo* known = find_model(name);
  if (known == nullptr) return nullptr;
  const auto info = extended(*known, parameters);
  ModelRequest request{"tested",
                       ParameterSet(info->parameters, parameters, "'tested'", problems),
                       ParameterSet(info->initial, initial, "'tested'", problems),
                       integrator,
                       base_directory,
                       {"scenario.toml", 5, 1},
                       joints,
                       std::move(machine)};
  auto subsystem = info->make(request, problems);
  return problems.has_errors() ? nullptr : std::move(subsystem);
}

/// The same where nothing can be wrong; initialised at 0.
inline std::unique_ptr<Subsystem> make_model(const std::string& name, const Values& parameters = {},
                                             const Values& initial = {},
                                             const IntegratorOptions& integrator = {}) {
  ProblemList problems;
  auto subsystem = make_model(name, given(parameters), given(initial), integrator, problems);
  EXPECT_NE(subsystem, nullptr) << text_of(problems);
  if (subsystem != nullptr) {
    EXPECT_TRUE(subsystem->initialize({}).ok);
  }
  return subsystem;
}

/// Why a model is refused.
inline std::string refusal(const std::string& name, const Values& parameters, const Values& initial = {},
                           const IntegratorOptions& integrator = {}) {
  ProblemList problems;
  EXPECT_EQ(make_model(name, given(parameters), given(initial), integrator, problems), nullptr);
  return text_of(problems);
}

inline std::unique_ptr<Element> make_element(const std::string& name, const Values& parameters = {}) {
  ProblemList problems;
  const ElementInfo* info = find_element(name);
  auto element =
      info->make(ParameterSet(info->parameters, given(parameters), "'tested'", problems), problems);
  EXPECT_FALSE(problems.has_errors()) << text_of(problems);
  return element;
}

/// Behind the real inputs, u has those of the integer kind.
inline void give_integers(Subsystem& subsystem, const std::vector<double>& u) {
  if (subsystem.discrete_ports() == nullptr) return;
  const ValueCounts counts = count_values(subsystem.describe().inputs);
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < counts.integers && counts.reals + i < u.size(); ++i)
    integers.push_back(std::llround(u[counts.reals + i]));
  integers.resize(counts.integers);
  const std::vector<std::string> texts(counts.texts);
  subsystem.discrete_ports()->set_discrete_inputs({integers.data(), texts.data()});
}

/// One step with inputs that are held.
inline StepStatus step_held(Subsystem& subsystem, double h, const std::vector<double>& u) {
  give_integers(subsystem, u);
  return subsystem.step(0.0, h, InputView{u.data(), u.size(), 0});
}

/// All of them: reals, then those of the integer kind, then a number for every text.
inline std::vector<double> outputs(Subsystem& subsystem, const std::vector<double>& u, double t = 0.0) {
  const ValueCounts counts = count_values(subsystem.describe().outputs);
  std::vector<double> y(counts.reals);
  give_integers(subsystem, u);
  subsystem.outputs(t, u.data(), y.data());
  if (subsystem.discrete_ports() == nullptr) return y;
  std::vector<std::int64_t> integers(counts.integers, -77);
  std::vector<std::string> texts(counts.texts, "never written");
  subsystem.discrete_ports()->discrete_outputs(t, u.data(), {integers.data(), texts.data()});
  for (const std::int64_t integer : integers) y.push_back(static_cast<double>(integer));
  for (const std::string& text : texts) y.push_back(static_cast<double>(std::hash<std::string>{}(text)));
  return y;
}

/// What efforts at these inputs meet with the inputs u: M̃ (row-major) and λ̃ of an interface; empty where it is none.
struct Interface {
  std::vector<double> mass;
  std::vector<double> force;
};
inline Interface interface_of(Subsystem& subsystem, const std::vector<std::size_t>& efforts,
                              const std::vector<std::size_t>& flows, const std::vector<double>& u,
                              double h = 1e-3) {
  InterfaceInertia* inertia = subsystem.interface_inertia();
  std::vector<InterfacePort> ports;
  for (std::size_t i = 0; i < efforts.size(); ++i) ports.push_back({efforts[i], flows[i]});
  if (inertia == nullptr || !inertia->prepare_interface(ports)) return {};
  Interface result{std::vector<double>(efforts.size() * efforts.size()), std::vector<double>(efforts.size())};
  inertia->interface_inertia(0.0, h, u.data(), result.mass.data(), result.force.data());
  return result;
}

/// What its account says where the outputs used the newest inputs, u; `received_J` is what is given.
inline AccountSample account_of(const Subsystem& subsystem, const std::vector<double>& u,
                                std::vector<double>& received_J) {
  received_J.assign(u.size(), std::nan(""));  // all numbers are to be filled
  AccountSample sample;
  sample.received_J = received_J;
  subsystem.energy_account()->sample({0.0, u.data(), u.data()}, sample);
  return sample;
}
inline AccountSample account_of(const Subsystem& subsystem, const std::vector<double>& u) {
  std::vector<double> received_J;
  AccountSample sample = account_of(subsystem, u, received_J);
  sample.received_J = {};
  return sample;
}
inline std::vector<double> received_J(const Subsystem& subsystem, const std::vector<double>& u) {
  std::vector<double> received;
  account_of(subsystem, u, received);
  return received;
}

/// stored + dissipated − supplied − Σ received: constant, up to integration error, whatever the inputs did.
inline double balance_J(const Subsystem& subsystem, const std::vector<double>& u) {
  std::vector<double> received;
  const AccountSample energy = account_of(subsystem, u, received);
  double balance = energy.stored_J + energy.non_conservative_J();
  for (double work : received) balance -= work;
  return balance;
}

/// The state as bytes, for another instance.
inline std::vector<std::byte> checkpoint_of(Subsystem& subsystem) {
  const auto slot = subsystem.rewindable()->make_slot();
  subsystem.rewindable()->save(*slot);
  std::vector<std::byte> bytes;
  subsystem.serializable()->serialize(*slot, bytes);
  return bytes;
}
/// False where the bytes are refused.
inline bool go_on_from(Subsystem& subsystem, const std::vector<std::byte>& bytes) {
  const auto slot = subsystem.rewindable()->make_slot();
  if (!subsystem.serializable()->deserialize(bytes, *slot)) return false;
  subsystem.rewindable()->restore(*slot);
  return true;
}

/// The state of a native model: its row of numbers, [q, v, …].
inline std::vector<double> state_row(Subsystem& subsystem) {
  const auto bytes = checkpoint_of(subsystem);
  std::vector<double> row(bytes.size() / sizeof(double));
  if (!row.empty()) std::memcpy(row.data(), bytes.data(), bytes.size());
  return row;
}
inline void set_state_row(Subsystem& subsystem, const std::vector<double>& row) {
  const auto bytes = std::as_bytes(std::span(row));
  ASSERT_TRUE(go_on_from(subsystem, {bytes.begin(), bytes.end()}));
}

}  // namespace ergon::testing_models
