#include "ergon/coupling/start/direct_gains.hpp"

#include <gtest/gtest.h>

#include "ergon/coupling/state/subsystem_failure.hpp"
#include "support/spring_ends.hpp"

namespace ergon {
namespace {

using testing::Allows;
using testing::SpringGiver;

const std::vector<double> K = {120.0, 30.0, 30.0, 80.0};
constexpr double damping_N_s_m = 2.5;

Node node_of(std::unique_ptr<Subsystem> subsystem, const Rational& step_s = {1, 1000}) {
  Node node;
  node.name = "giver";
  node.description = std::make_shared<const Description>(subsystem->describe());
  node.input_count = 4;
  node.output_count = 4;
  node.input_counts.reals = node.output_counts.reals = 4;
  node.step_s = step_s;
  node.subsystem = std::move(subsystem);
  return node;
}

std::unique_ptr<SpringGiver> giver(Allows allows) {
  return std::make_unique<SpringGiver>(2.0, 50.0, std::vector{0.3, -0.7}, K, damping_N_s_m, allows);
}

const std::vector<Index> forces = {0, 1};
const std::vector<Index> motions = {0, 1, 2, 3};
const std::vector<double> present_inputs = {0.01, -0.02, 0.5, 0.1};

void expect_gains(const DirectGains& gains, double tolerance) {
  for (std::size_t o = 0; o < 2; ++o) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(gains.gain[o * 4 + i], -K[o * 2 + i], tolerance * 120.0) << o << i;
      EXPECT_NEAR(gains.gain[o * 4 + 2 + i], o == i ? -damping_N_s_m : 0.0, tolerance * 120.0) << o << i;
    }
  }
}

TEST(DirectGains, AreProbedInEveryWayThatASubsystemAllows) {
  for (const auto& [allows, tolerance] :
       {std::pair{Allows{.setting = true}, 1e-8}, std::pair{Allows{.derivatives = true}, 1e-14},
        std::pair{Allows{.saving = true}, 1e-6}}) {
    const Node node = node_of(giver(allows));
    const auto gains = probe_direct_gains(node, forces, motions, 0.0, present_inputs);
    ASSERT_TRUE(gains);
    expect_gains(*gains, tolerance);
  }
  EXPECT_FALSE(probe_direct_gains(node_of(giver({})), forces, motions, 0.0, present_inputs));
}

TEST(DirectGains, LeaveTheStateAsItWasBitForBit) {
  auto probed = giver({.saving = true});
  SpringGiver& subsystem = *probed;
  const std::vector<double> before = subsystem.state();
  const Node node = node_of(std::move(probed));
  ASSERT_TRUE(probe_direct_gains(node, forces, motions, 0.0, present_inputs));
  EXPECT_GT(subsystem.steps, 0);
  EXPECT_EQ(subsystem.state(), before);
}

// All steps are long ones: 20 ms, in which the mass answers by some percent (c h/m, k_c h²/2m). Three of them tell that from the
// gain, up to the product of both.
TEST(DirectGains, AreReadOffLongStepsWhereThereAreNoOthers) {
  const Node node = node_of(giver({.saving = true, .any_step = false}), {1, 50});
  const auto gains = probe_direct_gains(node, forces, motions, 0.0, present_inputs);
  ASSERT_TRUE(gains);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(gains->gain[i], -K[i], 0.005 * 120.0);
  EXPECT_GT(gains->spread[0], 0.02 * 120.0);
  EXPECT_LT(gains->spread[0], 0.1 * 120.0);
}

/// Cannot take a step, or cannot be set back after it.
class Broken final : public testing::Rewinding {
 public:
  explicit Broken(bool restores) : restores_(restores) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.reevaluates_outputs = false;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override {
    throw std::runtime_error("licence lost");
  }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
  void restore(const StateSlot& slot) override {
    if (!restores_) throw std::runtime_error("state lost");
    Rewinding::restore(slot);
  }

 private:
  bool restores_;
};

TEST(DirectGains, AFailureAtTheTrialIsNoneOfTheRunUnlessItCannotBeSetBack) {
  EXPECT_FALSE(
      probe_direct_gains(node_of(std::make_unique<Broken>(true)), forces, motions, 0.0, present_inputs));
  EXPECT_THROW(static_cast<void>(probe_direct_gains(node_of(std::make_unique<Broken>(false)), forces, motions,
                                                    0.0, present_inputs)),
               SubsystemFailure);
}

}  // namespace
}  // namespace ergon
