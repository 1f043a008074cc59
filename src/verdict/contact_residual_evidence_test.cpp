#include <gtest/gtest.h>

#include "ergon/core/iterative_solver.hpp"
#include "ergon/verdict/verdict_monitor.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

/// A machine with contacts that has missed its tolerance in so many of 200 steps.
class Stack final : public Subsystem, public IterativeSolver {
 public:
  explicit Stack(std::uint64_t missed) : missed_(missed) {}
  [[nodiscard]] Description describe() const override { return {}; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
  [[nodiscard]] SolverFigures solver_figures() const override {
    return {1e-6, missed_ > 0 ? 0.25 : 1e-9, 200, missed_, 0.125, 900, 40};
  }

 private:
  std::uint64_t missed_;
};

Verdict judge_stack(std::uint64_t missed, bool fails = false) {
  CoupledSystem system;
  system.nodes.resize(1);
  system.nodes[0].name = "stack";
  system.nodes[0].subsystem = std::make_unique<Stack>(missed);
  VerdictMonitor monitor(system);
  FakeStepRecord record;
  for (record.now = 0; record.now <= 1000; ++record.now) monitor.inspect(record);
  monitor.finish(record, !fails);
  return monitor.verdict(fails ? std::optional(Failure{"stack", "x", 1.0, "lost"}) : std::nullopt);
}

TEST(ContactResiduals, AMissedToleranceMakesTheVerdictDoubtfulAndNamesTheMachine) {
  const Verdict verdict = judge_stack(3);
  EXPECT_EQ(verdict.value, VerdictValue::doubtful);
  ASSERT_EQ(verdict.reasons.size(), 2U);  // the other one: there is no bond
  const VerdictReason& reason = verdict.reasons[1];
  EXPECT_EQ(reason.kind, ReasonKind::solver_residual);
  EXPECT_EQ(reason.subsystems, std::vector<std::string>{"stack"});
  EXPECT_EQ(reason.from_s, 0.125);
  EXPECT_EQ(reason.to_s, 1.0);
  EXPECT_EQ(reason.ratio, 0.25);
  EXPECT_EQ(reason.limit, 1e-6);
  EXPECT_NE(reason.what.find("3 of 200 steps"), std::string::npos) << reason.what;
}

TEST(ContactResiduals, AreReadAfterAFailureToo) {
  const Verdict verdict = judge_stack(3, true);
  EXPECT_EQ(verdict.value, VerdictValue::unreliable);
  EXPECT_EQ(verdict.reasons.front().kind, ReasonKind::failure);
  EXPECT_EQ(verdict.reasons.back().kind, ReasonKind::solver_residual);
}

TEST(ContactResiduals, WithinTheToleranceThereIsNoReason) {
  const Verdict verdict = judge_stack(0);
  EXPECT_EQ(verdict.value, VerdictValue::not_monitored);
  EXPECT_EQ(verdict.reasons.size(), 1U);
}

}  // namespace
}  // namespace ergon
