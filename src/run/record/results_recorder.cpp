#include "ergon/run/record/results_recorder.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace ergon {
namespace {

constexpr double nothing_yet = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<RowColumn> RecordedSignals::columns(const CoupledSystem& system) const {
  std::vector<RowColumn> columns;
  columns.reserve(outputs.size() + inputs.size());
  const auto add = [&](const SignalName& signal, const Port& port) {
    columns.push_back({signal.text, signal.type, {}, port.unit.text, port.description});
    if (signal.type == PortType::enumeration) columns.back().items = port.items;
    if (!envelope || signal.type != PortType::real) return;
    columns.push_back({signal.text + ".min", signal.type, {}, port.unit.text, "least since the row before"});
    columns.push_back(
        {signal.text + ".max", signal.type, {}, port.unit.text, "largest since the row before"});
  };
  for (const Index output : outputs) add(system.outputs.at(output), system.output_port(output));
  for (const Index input : inputs) add(system.inputs.at(input), system.input_port(input));
  return columns;
}

ResultsRecorder::ResultsRecorder(const ResultFile& file, const CoupledSystem& system, RecordedSignals signals,
                                 IntervalGate gate, UnitLine unit_line)
    : RowRecorder(file, signals.columns(system), gate, unit_line, signals.least_change),
      signals_(std::move(signals)) {
  for (const Index output : signals_.outputs) kinds_.push_back(value_kind_of(system.outputs[output].type));
  for (const Index input : signals_.inputs) kinds_.push_back(value_kind_of(system.inputs[input].type));
  if (!signals_.envelope) return;
  least_.assign(kinds_.size(), nothing_yet);
  largest_.assign(kinds_.size(), -nothing_yet);
}

bool ResultsRecorder::has_samples(const StepRecord& record) const {
  return signals_.nodes.empty() || std::any_of(signals_.nodes.begin(), signals_.nodes.end(),
                                               [&](Index node) { return record.is_at_point(node); });
}

double ResultsRecorder::real_value(const StepRecord& record, std::size_t signal) const {
  const std::size_t outputs = signals_.outputs.size();
  return signal < outputs ? record.output(signals_.outputs[signal])
                          : record.applied_input(signals_.inputs[signal - outputs]);
}

void ResultsRecorder::observe(const StepRecord& record) {
  if (!signals_.envelope) return;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] != ValueKind::real) continue;
    const double value = real_value(record, i);
    least_[i] = std::min(least_[i], value);
    largest_[i] = std::max(largest_[i], value);
  }
}

void ResultsRecorder::fill(const StepRecord& record, const Row& row) {
  std::size_t next_text = 0;
  std::size_t column = 0;
  const std::size_t outputs = signals_.outputs.size();
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] == ValueKind::real) {
      row.values[column++] = real_value(record, i);
      if (!signals_.envelope) continue;
      row.values[column++] = std::exchange(least_[i], nothing_yet);
      row.values[column++] = std::exchange(largest_[i], -nothing_yet);
    } else if (kinds_[i] == ValueKind::integer) {
      row.set_integer(column++, i < outputs ? record.integer_output(signals_.outputs[i])
                                            : static_cast<std::int64_t>(real_value(record, i)));
    } else {
      row.texts[next_text++] = record.text_output(signals_.outputs[i]);
      ++column;
    }
  }
}

void ResultsRecorder::archive_observed(Archive& archive) {
  archive(std::span<double>(least_));
  archive(std::span<double>(largest_));
}

}  // namespace ergon
