#include <fmt/format.h>

#include <cmath>

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

/// "csv", or ["csv", "hdf5"].
void read_format(TableReader& reader, OutputSettings& output) {
  if (!reader.entry("format")) return;
  ResultFormats formats{false, false, false, output.formats.compression};
  for (const Said<std::string>& said : reader.texts("format")) {
    if (said.value == "csv") {
      formats.csv = true;
    } else if (said.value == "hdf5") {
      formats.hdf5 = true;
    } else if (said.value == "mat") {
      formats.mat = true;
    } else {
      reader.problems().error(
          said.where, fmt::format("'{}' in 'format' of [output] is not a format of results.", said.value),
          "Available: csv, hdf5, mat, or several of them: [\"csv\", \"hdf5\"].");
      return;
    }
  }
  if (!formats.csv && !formats.hdf5 && !formats.mat) {
    if (!reader.problems().has_errors())
      reader.error(reader.entry("format")->value.where, "'format' of [output] is an empty list.",
                   "Write format = \"csv\", \"hdf5\" or \"mat\".");
    return;
  }
  output.formats = formats;
}

std::optional<Value> format_value(const OutputSettings& output, const Scenario&) {
  std::vector<std::string> names;
  if (output.formats.csv) names.emplace_back("csv");
  if (output.formats.hdf5) names.emplace_back("hdf5");
  if (output.formats.mat) names.emplace_back("mat");
  if (names.size() == 1 && output.formats.csv) return std::nullopt;
  return text_list(names);
}

void read_compression(TableReader& reader, OutputSettings& output) {
  const Entry* entry = reader.entry("compression");
  const auto level = reader.number("compression");
  if (!level) return;
  constexpr double most = 9.0;
  if (level->value >= 0.0 && level->value <= most && level->value == std::floor(level->value)) {
    output.formats.compression = static_cast<int>(level->value);
    return;
  }
  reader.error(
      entry->value.where,
      fmt::format("'compression' of [output] is {}; it must be a whole number from 0 to 9.", level->value),
      "Write 0 for none, 1 for fast, 9 for small.");
}

std::optional<Value> compression_value(const OutputSettings& output, const Scenario&) {
  return output.formats.hdf5 ? std::optional(integer_value(output.formats.compression)) : std::nullopt;
}

/// { "body.*" = 0.01, "*.temperature" = "1/2" }
void read_intervals(TableReader& reader, OutputSettings& output) {
  const Value* table = reader.table("intervals");
  if (!table) return;
  TableReader entries(*table, "'intervals' of [output]", reader.problems());
  for (const Entry& e : table->entries) {
    if (const auto interval_s = entries.step_s(e.key))
      output.intervals_s.push_back({{e.key, e.where}, *interval_s});
  }
  entries.finish();
}

std::optional<Value> intervals_value(const OutputSettings& output, const Scenario&) {
  if (output.intervals_s.empty()) return std::nullopt;
  TableWriter table;
  for (const auto& [pattern, interval_s] : output.intervals_s)
    table.add(pattern.value, time_value(interval_s.value));
  return table.take();
}

void read_envelope(TableReader& reader, OutputSettings& output) {
  const Entry* entry = reader.entry("envelope");
  if (const auto said = reader.flag("envelope")) output.envelope = {*said, entry->value.where};
}

std::optional<Value> envelope_value(const OutputSettings& output, const Scenario&) {
  return output.envelope.value ? std::optional(boolean_value(true)) : std::nullopt;
}

/// Of keys that each make sense, but not together.
void check_decimation(TableReader& reader, const OutputSettings& output) {
  if (!output.envelope.value) return;
  if (!output.interval_s && output.intervals_s.empty())
    reader.error(output.envelope.where, "'envelope' in [output] has no interval to be taken over.",
                 "Give 'interval' or 'intervals', too.");
  if (output.least_change)
    reader.error(output.envelope.where, "'envelope' and 'change' in [output] exclude each other.",
                 "Keep one of them.");
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
      K{"intervals", read_intervals, intervals_value},
      K{"envelope", read_envelope, envelope_value},
      K::positive("change", &S::least_change),
      by_rate_key(),
      K::flag("units", &S::units).written_if(&S::units),
      K{"accuracy", read_accuracy, accuracy_value},
      K{"format", read_format, format_value},
      K{"compression", read_compression, compression_value},
  };
  return keys;
}

void read_output(const Value& table, OutputSettings& output, ProblemList& problems) {
  TableReader reader(table, "[output]", problems);
  read_keys(reader, output_keys(), output);
  check_decimation(reader, output);
  reader.finish();
}

}  // namespace ergon
