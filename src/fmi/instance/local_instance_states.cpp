// States of an instance, and derivatives at the present one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ergon/fmi/instance/local_instance.hpp"

namespace ergon::fmi {

template <class Api>
std::size_t LocalInstance<Api>::make_slot() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]->in_use) continue;
    slots_[i]->in_use = true;
    return i;
  }
  slots_.push_back(std::make_unique<Slot>());
  slots_.back()->in_use = true;
  slots_.back()->own = own_;
  return slots_.size() - 1;
}

template <class Api>
void LocalInstance<Api>::free_slot(std::size_t slot) {
  Slot& s = *slots_[slot];
  if (s.state != nullptr && own_.mode != Mode::lost) (void)api_.free_state(&s.state);
  s.state = nullptr;
  s.in_use = false;
  find_oldest_saved();
}

template <class Api>
void LocalInstance<Api>::find_oldest_saved() {
  // Times of communication points are not sums of steps: they differ by rounding.
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  oldest_saved_s_ = std::numeric_limits<double>::infinity();
  for (const auto& slot : slots_) {
    if (slot->state == nullptr) continue;
    const double t = slot->own.now_s;
    oldest_saved_s_ = std::min(oldest_saved_s_, t + rounding * std::abs(t));
  }
}

template <class Api>
bool LocalInstance<Api>::save(std::size_t slot) {
  // A state within initialisation could be set back to only there.
  if (!finish_initialization()) return false;
  Slot& s = *slots_[slot];
  if (!good(api_.get_state(&s.state), "GetFMUState")) return false;
  s.own = own_;
  find_oldest_saved();
  return true;
}

template <class Api>
bool LocalInstance<Api>::restore(std::size_t slot) {
  const Slot& s = *slots_[slot];
  if (s.state == nullptr) return fail("a state is to be restored that was never saved");
  if (!good(api_.set_state(s.state), "SetFMUState")) return false;
  own_ = s.own;
  enter(own_.mode);
  return true;
}

template <class Api>
bool LocalInstance<Api>::serialize(std::size_t slot, std::vector<std::byte>& bytes) {
  Slot& s = *slots_[slot];
  std::size_t size = 0;
  if (!good(api_.serialized_size(s.state, &size), "SerializedFMUStateSize")) return false;
  // What belongs to the state beside it, as plain numbers before it.
  std::vector<double> own = {s.own.now_s, s.own.next_event_s, s.own.discrete_changed ? 1.0 : 0.0,
                             s.own.reals_known ? 1.0 : 0.0};
  for (const std::uint64_t tick : s.own.ticks) own.push_back(static_cast<double>(tick));
  own.insert(own.end(), s.own.inputs.reals.begin(), s.own.inputs.reals.end());
  own.insert(own.end(), s.own.clocked.reals.begin(), s.own.clocked.reals.end());
  own.insert(own.end(), s.own.settled_inputs.begin(), s.own.settled_inputs.end());
  if (setup_->exchange) own.push_back(s.own.needs_event ? 1.0 : 0.0);
  bytes.clear();
  const auto add = [&](const void* data, std::size_t length) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + length);
  };
  add(own.data(), own.size() * sizeof(double));
  add(s.own.clocked.integers.data(), s.own.clocked.integers.size() * sizeof(std::int64_t));
  for (const std::string& text : s.own.clocked.texts) {
    const std::uint64_t length = text.size();
    add(&length, sizeof length);
    add(text.data(), text.size());
  }
  const std::size_t before = bytes.size();
  bytes.resize(before + size);
  return good(api_.serialize(s.state, bytes.data() + before, size), "SerializeFMUState");
}

template <class Api>
bool LocalInstance<Api>::deserialize(std::span<const std::byte> bytes, std::size_t slot) {
  Slot& s = *slots_[slot];
  const std::size_t count = 4 + own_.ticks.size() + own_.inputs.reals.size() + own_.clocked.reals.size() +
                            own_.settled_inputs.size() + (setup_->exchange ? 1U : 0U);
  const auto take = [&](void* data, std::size_t length) {
    if (bytes.size() < length) return false;
    if (length > 0) std::memcpy(data, bytes.data(), length);
    bytes = bytes.subspan(length);
    return true;
  };
  std::vector<double> own(count);
  LaneValues clocked = own_.clocked;
  bool whole = take(own.data(), count * sizeof(double)) &&
               take(clocked.integers.data(), clocked.integers.size() * sizeof(std::int64_t));
  for (std::string& text : clocked.texts) {
    std::uint64_t length = 0;
    whole = whole && take(&length, sizeof length) && length <= bytes.size();
    if (!whole) break;
    text.resize(length);
    whole = take(text.data(), length);
  }
  if (!whole) return fail("the bytes are not a state of it");
  typename Api::State state = nullptr;
  if (!good(api_.deserialize(bytes.data(), bytes.size(), &state), "DeserializeFMUState")) return false;
  if (s.state != nullptr) (void)api_.free_state(&s.state);
  s.state = state;
  s.own = own_;
  s.own.clocked = std::move(clocked);
  s.own.mode = Mode::step;
  s.own.now_s = own[0];
  s.own.next_event_s = own[1];
  s.own.discrete_changed = true;  // integers and texts come anew
  s.own.reals_known = own[3] != 0.0;
  std::size_t at = 4;
  for (std::uint64_t& tick : s.own.ticks) tick = static_cast<std::uint64_t>(own[at++]);
  for (double& real : s.own.inputs.reals) real = own[at++];
  for (double& real : s.own.clocked.reals) real = own[at++];
  for (double& real : s.own.settled_inputs) real = own[at++];
  if (setup_->exchange) s.own.needs_event = own[at++] != 0.0;
  find_oldest_saved();
  return true;
}

template <class Api>
bool LocalInstance<Api>::directional_derivative(std::span<const std::uint32_t> unknowns,
                                                std::span<const std::uint32_t> knowns,
                                                std::span<const double> seed, std::span<double> sensitivity) {
  return good(api_.directional_derivative(unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                                          seed.data(), sensitivity.data()),
              "GetDirectionalDerivative");
}

template <class Api>
bool LocalInstance<Api>::output_derivatives(std::span<const std::uint32_t> references,
                                            std::span<double> values) {
  derivative_orders_.assign(references.size(), 1);
  return good(
      api_.output_derivatives(references.data(), references.size(), derivative_orders_.data(), values.data()),
      "GetOutputDerivatives");
}

template class LocalInstance<Fmi1Api>;
template class LocalInstance<Fmi2Api>;
template class LocalInstance<Fmi3Api>;

}  // namespace ergon::fmi
