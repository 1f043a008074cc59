#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// Two connections in opposite directions that carry a power: proposed, not taken, since no FMU says which way power is positive.
struct SystemBond {
  Value table;                           ///< as [[bond]]
  std::vector<std::size_t> connections;  ///< that it replaces: places in [[connection]]
  std::string why;
};

/// Units decide: effort × flow is a power, and the effort is the factor that contains a mass. Port groups of OSP and terminals of
/// FMI 3 decide between several possibilities, and replace units where there are none.
std::vector<SystemBond> propose_bonds(const SystemDocument& system, const std::string& base_directory);

/// The proposals as TOML to paste, with what they replace as comments; empty where there are none.
std::string bonds_as_toml(const std::vector<SystemBond>& bonds, const SystemDocument& system);

/// Makes the proposed bonds.
void take_proposed_bonds(SystemDocument& system, const std::string& base_directory, ProblemList& problems);

}  // namespace ergon
