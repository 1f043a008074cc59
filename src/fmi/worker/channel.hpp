#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ergon::fmi {

/// What a master asks of a worker.
enum class Request : std::uint32_t {
  quit,
  instantiate,
  initialize,
  finish_initialization,
  step,
  outputs,
  discrete_outputs,
  set_value,
  get_value,
  make_slot,
  free_slot,
  save,
  restore,
  serialize,
  deserialize,
  directional_derivative,
  output_derivatives,
  states,
  set_states,
  state_rates,
};

/// Memory that master and worker share, and whose turn it is. A hand-over spins as long as answers have lately come while it did, and
/// then sleeps in the kernel (futex); on the core of the other one it sleeps at once, because spinning there is what the answer waits for.
struct ChannelHead {
  enum Turn : std::uint32_t { master = 0, worker = 1 };
  std::atomic<std::uint32_t> turn;
  std::atomic<std::uint32_t> sleepers;
  // Atomic, because a worker may write them at any time: what is loaded once and checked stays what was checked.
  std::atomic<std::uint32_t> request;
  std::atomic<std::uint32_t> ok;
  std::atomic<std::uint64_t> size;  ///< of what was written after the head
  /// Where master and worker have last waited, plus 1; 0: not yet.
  std::atomic<std::uint32_t> core[2];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What a reply may hold at most: longer ones are cut by the worker and refused by the master.
inline constexpr std::size_t max_messages_per_reply = 200;
inline constexpr std::size_t max_reason_bytes = std::size_t{64} << 10;

class Channel {
 public:
  static constexpr std::size_t capacity = std::size_t{256}
                                          << 20;  ///< address space: only pages that are used exist

  /// Master: makes the memory. Worker: takes that of descriptor `fd`.
  static Channel make();
  static Channel attach(int fd);
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  [[nodiscard]] bool good() const { return head_ != nullptr; }
  [[nodiscard]] int descriptor() const { return fd_; }
  [[nodiscard]] ChannelHead& head() const { return *head_; }
  [[nodiscard]] std::span<std::byte> memory() const;
  /// Neither the master's turn nor the worker's: the worker has overwritten it.
  [[nodiscard]] bool is_spoilt() const {
    return head_->turn.load(std::memory_order_relaxed) > ChannelHead::worker;
  }

  void hand_to(ChannelHead::Turn who) const;
  /// Waits until it is `who`'s turn, up to `limit`; false: it is not yet. `may_spin`: nobody else needs this core.
  bool wait_for(ChannelHead::Turn who, std::chrono::microseconds limit, bool may_spin = true) const;

 private:
  explicit Channel(int fd);
  /// Whether it became `who`'s turn while this spun; adapts for how long the next one does.
  [[nodiscard]] bool spin_for(ChannelHead::Turn who) const;
  mutable std::uint32_t spins_ = 0;
  mutable std::uint32_t waits_ = 0;
  int fd_ = -1;
  ChannelHead* head_ = nullptr;
};

}  // namespace ergon::fmi
