#include "ergon/run/record/memory_recorder.hpp"

#include <algorithm>
#include <utility>

namespace ergon {

std::size_t most_points(std::span<const Tick> periods, Tick end) {
  std::vector<Tick> distinct(periods.begin(), periods.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Tick points = 2;  // t₀ and a clamped last step
  for (const Tick period : distinct) {
    if (period > 0) points += end / period;
  }
  return static_cast<std::size_t>(std::min(points, end + 1));
}

MemoryRecorder::MemoryRecorder(MemoryRecorderOptions options) : options_(std::move(options)) {}

void MemoryRecorder::begin(const Engine& engine) {
  engine_ = &engine;
  const CoupledSystem& system = engine.system();
  const Tick end = engine.grid().end();
  std::vector<Tick> periods;
  periods.reserve(system.nodes.size());
  for (Index node = 0; node < system.nodes.size(); ++node) periods.push_back(engine.period(node));
  const auto by_interval = static_cast<std::size_t>(options_.gate.most_points(end));
  kinds_.clear();
  place_in_kind_.clear();
  integer_columns_ = text_columns_ = 0;
  for (const Index output : options_.outputs) {
    const ValueKind kind = value_kind_of(system.outputs.at(output).type);
    kinds_.push_back(kind);
    place_in_kind_.push_back(kind == ValueKind::real      ? 0
                             : kind == ValueKind::integer ? integer_columns_++
                                                          : text_columns_++);
  }
  reserve(std::min(most_points(periods, end), by_interval), system.nodes.size(), system.bonds.size());
}

void MemoryRecorder::reserve(std::size_t points, std::size_t nodes, std::size_t bonds) {
  ticks_.reserve(points);
  times_s_.reserve(points);
  values_.reserve(points * options_.outputs.size());
  integers_.reserve(points * integer_columns_);
  texts_.reserve(points * text_columns_);
  if (options_.bonds) {
    bond_count_ = bonds;
    bonds_.reserve(points * bonds);
  }
  if (options_.energy) {
    per_node_.resize(nodes);
    stored_J_.reserve(points);
    dissipated_J_.reserve(points);
    supplied_J_.reserve(points);
  }
}

void MemoryRecorder::inspect(const StepRecord& record) {
  last_point_left_out_ = !options_.gate.due(record.tick());
  if (!last_point_left_out_) keep(record);
}

void MemoryRecorder::end(const std::optional<Failure>& failure) {
  // After a failure the subsystems may be past the last good point, and their energies with them.
  finish(engine_ != nullptr && !failure ? &engine_->record() : nullptr);
}

void MemoryRecorder::finish(const StepRecord* last_point) {
  if (last_point_left_out_ && last_point != nullptr && options_.gate.wants_last()) keep(*last_point);
  last_point_left_out_ = false;
}

void MemoryRecorder::archive(Archive& archive) {
  archive.section("memory");
  options_.gate.archive(archive);
  archive(last_point_left_out_);
  archive(ticks_);
  archive(times_s_);
  archive(values_);
  archive(integers_);
  std::uint64_t texts = texts_.size();
  archive(texts);
  texts_.resize(static_cast<std::size_t>(texts));
  for (std::string& text : texts_) archive(text);
  archive(bonds_);
  archive(stored_J_);
  archive(dissipated_J_);
  archive(supplied_J_);
}

std::vector<double> MemoryRecorder::column(std::size_t column) const {
  std::vector<double> values(points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i, column);
  return values;
}

void MemoryRecorder::keep(const StepRecord& record) {
  ticks_.push_back(record.tick());
  times_s_.push_back(record.time_s());
  for (const Index output : options_.outputs) values_.push_back(record.output(output));
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (kinds_[c] == ValueKind::integer) integers_.push_back(record.integer_output(options_.outputs[c]));
    if (kinds_[c] == ValueKind::text) texts_.push_back(record.text_output(options_.outputs[c]));
  }
  if (options_.bonds) {
    const std::span<const BondRecord> bonds = record.bonds();
    bonds_.insert(bonds_.end(), bonds.begin(), bonds.end());
  }
  if (options_.energy) {
    record.energies(per_node_);
    EnergyRecord total;
    for (const EnergyRecord& node : per_node_) {
      if (!node.available) continue;
      total.stored_J += node.stored_J;
      total.dissipated_J += node.dissipated_J;
      total.supplied_J += node.supplied_J;
    }
    stored_J_.push_back(total.stored_J);
    dissipated_J_.push_back(total.dissipated_J);
    supplied_J_.push_back(total.supplied_J);
  }
}

}  // namespace ergon
