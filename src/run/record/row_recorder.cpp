#include "ergon/run/record/row_recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "ergon/run/record/hdf5_results.hpp"
#include "ergon/run/record/mat_writer.hpp"

namespace ergon {
namespace {

std::vector<std::unique_ptr<RowWriter>> writers_of(const ResultFile& file, std::vector<RowColumn> columns,
                                                   UnitLine unit_line) {
  std::vector<std::unique_ptr<RowWriter>> writers;
  if (file.forms.hdf5 != nullptr)
    writers.push_back(file.forms.hdf5->add_table(file.path.stem().string(), columns));
  if (file.forms.mat) writers.push_back(std::make_unique<MatWriter>(file, columns));
  if (file.forms.csv) writers.push_back(std::make_unique<CsvWriter>(file, std::move(columns), unit_line));
  if (writers.empty()) throw std::logic_error("a table of results has no form");
  return writers;
}

}  // namespace

RowRecorder::RowRecorder(const ResultFile& file, std::vector<RowColumn> columns, IntervalGate gate,
                         UnitLine unit_line, std::optional<double> least_change)
    : gate_(gate) {
  if (least_change) {
    std::vector<ValueKind> kinds;
    for (const RowColumn& column : columns) kinds.push_back(value_kind_of(column.type));
    values_.resize(columns.size() + 1);
    texts_.resize(static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), ValueKind::text)));
    changes_.emplace(*least_change, std::move(kinds));
  }
  writers_ = writers_of(file, std::move(columns), unit_line);
}

void RowRecorder::inspect(const StepRecord& record) {
  if (!has_samples(record)) return;
  observe(record);
  last_point_left_out_ = !gate_.due(record.tick());
  if (!last_point_left_out_) write(record, false);
}

void RowRecorder::end(const std::optional<Failure>& /*failure*/) {
  // After a failure, too, the engine's record is at the last good point.
  finish(engine_ != nullptr ? &engine_->record() : nullptr);
}

void RowRecorder::finish(const StepRecord* last_point) {
  const bool is_left_out = last_point_left_out_ || (changes_ && changes_->has_left_out());
  if (is_left_out && last_point != nullptr && gate_.wants_last() && has_samples(*last_point))
    write(*last_point, true);
  last_point_left_out_ = false;
  errors_.clear();
  for (const auto& writer : writers_) {
    if (auto error = writer->close()) errors_.push_back(std::move(*error));
  }
}

void RowRecorder::archive(Archive& archive) {
  archive.section("recorder");
  gate_.archive(archive);
  archive(last_point_left_out_);
  if (changes_) changes_->archive(archive);
  archive_observed(archive);
  for (const auto& writer : writers_) {
    std::uint64_t position = archive.reads() ? 0 : writer->position();
    archive(position);
    if (archive.reads()) writer->cut_back(position);
  }
  if (archive.reads()) errors_.clear();
}

void RowRecorder::write(const StepRecord& record, bool is_last) {
  if (changes_) return write_changes(record, is_last);
  const Row row = writers_.front()->next_row();
  row.values[0] = record.time_s();
  fill(record, {row.values.subspan(1), row.texts});
  write_row(row.values, row.texts, 1);
  writers_.front()->commit();
}

void RowRecorder::write_changes(const StepRecord& record, bool is_last) {
  values_[0] = record.time_s();
  fill(record, {std::span(values_).subspan(1), texts_});
  const ChangeFilter::Kept kept = changes_->look_at(values_, texts_);
  if (kept == ChangeFilter::Kept::both) {
    const Row before = changes_->left_out();
    write_row(before.values, before.texts, 0);
  }
  if (kept != ChangeFilter::Kept::none || is_last) write_row(values_, texts_, 0);
}

void RowRecorder::write_row(std::span<const double> values, std::span<const std::string> texts,
                            std::size_t first_writer) {
  for (std::size_t i = first_writer; i < writers_.size(); ++i) {
    const Row copy = writers_[i]->next_row();
    std::copy(values.begin(), values.end(), copy.values.begin());
    std::copy(texts.begin(), texts.end(), copy.texts.begin());
    writers_[i]->commit();
  }
}

}  // namespace ergon
