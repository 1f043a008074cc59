#include <fmt/format.h>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

/// { default = "5 %", "body.temperature" = "1 K", "*.force" = "10 %" }
void read_accuracy(TableReader& reader, OutputSettings& output) {
  const Value* table = reader.table("accuracy");
  if (!table) return;
  for (const Entry& e : table->entries) {
    const bool is_text = e.value.kind == Value::Kind::text;
    const auto accuracy = is_text ? Accuracy::parse(e.value.text) : std::nullopt;
    if (!accuracy) {
      reader.problems().error(
          e.value.where,
          fmt::format("'{}' in 'accuracy' of [output] must be an accuracy, but is {}.", e.key,
                      e.value.describe()),
          fmt::format("Write a part of half the range, \"{}\" = \"5 %\", a positive number with its "
                      "unit, \"0.1 K\" (\"0.1 1\" without one), or \"any\".",
                      e.key));
    } else if (e.key == "default") {
      output.accuracy = *accuracy;
      if (accuracy->kind == Accuracy::Kind::absolute) {
        reader.problems().error(e.value.where,
                                "'default' in 'accuracy' of [output] has a unit, but outputs have many.",
                                "Write a percentage, \"5 %\", or name the outputs instead of 'default'.");
      }
    } else {
      output.accuracies.push_back({{e.key, e.where}, *accuracy});
    }
  }
}

std::optional<Value> accuracy_value(const OutputSettings& output, const Scenario&) {
  if (!output.accuracy && output.accuracies.empty()) return std::nullopt;
  TableWriter table;
  if (output.accuracy) table.add("default", output.accuracy->text());
  for (const auto& [pattern, wanted] : output.accuracies) table.add(pattern.value, wanted.text());
  return table.take();
}

Key<OutputSettings> by_rate_key() {
  Key<OutputSettings> key{"by_rate"};
  key.read = [](TableReader& reader, OutputSettings& output) {
    const Entry* entry = reader.entry("by_rate");
    if (const auto said = reader.flag("by_rate")) output.by_rate = {*said, entry->value.where};
  };
  key.write = [](const OutputSettings& output, const Scenario&) -> std::optional<Value> {
    return output.by_rate.value ? std::optional(boolean_value(true)) : std::nullopt;
  };
  return key;
}

}  // namespace

const Keys<OutputSettings>& output_keys() {
  using S = OutputSettings;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::texts("variables", &S::variables),
      K::texts("inputs", &S::inputs).written_if([](const S& s) { return !s.inputs.empty(); }),
      K::texts("bonds", &S::bonds),
      K::step("interval", &S::interval_s),
      by_rate_key(),
      K::flag("units", &S::units).written_if(&S::units),
      K{"accuracy", read_accuracy, accuracy_value},
  };
  return keys;
}

void read_output(const Value& table, OutputSettings& output, ProblemList& problems) {
  TableReader reader(table, "[output]", problems);
  read_keys(reader, output_keys(), output);
  reader.finish();
}

}  // namespace ergon
