#include "ergon/run/record/results_recorder.hpp"

#include <algorithm>
#include <utility>

namespace ergon {

std::vector<CsvColumn> RecordedSignals::columns(const CoupledSystem& system) const {
  std::vector<CsvColumn> columns;
  columns.reserve(outputs.size() + inputs.size());
  const auto add = [&](const SignalName& signal, const Port& port) {
    columns.push_back({signal.text, signal.type, {}, port.unit.text});
    if (signal.type == PortType::enumeration) columns.back().items = port.items;
  };
  for (const Index output : outputs) add(system.outputs.at(output), system.output_port(output));
  for (const Index input : inputs) add(system.inputs.at(input), system.input_port(input));
  return columns;
}

ResultsRecorder::ResultsRecorder(const ResultFile& file, const CoupledSystem& system, RecordedSignals signals,
                                 IntervalGate gate, UnitLine unit_line)
    : CsvRecorder(file, signals.columns(system), gate, unit_line), signals_(std::move(signals)) {
  for (const Index output : signals_.outputs) kinds_.push_back(value_kind_of(system.outputs[output].type));
  for (const Index input : signals_.inputs) kinds_.push_back(value_kind_of(system.inputs[input].type));
}

bool ResultsRecorder::has_samples(const StepRecord& record) const {
  return signals_.nodes.empty() || std::any_of(signals_.nodes.begin(), signals_.nodes.end(),
                                               [&](Index node) { return record.is_at_point(node); });
}

void ResultsRecorder::fill(const StepRecord& record, const CsvRow& row) const {
  std::size_t next_text = 0;
  std::size_t i = 0;
  for (const Index output : signals_.outputs) {
    if (kinds_[i] == ValueKind::real) {
      row.values[i] = record.output(output);
    } else if (kinds_[i] == ValueKind::integer) {
      row.set_integer(i, record.integer_output(output));
    } else {
      row.texts[next_text++] = record.text_output(output);
    }
    ++i;
  }
  for (const Index input : signals_.inputs) {
    const double value = record.applied_input(input);
    if (kinds_[i] == ValueKind::real) {
      row.values[i] = value;
    } else {
      row.set_integer(i, static_cast<std::int64_t>(value));
    }
    ++i;
  }
}

}  // namespace ergon
