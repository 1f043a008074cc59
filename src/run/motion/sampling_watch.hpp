#pragma once

#include <optional>
#include <vector>

#include "ergon/run/motion/motion.hpp"
#include "ergon/run/run.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon {

/// Watches outputs of subsystems that step more often than those that read them. What such a receiver leaves out between two of its
/// samples looks the same at all step sizes where it samples near a multiple of a period, so that no check run sees it. Sources are
/// watched by the verdict itself, which can evaluate them anywhere.
///
/// Over the samples y_k of the sender: left out = rms(y − straight lines between the receiver's samples) over rms(y − mean).
class SamplingWatch final : public Observer {
 public:
  void begin(const Engine& engine) override;
  void inspect(const StepRecord& record) override;
  void end(const std::optional<Failure>& /*failure*/) override {}
  void archive(Archive& archive) override;

  /// Doubtful or unreliable, one per receiver and sender that lose most of a signal.
  [[nodiscard]] std::vector<VerdictReason> reasons() const;

 private:
  struct Pair {
    Index output = 0;
    Index receiver = 0;
    Tick sender_ticks = 1;
    Tick receiver_ticks = 1;
  };
  /// Sums; those with τ since the receiver's last sample, of d = y − its value there.
  struct Sums {
    double at_sample = 0.0;
    double d_tau = 0.0;
    double d_squared = 0.0;
    double tau_squared = 0.0;
    double left_out = 0.0;  ///< Σ(y − line)²
    double count = 0.0;
    double mean = 0.0;  ///< of all samples, with their squared deviations (Welford)
    double squares = 0.0;
    double size = 0.0;
  };
  std::vector<Pair> pairs_;
  std::vector<Sums> sums_;
  const Engine* engine_ = nullptr;
};

/// What a receiver makes of a signal that is lost may be wrong by all that it does: its error bars are its whole range.
void widen_bars(const std::vector<VerdictReason>& lost_signals, Motion& motion);

}  // namespace ergon
