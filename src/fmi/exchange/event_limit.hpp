#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ergon::fmi {

/// Ends a communication step that is all events: state and step events that follow each other at once (chattering: a friction or a
/// relay without hysteresis), or too many of them.
class EventLimit {
 public:
  static constexpr std::size_t max_close = 200;  ///< events in a row, each …
  static constexpr double close_share = 1e-7;    ///< … within so much of the communication step of the last
  static constexpr std::size_t max_events = 100'000;  ///< within one communication step

  void begin_step(double t, double h, std::size_t indicators);
  /// One event at t; `roots`: of its indicators, empty for a step event. False: it is one too many.
  bool take(double t, std::span<const int> roots);
  /// Why `take` was false. `names`: of the indicators, empty where they have none.
  [[nodiscard]] std::string complaint(std::span<const std::string> names) const;

 private:
  double close_s_ = 0.0;
  double last_s_ = 0.0;
  double first_close_s_ = 0.0;
  std::size_t close_ = 0;
  std::size_t events_ = 0;
  std::vector<std::uint32_t> fired_;  ///< per indicator, within what is counted as close
};

}  // namespace ergon::fmi
