#include "ergon/run/record/results_recorder.hpp"

#include <utility>

namespace ergon {
namespace {

std::vector<std::string> names_of(const CoupledSystem& system, const std::vector<Index>& outputs) {
  std::vector<std::string> names;
  names.reserve(outputs.size());
  for (const Index output : outputs) names.push_back(system.outputs.at(output).text);
  return names;
}

}  // namespace

ResultsRecorder::ResultsRecorder(const std::filesystem::path& file, const CoupledSystem& system,
                                 std::vector<Index> outputs, IntervalGate gate)
    : CsvRecorder(file, names_of(system, outputs), gate), outputs_(std::move(outputs)) {}

void ResultsRecorder::fill(const StepRecord& record, std::span<double> values) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) values[i] = record.output(outputs_[i]);
}

}  // namespace ergon
