#pragma once

#include <cstring>
#include <memory>
#include <type_traits>

#include "ergon/core/capabilities.hpp"

namespace ergon {

/// Saving, restoring and serialising for a subsystem whose whole state is one struct of plain numbers of any type. It changes in
/// jumps, so it is never in motion: a static equilibrium has nothing to solve for.
template <typename State>
requires std::is_trivially_copyable_v<State>
class PlainState : public Rewindable, public Serializable, public StateDerivative {
 public:
  [[nodiscard]] std::vector<std::string> state_names() const final { return {}; }
  void states(double* /*z*/) const final {}
  void set_states(const double* /*z*/) final {}
  bool derivative(double /*t*/, const double* /*u*/, double* /*z_dot*/) const final { return true; }

  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const final { return std::make_unique<Slot>(); }
  void save(StateSlot& slot) const final { static_cast<Slot&>(slot).state = state_; }
  void restore(const StateSlot& slot) final { state_ = static_cast<const Slot&>(slot).state; }

  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const final {
    const auto whole = std::as_bytes(std::span(&static_cast<const Slot&>(slot).state, 1));
    bytes.assign(whole.begin(), whole.end());
  }
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const final {
    State state;
    if (bytes.size() != sizeof state) return false;
    std::memcpy(&state, bytes.data(), sizeof state);
    if (!is_possible(state)) return false;
    static_cast<Slot&>(slot).state = state;
    return true;
  }

 protected:
  /// Whether bytes that were read can be a state.
  [[nodiscard]] virtual bool is_possible(const State& /*state*/) const { return true; }

  State state_{};

 private:
  struct Slot final : StateSlot {
    State state{};
  };
};

}  // namespace ergon
