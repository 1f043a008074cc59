#include "run/bonds_recorder.hpp"

namespace ergon {
namespace {

// In the order of `fill`.
constexpr const char* columns[] = {"power",           "exchanged_energy", "residual_power",
                                   "residual_energy", "interface_power",  "interface_energy",
                                   "imbalance_energy"};

std::vector<std::string> names_of(const CoupledSystem& system) {
  std::vector<std::string> names;
  names.reserve(system.bonds.size() * std::size(columns));
  for (const PowerBond& bond : system.bonds) {
    for (const char* column : columns) names.push_back(bond.name + "." + column);
  }
  return names;
}

}  // namespace

BondsRecorder::BondsRecorder(const std::filesystem::path& file, const CoupledSystem& system,
                             IntervalGate gate)
    : CsvRecorder(file, names_of(system), system.bonds.empty() ? IntervalGate::first_only() : gate) {}

void BondsRecorder::fill(const StepRecord& record, std::span<double> values) const {
  auto value = values.begin();
  for (const BondRecord& bond : record.bonds()) {
    *value++ = bond.power_into_b_W;
    *value++ = bond.exchanged_energy_J;
    *value++ = bond.residual_power_W;
    *value++ = bond.residual_energy_J;
    *value++ = bond.interface_power_W;
    *value++ = bond.interface_energy_J;
    *value++ = bond.has_imbalance ? bond.imbalance_energy_J : CsvWriter::empty_field();
  }
}

}  // namespace ergon
