#include <fmt/format.h>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

/// { input = "output" }: the work through each input, as an output.
void read_received(TableReader& reader, EnergyMapping& energy) {
  const Value* table = reader.table("received");
  if (!table) return;
  TableReader inputs(*table, "'received' of " + reader.title(), reader.problems());
  for (const Entry& input : table->entries) {
    if (const auto output = inputs.text(input.key)) energy.received[input.key] = output->value;
  }
  inputs.finish();
}

std::optional<Value> received_value(const EnergyMapping& energy, const Scenario&) {
  if (energy.received.empty()) return std::nullopt;
  TableWriter table;
  for (const auto& [input, output] : energy.received) table.add(input, output);
  return table.take();
}

/// { output = ["input", …] }
void read_feedthrough(TableReader& reader, ForeignOptions& options) {
  const Value* table = reader.table("feedthrough");
  if (!table) return;
  TableReader outputs(*table, "'feedthrough' of " + reader.title(), reader.problems());
  for (const Entry& output : table->entries) {
    std::vector<std::string>& inputs = options.feedthrough[output.key];
    for (const Said<std::string>& input : outputs.texts(output.key)) inputs.push_back(input.value);
  }
  outputs.finish();
}

std::optional<Value> feedthrough_value(const ForeignOptions& options, const Scenario&) {
  if (options.feedthrough.empty()) return std::nullopt;
  TableWriter table;
  for (const auto& [output, inputs] : options.feedthrough) table.add(output, text_list(inputs));
  return table.take();
}

void read_energy(TableReader& reader, ForeignOptions& options) {
  const Value* table = reader.table("energy");
  if (!table) return;
  TableReader energy(*table, "'energy' of " + reader.title(), reader.problems());
  options.energy.emplace().where = table->where;
  read_keys(energy, energy_keys(), *options.energy);
  energy.finish();
}

std::optional<Value> energy_value(const ForeignOptions& options, const Scenario& scenario) {
  if (!options.energy) return std::nullopt;
  return table_of(energy_keys(), *options.energy, scenario);
}

}  // namespace

const Keys<EnergyMapping>& energy_keys() {
  using S = EnergyMapping;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::text("stored", &S::stored)
          .required("Name the output that is the stored energy, as in: stored = \"energy.stored\""),
      K::text("dissipated", &S::dissipated),
      K::text("supplied", &S::supplied),
      K::text("kinetic", &S::kinetic),
      K::text("through", &S::through),
      K{"received", read_received, received_value},
  };
  return keys;
}

const Keys<ForeignOptions>& foreign_keys() {
  using S = ForeignOptions;
  using K = Key<S>;
  static const auto isolated = [](const S& s) { return s.isolate || s.sandbox; };
  static const Keys<S> keys = {
      K::flag("isolate", &S::isolate).written_if(isolated),
      K::flag("sandbox", &S::sandbox).written_if(&S::sandbox),
      K::positive("call_limit", &S::call_limit_s).written_if(isolated),
      K::choice("interface", &S::interface, fmu_interface_names),
      K::positive("tolerance", &S::tolerance),
      K::positive("absolute_tolerance", &S::absolute_tolerance),
      K::flag("refresh", &S::refresh),
      K::flag("output_derivatives", &S::output_derivatives).written_if(&S::output_derivatives),
      K::texts("environment", &S::environment).written_if([](const S& s) { return !s.environment.empty(); }),
      K::texts("outputs", &S::outputs).written_if([](const S& s) { return !s.outputs.empty(); }),
      K::texts("inputs", &S::inputs).written_if([](const S& s) { return !s.inputs.empty(); }),
      K{"feedthrough", read_feedthrough, feedthrough_value},
      K{"energy", read_energy, energy_value},
  };
  return keys;
}

}  // namespace ergon
