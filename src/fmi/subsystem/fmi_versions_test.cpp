// What one version of FMI has and the other has not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "ergon/fmi/instance/fmu_log.hpp"
#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

TEST(Fmi3, LengthsFollowStructuralParameters) {
  ProblemList problems;
  const auto model = FmuModel::load(kit_file("kit3"), problems);
  for (const bool isolate : {false, true}) {
    ForeignOptions o;
    o.isolate = isolate;
    KitInstance fmu("kit3", o, {KitInstance::given(*model, "length", 5.0)});
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    for (int i = 0; i < 5; ++i) (&fmu.real_in("array_in"))[i] = i;
    fmu.outputs(0.0);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ((&fmu.real("array_out"))[i], 4.0 - i);
    }
    ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
    EXPECT_EQ(fmu.real("array_sum"), 10.0);
  }
}

// What an input is at t₀ is told to the FMU, also where it is 0 and nothing has changed since: it starts with 7 by itself. With as many
// integers as texts, since the numbers of both are added up to see whether there are any.
TEST(Fmi3, InputsAtTheStartReplaceThoseOfTheDescription) {
  for (const bool isolate : {false, true}) {
    ForeignOptions o;
    o.isolate = isolate;
    KitInstance fmu("kit3_even", o);
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_EQ(fmu.integers_in.size(), fmu.texts_in.size());
    ASSERT_EQ(fmu.integers_out.size(), fmu.texts_out.size());
    EXPECT_EQ(fmu.integer_in("int32_in"), 7) << "as described";
    ASSERT_TRUE(fmu.initialize().ok);
    fmu.integer_in("int32_in") = 0;
    fmu.outputs(0.0);
    EXPECT_EQ(fmu.integer("int32_out"), 1) << isolate;
    fmu.integer_in("int32_in") = 41;
    fmu.text_in("text_in") = "lift";
    ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
    EXPECT_EQ(fmu.integer("int32_out"), 42) << isolate;
    EXPECT_NE(fmu.text("text_out").find("lift"), std::string::npos) << fmu.text("text_out");
  }
}

TEST(Fmi3, GoesOnAfterAnEarlyReturn) {
  KitInstance fmu("kit3_early_return", {});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  Mass mass;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
    if (i == 50) {
      mass.step(0.005, 0.0);
      mass.step(0.005, 0.0);
    } else {
      mass.step(0.01, 0.0);
    }
    ASSERT_NEAR(fmu.real("position"), mass.x, 1e-12) << i;
  }
  EXPECT_EQ(fmu.integer("steps"), 101);
}

TEST(Fmi3, IsTakenThroughEventModeWhenItWantsTo) {
  KitInstance fmu("kit3_events", {});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
    EXPECT_EQ(fmu.integer("stage"), (i + 1) * 0.01 > 0.5 ? 2 : 1) << i;
  }
}

TEST(Fmi3, ClocksTickInTimeAlsoWithinSteps) {
  for (const double h : {0.01, 0.03}) {
    KitInstance fmu("kit3_clock", {});
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    const int steps = static_cast<int>(std::lround(0.9 / h));
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(fmu.step(i * h, h).ok);
    }
    // At 0, 0.1, … 0.9 s.
    EXPECT_EQ(fmu.integer("ticks"), 10) << h;
    EXPECT_EQ(fmu.real("sampled"), fmu.real("position"));
  }
}

// The FMU ticks at no other times than those that were set, and refuses to where nobody has set any.
TEST(Fmi3, FixedAndTunableClocksAreToldTheirInterval) {
  for (const char* const name : {"kit3_fixed_clock", "kit3_tunable_clock"}) {
    for (const bool isolate : {false, true}) {
      ForeignOptions options;
      options.isolate = isolate;
      KitInstance fmu(name, options);
      ASSERT_TRUE(fmu.subsystem) << fmu.said;
      ASSERT_TRUE(fmu.initialize().ok);
      for (int i = 0; i < 30; ++i) {
        const StepStatus status = fmu.step(i * 0.01, 0.01);
        ASSERT_TRUE(status.ok) << status.reason;
      }
      // At 0.02, 0.07, … 0.27 s.
      EXPECT_EQ(fmu.integer("ticks"), 6) << name;
    }
  }
}

// One that has the interval of its description anyway, and no function to set it, goes on with a warning.
TEST(Fmi3, AClockThatCannotBeSetKeepsItsInterval) {
  std::vector<std::string> lines;
  FmuLog::instance().finish();
  FmuLog::instance().show_with([&](const std::string& line) { lines.push_back(line); });
  KitInstance fmu("kit3_stubborn_clock", {});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
  EXPECT_EQ(fmu.integer("ticks"), 4);
  FmuLog::instance().show_with([](const std::string&) {});
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("does not take the interval of a clock") != std::string::npos;
  }));
}

/// The present state as bytes, and the same state from them in another instance.
std::vector<std::byte> bytes_of(const KitInstance& one) {
  const auto saved = one.subsystem->rewindable()->make_slot();
  one.subsystem->rewindable()->save(*saved);
  std::vector<std::byte> bytes;
  one.subsystem->serializable()->serialize(*saved, bytes);
  return bytes;
}
bool takes(const KitInstance& other, std::span<const std::byte> bytes) {
  const auto given = other.subsystem->rewindable()->make_slot();
  if (!other.subsystem->serializable()->deserialize(bytes, *given)) return false;
  other.subsystem->rewindable()->restore(*given);
  return true;
}

// Between ticks clocked outputs are what was read at the last one: bytes of a state have them, too.
TEST(Fmi3, BytesOfAStateHaveClockedIntegers) {
  KitInstance one("kit3_clocked_integer", {}), other("kit3_clocked_integer", {});
  ASSERT_TRUE(one.subsystem && other.subsystem) << one.said;
  ASSERT_TRUE(one.initialize().ok && other.initialize().ok);
  for (int i = 0; i < 35; ++i) ASSERT_TRUE(one.step(i * 0.01, 0.01).ok);
  ASSERT_TRUE(other.step(0.0, 0.01).ok);
  EXPECT_EQ(one.integer("ticks"), 4);
  EXPECT_EQ(other.integer("ticks"), 1);
  std::vector<std::byte> bytes = bytes_of(one);
  ASSERT_TRUE(takes(other, bytes));
  other.outputs(0.35);
  EXPECT_EQ(other.integer("ticks"), 4);
  EXPECT_EQ(other.real("sampled"), one.real("sampled"));
  ASSERT_TRUE(other.step(0.35, 0.01).ok);
  EXPECT_EQ(other.integer("ticks"), 4);
  bytes.resize(16);
  EXPECT_FALSE(takes(other, bytes));
}

TEST(Fmi3, BytesOfAStateHaveClockedTextsAndBytes) {
  for (const bool isolate : {false, true}) {
    ForeignOptions o;
    o.isolate = isolate;
    KitInstance one("kit3_clocked_text", o), other("kit3_clocked_text", o);
    ASSERT_TRUE(one.subsystem && other.subsystem) << one.said;
    ASSERT_TRUE(one.initialize().ok && other.initialize().ok);
    one.text_in("text_in") = "before, \xC3\xA4 and a long one that is on the heap";
    one.text_in("blob_in") = std::string("a\0b", 3);
    for (int i = 0; i < 33; ++i) ASSERT_TRUE(one.step(i * 0.01, 0.01).ok);
    one.text_in("text_in") = "after";
    one.text_in("blob_in") = "";
    for (int i = 33; i < 35; ++i) ASSERT_TRUE(one.step(i * 0.01, 0.01).ok);
    // The tick of 0.3 s knows nothing of what came later.
    const std::string text = "kit: before, \xC3\xA4 and a long one that is on the heap";
    EXPECT_EQ(one.text("text_out"), text);
    EXPECT_EQ(one.text("blob_out"), std::string("b\0a", 3));
    ASSERT_TRUE(other.step(0.0, 0.01).ok);
    EXPECT_EQ(other.text("text_out"), "kit: ");
    const std::vector<std::byte> bytes = bytes_of(one);
    ASSERT_TRUE(takes(other, bytes));
    other.text_in("text_in") = "after";
    other.text_in("blob_in") = "";
    other.outputs(0.35);
    EXPECT_EQ(other.text("text_out"), text);
    EXPECT_EQ(other.text("blob_out"), std::string("b\0a", 3));
    for (int i = 35; i < 41; ++i) {
      ASSERT_TRUE(one.step(i * 0.01, 0.01).ok);
      ASSERT_TRUE(other.step(i * 0.01, 0.01).ok);
      EXPECT_EQ(other.text("text_out"), one.text("text_out"));
      EXPECT_EQ(other.text("blob_out"), one.text("blob_out"));
      EXPECT_EQ(other.real("sampled"), one.real("sampled"));
    }
    EXPECT_EQ(one.text("text_out"), "kit: after");
    // A state that is cut short is not a state, wherever it is cut.
    for (const std::size_t size : {bytes.size() / 8, bytes.size() / 4, bytes.size() - 1}) {
      EXPECT_FALSE(takes(other, std::span(bytes).first(size))) << size;
    }
  }
}

TEST(Fmi3, ClocksThatWouldHaveToBeTriggeredAreRefused) {
  const KitInstance fmu("kit3_triggered_clock", {});
  EXPECT_FALSE(fmu.subsystem);
  EXPECT_NE(fmu.said.find("ticked from outside"), std::string::npos) << fmu.said;
}

// An internal step is a hint to who can take steps of any length, and a rule for who cannot.
TEST(Fmi3, IsHeldToMultiplesOfItsInternalStepWhereStepsHaveOneLength) {
  const KitInstance any("kit3_internal_step", {}), one("kit3_fixed_internal_step", {});
  ASSERT_TRUE(any.subsystem && one.subsystem) << any.said << one.said;
  EXPECT_FALSE(any.description->fixed_step);
  EXPECT_EQ(any.description->internal_step_s, 0.0);
  EXPECT_TRUE(one.description->fixed_step);
  EXPECT_EQ(one.description->internal_step_s, 0.1);
}

TEST(Fmi2, WithOneLengthOfStepSaysSo) {
  const KitInstance fmu("kit2_fixed_step", {});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  EXPECT_TRUE(fmu.description->fixed_step);
}

TEST(Fmi2, ThatIsABridgeIsTold) {
  const KitInstance fmu("kit2_needs_tool", {});
  EXPECT_NE(fmu.said.find("bridge"), std::string::npos) << fmu.said;
}

}  // namespace
}  // namespace ergon::fmi
