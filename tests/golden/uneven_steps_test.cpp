// Steps of which none is a multiple of the other, the sender of the effort being the slower: the delay of the effort is no constant, and
// a law that takes it for one would leave most of the artificial energy where it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ergon/run/simulation.hpp"

namespace ergon {
namespace {

std::string refusal_of(const char* left_step, const char* right_step, const std::string& extrapolation,
                       const std::string& more = "") {
  try {
    Simulation simulation(
        std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks/lim-oscillator/f-s.toml",
        {fmt::format("left.step_size={}", left_step), fmt::format("right.step_size={}", right_step),
         "coupling.extrapolation=" + extrapolation,
         fmt::format("bond.coupling.correction={{method=\"residual-power\"{}}}", more)});
    simulation.start();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(UnevenSteps, ACorrectionThatCouldPayOnlyAPartIsRefused) {
  EXPECT_NE(refusal_of("3e-3", "2e-3", "hold").find("only a part of the artificial energy"),
            std::string::npos);
  for (const auto& [left, right] : {std::pair{"2e-3", "3e-3"}, {"4e-3", "2e-3"}, {"2e-3", "2e-3"}})
    EXPECT_EQ(refusal_of(left, right, "hold"), "") << left;
  EXPECT_EQ(refusal_of("3e-3", "2e-3", "linear"), "");
  EXPECT_EQ(refusal_of("3e-3", "2e-3", "hold", ", mu = 0.5"), "") << "who says mu has thought about it";
}

}  // namespace
}  // namespace ergon
