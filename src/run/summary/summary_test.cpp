#include "ergon/run/summary/summary.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

using nlohmann::json;

CoupledSystem mass_and_spring() {
  CoupledSystem system;
  system.nodes.resize(3);
  system.nodes[0].name = "fmu";
  system.nodes[1].name = "mass";
  system.nodes[2].name = "spring";
  Description law;
  law.algebraic = true;
  system.nodes[2].description = std::make_shared<const Description>(law);
  system.bonds.resize(1);
  system.bonds[0].name = "joint";
  return system;
}

// Energy 10 J at t₀; the spring takes one J per point and the mass loses half of it to a damper.
FakeStepRecord at(Tick tick) {
  FakeStepRecord record;
  record.now = tick;
  const auto t = static_cast<double>(tick);
  record.energy_records = {energy_record(false, 0.0, 0.0), energy_record(true, 10.0 - t, 0.5 * t),
                           energy_record(true, t, 0.0)};
  record.bond_records.resize(1);
  record.bond_records[0].exchanged_energy_J = 2.0 * t;
  record.bond_records[0].residual_energy_J = 3.0 * t;
  record.bond_records[0].interface_energy_J = 4.0 * t;
  record.bond_records[0].interface_power_W = tick == 3 ? -50.0 : 5.0;
  return record;
}

TEST(SummaryObserver, TellsEnergiesBondsAndStatus) {
  const CoupledSystem system = mass_and_spring();
  SummaryObserver observer(system);
  for (Tick k = 0; k <= 8; ++k) observer.inspect(at(k));
  observer.finish(at(8), true);
  Summary summary = observer.summary({RunStatus::finished, std::nullopt, 0.008});
  summary.ergon_version = "1.2.3";
  summary.warnings = {"careful"};
  const json out = json::parse(to_json(summary));

  EXPECT_EQ(out["status"], "finished");
  EXPECT_FALSE(out.contains("failure"));
  EXPECT_FALSE(out.contains("verdict"));
  EXPECT_EQ(out["ergon_version"], "1.2.3");
  EXPECT_EQ(out["reached_time_s"], 0.008);
  EXPECT_EQ(out["points"], 9);
  EXPECT_EQ(out["warnings"], json({"careful"}));
  EXPECT_TRUE(out["notes"].empty());
  EXPECT_GE(out["wall_time_s"], 0.0);

  EXPECT_EQ(out["bonds"]["joint"]["exchanged_energy_J"], 16.0);
  EXPECT_EQ(out["bonds"]["joint"]["residual_energy_J"], 24.0);
  EXPECT_EQ(out["bonds"]["joint"]["interface_energy_J"], 32.0);
  EXPECT_EQ(out["bonds"]["joint"]["max_interface_power_W"], 50.0);
  EXPECT_FALSE(out["bonds"]["joint"].contains("imbalance_energy_J"));

  EXPECT_EQ(out["energy"]["initial_stored_J"], 10.0);
  EXPECT_EQ(out["energy"]["final_stored_J"], 10.0);
  EXPECT_EQ(out["energy"]["dissipated_J"], 4.0);
  EXPECT_EQ(out["energy"]["max_drift_J"], 4.0);
  EXPECT_EQ(out["energy"]["samples"], 2);
  EXPECT_EQ(out["subsystems"]["mass"]["energy"]["final_stored_J"], 2.0);
  EXPECT_EQ(out["subsystems"]["mass"]["energy"]["dissipated_J"], 4.0);
  EXPECT_EQ(out["subsystems"]["mass"]["steps"], 0);
  EXPECT_FALSE(out["subsystems"]["fmu"].contains("energy"));
  EXPECT_FALSE(out["subsystems"].contains("spring"));
  EXPECT_EQ(out["elements"]["spring"]["energy"]["final_stored_J"], 8.0);
}

TEST(Summary, TellsTheVerdictAndItsReasons) {
  Summary summary;
  summary.status = RunStatus::stopped;
  VerdictReason reason;
  reason.says = VerdictValue::unreliable;
  reason.kind = ReasonKind::sudden_change;
  reason.what = "interface power of bond 'joint' is 400 × its usual level in 3.1–4.9 s";
  reason.bond = "joint";
  reason.from_s = 3.1;
  reason.to_s = 4.9;
  reason.ratio = std::numeric_limits<double>::infinity();
  summary.verdict =
      Verdict{VerdictValue::unreliable, {reason}, VerdictValue::unreliable, VerdictValue::not_monitored, {}};
  const json out = json::parse(to_json(summary));
  EXPECT_EQ(out["status"], "stopped");
  EXPECT_EQ(out["verdict"]["value"], "unreliable");
  EXPECT_EQ(out["verdict"]["energy"], "unreliable");
  EXPECT_EQ(out["verdict"]["motion"], "not monitored");
  EXPECT_FALSE(out["verdict"].contains("try"));
  EXPECT_EQ(out["motion"]["checked"], false);
  EXPECT_EQ(out["verdict"]["reasons"], json::array({{{"what", reason.what},
                                                     {"kind", "sudden-change"},
                                                     {"says", "unreliable"},
                                                     {"bond", "joint"},
                                                     {"from_s", 3.1},
                                                     {"to_s", 4.9},
                                                     {"ratio", nullptr}}}));
}

TEST(SummaryObserver, AsksForEnergiesAtEvery16thPointAtMost) {
  const CoupledSystem system = mass_and_spring();
  SummaryObserver observer(system);
  FakeStepRecord record = at(0);
  for (Tick k = 0; k < 160; ++k) {
    record.now = k;
    observer.inspect(record);
  }
  EXPECT_EQ(record.energy_calls, 10);
  observer.finish(record, true);
  EXPECT_EQ(record.energy_calls, 11);
}

// In a multi-rate run a subsystem that has computed ahead is at another instant than the others.
TEST(SummaryObserver, AddsUpEnergiesOfOneInstantOnly) {
  const CoupledSystem system = mass_and_spring();
  SummaryObserver observer(system);
  FakeStepRecord record = at(0);
  observer.inspect(record);
  const double initial_J = record.energy_records[1].stored_J + record.energy_records[2].stored_J;
  record.now = 20;
  record.energy_records[1].stored_J += 1000.0;
  record.amid_step = 1;
  for (int i = 0; i < 40; ++i, ++record.now) observer.inspect(record);
  observer.finish(record, true);
  const Summary summary = observer.summary({});
  EXPECT_EQ(summary.energy->samples, 1U);
  EXPECT_EQ(summary.energy->max_drift_J, 0.0);
  EXPECT_EQ(summary.energy->final_stored_J, initial_J);
}

TEST(SummaryObserver, AFailedRunKeepsTheEnergiesOfItsLastSample) {
  const CoupledSystem system = mass_and_spring();
  SummaryObserver observer(system);
  for (Tick k = 0; k <= 20; ++k) observer.inspect(at(k));
  const FakeStepRecord last = at(20);
  observer.finish(last, false);
  EXPECT_EQ(last.energy_calls, 0);
  const Failure failure{"mass", "x", 0.021, "is not a number"};
  const json out = json::parse(to_json(observer.summary({RunStatus::failed, failure, 0.02})));
  EXPECT_EQ(out["status"], "failed");
  EXPECT_EQ(out["failure"],
            json({{"subsystem", "mass"}, {"port", "x"}, {"time_s", 0.021}, {"what", "is not a number"}}));
  EXPECT_EQ(out["reached_time_s"], 0.02);
  EXPECT_EQ(out["energy"]["final_time_s"], 0.016);
  EXPECT_EQ(out["bonds"]["joint"]["exchanged_energy_J"], 40.0);
}

TEST(SummaryObserver, SaysWhereThereIsNothingToTell) {
  CoupledSystem system;
  SummaryObserver observer(system);
  FakeStepRecord record;
  observer.inspect(record);
  observer.finish(record, true);
  const json out = json::parse(to_json(observer.summary({RunStatus::interrupted, std::nullopt, 0.0})));
  EXPECT_EQ(out["status"], "interrupted");
  EXPECT_FALSE(out.contains("energy"));
  ASSERT_EQ(out["notes"].size(), 1U);
  EXPECT_EQ(out["bonds"], json::object());
}

TEST(Summary, TellsTheShortenedStepAndBadText) {
  Summary summary;
  summary.last_step_clamped = true;
  summary.warnings = {"\xff"};
  const json out = json::parse(to_json(summary));
  EXPECT_EQ(out["last_step_clamped"], true);
}

TEST(Summary, HasTheFiguresOfSolvers) {
  Summary summary;
  NodeSummary& node = summary.nodes.emplace_back();
  node.name = "stack";
  node.solver = SolverFigures{1e-6, 1e-9, 200, 0, 0.0, 900, 40};
  const auto solver = json::parse(to_json(summary))["subsystems"]["stack"]["solver"];
  EXPECT_EQ(solver["solves"], 200);
  EXPECT_EQ(solver["missed"], 0);
  EXPECT_EQ(solver["iterations"], 900);
  EXPECT_EQ(solver["max_iterations"], 40);
  EXPECT_EQ(solver["largest_residual"], 1e-9);
  EXPECT_EQ(solver["tolerance"], 1e-6);
}

// A check run misses the tolerance as well: that both agree is no reason to trust them.
TEST(WholeVerdict, AMissedToleranceOfContactsIsDoubtfulBesideAMotionThatWasChecked) {
  Verdict by_evidence;
  by_evidence.value = VerdictValue::doubtful;
  VerdictReason& contact = by_evidence.reasons.emplace_back();
  contact.kind = ReasonKind::solver_residual;
  contact.says = VerdictValue::doubtful;
  Motion motion;
  motion.checked = true;
  motion.value = VerdictValue::reliable;
  motion.times_s = {0.0, 1.0};
  EXPECT_EQ(whole_verdict(by_evidence, motion).value, VerdictValue::doubtful);
  contact.kind = ReasonKind::too_few_samples;  // a check run sees it
  EXPECT_EQ(whole_verdict(by_evidence, motion).value, VerdictValue::reliable);
}

TEST(Summary, ReplacesTheFileAndLeavesNothingElse) {
  const ScratchDirectory directory;
  Summary summary;
  EXPECT_EQ(replace_file(directory / "summary.json", to_json(summary)), std::nullopt);
  summary.status = RunStatus::failed;
  EXPECT_EQ(replace_file(directory / "summary.json", to_json(summary)), std::nullopt);
  EXPECT_EQ(json::parse(content_of(directory / "summary.json"))["status"], "failed");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory / "")) ++files;
  EXPECT_EQ(files, 1U);
  const auto error = replace_file(directory / "missing/summary.json", to_json(summary));
  ASSERT_TRUE(error.has_value());
  EXPECT_NE(error->find("No such file"), std::string::npos) << *error;
}

}  // namespace
}  // namespace ergon
