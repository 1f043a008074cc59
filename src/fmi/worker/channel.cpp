#include "ergon/fmi/worker/channel.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

namespace ergon::fmi {
namespace {

constexpr std::size_t head_bytes = 64;

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

/// With one core nobody else can answer while we spin.
std::uint32_t max_spins() {
  static const std::uint32_t count = std::thread::hardware_concurrency() > 1 ? 2000 : 0;
  return count;
}

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

Channel::Channel(int fd) : spins_(max_spins()), fd_(fd) {
  if (fd_ < 0) return;
  void* const memory = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (memory != MAP_FAILED) head_ = static_cast<ChannelHead*>(memory);
}

Channel::Channel(Channel&& other) noexcept
    : spins_(other.spins_), fd_(std::exchange(other.fd_, -1)), head_(std::exchange(other.head_, nullptr)) {}

Channel Channel::make() {
  const int fd = ::memfd_create("ergon-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Sealed: cut short by the worker, it would end the master by SIGBUS at its next look.
  if (fd >= 0 && (::ftruncate(fd, static_cast<off_t>(capacity)) != 0 ||
                  ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
    ::close(fd);
    return Channel(-1);
  }
  Channel channel(fd);
  if (channel.good()) new (channel.head_) ChannelHead{};
  return channel;
}

Channel Channel::attach(int fd) {
  return Channel(fd);
}

Channel::~Channel() {
  if (head_ != nullptr) ::munmap(head_, capacity);
  if (fd_ >= 0) ::close(fd_);
}

std::span<std::byte> Channel::memory() const {
  return {reinterpret_cast<std::byte*>(head_) + head_bytes, capacity - head_bytes};
}

void Channel::hand_to(ChannelHead::Turn who) const {
  head_->turn.store(who, std::memory_order_seq_cst);
  if (head_->sleepers.load(std::memory_order_seq_cst) > 0) futex(head_->turn, FUTEX_WAKE, INT_MAX, nullptr);
}

bool Channel::spin_for(ChannelHead::Turn who) const {
  constexpr std::uint32_t trial_period = 64;  // waits without spinning, before it is tried again
  if (spins_ == 0 && ++waits_ % trial_period == 0) spins_ = max_spins() / 4;
  for (std::uint32_t i = 0; i < spins_; ++i) {
    if (head_->turn.load(std::memory_order_acquire) == who) {
      spins_ = std::min(max_spins(), std::max(spins_, 4 * i + 100));
      return true;
    }
    pause_briefly();
  }
  spins_ = spins_ > 64 ? spins_ / 2 : 0;
  return false;
}

bool Channel::wait_for(ChannelHead::Turn who, std::chrono::microseconds limit, bool may_spin) const {
  if (head_->turn.load(std::memory_order_acquire) == who) return true;
  if (max_spins() > 0 && may_spin) {
    const auto here = static_cast<std::uint32_t>(::sched_getcpu()) + 1;
    head_->core[who].store(here, std::memory_order_relaxed);
    if (head_->core[1 - who].load(std::memory_order_relaxed) != here && spin_for(who)) return true;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(limit - seconds).count();
  const std::uint32_t other = who == ChannelHead::master ? ChannelHead::worker : ChannelHead::master;
  head_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (head_->turn.load(std::memory_order_seq_cst) == other) futex(head_->turn, FUTEX_WAIT, other, &timeout);
  head_->sleepers.fetch_sub(1, std::memory_order_seq_cst);
  return head_->turn.load(std::memory_order_acquire) == who;
}

}  // namespace ergon::fmi
