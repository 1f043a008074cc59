#include "ergon/coupling/ledger/leak_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/accounted_body.hpp"

namespace ergon {
namespace {

using namespace testing;

/// Watches without acting.
CorrectionRequest watch(const std::string& bond) {
  return correction(bond, "energy-leak", {{"limit", 0.0}});
}

Simulation two_bodies(FeedthroughMode mode) {
  Simulation sim;
  sim.options.feedthrough = mode;
  sim.graph.add("left",
                std::make_unique<Body>(BodyParameters{.k_N_m = 10.0, .kc_N_m = 100.0, .v0_m_s = {100.0}}),
                milliseconds(1));
  sim.graph.add("right", std::make_unique<Body>(BodyParameters{.k_N_m = 1000.0, .v0_m_s = {-100.0}}),
                milliseconds(1));
  sim.graph.bond(spring_bond("spring", "left", "right"));
  sim.options.corrections = {watch("spring")};
  return sim;
}

/// one ─ two ─ three, each but the last holds the spring to the next; steps in ms.
Simulation chain(std::array<std::int64_t, 3> steps = {1, 1, 1}) {
  Simulation sim;
  sim.options.feedthrough = FeedthroughMode::stale;
  sim.graph.add("one",
                std::make_unique<Body>(BodyParameters{.k_N_m = 50.0, .kc_N_m = 80.0, .v0_m_s = {10.0}}),
                milliseconds(steps[0]));
  sim.graph.add("two", std::make_unique<Body>(BodyParameters{.m_kg = 2.0, .kc_N_m = 60.0}),
                milliseconds(steps[1]));
  sim.graph.add("three", std::make_unique<Body>(BodyParameters{.k_N_m = 40.0, .v0_m_s = {-5.0}}),
                milliseconds(steps[2]));
  sim.graph.bond(spring_bond("one-two", "one", "two"));
  sim.graph.bond(spring_bond("two-three", "two", "three"));
  return sim;
}

double stored_J(const Simulation& sim) {
  std::vector<EnergyRecord> energies(sim.system->nodes.size());
  sim.engine->record().energies(energies);
  double sum = 0.0;
  for (const EnergyRecord& e : energies) sum += e.stored_J;
  return sum;
}

// By hand, as the masses report their energies, H = 1 ms:
//   1: x₁ = 0.1, v₁ = 100, ξ = 0: E₁ = 5000 + ½·10·0.01 + ½·100·0.01 = 5000.55;  x₂ = −0.1, v₂ = −100: E₂ = 5005
//      No force was held, so no work was exchanged: L₁ = 0.55, L₂ = 5.
//   2: ξ = −0.1, x₁ = 0.199979, v₁ = 99.979;  v₂ = −99.89, x₂ = −0.19989.  10 N over −0.09989 m: −0.9989 J into the right.
TEST(LeakMonitor, FirstTwoStepsByHand) {
  Simulation sim = two_bodies(FeedthroughMode::stale);
  sim.start("0.01");
  const BondRecord& bond = sim.engine->record().bonds()[0];
  EXPECT_TRUE(bond.has_leaks);
  EXPECT_EQ(bond.group_leak_J, 0.0);
  sim.advance();
  EXPECT_NEAR(bond.leak_a_J, 0.55, 1e-9);
  EXPECT_NEAR(bond.leak_b_J, 5.0, 1e-9);
  EXPECT_NEAR(bond.group_leak_J, 5.55, 1e-9);
  sim.advance();
  const double E1 = 0.5 * (99.979 * 99.979 + 10.0 * 0.199979 * 0.199979 + 100.0 * 0.299979 * 0.299979);
  const double E2 = 0.5 * (99.89 * 99.89 + 1000.0 * 0.19989 * 0.19989);
  EXPECT_NEAR(bond.leak_a_J, E1 - 5000.0 - 0.9989, 1e-8);
  EXPECT_NEAR(bond.leak_b_J, E2 - 5000.0 + 0.9989, 1e-8);
  EXPECT_NEAR(bond.group_leak_J, E1 + E2 - 10000.0, 1e-8);
}

// What one subsystem gives the other receives: the leaks of the ends add up to that of the group.
TEST(LeakMonitor, LeaksOfTheSubsystemsAddUpToThatOfTheGroup) {
  for (const FeedthroughMode mode :
       {FeedthroughMode::stale, FeedthroughMode::predict, FeedthroughMode::refresh}) {
    Simulation sim = two_bodies(mode);
    sim.start("0.2");
    const BondRecord& bond = sim.engine->record().bonds()[0];
    double exchanged = 0.0;
    while (sim.advance()) {
      EXPECT_NEAR(bond.leak_a_J + bond.leak_b_J, bond.group_leak_J, 1e-9);
      exchanged = std::max(exchanged, std::abs(bond.leak_a_J));
    }
    EXPECT_GT(exchanged, 1.0);
  }
}

TEST(LeakMonitor, AGroupOfThreeHasOneBalance) {
  Simulation sim = chain();
  sim.options.corrections = {watch("one-two"), watch("two-three")};
  sim.start("0.5");
  const double start_J = stored_J(sim);
  const std::span<const BondRecord> bonds = sim.engine->record().bonds();
  while (sim.advance()) {
    EXPECT_EQ(bonds[0].group_leak_J, bonds[1].group_leak_J);
    EXPECT_EQ(bonds[0].leak_b_J, bonds[1].leak_a_J) << "both are those of the middle one";
    EXPECT_NEAR(bonds[0].leak_a_J + bonds[0].leak_b_J + bonds[1].leak_b_J, bonds[0].group_leak_J, 1e-10);
    EXPECT_NEAR(bonds[0].group_leak_J, stored_J(sim) - start_J, 1e-10);
  }
  EXPECT_GT(bonds[0].group_leak_J, 0.5);
}

TEST(LeakMonitor, SeparateGroupsHaveSeparateBalances) {
  Simulation sim = two_bodies(FeedthroughMode::stale);
  sim.graph.add("a", std::make_unique<Body>(BodyParameters{.kc_N_m = 10.0, .v0_m_s = {1.0}}),
                milliseconds(1));
  sim.graph.add("b", std::make_unique<Body>(BodyParameters{.k_N_m = 20.0}), milliseconds(1));
  sim.graph.bond(spring_bond("other", "a", "b"));
  sim.options.corrections.push_back(watch("other"));
  Simulation alone = two_bodies(FeedthroughMode::stale);
  sim.start("0.1");
  alone.start("0.1");
  while (sim.advance()) {
    ASSERT_TRUE(alone.advance());
    const std::span<const BondRecord> bonds = sim.engine->record().bonds();
    const std::size_t other = sim.system->bonds[0].name == "other" ? 0 : 1;
    EXPECT_EQ(bonds[1 - other].group_leak_J, alone.engine->record().bonds()[0].group_leak_J);
    EXPECT_LT(std::abs(bonds[other].group_leak_J), 0.1);
  }
}

// A motor does work. That is not a leak: the balance does not depend on a force that moves the whole.
TEST(LeakMonitor, WorkFromOutsideIsNoLeak) {
  for (const char* pushed : {"left.external", "right.external"}) {
    Simulation sim = two_bodies(FeedthroughMode::refresh);
    sim.graph.add("motor", std::make_unique<Source>([](double) { return 5000.0; }), milliseconds(1));
    sim.connect("motor.y", pushed);
    sim.start("0.2");
    const double start_J = stored_J(sim);
    double largest_leak = 0.0;
    double largest_gain = 0.0;
    const BondRecord& bond = sim.engine->record().bonds()[0];
    while (sim.advance()) {
      largest_leak = std::max(largest_leak, std::abs(bond.group_leak_J));
      largest_gain = std::max(largest_gain, std::abs(stored_J(sim) - start_J));
      EXPECT_NEAR(bond.leak_a_J + bond.leak_b_J, bond.group_leak_J, 1e-8);
    }
    EXPECT_GT(largest_gain, 5000.0) << pushed;
    EXPECT_LT(largest_leak, 0.05 * largest_gain) << pushed << ": the swing of a leapfrog";
  }
}

// On its own a free mass closes its books: a held force at the mean velocity is what its kinetic energy gains.
TEST(LeakMonitor, WorkFromOutsideIsCountedExactly) {
  Simulation sim;
  sim.graph.add("left", std::make_unique<Body>(BodyParameters{.kc_N_m = 1e-12}), milliseconds(1));
  sim.graph.add("right", std::make_unique<Body>(BodyParameters{}), milliseconds(1));
  sim.graph.add("motor", std::make_unique<Source>([](double t) { return 100.0 * std::sin(9.0 * t); }),
                milliseconds(1));
  sim.graph.bond(spring_bond("spring", "left", "right"));
  sim.connect("motor.y", "right.external");
  sim.options.corrections = {watch("spring")};
  sim.start("1");
  const BondRecord& bond = sim.engine->record().bonds()[0];
  double largest_gain = 0.0;
  while (sim.advance()) {
    EXPECT_NEAR(bond.group_leak_J, 0.0, 1e-9);
    largest_gain = std::max(largest_gain, stored_J(sim));
  }
  EXPECT_GT(largest_gain, 100.0);
}

// A bond that nobody watches leads out of the group: what passes there is work from outside.
TEST(LeakMonitor, WorkThroughABondThatLeavesTheGroupIsNoLeak) {
  Simulation sim = chain();
  sim.options.feedthrough = FeedthroughMode::refresh;
  sim.options.corrections = {watch("one-two")};
  sim.start("1");
  const std::span<const BondRecord> bonds = sim.engine->record().bonds();
  double largest_leak = 0.0;
  double smallest_J = stored_J(sim);
  double largest_J = smallest_J;
  while (sim.advance()) {
    std::vector<EnergyRecord> energies(sim.system->nodes.size());
    sim.engine->record().energies(energies);
    double group_J = 0.0;
    for (std::size_t n = 0; n < energies.size(); ++n) {
      if (sim.system->nodes[n].name != "three") group_J += energies[n].stored_J;
    }
    smallest_J = std::min(smallest_J, group_J);
    largest_J = std::max(largest_J, group_J);
    largest_leak = std::max(largest_leak, std::abs(bonds[0].group_leak_J));
    EXPECT_FALSE(bonds[1].has_leaks);
  }
  EXPECT_GT(largest_J - smallest_J, 10.0) << "energy passes";
  EXPECT_LT(largest_leak, 0.05 * (largest_J - smallest_J));
}

// 1, 2 and 3 ms: energies of one instant exist every 6 ms only.
TEST(LeakMonitor, BalancesOnlyWhereAllMembersMeet) {
  Simulation sim = chain({1, 2, 3});
  sim.options.corrections = {watch("one-two"), watch("two-three")};
  sim.start("0.06");
  const BondRecord& bond = sim.engine->record().bonds()[0];
  double last = 0.0;
  int updates = 0;
  while (sim.advance()) {
    if (bond.group_leak_J == last) continue;
    EXPECT_EQ(std::lround(sim.engine->record().time_s() * 1e3) % 6, 0);
    last = bond.group_leak_J;
    ++updates;
  }
  EXPECT_EQ(updates, 10);
}

// The other end in front: leaks belong to subsystems, so they change places with the ends.
TEST(LeakMonitor, LeaksFollowTheirEnds) {
  Simulation sim = two_bodies(FeedthroughMode::stale);
  sim.start("0.01");
  Simulation swapped;
  swapped.options.feedthrough = FeedthroughMode::stale;
  swapped.graph.add("left",
                    std::make_unique<Body>(BodyParameters{.k_N_m = 10.0, .kc_N_m = 100.0, .v0_m_s = {100.0}}),
                    milliseconds(1));
  swapped.graph.add("right", std::make_unique<Body>(BodyParameters{.k_N_m = 1000.0, .v0_m_s = {-100.0}}),
                    milliseconds(1));
  BondSpec spec = spring_bond("spring", "left", "right");
  std::swap(spec.a, spec.b);
  swapped.graph.bond(spec);
  swapped.options.corrections = {watch("spring")};
  swapped.start("0.01");
  while (sim.advance()) {
    ASSERT_TRUE(swapped.advance());
    EXPECT_EQ(sim.engine->record().bonds()[0].leak_a_J, swapped.engine->record().bonds()[0].leak_b_J);
    EXPECT_EQ(sim.engine->record().bonds()[0].leak_b_J, swapped.engine->record().bonds()[0].leak_a_J);
  }
}

}  // namespace
}  // namespace ergon
