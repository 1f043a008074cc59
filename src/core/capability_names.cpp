#include "ergon/core/capability_names.hpp"

namespace ergon {

std::vector<std::string> capability_names(Subsystem& subsystem) {
  std::vector<std::string> names;
  const auto add = [&](const void* capability, const char* name) {
    if (capability != nullptr) names.emplace_back(name);
  };
  add(subsystem.discrete_ports(), "discrete ports");
  add(subsystem.tunable(), "tunable parameters");
  add(subsystem.rewindable(), "save/restore");
  add(subsystem.serializable(), "checkpoint");
  add(subsystem.differentiable(), "output Jacobian");
  add(subsystem.directional_derivatives(), "directional derivatives");
  add(subsystem.energy_account(), "energy account");
  add(subsystem.interface_inertia(), "interface inertia");
  add(subsystem.state_derivative(), "state derivative");
  add(subsystem.start_condition(), "start condition");
  add(subsystem.time_signal(), "time signal");
  add(subsystem.geometry(), "geometry");
  return names;
}

}  // namespace ergon
