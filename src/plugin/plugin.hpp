#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ergon/core/api.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/correctors/register_corrector.hpp"
#include "ergon/coupling/predictors/register_predictor.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/register_scheme.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/coupling/step_control/register_step_control.hpp"
#include "ergon/coupling/step_control/step_control.hpp"
#include "ergon/models/register_model.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/verdict/evidence.hpp"
#include "ergon/verdict/register_evidence.hpp"

namespace ergon {

/// Raised with every change of an installed class that the sizes below do not show: a virtual function more, another meaning.
inline constexpr std::uint32_t plugin_interface = 1;

/// Of the classes that cross the border, and so of the standard library and its settings, too.
constexpr std::uint64_t plugin_layout() {
  std::uint64_t layout = 14695981039346656037ULL;  // FNV-1a
  for (const std::size_t size :
       {sizeof(std::string), sizeof(Description), sizeof(Port), sizeof(AccountSample), sizeof(InputView),
        sizeof(ModelInfo), sizeof(ModelRequest), sizeof(ParameterInfo), sizeof(ElementInfo),
        sizeof(CorrectorInfo), sizeof(ReceiverStep), sizeof(PredictorInfo), sizeof(SchemeRequest),
        sizeof(SteppingContext), sizeof(StepControlMethod), sizeof(StepRecord), sizeof(EvidenceContext),
        sizeof(Finding), sizeof(VerdictReason)})
    layout = (layout ^ size) * 1099511628211ULL;
  return layout;
}

/// What a plug-in says of itself. The first two members stay what they are in all versions.
struct Plugin {
  std::uint32_t interface_number;
  std::uint64_t layout;
  const void* library;     ///< the plugin_library() that it calls
  void (*register_all)();  ///< calls register_model, register_corrector, …; may throw
};

/// Tells one libergon.so in a process from another: a plug-in that fills the registries of another copy would not be found.
ERGON_API const void* plugin_library();

}  // namespace ergon

/// In one file of a plug-in, outside of namespaces: makes the one C function that Ergon looks for. `function` takes nothing, and
/// registers what the plug-in brings along (docs/library.md).
#define ERGON_PLUGIN(function)                                                                  \
  extern "C" ERGON_API const ::ergon::Plugin* ergon_plugin() {                                  \
    static const ::ergon::Plugin plugin = {::ergon::plugin_interface, ::ergon::plugin_layout(), \
                                           ::ergon::plugin_library(), &(function)};             \
    return &plugin;                                                                             \
  }
