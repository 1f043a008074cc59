#include "ergon/run/record/csv_recorder.hpp"

namespace ergon {

void CsvRecorder::inspect(const StepRecord& record) {
  if (!has_samples(record)) return;
  last_point_left_out_ = !gate_.due(record.tick());
  if (!last_point_left_out_) write(record);
}

void CsvRecorder::end(const std::optional<Failure>& /*failure*/) {
  // After a failure, too, the engine's record is at the last good point.
  finish(engine_ != nullptr ? &engine_->record() : nullptr);
}

void CsvRecorder::finish(const StepRecord* last_point) {
  if (last_point_left_out_ && last_point != nullptr && gate_.wants_last() && has_samples(*last_point))
    write(*last_point);
  last_point_left_out_ = false;
  error_ = writer_.close();
}

void CsvRecorder::archive(Archive& archive) {
  archive.section("recorder");
  gate_.archive(archive);
  archive(last_point_left_out_);
  std::uint64_t position = archive.reads() ? 0 : writer_.position();
  archive(position);
  if (!archive.reads()) return;
  writer_.cut_back(position);
  error_.reset();
}

void CsvRecorder::write(const StepRecord& record) {
  const CsvRow row = writer_.next_row();
  row.values[0] = record.time_s();
  fill(record, {row.values.subspan(1), row.texts});
  writer_.commit();
}

}  // namespace ergon
