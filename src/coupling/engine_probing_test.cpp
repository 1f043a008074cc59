// What a run knows at t₀ of how efforts answer to motion, without anybody who observes it.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "support/spring_ends.hpp"

namespace ergon {
namespace {

using testing::Allows;
using testing::SpringGiver;
using testing::SpringMover;

// Observers are given a const system: its subsystems cannot be stepped, set back or changed.
static_assert(std::is_same_v<decltype(*std::declval<const Node&>().subsystem), const Subsystem&>);

const std::vector<double> spring_N_m = {120.0, 30.0, 30.0, 80.0};
constexpr double damper_N_s_m = 2.5;

/// A plane spring between two masses; the engine after its start.
struct ProbedSpring {
  explicit ProbedSpring(Allows allows, const std::string& scheme = "jacobi") {
    auto giver =
        std::make_unique<SpringGiver>(2.0, 50.0, std::vector{0.3, -0.7}, spring_N_m, damper_N_s_m, allows);
    sender = giver.get();
    before = sender->state();
    SystemGraph graph;
    const Rational step{1, 1000};
    graph.add("giver", std::move(giver), step);
    graph.add("mover", std::make_unique<SpringMover>(1.0, 20.0, std::vector{0.1, 0.2}), step);
    BondSpec bond;
    bond.name = "spring";
    bond.a = {{"giver.force"}, {"giver.velocity_in"}, {"giver.position_in"}};
    bond.b = {{"mover.force"}, {"mover.velocity"}, {"mover.position"}};
    graph.bond(bond);
    ProblemList problems;
    system = graph.freeze(problems);
    CouplingOptions options;
    options.scheme = scheme;
    const std::vector<Rational> steps = {step};
    engine = Engine::make(*system, TimeGrid(Rational(), Rational(1, 1), steps), options, problems);
    EXPECT_FALSE(engine->initialize(problems));
    EXPECT_FALSE(problems.has_errors());
  }
  const SpringGiver* sender = nullptr;
  std::vector<double> before;
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;
};

TEST(EngineProbing, TheRecordHasTheDirectGainsOfABondInEveryWayThatItsSenderAllows) {
  for (const auto& [allows, tolerance] :
       {std::pair{Allows{.setting = true}, 1e-8}, std::pair{Allows{.derivatives = true}, 1e-14},
        std::pair{Allows{.saving = true}, 1e-6}}) {
    const ProbedSpring probed(allows);
    const BondGains* gains = probed.engine->record().direct_gains(0);
    ASSERT_NE(gains, nullptr);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(gains->stiffness[i], spring_N_m[i], tolerance * 120.0) << i;
      EXPECT_NEAR(gains->damping[i], i % 3 == 0 ? damper_N_s_m : 0.0, tolerance * 120.0) << i;
    }
    EXPECT_EQ(probed.sender->state(), probed.before);
    EXPECT_EQ(probed.sender->steps > 0, allows.saving);
  }
  EXPECT_EQ(ProbedSpring({}).engine->record().direct_gains(0), nullptr);
}

// A sequential scheme has no use for trial steps: nothing judges a bond by its interface there.
TEST(EngineProbing, TrialStepsAreTakenWhereTheyAreOfUseOnly) {
  const ProbedSpring sequential({.saving = true}, "gauss-seidel");
  EXPECT_EQ(sequential.engine->record().direct_gains(0), nullptr);
  EXPECT_EQ(sequential.sender->steps, 0);
  EXPECT_NE(ProbedSpring({.setting = true}, "gauss-seidel").engine->record().direct_gains(0), nullptr);
}

}  // namespace
}  // namespace ergon
