#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/core/unit.hpp"

namespace ergon {

/// A group of an OspModelDescription.xml: its variables in order, those of groups inside of it included.
struct VariableGroup {
  struct Variable {
    std::string name;
    bool is_effort = false;  ///< the group that holds it is a Force, Torque, Voltage or Pressure
    bool is_flow = false;
  };
  std::string kind;  ///< "Force", "LinearMechanicalPort", "Generic", …
  std::string name;
  std::vector<Variable> variables;
  /// Effort and flow of one place: their product is a power.
  [[nodiscard]] bool is_power_port() const;
};

/// All groups of a file, those inside of others, too. Nothing after reporting what is wrong.
std::optional<std::vector<VariableGroup>> read_variable_groups(const std::filesystem::path& file,
                                                               ProblemList& problems);

}  // namespace ergon
