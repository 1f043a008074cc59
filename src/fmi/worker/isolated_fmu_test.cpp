// FMUs that die, in workers.
#include <gtest/gtest.h>

#include <map>

#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

class IsolatedFmu : public Fmu {};
INSTANTIATE_TEST_SUITE_P(All, IsolatedFmu, testing::Values(Place{2, true}, Place{3, true}));

TEST_P(IsolatedFmu, ThatDiesOrHangsIsAFailureOfItselfAlone) {
  const std::map<std::string, std::string> expected = {{"segfault", "signal 11"},
                                                       {"abort", "signal 6"},
                                                       {"exit", "exit code 0"},
                                                       {"hang", "did not answer within 0.5 s"}};
  for (const auto& [fault, words] : expected) {
    ForeignOptions o = options();
    if (fault == "hang") o.call_limit_s = 0.5;
    KitInstance fmu(kit(fault), o);
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    int steps = 0;
    StepStatus status;
    while (steps < 100 && (status = fmu.step(steps * 0.01, 0.01)).ok) ++steps;
    EXPECT_EQ(steps, 50) << fault;
    EXPECT_NE(std::string(status.reason).find(words), std::string::npos) << fault << ": " << status.reason;
    expect_no_child_left();
    EXPECT_FALSE(fmu.step(0.5, 0.01).ok);
  }
}

TEST_P(IsolatedFmu, ThatCrashesWhileItIsFreedDoesNoHarm) {
  {
    KitInstance fmu(kit("segfault_at_free"), options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  }
  expect_no_child_left();
}

}  // namespace
}  // namespace ergon::fmi
