#include "ergon/fmi/instance/fmi1_api.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "ergon/fmi/instance/bind_functions.hpp"
#include "ergon/fmi/instance/file_uri.hpp"

namespace ergon::fmi {
namespace {

void fmi1_logger(fmi1Component /*c*/, fmi1String name, fmi1Status status, fmi1String category,
                 fmi1String message, ...) {
  char text[4096] = "";
  if (message != nullptr) {
    std::va_list arguments;
    va_start(arguments, message);
    // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): the standard has the FMU give the format
    std::vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
  }
  LogTarget::say(LogTarget::environment_of(name), name, static_cast<FmuStatus>(status), category, text);
}

}  // namespace

std::string Fmi1Api::bind(const InstanceSetup& setup) {
  // The library is named after the model identifier, and so are its functions.
  const std::string identifier = std::filesystem::path(setup.library).stem().string();
  std::string why = bind_functions<Fmi1Functions>(
      setup, library_, functions_, [&](const SharedLibrary& library, Fmi1Functions& f) {
        const auto find = [&](const char* name) {
          return library.symbol((identifier + "_fmi" + name).c_str());
        };
#define ERGON_BIND(name) f.name = reinterpret_cast<fmi1##name##TYPE*>(find(#name));
        ERGON_FMI1_FUNCTIONS(ERGON_BIND)
#undef ERGON_BIND
      });
  if (!why.empty()) return why;
  const Fmi1Functions& f = *functions_;
  FunctionChecker checker;
  const auto needs = [&](const char* name, auto* function) {
    checker.needs((identifier + "_fmi" + name).c_str(), function);
  };
  needs("InstantiateSlave", f.InstantiateSlave);
  needs("InitializeSlave", f.InitializeSlave);
  needs("TerminateSlave", f.TerminateSlave);
  needs("FreeSlaveInstance", f.FreeSlaveInstance);
  needs("DoStep", f.DoStep);
  needs("GetReal", f.GetReal);
  needs("SetReal", f.SetReal);
  if (!setup.inputs.integers.empty() || !setup.outputs.integers.empty()) {
    needs("GetInteger", f.GetInteger);
    needs("SetInteger", f.SetInteger);
    needs("GetBoolean", f.GetBoolean);
    needs("SetBoolean", f.SetBoolean);
  }
  if (setup.inputs.text_count + setup.outputs.text_count > 0) {
    needs("GetString", f.GetString);
    needs("SetString", f.SetString);
  }
  if (setup.interpolates_inputs)
    checker.claimed("canInterpolateInputs", "fmiSetRealInputDerivatives", f.SetRealInputDerivatives);
  return checker.complaint();
}

bool Fmi1Api::instantiate(const InstanceSetup& setup, const LogTarget& target, void* /*intermediate*/) {
  const std::string location = file_uri(setup.resources);
  const fmi1CallbackFunctions callbacks{&fmi1_logger, &std::calloc, &std::free, nullptr};
  constexpr double no_timeout_ms = 0.0;
  component_ = functions_->InstantiateSlave(target.name().c_str(), setup.token.c_str(), location.c_str(),
                                            "application/x-fmu-sharedlibrary", no_timeout_ms, fmi1False,
                                            fmi1False, callbacks, fmi1False);
  return component_ != nullptr;
}

FmuStatus Fmi1Api::set(VariableType type, const std::uint32_t* references, std::size_t n, const void* values,
                       std::size_t count) const {
  switch (type) {
    case VariableType::float64:
      return set_float64(references, n, static_cast<const double*>(values), count);
    case VariableType::int32:
    case VariableType::enumeration:
      if (functions_->SetInteger == nullptr) return FmuStatus::error;
      return status(
          functions_->SetInteger(component_, references, n, static_cast<const fmi1Integer*>(values)));
    case VariableType::boolean:
      if (functions_->SetBoolean == nullptr) return FmuStatus::error;
      return status(
          functions_->SetBoolean(component_, references, n, static_cast<const fmi1Boolean*>(values)));
    case VariableType::text:
      if (functions_->SetString == nullptr) return FmuStatus::error;
      return status(functions_->SetString(component_, references, n, static_cast<const fmi1String*>(values)));
    default:
      return FmuStatus::error;
  }
}

FmuStatus Fmi1Api::get(VariableType type, const std::uint32_t* references, std::size_t n, void* values,
                       std::size_t count) const {
  switch (type) {
    case VariableType::float64:
      return get_float64(references, n, static_cast<double*>(values), count);
    case VariableType::int32:
    case VariableType::enumeration:
      if (functions_->GetInteger == nullptr) return FmuStatus::error;
      return status(functions_->GetInteger(component_, references, n, static_cast<fmi1Integer*>(values)));
    case VariableType::boolean:
      if (functions_->GetBoolean == nullptr) return FmuStatus::error;
      return status(functions_->GetBoolean(component_, references, n, static_cast<fmi1Boolean*>(values)));
    case VariableType::text:
      if (functions_->GetString == nullptr) return FmuStatus::error;
      return status(functions_->GetString(component_, references, n, static_cast<fmi1String*>(values)));
    default:
      return FmuStatus::error;
  }
}

/// Some exporters return a warning without stepping (a wrong communication point, a step beyond the stop time), so a warning is
/// believed only where the FMU does not deny it. A step that was discarded cannot be repeated from where it began.
StepResult Fmi1Api::ask_about_step(double t, double h, fmi1Status s) const {
  StepResult result;
  result.status = status(s);
  result.time_reached_s = t + h;
  if (s == fmi1Pending) result.status = FmuStatus::error;  // nobody asked for asynchronous steps
  if (s != fmi1Warning && s != fmi1Discard) return result;
  fmi1Real reached = t;
  const bool knows = functions_->GetRealStatus != nullptr &&
                     functions_->GetRealStatus(component_, fmi1LastSuccessfulTime, &reached) == fmi1OK &&
                     std::isfinite(reached);
  const bool moved = knows && reached > t + 1e-9 * h;
  if (s == fmi1Warning) {
    if (knows && !moved) result.status = FmuStatus::error;
  } else if (moved) {
    result.time_reached_s = reached;
  } else {
    result.status = FmuStatus::error;
  }
  return result;
}

}  // namespace ergon::fmi
