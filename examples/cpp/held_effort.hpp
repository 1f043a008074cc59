// A correction of our own for power bonds, for own_corrector.cpp and the plug-in own_methods.cpp.
#pragma once

#include <memory>
#include <span>

#include "ergon/coupling/correctors/corrector.hpp"

/// A held effort lags: over the step from T₀ to T₁ the receiver was pushed by e₀, while the mean was about ½(e₀ + e₁). The impulse that is
/// missing, ½H(e₁ − e₀), is given over the next step [benedikt2013]:   Δe = ½g(e₁ − e₀)
class HeldEffort final : public ergon::Corrector {
 public:
  explicit HeldEffort(double gain) : gain_(gain) {}
  bool correct(const ergon::ReceiverStep& step, std::span<double> next) override {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = 0.5 * gain_ * (step.effort1[i] - step.effort0[i]);
    return false;  // no limit has cut it short
  }

 private:
  double gain_;
};

inline ergon::CorrectorInfo held_effort_corrector() {
  ergon::CorrectorInfo info;
  info.name = "held-effort";
  info.help = "gives the impulse that a held effort missed over the next step";
  info.keys = {
      {.name = "gain", .help = "1: all of it", .takes_number = true, .minimum = 0.0, .maximum = 2.0}};
  info.make = [](ergon::CorrectorPlace& /*place*/, const ergon::CorrectionSettings& settings,
                 ergon::ProblemList& /*problems*/) -> std::unique_ptr<ergon::Corrector> {
    return std::make_unique<HeldEffort>(settings.number("gain", 1.0));
  };
  return info;
}
