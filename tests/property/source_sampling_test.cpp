// What the samples of a sine leave out of it, as the verdict says it, against the closed form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/judged_runs.hpp"

namespace ergon::bench {
namespace {

constexpr double source_omega = 2.0 * std::numbers::pi;  // 1 Hz

/// A mass that takes steps h and is pushed by a sine with steps H, over whole periods; nothing where the verdict does not speak of it.
std::optional<double> told_ratio(double H_s, double h_s, const char* extrapolation, int periods = 8) {
  const Summary summary = judged(fmt::format(R"(
simulation = {{ stop_time = {}, step_size = {} }}
coupling = {{ scheme = "jacobi", extrapolation = "{}" }}

[[subsystem]]
name = "push"
model = "source.sine"
step_size = {}
parameters = {{ amplitude = 3.0, frequency_Hz = 1.0, phase_rad = 0.4, offset = 7.0 }}

[[subsystem]]
name = "mass"
model = "oscillator.mass"

[[connection]]
from = "push.value"
to = "mass.force"
)",
                                             periods, h_s, extrapolation, H_s),
                                 MotionCheck::off);
  const VerdictReason* reason = find(*summary.verdict, ReasonKind::source_sampling);
  return reason == nullptr ? std::nullopt : reason->ratio;
}

// At j + ½ steps h after its sample a held sine is off by s(t + δ) − s(t), δ = (j + ½)h, whose mean square is A²(1 − cos ωδ); that of
// the sine is A²/2. With Σ cos ω(j + ½)h = sin ωH / (2 sin ωh/2) over the n steps of one sample
//   ratio² = 2 − sin ωH / (n sin(ωh/2))
// whatever amplitude, phase and mean are.
TEST(SourceSampling, OfAHeldSineIsItsClosedForm) {
  for (const auto& [H_s, n] : {std::pair(0.05, 5), std::pair(0.1, 4), std::pair(0.1, 10)}) {
    const double h_s = H_s / n;
    const double expected =
        std::sqrt(2.0 - std::sin(source_omega * H_s) / (n * std::sin(0.5 * source_omega * h_s)));
    const auto told = told_ratio(H_s, h_s, "hold");
    ASSERT_TRUE(told) << H_s;
    EXPECT_NEAR(*told, expected, 1e-9) << H_s << ' ' << n;
  }
}

// Carried on along the line through the last two samples: the error has the amplitude A |e^{iωδ} − 1 − (δ/H)(1 − e^{−iωH})|, but over
// the first sample, which has none before it.
TEST(SourceSampling, OfASineThatIsCarriedOnAlongALineIsItsClosedForm) {
  constexpr int periods = 200;
  for (const auto& [H_s, n] : {std::pair(0.1, 4), std::pair(0.2, 5)}) {
    const std::complex<double> i(0.0, 1.0);
    double square = 0.0;
    for (int j = 0; j < n; ++j) {
      const double delta = (j + 0.5) * H_s / n;
      square += std::norm(std::exp(i * source_omega * delta) - 1.0 -
                          delta / H_s * (1.0 - std::exp(-i * source_omega * H_s))) /
                n;
    }
    const auto told = told_ratio(H_s, H_s / n, "linear", periods);
    ASSERT_TRUE(told) << H_s;
    // One sample of `periods`/H_s is off by no more than the signal.
    EXPECT_NEAR(*told, std::sqrt(square), 4.0 * H_s / periods / std::sqrt(square)) << H_s;
  }
}

// Sampled in every step of who receives it: between two samples there is their mean, which is s(m) cos(ωh/2).
TEST(SourceSampling, OfASineThatIsSampledInEveryStepIsTheSagOfItsChords) {
  for (const double h_s : {0.125, 0.25}) {
    const auto told = told_ratio(h_s, h_s, "hold");
    ASSERT_TRUE(told) << h_s;
    EXPECT_NEAR(*told, 1.0 - std::cos(0.5 * source_omega * h_s), 1e-9) << h_s;
  }
  EXPECT_FALSE(told_ratio(0.05, 0.05, "hold")) << "1.2 % is not worth a word";
}

}  // namespace
}  // namespace ergon::bench
