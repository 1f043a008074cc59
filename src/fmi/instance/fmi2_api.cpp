#include "ergon/fmi/instance/fmi2_api.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "ergon/fmi/instance/bind_functions.hpp"
#include "ergon/fmi/instance/file_uri.hpp"

namespace ergon::fmi {
namespace {

void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
            fmi2String message, ...) {
  char text[4096] = "";
  if (message != nullptr) {
    std::va_list arguments;
    va_start(arguments, message);
    // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): the standard has the FMU give the format
    std::vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
  }
  LogTarget::say(environment, name, static_cast<FmuStatus>(status), category, text);
}

}  // namespace

std::string Fmi2Api::bind(const InstanceSetup& setup) {
  std::string why = bind_functions<Fmi2Functions>(setup, library_, functions_,
                                                  [](const SharedLibrary& library, Fmi2Functions& f) {
#define ERGON_BIND(name) f.name = reinterpret_cast<fmi2##name##TYPE*>(library.symbol("fmi2" #name));
                                                    ERGON_FMI2_FUNCTIONS(ERGON_BIND)
                                                    ERGON_FMI2_EXCHANGE_FUNCTIONS(ERGON_BIND)
#undef ERGON_BIND
                                                  });
  if (!why.empty()) return why;
  const Fmi2Functions& f = *functions_;
  FunctionChecker checker;
  checker.needs("fmi2Instantiate", f.Instantiate);
  checker.needs("fmi2FreeInstance", f.FreeInstance);
  checker.needs("fmi2SetupExperiment", f.SetupExperiment);
  checker.needs("fmi2EnterInitializationMode", f.EnterInitializationMode);
  checker.needs("fmi2ExitInitializationMode", f.ExitInitializationMode);
  if (setup.exchange) {
    checker.needs("fmi2EnterEventMode", f.EnterEventMode);
    checker.needs("fmi2NewDiscreteStates", f.NewDiscreteStates);
    checker.needs("fmi2EnterContinuousTimeMode", f.EnterContinuousTimeMode);
    checker.needs("fmi2SetTime", f.SetTime);
    if (setup.exchange->needs_completed_step)
      checker.needs("fmi2CompletedIntegratorStep", f.CompletedIntegratorStep);
    if (setup.exchange->state_count > 0) {
      checker.needs("fmi2SetContinuousStates", f.SetContinuousStates);
      checker.needs("fmi2GetContinuousStates", f.GetContinuousStates);
      checker.needs("fmi2GetDerivatives", f.GetDerivatives);
      checker.needs("fmi2GetNominalsOfContinuousStates", f.GetNominalsOfContinuousStates);
    }
    if (setup.exchange->indicator_count > 0) checker.needs("fmi2GetEventIndicators", f.GetEventIndicators);
  } else {
    checker.needs("fmi2DoStep", f.DoStep);
  }
  checker.needs("fmi2Terminate", f.Terminate);
  checker.needs("fmi2GetReal", f.GetReal);
  checker.needs("fmi2SetReal", f.SetReal);
  const bool integers = !setup.inputs.integers.empty() || !setup.outputs.integers.empty();
  if (integers) {
    checker.needs("fmi2GetInteger", f.GetInteger);
    checker.needs("fmi2SetInteger", f.SetInteger);
    checker.needs("fmi2GetBoolean", f.GetBoolean);
    checker.needs("fmi2SetBoolean", f.SetBoolean);
  }
  if (setup.inputs.text_count + setup.outputs.text_count > 0) {
    checker.needs("fmi2GetString", f.GetString);
    checker.needs("fmi2SetString", f.SetString);
  }
  if (setup.can_save_state) {
    checker.claimed("canGetAndSetFMUstate", "fmi2GetFMUstate", f.GetFMUstate);
    checker.claimed("canGetAndSetFMUstate", "fmi2SetFMUstate", f.SetFMUstate);
    checker.claimed("canGetAndSetFMUstate", "fmi2FreeFMUstate", f.FreeFMUstate);
  }
  if (setup.can_serialize_state) {
    checker.claimed("canSerializeFMUstate", "fmi2SerializedFMUstateSize", f.SerializedFMUstateSize);
    checker.claimed("canSerializeFMUstate", "fmi2SerializeFMUstate", f.SerializeFMUstate);
    checker.claimed("canSerializeFMUstate", "fmi2DeSerializeFMUstate", f.DeSerializeFMUstate);
  }
  if (setup.directional_derivatives)
    checker.claimed("providesDirectionalDerivative", "fmi2GetDirectionalDerivative",
                    f.GetDirectionalDerivative);
  if (setup.interpolates_inputs)
    checker.claimed("canInterpolateInputs", "fmi2SetRealInputDerivatives", f.SetRealInputDerivatives);
  return checker.complaint();
}

bool Fmi2Api::instantiate(const InstanceSetup& setup, const LogTarget& target, void* /*intermediate*/) {
  callbacks_ = std::make_unique<fmi2CallbackFunctions>(
      fmi2CallbackFunctions{&logger, &std::calloc, &std::free, nullptr, target.environment()});
  const std::string resources = file_uri(setup.resources);
  component_ =
      functions_->Instantiate(target.name().c_str(), setup.exchange ? fmi2ModelExchange : fmi2CoSimulation,
                              setup.token.c_str(), resources.c_str(), callbacks_.get(), fmi2False, fmi2False);
  return component_ != nullptr;
}

FmuStatus Fmi2Api::enter_initialization(const StartSettings& s) const {
  const FmuStatus set_up =
      status(functions_->SetupExperiment(component_, s.tolerance ? 1 : 0, s.tolerance.value_or(0.0),
                                         s.start_s, s.end_s ? 1 : 0, s.end_s.value_or(0.0)));
  if (set_up > FmuStatus::warning) return set_up;
  return std::max(set_up, status(functions_->EnterInitializationMode(component_)));
}

FmuStatus Fmi2Api::set(VariableType type, const std::uint32_t* references, std::size_t n, const void* values,
                       std::size_t count) const {
  switch (type) {
    case VariableType::float64:
      return set_float64(references, n, static_cast<const double*>(values), count);
    case VariableType::int32:
    case VariableType::enumeration:
      if (functions_->SetInteger == nullptr) return FmuStatus::error;
      return status(
          functions_->SetInteger(component_, references, n, static_cast<const fmi2Integer*>(values)));
    case VariableType::boolean:
      if (functions_->SetBoolean == nullptr) return FmuStatus::error;
      return status(
          functions_->SetBoolean(component_, references, n, static_cast<const fmi2Boolean*>(values)));
    case VariableType::text:
      if (functions_->SetString == nullptr) return FmuStatus::error;
      return status(functions_->SetString(component_, references, n, static_cast<const fmi2String*>(values)));
    default:
      return FmuStatus::error;
  }
}

FmuStatus Fmi2Api::get(VariableType type, const std::uint32_t* references, std::size_t n, void* values,
                       std::size_t count) const {
  switch (type) {
    case VariableType::float64:
      return get_float64(references, n, static_cast<double*>(values), count);
    case VariableType::int32:
    case VariableType::enumeration:
      if (functions_->GetInteger == nullptr) return FmuStatus::error;
      return status(functions_->GetInteger(component_, references, n, static_cast<fmi2Integer*>(values)));
    case VariableType::boolean:
      if (functions_->GetBoolean == nullptr) return FmuStatus::error;
      return status(functions_->GetBoolean(component_, references, n, static_cast<fmi2Boolean*>(values)));
    case VariableType::text:
      if (functions_->GetString == nullptr) return FmuStatus::error;
      return status(functions_->GetString(component_, references, n, static_cast<fmi2String*>(values)));
    default:
      return FmuStatus::error;
  }
}

StepResult Fmi2Api::ask_about_step(double t, double h, fmi2Status s) const {
  StepResult result;
  result.time_reached_s = t + h;
  while (s == fmi2Pending) {
    if (functions_->GetStatus == nullptr ||
        functions_->GetStatus(component_, fmi2DoStepStatus, &s) > fmi2Warning) {
      s = fmi2Error;
      break;
    }
    std::this_thread::yield();
  }
  result.status = status(s);
  if (s == fmi2Discard) {
    fmi2Boolean terminated = 0;
    if (functions_->GetBooleanStatus != nullptr &&
        functions_->GetBooleanStatus(component_, fmi2Terminated, &terminated) == fmi2OK)
      result.terminate = terminated != 0;
    fmi2Real reached = t;
    if (functions_->GetRealStatus != nullptr &&
        functions_->GetRealStatus(component_, fmi2LastSuccessfulTime, &reached) == fmi2OK)
      result.time_reached_s = reached;
    else
      result.time_reached_s = t;
  }
  return result;
}

}  // namespace ergon::fmi
