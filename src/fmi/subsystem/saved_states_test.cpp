#include <gtest/gtest.h>

#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

class SavedStates : public Fmu {};
INSTANTIATE_TEST_SUITE_P(All, SavedStates,
                         testing::Values(Place{2, false}, Place{2, true}, Place{3, false}, Place{3, true}));

/// The FMU goes on from what it committed: who tells it wrongly that it may be set back sees it stay.
TEST_P(SavedStates, AStepMayBeTakenBackOnlyWhereAnEarlierStateIsKept) {
  KitInstance fmu(kit("commits"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  constexpr double h = 0.1;  // times that are not sums of steps
  Mass exact;
  int at = 0;
  const auto step = [&] { return fmu.step(at * h, h).ok && ++at > 0; };
  {
    // Room for a state is not a state.
    const auto slot = fmu.subsystem->rewindable()->make_slot();
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(step());
      exact.step(h, 0.0);
      ASSERT_EQ(fmu.real("position"), exact.x) << at;
    }
    // Set back to where a step begins, as often as one likes.
    fmu.subsystem->rewindable()->save(*slot);
    exact.step(h, 0.0);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(step());
      EXPECT_EQ(fmu.real("position"), exact.x);
      fmu.subsystem->rewindable()->restore(*slot);
      --at;
    }
    // Beyond: the FMU is told that it may come back, and has committed nothing since.
    ASSERT_TRUE(step());
    ASSERT_TRUE(step());
    EXPECT_EQ(fmu.real("position"), exact.x);
    fmu.subsystem->rewindable()->restore(*slot);
    --at, --at;
  }
  // Nobody keeps a state any more.
  ASSERT_TRUE(step());
  EXPECT_EQ(fmu.real("position"), exact.x);
  ASSERT_TRUE(step());
  exact.step(h, 0.0);
  EXPECT_EQ(fmu.real("position"), exact.x);
}

}  // namespace
}  // namespace ergon::fmi
