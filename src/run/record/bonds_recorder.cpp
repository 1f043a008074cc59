#include "ergon/run/record/bonds_recorder.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace ergon {
namespace {

// In the order of `fill`.
constexpr const char* bond_columns[] = {"power",           "exchanged_energy", "residual_power",
                                        "residual_energy", "interface_power",  "interface_energy",
                                        "imbalance_energy"};
constexpr const char* correction_columns[] = {
    "correction", "correction_energy", "correction_capped", "leak_a", "leak_b", "group_leak"};
constexpr const char* control_columns[] = {"step_size", "step_error", "rejections"};
constexpr const char* implicit_columns[] = {"iterations", "coupling_residual"};
constexpr const char* total_columns[] = {"residual_power", "residual_energy", "interface_power",
                                         "interface_energy"};

std::vector<bool> listed_of(const CoupledSystem& system, const BondsRecorderOptions& options) {
  std::vector<bool> listed(system.bonds.size(), !options.bonds);
  for (const Index bond : options.bonds.value_or(std::vector<Index>{})) listed[bond] = true;
  return listed;
}

/// The unit of a column by its last part; efforts have that of their port.
std::string unit_of(std::string_view column) {
  if (column.ends_with("power")) return "W";
  if (column.ends_with("energy") || column.find("leak") != column.npos) return "J";
  return column == "step_size" ? "s" : "";
}

/// Of a correction, which is a number in SI units, whatever those of its port are; empty where it has no name.
std::string si_unit_of_effort(const CoupledSystem& system, const PowerBond& bond) {
  if (bond.components.empty()) return "";
  const Unit& unit = system.output_port(bond.components.front().effort_output).unit;
  if (unit.is_unspecified() || unit.to_SI() == 1.0) return unit.text;
  for (const char* name : {"N", "N.m", "Pa", "V", "A", "W/K", "K", "m/s", "rad/s", "m3/s"}) {
    const Unit si = Unit::of(name);
    if (unit.same_dimension(si) && unit.names_angle == si.names_angle) return name;
  }
  return "";
}

}  // namespace

std::vector<RowColumn> BondsRecorder::columns(const CoupledSystem& system,
                                              const BondsRecorderOptions& options) {
  const std::vector<bool>& corrected = options.corrected;
  const std::vector<bool> listed = listed_of(system, options);
  std::vector<RowColumn> columns;
  const auto add = [&](const std::string& stem, const char* name) {
    columns.push_back({stem + "." + name, PortType::real, {}, unit_of(name)});
  };
  for (std::size_t b = 0; b < system.bonds.size(); ++b) {
    if (!listed[b]) continue;
    for (const char* column : bond_columns) add(system.bonds[b].name, column);
    if (b >= corrected.size() || !corrected[b]) continue;
    for (const char* column : correction_columns) add(system.bonds[b].name, column);
    columns[columns.size() - std::size(correction_columns)].unit = si_unit_of_effort(system, system.bonds[b]);
  }
  if (system.bonds.size() > 1) {
    for (const char* column : total_columns) add("*", column);
  }
  if (options.step_control) {
    for (const char* column : control_columns) add("*", column);
  }
  if (options.implicit) {
    for (const char* column : implicit_columns) add("*", column);
  }
  // Behind all others: files of before have the same columns at the same places.
  for (std::size_t b = 0; b < system.bonds.size(); ++b) {
    if (!listed[b] || b >= corrected.size() || !corrected[b]) continue;
    const std::vector<Index>& inputs = system.bonds[b].flow_node_inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      columns.push_back({system.bonds[b].name + ".corrected_effort" +
                             (inputs.size() > 1 ? fmt::format("[{}]", i) : std::string()),
                         PortType::real,
                         {},
                         system.input_port(inputs[i]).unit.text});
    }
  }
  return columns;
}

BondsRecorder::BondsRecorder(const ResultFile& file, const CoupledSystem& system, IntervalGate gate,
                             const BondsRecorderOptions& options)
    : RowRecorder(file, columns(system, options),
                  system.bonds.empty() && !options.implicit ? IntervalGate::first_only() : gate,
                  options.unit_line),
      options_(options),
      listed_(listed_of(system, options)) {
  options_.corrected.resize(system.bonds.size());
  for (std::size_t b = 0; b < system.bonds.size(); ++b) {
    if (!listed_[b] || !options_.corrected[b]) continue;
    const std::vector<Index>& inputs = system.bonds[b].flow_node_inputs;
    corrected_inputs_.insert(corrected_inputs_.end(), inputs.begin(), inputs.end());
  }
}

void BondsRecorder::fill(const StepRecord& record, const Row& row) {
  auto value = row.values.begin();
  const std::span<const BondRecord> bonds = record.bonds();
  BondRecord total;
  for (std::size_t b = 0; b < bonds.size(); ++b) {
    const BondRecord& bond = bonds[b];
    total.residual_power_W += bond.residual_power_W;
    total.residual_energy_J += bond.residual_energy_J;
    total.interface_power_W += bond.interface_power_W;
    total.interface_energy_J += bond.interface_energy_J;
    if (!listed_[b]) continue;
    *value++ = bond.power_into_b_W;
    *value++ = bond.exchanged_energy_J;
    *value++ = bond.residual_power_W;
    *value++ = bond.residual_energy_J;
    *value++ = bond.interface_power_W;
    *value++ = bond.interface_energy_J;
    *value++ = bond.has_imbalance ? record.imbalance_J(b) : RowWriter::empty_field();
    if (!options_.corrected[b]) continue;
    *value++ = bond.correction;
    *value++ = bond.correction_energy_J;
    *value++ = bond.correction_capped ? 1.0 : 0.0;
    *value++ = bond.has_leaks ? bond.leak_a_J : RowWriter::empty_field();
    *value++ = bond.has_leaks ? bond.leak_b_J : RowWriter::empty_field();
    *value++ = bond.has_leaks ? bond.group_leak_J : RowWriter::empty_field();
  }
  if (bonds.size() > 1) {
    *value++ = total.residual_power_W;
    *value++ = total.residual_energy_J;
    *value++ = total.interface_power_W;
    *value++ = total.interface_energy_J;
  }
  const StepControlRecord* control = record.step_control();
  if (options_.step_control && control != nullptr) {
    *value++ = control->step_s;
    *value++ = control->error;
    *value++ = static_cast<double>(control->rejected);
  }
  const ImplicitRecord* implicit = record.implicit_steps();
  if (options_.implicit && implicit != nullptr) {
    *value++ = implicit->iterations;
    *value++ = implicit->residual;
  }
  for (const Index input : corrected_inputs_) *value++ = record.applied_input(input);
}

}  // namespace ergon
