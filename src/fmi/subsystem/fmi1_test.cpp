// FMUs of FMI 1.0: what differs from the later versions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

class Fmi1 : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static ForeignOptions options() {
    ForeignOptions o;
    o.isolate = GetParam();
    o.call_limit_s = 5.0;
    return o;
  }
  void TearDown() override { expect_no_child_left(); }
};
INSTANTIATE_TEST_SUITE_P(Places, Fmi1, testing::Bool(),
                         [](const auto& place) { return std::string(place.param ? "isolated" : "here"); });

// The library starts with a stiffness of 1: 100 is what the description says and only an importer can set.
TEST_P(Fmi1, StepsAsALoopWrittenByHandDoes) {
  KitInstance fmu("kit1", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.outputs(0.0);
  EXPECT_EQ(fmu.real("position"), 1.0);
  Mass mass;
  for (int i = 0; i < 100; ++i) {
    const double force = std::sin(0.1 * i);
    fmu.real_in("force") = force;
    const StepStatus status = fmu.step(i * 0.01, 0.01);
    ASSERT_TRUE(status.ok) << i << ": " << status.reason;
    mass.step(0.01, force);
    ASSERT_EQ(fmu.real("position"), mass.x) << i;
    ASSERT_EQ(fmu.real("velocity"), mass.v) << i;
  }
  EXPECT_EQ(fmu.integer("steps"), 100);
}

TEST_P(Fmi1, NegatedAliasesHaveTheOppositeSign) {
  KitInstance fmu("kit1", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.integer_in("count_in") = 21;
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  EXPECT_EQ(fmu.real("minus_position"), -fmu.real("position"));
  EXPECT_NE(fmu.real("position"), 0.0);
  EXPECT_EQ(fmu.integer("count_out"), 42);
  EXPECT_EQ(fmu.integer("minus_count"), -42);
}

// Arrays of booleans are one byte apart; with four the second one would be missed.
TEST_P(Fmi1, MovesBooleansTextsAndEnumerations) {
  KitInstance fmu("kit1", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  for (int pattern = 0; pattern < 8; ++pattern) {
    for (int bit = 0; bit < 3; ++bit)
      fmu.integer_in("switch_" + std::to_string(bit + 1)) = (pattern >> bit) & 1;
    fmu.integer_in("mode_in") = 1 + pattern % 3;
    fmu.text_in("note_in") = "pattern " + std::to_string(pattern);
    ASSERT_TRUE(fmu.step(0.01 * pattern, 0.01).ok);
    for (int bit = 0; bit < 3; ++bit)
      EXPECT_EQ(fmu.integer("pattern_" + std::to_string(bit + 1)), (pattern >> bit) & 1) << pattern;
    EXPECT_EQ(fmu.integer("mode_out"), 1 + pattern % 3);
    EXPECT_EQ(fmu.text("note_out"), "pattern " + std::to_string(pattern));
  }
}

TEST_P(Fmi1, ParametersAreParametersWhateverTheExporterCallsThem) {
  ProblemList problems;
  const auto model = FmuModel::load(kit_file("kit1"), problems);
  ASSERT_TRUE(model) << text_of(problems);
  for (const char* const name : {"stiffness", "start"})
    EXPECT_EQ(model->find(name)->causality, Causality::parameter) << name;
  EXPECT_EQ(model->find("private"), nullptr);
  EXPECT_EQ(model->find("nowhere"), nullptr);
  KitInstance fmu("kit1", options(),
                  {KitInstance::given(*model, "stiffness", 400.0), KitInstance::given(*model, "start", 0.5)});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  Mass mass{0.5, 0.0, 400.0};
  mass.step(0.01, 0.0);
  EXPECT_EQ(fmu.real("position"), mass.x);
}

TEST_P(Fmi1, HasNeitherStatesNorDerivativesAndOnlyTheStatedFeedthrough) {
  KitInstance fmu("kit1", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  EXPECT_EQ(fmu.subsystem->rewindable(), nullptr);
  EXPECT_EQ(fmu.subsystem->differentiable(), nullptr);
  EXPECT_EQ(fmu.subsystem->serializable(), nullptr);
  for (const FeedthroughPair& pair : fmu.description->feedthrough)
    EXPECT_NE(fmu.description->outputs[pair.output].name, "position");
  for (const Port& p : fmu.description->outputs) {
    if (p.name != "mode_out") continue;
    ASSERT_EQ(p.items.size(), 3U);
    EXPECT_EQ(p.items[2].name, "high");
    EXPECT_EQ(p.items[2].value, 3);
  }
}

// Linear inputs go as first derivatives; a parabola goes without its curvature, which exporters of FMI 1.0 refuse.
TEST_P(Fmi1, TakesTheFirstDerivativeOfItsInputs) {
  for (const int degree : {1, 2}) {
    KitInstance fmu("kit1_follows_inputs", options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    const double coefficients[] = {3.0, 40.0, 1000.0};
    const StepStatus status = fmu.subsystem->step(0.0, 0.01, InputView{coefficients, 1, degree});
    ASSERT_TRUE(status.ok) << status.reason;
    fmu.outputs(0.01);
    Mass mass;
    mass.step(0.01, 3.0 + 40.0 * 0.5 * 0.01);
    EXPECT_EQ(fmu.real("position"), mass.x) << degree;
  }
}

TEST_P(Fmi1, AWarningIsBelievedOnlyWhereTheStepWasDone) {
  KitInstance warned("kit1_warning", options());
  ASSERT_TRUE(warned.subsystem) << warned.said;
  ASSERT_TRUE(warned.initialize().ok);
  ASSERT_TRUE(warned.step(0.0, 0.01).ok);

  KitInstance stuck("kit1_warning_without_step", options());
  ASSERT_TRUE(stuck.subsystem) << stuck.said;
  ASSERT_TRUE(stuck.initialize().ok);
  int steps = 0;
  StepStatus status{};
  for (; steps < 100; ++steps) {
    status = stuck.step(steps * 0.01, 0.01);
    if (!status.ok) break;
  }
  EXPECT_EQ(steps, 50);
  ASSERT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("fmiDoStep returned error"), std::string::npos) << status.reason;
  EXPECT_NE(std::string(status.reason).find("beyond what was simulated"), std::string::npos) << status.reason;
}

TEST_P(Fmi1, ADiscardedStepGoesOnWhereItEnded) {
  KitInstance fmu("kit1_discard", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  Mass mass;
  for (const double h : {0.004, 0.004, 0.002}) mass.step(h, 0.0);
  EXPECT_NEAR(fmu.real("position"), mass.x, 1e-12);
  EXPECT_EQ(fmu.integer("steps"), 3);
}

TEST_P(Fmi1, AnUnaskedForPendingStepIsAFailure) {
  KitInstance fmu("kit1_pending", options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok) << i;
  EXPECT_FALSE(fmu.step(0.5, 0.01).ok);
}

TEST(Fmi1Description, WithoutAnImplementationItIsForModelExchange) {
  ProblemList problems;
  EXPECT_EQ(FmuModel::load(kit_file("kit1_model_exchange"), problems), nullptr);
  EXPECT_NE(text_of(problems).find("model exchange only"), std::string::npos) << text_of(problems);
}

}  // namespace
}  // namespace ergon::fmi
