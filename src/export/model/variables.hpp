#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/export/model/exported_model.hpp"

namespace ergon {

/// A variable of an exported FMU. Its value reference is its place in the list of all.
struct ExportedVariable {
  enum class Role : std::uint8_t { time, input, output, energy, parameter, account };
  enum class Type : std::uint8_t { real, boolean, enumeration };

  std::string name;
  std::string description;
  Role role = Role::time;
  Type type = Type::real;
  Unit unit;
  bool is_array = false;  ///< of FMI 3: one variable of `size` numbers
  std::size_t size = 1;
  /// Where its numbers are in the flat row of its role: inputs, outputs, energies, parameters, or the rest of the account.
  std::size_t first = 0;
  /// Of inputs and parameters; a boolean is 0 or 1, an enumeration counts its choices from 1.
  std::vector<double> start;
  std::vector<std::string> choices;  ///< of an enumeration
  std::optional<double> minimum;
  std::size_t port = 0;   ///< of an input or output: which port of the description
  bool optional = false;  ///< of an input: may stay unconnected without a word
  // Of a parameter: what it sets.
  std::string key;
  bool is_initial = false;
  std::size_t element = 0;  ///< its first number in a list
};

/// In FMI 2 an array is one variable per number, "force[0]"; in FMI 3 it is one variable with a dimension.
enum class ExportFormat { fmi2 = 2, fmi3 = 3 };

/// What is written into modelDescription.xml and what the library answers to: time, inputs, outputs, the energy account
/// (stored, dissipated, supplied) where the model keeps one, parameters, initial values of states as "initial.x", and the rest of the
/// account, which balances of bonds need: what was received through each input ("energy.received.force"), the energy with positions
/// and velocities of one instant, and its kinetic part.
std::vector<ExportedVariable> exported_variables(const ExportedModel& model, const Description& description,
                                                 bool keeps_account, ExportFormat version);

/// The numbers of all parameters, in the order of their variables, and back into the model.
std::vector<double> parameter_row(const std::vector<ExportedVariable>& variables);
/// Nothing: done. Else why a number cannot be taken.
std::string set_parameters(const std::vector<ExportedVariable>& variables, const std::vector<double>& row,
                           ExportedModel& model);

}  // namespace ergon
