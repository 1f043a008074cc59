#include <fmt/format.h>

#include <cmath>

#include "ergon/scenario/file/readers.hpp"
#include "ergon/scenario/file/table_reader.hpp"

namespace ergon {
namespace {

EnergyMapping read_energy(const Value& table, const std::string& owner, ProblemList& problems) {
  TableReader reader(table, "'energy' of " + owner, problems);
  EnergyMapping energy;
  energy.where = table.where;
  const auto text = [&](const char* key) {
    const auto said = reader.text(key);
    return said ? said->value : std::string{};
  };
  energy.stored = text("stored");
  if (reader.entry("stored") == nullptr)
    reader.missing("stored", "Name the output that is the stored energy, as in: stored = \"energy.stored\"");
  energy.dissipated = text("dissipated");
  energy.supplied = text("supplied");
  energy.kinetic = text("kinetic");
  energy.through = text("through");
  if (const Value* received = reader.table("received")) {
    TableReader inputs(*received, "'received' of " + owner, problems);
    for (const Entry& input : received->entries) {
      if (const auto output = inputs.text(input.key)) energy.received[input.key] = output->value;
    }
    inputs.finish();
  }
  reader.finish();
  return energy;
}

}  // namespace

void read_foreign(TableReader& reader, ForeignOptions& options, ProblemList& problems) {
  options.isolate = reader.flag("isolate").value_or(false);
  options.sandbox = reader.flag("sandbox").value_or(false);
  options.isolate = options.isolate || options.sandbox;
  options.refresh = reader.flag("refresh");
  options.output_derivatives = reader.flag("output_derivatives").value_or(false);
  if (const auto limit = reader.number("call_limit")) {
    if (std::isfinite(limit->value) && limit->value > 0.0) {
      options.call_limit_s = limit->value;
    } else {
      reader.error(limit->where,
                   fmt::format("call_limit = {} in {} is not positive.", limit->value, reader.title()),
                   "Give seconds > 0.");
    }
  }
  for (const Said<std::string>& name : reader.texts("outputs")) options.outputs.push_back(name.value);
  for (const Said<std::string>& name : reader.texts("inputs")) options.inputs.push_back(name.value);
  for (const Said<std::string>& name : reader.texts("environment")) options.environment.push_back(name.value);
  if (const Value* table = reader.table("feedthrough")) {
    TableReader outputs(*table, "'feedthrough' of " + reader.title(), problems);
    for (const Entry& output : table->entries) {
      std::vector<std::string>& inputs = options.feedthrough[output.key];
      for (const Said<std::string>& input : outputs.texts(output.key)) inputs.push_back(input.value);
    }
    outputs.finish();
  }
  if (const Value* table = reader.table("energy"))
    options.energy = read_energy(*table, reader.title(), problems);
}

}  // namespace ergon
