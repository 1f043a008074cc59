#include "ergon/coupling/state/snapshot.hpp"

#include <gtest/gtest.h>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

struct SnapshotSetting {
  const char* name;
  const char* scheme;
  Rational left_step;
  Rational right_step;
  int degree;
  FeedthroughMode feedthrough;
  const char* correction;
};

std::string print(const ::testing::TestParamInfo<SnapshotSetting>& param) {
  return param.param.name;
}

class Repeated : public ::testing::TestWithParam<SnapshotSetting> {};

TEST_P(Repeated, WhatFollowsARestoreIsWhatFollowedTheSave) {
  const SnapshotSetting& s = GetParam();
  Simulation sim;
  sim.options.scheme = s.scheme;
  sim.options.degree = s.degree;
  sim.options.feedthrough = s.feedthrough;
  if (*s.correction != '\0') sim.options.corrections.push_back({"coupling", s.correction, {}, {}});
  MassParameters left;
  left.k_N_m = 10.0;
  left.kc_N_m = 100.0;
  left.v0_m_s = 100.0;
  MassParameters right;
  right.k_N_m = 1000.0;
  right.v0_m_s = -100.0;
  sim.graph.add("left", std::make_unique<SpringMass>(left), s.left_step);
  sim.graph.add("right", std::make_unique<ForcedMass>(right), s.right_step);
  BondSpec spec;
  spec.name = "coupling";
  spec.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
  spec.b = {{"right.force"}, {"right.velocity"}, {"right.position"}};
  sim.graph.bond(std::move(spec));
  sim.start("0.1");
  Engine& engine = *sim.engine;
  ASSERT_TRUE(engine.can_rewind());

  // Off a common point on purpose: a snapshot is good anywhere.
  for (int i = 0; i < 37; ++i) ASSERT_FALSE(engine.advance());
  Snapshot snapshot = engine.make_snapshot();
  engine.save(snapshot);
  const auto look = [&] {
    std::vector<double> seen;
    for (int i = 0; i < 25; ++i) {
      EXPECT_FALSE(engine.advance());
      const StepRecord& record = engine.record();
      seen.push_back(record.time_s());
      for (Index o = 0; o < engine.system().outputs.size(); ++o) seen.push_back(record.output(o));
      for (Index u = 0; u < engine.system().inputs.size(); ++u) seen.push_back(record.applied_input(u));
      const BondRecord& bond = record.bonds()[0];
      seen.insert(seen.end(), {bond.residual_energy_J, bond.interface_energy_J, bond.correction_energy_J,
                               bond.exchanged_energy_J, record.imbalance_J(0), bond.group_leak_J});
    }
    return seen;
  };
  const std::vector<double> first = look();
  engine.restore(snapshot);
  EXPECT_EQ(look(), first);
}

const Rational snapshot_H(1, 1000);
const Rational h(1, 10000);
const Rational odd(3, 2000);

INSTANTIATE_TEST_SUITE_P(
    All, Repeated,
    ::testing::Values(
        SnapshotSetting{"jacobi", "jacobi", snapshot_H, snapshot_H, 0, FeedthroughMode::stale, ""},
        SnapshotSetting{"quadratic_predict", "jacobi", snapshot_H, h, 2, FeedthroughMode::predict, ""},
        SnapshotSetting{"odd_ratio_refresh", "jacobi", snapshot_H, odd, 1, FeedthroughMode::refresh, ""},
        SnapshotSetting{"gauss_seidel_slow_first", "gauss-seidel", snapshot_H, h, 1, FeedthroughMode::stale,
                        ""},
        SnapshotSetting{"gauss_seidel_fast_first", "gauss-seidel", h, snapshot_H, 1, FeedthroughMode::stale,
                        ""},
        SnapshotSetting{"residual_power", "jacobi", snapshot_H, h, 0, FeedthroughMode::stale,
                        "residual-power"},
        SnapshotSetting{"nepce", "jacobi", snapshot_H, h, 1, FeedthroughMode::refresh, "nepce"}),
    print);

}  // namespace
}  // namespace ergon
