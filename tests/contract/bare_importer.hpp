#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "contract/models_support.hpp"
#include "ergon/export/model/variables.hpp"

#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"
#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

// Models through the functions of the library of exported FMUs, called as an importer calls them.

namespace ergon::contract {

namespace fs = std::filesystem;
using Role = ExportedVariable::Role;

/// A folder with the resources of one exported model.
class Resources {
 public:
  explicit Resources(const ExportedModel& model) {
    std::string pattern = (fs::temp_directory_path() / "ergon-export-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::ofstream(path_ / "model.toml") << to_text(model);
  }
  ~Resources() { fs::remove_all(path_); }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

inline std::string last_message;
inline void log_2(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String /*"%s"*/, ...) {}
inline void log_3(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String message) {
  last_message = message;
}

/// The worst of several calls, which are made in this order.
inline int in_order(std::initializer_list<int> statuses) {
  return *std::max_element(statuses.begin(), statuses.end());
}

/// One instance through the bare functions of a version.
class Importer {
 public:
  Importer(ExportFormat version, const ExportedModel& model, const Description& description, bool account)
      : version_(version),
        variables_(exported_variables(model, description, account, version)),
        resources_(model) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const auto reference = static_cast<std::uint32_t>(i);
      if (variables_[i].role == Role::input) inputs_.push_back(reference);
      if (variables_[i].role == Role::output) outputs_.push_back(reference);
      if (variables_[i].role == Role::energy) energies_.push_back(reference);
    }
    input_count_ = scalars(description.inputs);
    output_count_ = scalars(description.outputs);
    instance_ = instantiate(model.token);
    EXPECT_NE(instance_, nullptr) << last_message;
  }
  ~Importer() { two() ? fmi2FreeInstance(instance_) : fmi3FreeInstance(instance_); }
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  void* instantiate(const std::string& token) {
    static const fmi2CallbackFunctions callbacks = {log_2, calloc, free, nullptr, nullptr};
    if (two()) {
      return fmi2Instantiate("tested", fmi2CoSimulation, token.c_str(),
                             ("file://" + resources_.path()).c_str(), &callbacks, fmi2False, fmi2False);
    }
    return fmi3InstantiateCoSimulation("tested", token.c_str(), (resources_.path() + "/").c_str(), false,
                                       false, true, false, nullptr, 0, this, log_3, &intermediate_update);
  }
  int start() {
    if (two()) {
      return in_order({fmi2SetupExperiment(instance_, fmi2False, 0.0, 0.0, fmi2False, 0.0),
                       fmi2EnterInitializationMode(instance_)});
    }
    return fmi3EnterInitializationMode(instance_, false, 0.0, 0.0, false, 0.0);
  }
  int begin_steps() {
    if (two()) return fmi2ExitInitializationMode(instance_);
    return in_order({fmi3ExitInitializationMode(instance_), leave_event_mode()});
  }
  int enter_event_mode() { return two() ? 0 : fmi3EnterEventMode(instance_); }
  int leave_event_mode() {
    if (two()) return 0;
    fmi3Boolean answers[5];
    double next = 0.0;
    return in_order({fmi3UpdateDiscreteStates(instance_, answers, answers + 1, answers + 2, answers + 3,
                                              answers + 4, &next),
                     fmi3EnterStepMode(instance_)});
  }
  int set(const std::vector<double>& u) {
    return two() ? static_cast<int>(fmi2SetReal(instance_, inputs_.data(), inputs_.size(), u.data()))
                 : static_cast<int>(
                       fmi3SetFloat64(instance_, inputs_.data(), inputs_.size(), u.data(), u.size()));
  }
  std::vector<double> get() { return get(outputs_, output_count_); }
  std::vector<double> energies() { return get(energies_, energies_.size()); }
  std::vector<double> get(const std::vector<std::uint32_t>& references, std::size_t count) {
    std::vector<double> y(count);
    const int status =
        two() ? static_cast<int>(fmi2GetReal(instance_, references.data(), references.size(), y.data()))
              : static_cast<int>(
                    fmi3GetFloat64(instance_, references.data(), references.size(), y.data(), count));
    EXPECT_EQ(status, 0) << last_message;
    return y;
  }
  int step(double t, double step_s) {
    if (two()) return fmi2DoStep(instance_, t, step_s, fmi2True);
    fmi3Boolean event = true;
    fmi3Boolean terminate = true;
    fmi3Boolean early = true;
    double last = 0.0;
    const int status = fmi3DoStep(instance_, t, step_s, true, &event, &terminate, &early, &last);
    EXPECT_FALSE(event || terminate || early);
    if (status == 0) {
      EXPECT_EQ(last, t + step_s);
    }
    return status;
  }
  void* save(void* state = nullptr) {
    EXPECT_EQ(two() ? static_cast<int>(fmi2GetFMUstate(instance_, &state))
                    : static_cast<int>(fmi3GetFMUState(instance_, &state)),
              0);
    return state;
  }
  int restore(void* state) {
    return two() ? static_cast<int>(fmi2SetFMUstate(instance_, state))
                 : static_cast<int>(fmi3SetFMUState(instance_, state));
  }
  void release(void* state) {
    two() ? static_cast<void>(fmi2FreeFMUstate(instance_, &state))
          : static_cast<void>(fmi3FreeFMUState(instance_, &state));
    EXPECT_EQ(state, nullptr);
  }
  std::vector<std::uint8_t> to_bytes(void* state) {
    std::size_t size = 0;
    two() ? static_cast<void>(fmi2SerializedFMUstateSize(instance_, state, &size))
          : static_cast<void>(fmi3SerializedFMUStateSize(instance_, state, &size));
    std::vector<std::uint8_t> bytes(size);
    const int status = two() ? static_cast<int>(fmi2SerializeFMUstate(
                                   instance_, state, reinterpret_cast<char*>(bytes.data()), size))
                             : static_cast<int>(fmi3SerializeFMUState(instance_, state, bytes.data(), size));
    EXPECT_EQ(status, 0);
    return bytes;
  }
  /// Null where the bytes are refused.
  void* from_bytes(const std::vector<std::uint8_t>& bytes) {
    void* state = nullptr;
    const int status =
        two() ? static_cast<int>(fmi2DeSerializeFMUstate(
                    instance_, reinterpret_cast<const char*>(bytes.data()), bytes.size(), &state))
              : static_cast<int>(fmi3DeserializeFMUState(instance_, bytes.data(), bytes.size(), &state));
    EXPECT_EQ(status == 0, state != nullptr);
    return state;
  }
  /// ∂y/∂u in the direction `seed`.
  std::vector<double> derivative(const std::vector<double>& seed) {
    std::vector<double> result(output_count_);
    const int status = two() ? static_cast<int>(fmi2GetDirectionalDerivative(
                                   instance_, outputs_.data(), outputs_.size(), inputs_.data(),
                                   inputs_.size(), seed.data(), result.data()))
                             : static_cast<int>(fmi3GetDirectionalDerivative(
                                   instance_, outputs_.data(), outputs_.size(), inputs_.data(),
                                   inputs_.size(), seed.data(), seed.size(), result.data(), result.size()));
    EXPECT_EQ(status, 0) << last_message;
    return result;
  }
  /// What an importer of FMI 3 is asked for within a step that begins at t.
  void follow(const InputView* polynomial, double t) {
    polynomial_ = polynomial;
    step_start_ = t;
  }
  static void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                  fmi3Boolean set_requested, fmi3Boolean /*get_allowed*/,
                                  fmi3Boolean /*step_finished*/, fmi3Boolean /*can_return*/,
                                  fmi3Boolean* /*early_return*/, fmi3Float64* /*early_return_time*/) {
    auto* self = static_cast<Importer*>(environment);
    EXPECT_TRUE(set_requested);
    if (self->polynomial_ == nullptr) return;
    std::vector<double> u(self->input_count_);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = (*self->polynomial_)(i, time - self->step_start_);
    EXPECT_EQ(self->set(u), 0);
  }
  [[nodiscard]] bool two() const { return version_ == ExportFormat::fmi2; }
  [[nodiscard]] const std::vector<ExportedVariable>& variables() const { return variables_; }
  [[nodiscard]] void* instance() const { return instance_; }
  [[nodiscard]] std::size_t input_count() const { return input_count_; }
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }

 private:
  ExportFormat version_;
  std::vector<ExportedVariable> variables_;
  Resources resources_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<std::uint32_t> energies_;
  std::size_t input_count_ = 0;
  std::size_t output_count_ = 0;
  void* instance_ = nullptr;
  const InputView* polynomial_ = nullptr;
  double step_start_ = 0.0;
};

struct Exported {
  ExportedModel model;
  std::unique_ptr<Subsystem> native;
};

}  // namespace ergon::contract
