#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "ergon/export/wrapper/instance.hpp"

namespace ergon {
namespace {

/// FNV-1a: finds bytes that were damaged or belong to another FMU, and keeps nobody out.
std::uint64_t hash(std::span<const std::byte> bytes, std::uint64_t start = 0xcbf29ce484222325U) {
  for (const std::byte byte : bytes) start = (start ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  return start;
}

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) { bytes_.clear(); }
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  void put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_row(const std::vector<double>& row) {
    put(static_cast<std::uint64_t>(row.size()));
    put_bytes(std::as_bytes(std::span(row)));
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Reads what a Writer wrote; `ok` is false from the first thing on that is not there.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  T get() {
    T value{};
    const auto from = take(sizeof(T));
    if (ok) std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }
  bool get_row(std::vector<double>& row) {
    if (get<std::uint64_t>() != row.size()) ok = false;
    const auto from = take(row.size() * sizeof(double));
    if (ok && !row.empty()) std::memcpy(row.data(), from.data(), from.size());
    return ok;
  }
  std::span<const std::byte> rest() { return take(bytes_.size()); }
  bool ok = true;

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (!ok || count > bytes_.size()) {
      ok = false;
      return {};
    }
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::span<const std::byte> bytes_;
};

constexpr std::uint32_t format = 1;

std::uint64_t mark_of(const ExportedBlueprint& blueprint) {
  return hash(std::as_bytes(std::span(blueprint.model.token)));
}

}  // namespace

CallStatus ExportedInstance::save(InstanceState& state) {
  follow_parameters();
  const Rewindable* rewindable = model_->subsystem->rewindable();
  if (rewindable == nullptr) return refuse("this model cannot save its state");
  if (state.model != model_) {
    state.slot = rewindable->make_slot();
    state.model = model_;
  }
  rewindable->save(*state.slot);
  state.inputs = inputs_;
  state.degree = degree_;
  state.mode = static_cast<std::uint32_t>(mode_);
  state.time_s = time_s_;
  return CallStatus::ok;
}

CallStatus ExportedInstance::restore(const InstanceState& state) {
  if (state.model == nullptr) return refuse("this is not a saved state");
  model_ = state.model;
  model_->subsystem->rewindable()->restore(*state.slot);
  parameters_ = model_->parameters;
  parameters_changed_ = false;
  inputs_ = state.inputs;
  degree_ = state.degree;
  mode_ = static_cast<Mode>(state.mode);
  time_s_ = state.time_s;
  outputs_current_ = energy_current_ = false;
  return CallStatus::ok;
}

CallStatus ExportedInstance::serialize(const InstanceState& state, std::vector<std::byte>& bytes) {
  const Serializable* serializable = state.model ? state.model->subsystem->serializable() : nullptr;
  if (serializable == nullptr) return refuse("this model cannot write its state down");
  std::vector<std::byte> of_model;
  serializable->serialize(*state.slot, of_model);
  Writer writer(bytes);
  writer.put(format);
  writer.put(mark_of(*blueprint_));
  writer.put(state.mode);
  writer.put(state.degree);
  writer.put(state.time_s);
  writer.put_row(state.model->parameters);
  writer.put_row(state.inputs);
  writer.put(hash(of_model));
  writer.put_bytes(of_model);
  return CallStatus::ok;
}

CallStatus ExportedInstance::deserialize(std::span<const std::byte> bytes, InstanceState& state) {
  InstanceState read;
  Reader reader(bytes);
  const bool ours =
      reader.get<std::uint32_t>() == format && reader.get<std::uint64_t>() == mark_of(*blueprint_);
  read.mode = reader.get<std::uint32_t>();
  read.degree = reader.get<std::int32_t>();
  read.time_s = reader.get<double>();
  std::vector<double> parameters(parameters_.size());
  read.inputs.resize(inputs_.size());
  const bool rows = reader.get_row(parameters) && reader.get_row(read.inputs);
  const auto expected = reader.get<std::uint64_t>();
  const auto of_model = reader.rest();
  if (!ours || !rows || !reader.ok || hash(of_model) != expected ||
      read.mode > static_cast<std::uint32_t>(Mode::failed) || read.degree < 0 ||
      read.degree > most_derivatives || !std::isfinite(read.time_s)) {
    return refuse("these bytes are not a state of this FMU");
  }
  read.model = parameters == model_->parameters ? model_ : make(parameters);
  const Serializable* serializable = read.model->subsystem->serializable();
  Rewindable* rewindable = read.model->subsystem->rewindable();
  if (serializable == nullptr || rewindable == nullptr) return refuse("this model cannot read its state");
  read.slot = rewindable->make_slot();
  if (!serializable->deserialize(of_model, *read.slot))
    return refuse("these bytes are not a state of this model");
  state = std::move(read);
  return CallStatus::ok;
}

}  // namespace ergon
