#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

#include "ergon/run/run.hpp"

namespace ergon {

enum class ProgressMode {
  automatic,  ///< a bar if standard error is a terminal, else nothing
  bar,
  machine,  ///< lines `@progress <percent> <time>` on standard output, and `@check <percent>` while the motion is checked
  off,
};

/// "auto", "bar", "machine", "off"; nothing for any other word.
[[nodiscard]] std::optional<ProgressMode> progress_mode(std::string_view name);

/// Shows how far the run is, at most ten times a second. Reads the clock only every so many points, as many
/// as fit into some milliseconds.
class Progress final : public Observer {
 public:
  /// `stream` replaces standard error or standard output.
  explicit Progress(ProgressMode mode, std::FILE* stream = nullptr);

  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& failure) override;
  void checking(double part) override;

  void start(double start_time_s, double stop_time_s);
  /// Shows where the run ended.
  void finish(double reached_time_s);

 private:
  using Clock = std::chrono::steady_clock;

  void look_at_clock();
  void show();
  void show_bar(double fraction);
  void draw(double fraction);
  /// A stream that takes nothing (its reader is gone, the terminal closed, the disk full) ends progress, not the run.
  void flush();

  ProgressMode mode_;
  std::FILE* stream_;
  const Engine* engine_ = nullptr;
  double start_time_s_ = 0.0;
  double stop_time_s_ = 0.0;
  double time_s_ = 0.0;
  bool any_point_ = false;
  bool shows_check_ = false;
  int stride_ = 1;
  int points_until_look_ = 1;
  Clock::time_point started_;
  Clock::time_point last_look_;
  Clock::time_point last_shown_;
};

}  // namespace ergon
