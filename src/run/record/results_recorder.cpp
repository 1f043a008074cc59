#include "ergon/run/record/results_recorder.hpp"

#include <utility>

namespace ergon {
namespace {

std::vector<CsvColumn> columns_of(const CoupledSystem& system, const std::vector<Index>& outputs) {
  std::vector<CsvColumn> columns;
  columns.reserve(outputs.size());
  for (const Index output : outputs) {
    const SignalName& signal = system.outputs.at(output);
    columns.push_back({signal.text, signal.type});
    if (signal.type == PortType::enumeration) columns.back().items = system.output_port(output).items;
  }
  return columns;
}

}  // namespace

ResultsRecorder::ResultsRecorder(const ResultFile& file, const CoupledSystem& system,
                                 std::vector<Index> outputs, IntervalGate gate)
    : CsvRecorder(file, columns_of(system, outputs), gate), outputs_(std::move(outputs)) {
  for (const Index output : outputs_) kinds_.push_back(value_kind_of(system.outputs[output].type));
}

void ResultsRecorder::fill(const StepRecord& record, const CsvRow& row) const {
  std::size_t next_text = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (kinds_[i] == ValueKind::real) {
      row.values[i] = record.output(outputs_[i]);
    } else if (kinds_[i] == ValueKind::integer) {
      row.set_integer(i, record.integer_output(outputs_[i]));
    } else {
      row.texts[next_text++] = record.text_output(outputs_[i]);
    }
  }
}

}  // namespace ergon
