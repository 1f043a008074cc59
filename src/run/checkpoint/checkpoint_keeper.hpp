#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/run/checkpoint/checkpoint.hpp"

namespace ergon {

struct CheckpointOptions {
  std::chrono::duration<double> every{60.0};  ///< of wall time
  /// Times whose checkpoints stay, each under the name that it was asked for by.
  std::vector<std::pair<std::string, Rational>> at_s{};
  std::string caller{};  ///< kept with each of them
};

/// Keeps checkpoints of a run in files. The stepping thread asks whether one is due and hands over its bytes; a thread of its own
/// watches the clock, and writes: beside the file, to the disk, and only then under its name, so that a checkpoint is whole or
/// not there. The results that it counts on are on the disk before it. Of those that follow the clock the last two stay.
class ERGON_API CheckpointKeeper {
 public:
  CheckpointKeeper(std::filesystem::path directory, CheckpointOptions options, const TimeGrid& grid);
  ~CheckpointKeeper();
  CheckpointKeeper(const CheckpointKeeper&) = delete;
  CheckpointKeeper& operator=(const CheckpointKeeper&) = delete;

  /// Nothing is due at points up to this one: the run goes on from there.
  void begin_at(Tick tick);
  /// To be asked once per point, in order.
  [[nodiscard]] bool is_due(Tick tick) const {
    return tick >= next_named_ ||
           (wanted_.load(std::memory_order_relaxed) && !busy_.load(std::memory_order_acquire)) ||
           (has_no_thread_ && is_time());
  }
  /// Under the names that are due at its tick.
  void keep(Checkpoint checkpoint);
  /// The run is over and its last checkpoint kept: those of the clock are not needed any more.
  void finish();
  [[nodiscard]] const std::string& caller() const { return options_.caller; }
  /// After `finish`: which of them could not be written, and why.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 private:
  struct Job {
    double time_s;
    std::vector<std::byte> bytes;
    std::vector<std::string> names;
    bool by_clock;
  };
  void work();
  [[nodiscard]] bool is_time() const;
  void write(const Job& job);
  void wait_until_idle();
  void find_next_named(Tick after);

  std::filesystem::path directory_;
  std::filesystem::path folder_;
  CheckpointOptions options_;
  std::vector<std::pair<Tick, std::string>> named_;  ///< in order of time
  Tick next_named_ = std::numeric_limits<Tick>::max();

  bool has_no_thread_ = false;
  std::chrono::steady_clock::time_point wanted_next_;  ///< at first; later where there is no thread
  std::atomic<bool> wanted_{false};
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable idle_;
  std::optional<Job> job_;
  bool closing_ = false;
  std::uint64_t sequence_ = 0;
  std::vector<std::filesystem::path> by_clock_;  ///< that are there, oldest first
  std::vector<std::string> errors_;
  std::thread thread_;
};

}  // namespace ergon
