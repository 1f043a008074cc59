#include "ergon/run/summary/solver_evidence.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ergon {
namespace {

Summary summary_of_a_stack(std::uint64_t missed) {
  Summary summary;
  summary.reached_time_s = 1.0;
  summary.verdict = Verdict{VerdictValue::reliable, {}, VerdictValue::consistent, VerdictValue::reliable, ""};
  summary.verdict->reasons.emplace_back().what = "fine";
  NodeSummary& node = summary.nodes.emplace_back();
  node.name = "stack";
  node.solver = SolverFigures{1e-6, missed > 0 ? 0.25 : 1e-9, 200, missed, 0.125, 900, 40};
  return summary;
}

TEST(SolverEvidence, AMissedToleranceMakesTheVerdictDoubtfulAndNamesTheMachine) {
  Summary summary = summary_of_a_stack(3);
  judge_solvers(summary);
  EXPECT_EQ(summary.verdict->value, VerdictValue::doubtful);
  ASSERT_EQ(summary.verdict->reasons.size(), 2U);
  EXPECT_EQ(summary.verdict->reasons[0].kind, ReasonKind::solver_residual);
  EXPECT_NE(summary.verdict->reasons[0].what.find("stack"), std::string::npos);
  ASSERT_EQ(summary.warnings.size(), 1U);
  EXPECT_NE(summary.warnings[0].find("3 of 200 steps"), std::string::npos);
}

TEST(SolverEvidence, AnUnreliableRunStaysUnreliable) {
  Summary summary = summary_of_a_stack(3);
  summary.verdict->value = VerdictValue::unreliable;
  summary.verdict->reasons[0].says = VerdictValue::unreliable;
  judge_solvers(summary);
  EXPECT_EQ(summary.verdict->value, VerdictValue::unreliable);
  EXPECT_EQ(summary.verdict->reasons[1].kind, ReasonKind::solver_residual);
}

TEST(SolverEvidence, WithinTheToleranceNothingIsSaidAndTheSummaryHasTheFigures) {
  Summary summary = summary_of_a_stack(0);
  judge_solvers(summary);
  EXPECT_EQ(summary.verdict->value, VerdictValue::reliable);
  EXPECT_TRUE(summary.warnings.empty());
  const auto json = nlohmann::json::parse(to_json(summary))["subsystems"]["stack"]["solver"];
  EXPECT_EQ(json["solves"], 200);
  EXPECT_EQ(json["missed"], 0);
  EXPECT_EQ(json["iterations"], 900);
  EXPECT_EQ(json["max_iterations"], 40);
  EXPECT_EQ(json["largest_residual"], 1e-9);
  EXPECT_EQ(json["tolerance"], 1e-6);
}

}  // namespace
}  // namespace ergon
