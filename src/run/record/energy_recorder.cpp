#include "ergon/run/record/energy_recorder.hpp"

#include "ergon/run/record/common_points.hpp"

namespace ergon {
namespace {

constexpr double wanted_points = 2000.0;

}  // namespace

std::vector<RowColumn> EnergyRecorder::columns(const Engine& engine) {
  std::vector<RowColumn> columns;
  for (const Index node : accounts(engine)) {
    for (const char* figure : {".stored", ".dissipated", ".received", ".supplied"})
      columns.push_back({engine.system().nodes[node].name + figure, PortType::real, {}, "J"});
  }
  return columns;
}

std::vector<Index> EnergyRecorder::accounts(const Engine& engine) {
  std::vector<Index> nodes;
  for (Index node = 0; node < engine.system().nodes.size(); ++node) {
    const Subsystem& subsystem = *engine.system().nodes[node].subsystem;
    const bool is_law = dynamic_cast<const Element*>(&subsystem) != nullptr;
    if (is_law || subsystem.energy_account() != nullptr) nodes.push_back(node);
  }
  return nodes;
}

EnergyRecorder::EnergyRecorder(const ResultFile& file, const Engine& engine, UnitLine unit_line)
    : RowRecorder(file, columns(engine), evenly_spread_points(engine, wanted_points), unit_line),
      nodes_(accounts(engine)) {}

/// After a failure some subsystems are past the last good point: what they would tell is left empty.
void EnergyRecorder::fill(const StepRecord& record, const Row& row) {
  std::size_t column = 0;
  for (const Index node : nodes_) {
    const EnergyRecord* energy = record.is_at_point(node) ? &record.energy(node) : nullptr;
    if (energy == nullptr || !energy->available) {
      for (int figure = 0; figure < 4; ++figure) row.values[column++] = RowWriter::empty_field();
      continue;
    }
    row.values[column++] = energy->stored_J;
    row.values[column++] = energy->dissipated_J;
    row.values[column++] = energy->total_received_J();
    row.values[column++] = energy->supplied_J;
  }
}

}  // namespace ergon
