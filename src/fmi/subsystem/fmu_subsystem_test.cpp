#include "ergon/fmi/subsystem/fmu_subsystem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "ergon/fmi/instance/fmu_log.hpp"
#include "support/fmu_fixture.hpp"

namespace ergon::fmi {
namespace {

INSTANTIATE_TEST_SUITE_P(All, Fmu,
                         testing::Values(Place{2, false}, Place{3, false}, Place{2, true}, Place{3, true}));

TEST_P(Fmu, DoesTheStepsThatItIsAskedForBitForBit) {
  KitInstance fmu(kit(), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.outputs(0.0);
  EXPECT_EQ(fmu.real("position"), 1.0);
  Mass mass;
  const double h = 0.01;
  for (int i = 0; i < 100; ++i) {
    const double force = fmu.real_in("force") = std::sin(i);
    ASSERT_TRUE(fmu.step(i * h, h).ok);
    mass.step(h, force);
    ASSERT_EQ(fmu.real("position"), mass.x) << i;
    ASSERT_EQ(fmu.real("velocity"), mass.v);
    ASSERT_EQ(fmu.real("twice_force"), 2.0 * force);
    ASSERT_EQ(fmu.integer("steps"), i + 1);
  }
}

TEST_P(Fmu, ReEvaluatesItsOutputsWhereATrialShowsThatItDoes) {
  KitInstance fmu(kit(), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  EXPECT_TRUE(fmu.description->reevaluates_outputs);
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.real_in("force") = 3.0;
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  const double x = fmu.real("position");
  fmu.real_in("force") = 5.0;
  fmu.outputs(0.01);
  EXPECT_EQ(fmu.real("twice_force"), 10.0);
  EXPECT_EQ(fmu.real("position"), x);
  // And goes on as if nothing had been.
  ASSERT_TRUE(fmu.step(0.01, 0.01).ok);
  Mass mass;
  mass.step(0.01, 3.0);
  mass.step(0.01, 5.0);
  EXPECT_EQ(fmu.real("position"), mass.x);

  KitInstance sluggish(kit("sluggish"), options());
  ASSERT_TRUE(sluggish.subsystem) << sluggish.said;
  EXPECT_FALSE(sluggish.description->reevaluates_outputs);
  ForeignOptions certain = options();
  certain.refresh = true;
  EXPECT_TRUE(KitInstance(kit("sluggish"), certain).description->reevaluates_outputs);
  certain.refresh = false;
  EXPECT_FALSE(KitInstance(kit(), certain).description->reevaluates_outputs);
}

TEST_P(Fmu, TakesAndGivesValuesOfEveryType) {
  KitInstance fmu(kit(), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.integer_in("gear_in") = 2;
  fmu.integer_in("switch_in") = 1;
  fmu.text_in("text_in") = "grüß";
  const bool three = GetParam().version == 3;
  if (three) {
    for (const char* name : {"int8_in", "int16_in", "int32_in", "int64_in"}) fmu.integer_in(name) = -5;
    for (const char* name : {"uint8_in", "uint16_in", "uint32_in", "uint64_in"}) fmu.integer_in(name) = 200;
    fmu.integer_in("int64_in") = std::int64_t{1} << 60;
    fmu.real_in("single_in") = 3.0;
    fmu.text_in("blob_in") = std::string("\0\1\2", 3);
    for (int i = 0; i < 3; ++i) (&fmu.real_in("array_in"))[i] = i + 1.0;
  } else {
    fmu.integer_in("count_in") = 41;
  }
  for (int round = 0; round < 2; ++round) {  // in initialisation mode, and after a step
    fmu.outputs(0.0);
    EXPECT_EQ(fmu.integer("gear_out"), 3);
    EXPECT_EQ(fmu.integer("switch_out"), 0);
    EXPECT_EQ(fmu.text("text_out"), "kit: grüß");
    if (three) {
      EXPECT_EQ(fmu.integer("int8_out"), -4);
      EXPECT_EQ(fmu.integer("uint16_out"), 201);
      EXPECT_EQ(fmu.integer("int64_out"), (std::int64_t{1} << 60) + 1);
      EXPECT_EQ(fmu.real("single_out"), 1.5);
      EXPECT_EQ(fmu.text("blob_out"), std::string("\2\1\0", 3));
      EXPECT_EQ(fmu.real("array_out"), 3.0);
      EXPECT_EQ(fmu.real("array_sum"), 6.0);
    } else {
      EXPECT_EQ(fmu.integer("count_out"), 42);
    }
    if (round == 0) {
      ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
    }
  }
}

TEST_P(Fmu, GoesBackToASavedStateAndGivesItAway) {
  KitInstance fmu(kit(), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.real_in("force") = 1.0;
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  Rewindable* rewindable = fmu.subsystem->rewindable();
  ASSERT_NE(rewindable, nullptr);
  const auto slot = rewindable->make_slot();
  rewindable->save(*slot);
  const auto y_saved = fmu.y;
  ASSERT_TRUE(fmu.step(0.01, 0.01).ok);
  const auto y_after = fmu.y;
  rewindable->restore(*slot);
  fmu.outputs(0.01);
  EXPECT_EQ(fmu.y, y_saved);
  ASSERT_TRUE(fmu.step(0.01, 0.01).ok);
  EXPECT_EQ(fmu.y, y_after);

  std::vector<std::byte> bytes;
  ASSERT_NE(fmu.subsystem->serializable(), nullptr);
  fmu.subsystem->serializable()->serialize(*slot, bytes);
  KitInstance other(kit(), options());
  ASSERT_TRUE(other.initialize().ok);
  other.u = fmu.u;
  const auto other_slot = other.subsystem->rewindable()->make_slot();
  ASSERT_TRUE(other.step(0.0, 0.01).ok);
  EXPECT_FALSE(other.subsystem->serializable()->deserialize(std::span(bytes).first(4), *other_slot));
  ASSERT_TRUE(other.subsystem->serializable()->deserialize(bytes, *other_slot));
  other.subsystem->rewindable()->restore(*other_slot);
  ASSERT_TRUE(other.step(0.01, 0.01).ok);
  EXPECT_EQ(other.y, y_after);
}

TEST_P(Fmu, KnowsItsJacobianWhereItsRealsAreScalars) {
  KitInstance fmu(kit(), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  if (GetParam().version == 3) {  // arrays and single precision are among them
    EXPECT_EQ(fmu.subsystem->differentiable(), nullptr);
    return;
  }
  ASSERT_TRUE(fmu.initialize().ok);
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  std::vector<double> jacobian(fmu.y.size() * fmu.u.size(), 9.0);
  fmu.subsystem->differentiable()->output_jacobian(0.01, fmu.u.data(), jacobian.data());
  for (std::size_t o = 0; o < fmu.y.size(); ++o) {
    EXPECT_EQ(jacobian[o], &fmu.real("twice_force") == &fmu.y[o] ? 2.0 : 0.0) << o;
  }
}

TEST_P(Fmu, TakesParametersAndChangesTunableOnes) {
  ProblemList problems;
  const auto model = FmuModel::load(kit_file(kit()), problems);
  KitInstance fmu(kit(), options(),
                  {KitInstance::given(*model, "k", 400.0), KitInstance::given(*model, "initial.x", 0.5)});
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  // Before it is initialised FMI 2 does not allow to ask the FMU.
  EXPECT_EQ(std::get<double>(fmu.subsystem->tunable()->parameter(0)), 2.0);
  ASSERT_TRUE(fmu.initialize().ok);
  Mass mass{0.5, 0.0, 400.0};
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  mass.step(0.01, 0.0);
  EXPECT_EQ(fmu.real("position"), mass.x);
  Tunable* tunable = fmu.subsystem->tunable();
  ASSERT_NE(tunable, nullptr);
  ASSERT_EQ(tunable->tunable_parameters().front().name, "gain");
  EXPECT_EQ(std::get<double>(tunable->parameter(0)), 2.0);
  EXPECT_EQ(tunable->set_parameter(0, TypedValue(5.0)), "");
  EXPECT_NE(tunable->set_parameter(0, TypedValue(std::string("much"))), "");
  fmu.real_in("force") = 2.0;
  ASSERT_TRUE(fmu.step(0.01, 0.01).ok);
  EXPECT_EQ(fmu.real("twice_force"), 10.0);
}

// Inputs are polynomials over a step: FMI 2 gets their derivatives, FMI 3 asks for them on its way.
TEST_P(Fmu, FollowsInputsWithinAStepWhereItCan) {
  for (const bool follows : {false, true}) {
    KitInstance fmu(kit(follows ? "follows_inputs" : ""), options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    EXPECT_EQ(fmu.description->samples_input, follows ? InputSampling::continuous : InputSampling::start);
    ASSERT_TRUE(fmu.initialize().ok);
    Mass mass;
    constexpr double h = 0.0078125, rate = 512.0;  // binary fractions: nothing is rounded on the way
    std::vector<double> planes(2 * fmu.u.size(), 0.0);
    const std::size_t force = static_cast<std::size_t>(&fmu.real_in("force") - fmu.u.data());
    for (int i = 0; i < 20; ++i) {
      std::copy(fmu.u.begin(), fmu.u.end(), planes.begin());
      planes[force] = i;
      planes[fmu.u.size() + force] = rate;
      fmu.set_discrete();
      ASSERT_TRUE(fmu.subsystem->step(i * h, h, InputView{planes.data(), fmu.u.size(), 1}).ok) << i;
      fmu.real_in("force") = i + rate * h / 2.0;
      fmu.outputs((i + 1) * h);
      if (follows) {
        mass.step(h / 2.0, i);
        mass.step(h / 2.0, i + rate * h / 2.0);
      } else {
        mass.step(h, i);
      }
      ASSERT_EQ(fmu.real("position"), mass.x) << i;
    }
  }
}

TEST_P(Fmu, DoesDiscardedStepsInSmallerOnes) {
  KitInstance fmu(kit("discard"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  Mass mass;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok) << fmu.subsystem->step(0, 0, {}).reason;
    // From 0.5 s on 10 ms are: FMI 2 (does what it can) 4 + 4 + 2 ms; FMI 3 (halved) 2.5 + 3.75 + 3.75 ms.
    const std::vector<double> parts = (i + 1) * 0.01 <= 0.5     ? std::vector{0.01}
                                      : GetParam().version == 2 ? std::vector{0.004, 0.004, 0.002}
                                                                : std::vector{0.0025, 0.00375, 0.00375};
    for (const double h : parts) mass.step(h, 0.0);
    ASSERT_NEAR(fmu.real("position"), mass.x, 1e-12) << i;
  }
}

TEST_P(Fmu, ThatFailsInAStepSaysWhy) {
  const std::map<std::string, std::string> expected = {{"error", "this step cannot be done"},
                                                       {"fatal", "nothing can be done any more"},
                                                       {"terminate", "end the run"}};
  for (const auto& [fault, words] : expected) {
    KitInstance fmu(kit(fault), options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    int steps = 0;
    StepStatus status;
    while (steps < 100 && (status = fmu.step(steps * 0.01, 0.01)).ok) ++steps;
    // One that asks to end the run holds its values over that step, and refuses the next one.
    EXPECT_EQ(steps, fault == "terminate" ? 51 : 50) << fault;
    EXPECT_NE(std::string(status.reason).find(words), std::string::npos) << status.reason;
  }
}

TEST_P(Fmu, ThatCannotBeUsedIsRefusedWithItsReason) {
  const std::map<std::string, std::string> expected = {{"no_instance", "cannot be instantiated"},
                                                       {"wrong_token", "not fit"},
                                                       {"missing_step", "DoStep"},
                                                       {"claims_states", "promises"},
                                                       {"garbage_binary", "cannot be loaded"},
                                                       {"other_platform", "win"},
                                                       {"xml_bomb", "DOCTYPE"},
                                                       {"no_description", "modelDescription.xml"},
                                                       {"broken_description", "not XML"}};
  for (const auto& [fault, words] : expected) {
    const KitInstance fmu(kit(fault), options());
    EXPECT_FALSE(fmu.subsystem) << fault;
    EXPECT_NE(fmu.said.find(words), std::string::npos) << fault << ": " << fmu.said;
    EXPECT_NE(fmu.said.find(kit(fault)), std::string::npos) << fmu.said;
  }
}

TEST_P(Fmu, ThatFailsToStartSaysSo) {
  KitInstance fmu(kit("error_in_init"), options());
  ASSERT_TRUE(fmu.subsystem);
  ASSERT_TRUE(fmu.initialize().ok);
  const StepStatus status = fmu.step(0.0, 0.01);
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("this FMU never starts"), std::string::npos) << status.reason;
}

TEST_P(Fmu, WithoutStatesOffersNone) {
  KitInstance fmu(kit("no_states"), options());
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  EXPECT_EQ(fmu.subsystem->rewindable(), nullptr);
  EXPECT_EQ(fmu.subsystem->serializable(), nullptr);
  EXPECT_EQ(fmu.subsystem->differentiable(), nullptr);
  ASSERT_TRUE(fmu.initialize().ok);
  EXPECT_TRUE(fmu.step(0.0, 0.01).ok);
}

TEST_P(Fmu, ThatExistsOncePerProcessCanBeHadTwiceInWorkers) {
  const KitInstance first(kit("only_once"), options());
  ASSERT_TRUE(first.subsystem) << first.said;
  const KitInstance second(kit("only_once"), options());
  EXPECT_EQ(second.subsystem != nullptr, GetParam().isolate) << second.said;
  EXPECT_EQ(first.description->one_per_process, !GetParam().isolate);
  if (!GetParam().isolate) {
    EXPECT_NE(second.said.find("isolate = true"), std::string::npos) << second.said;
  }
}

TEST_P(Fmu, KeepsAnEnergyAccountWhereTheScenarioMapsIt) {
  ForeignOptions o = options();
  o.energy = EnergyMapping{"energy.stored", "energy.dissipated", "", {}, "force", {}};
  KitInstance fmu(kit(), o);
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  fmu.outputs(0.0);
  const EnergyAccount* account = fmu.subsystem->energy_account();
  ASSERT_NE(account, nullptr);
  std::vector<double> received(fmu.u.size());
  AccountSample sample;
  sample.received_J = received;
  account->sample({0.0, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_EQ(sample.stored_J, 50.0);  // ½·100 N/m·(1 m)²
  for (int i = 0; i < 10; ++i) {
    fmu.real_in("force") = 3.0;
    ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
  }
  account->sample({0.1, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_EQ(sample.stored_J, fmu.real("energy.stored"));
  EXPECT_NEAR(received[0], sample.stored_J - 50.0, 1e-12);
  o.energy->stored = "no.such";
  EXPECT_NE(KitInstance(kit(), o).said.find("no.such"), std::string::npos);
}

// Whatever output is named: Δstored + Δdissipated − Δsupplied is what comes through the port, here stored − stored.
TEST_P(Fmu, MapsWhatItsSourcesSupply) {
  ForeignOptions o = options();
  o.energy = EnergyMapping{"energy.stored", "energy.dissipated", "", {}, "force", {}};
  o.energy->supplied = "energy.stored";
  KitInstance fmu(kit(), o);
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  std::vector<double> received(fmu.u.size());
  AccountSample sample;
  sample.received_J = received;
  fmu.outputs(0.0);
  fmu.subsystem->energy_account()->sample({0.0, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_EQ(sample.supplied_J, 50.0);
  fmu.real_in("force") = 3.0;
  ASSERT_TRUE(fmu.step(0.0, 0.01).ok);
  fmu.subsystem->energy_account()->sample({0.01, fmu.u.data(), fmu.u.data()}, sample);
  EXPECT_EQ(sample.supplied_J, fmu.real("energy.stored"));
  EXPECT_NE(sample.supplied_J, 50.0);
  EXPECT_NEAR(received[0], sample.dissipated_J, 1e-12);
  o.energy->supplied = "nowhere";
  EXPECT_NE(KitInstance(kit(), o).said.find("as supplied"), std::string::npos);
}

// The FMU is one that may be initialised again: it checks no order of calls. Whether it then begins where it began before or where
// it was is its own affair: one of both starts differs from what was first seen of it.
TEST_P(Fmu, ReceivesNothingBeforeASecondStart) {
  for (const bool seen_at_first_start : {true, false}) {
    ForeignOptions o = options();
    o.energy = EnergyMapping{"y", "", "", {}, "u", {}};
    KitInstance fmu("plain" + std::to_string(GetParam().version), o);
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    std::vector<double> received(fmu.u.size());
    AccountSample sample;
    sample.received_J = received;
    const EnergyAccount* account = fmu.subsystem->energy_account();
    ASSERT_NE(account, nullptr);
    ASSERT_TRUE(fmu.initialize().ok);
    if (seen_at_first_start) account->sample({0.0, fmu.u.data(), fmu.u.data()}, sample);
    fmu.real_in("u") = 30.0;
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
    account->sample({0.1, fmu.u.data(), fmu.u.data()}, sample);
    ASSERT_TRUE(fmu.initialize().ok);
    account->sample({0.0, fmu.u.data(), fmu.u.data()}, sample);
    EXPECT_EQ(received[0], 0.0);
  }
}

TEST_P(Fmu, SaysItsFeedthroughAndTheScenarioHasTheLastWord) {
  const auto pairs = [&](const ForeignOptions& o) {
    const KitInstance fmu(kit(), o);
    std::set<std::pair<std::string, std::string>> all;
    for (const FeedthroughPair& p : fmu.description->feedthrough)
      all.emplace(fmu.description->outputs[p.output].name, fmu.description->inputs[p.input].name);
    return all;
  };
  EXPECT_TRUE(pairs(options()).contains({"twice_force", "force"}));
  EXPECT_FALSE(pairs(options()).contains({"position", "force"}));
  ForeignOptions o = options();
  o.feedthrough = {{"position", {"force"}}, {"twice_force", {}}};
  EXPECT_TRUE(pairs(o).contains({"position", "force"}));
  EXPECT_FALSE(pairs(o).contains({"twice_force", "force"}));
  o.feedthrough = {{"position", {"nobody"}}};
  EXPECT_NE(KitInstance(kit(), o).said.find("nobody"), std::string::npos);
}

TEST_P(Fmu, GivesRatesOfOutputsAndFurtherVariables) {
  ForeignOptions o = options();
  o.output_derivatives = true;
  KitInstance fmu(kit(), o);
  ASSERT_TRUE(fmu.subsystem) << fmu.said;
  ASSERT_TRUE(fmu.initialize().ok);
  // The kit knows the rate of its position alone, so asking for all fails in the open.
  EXPECT_THROW((void)fmu.step(0.0, 0.01), std::runtime_error);
  o = options();
  o.outputs = {"k"};
  KitInstance with_k(kit(), o);
  ASSERT_TRUE(with_k.subsystem) << with_k.said;
  ASSERT_TRUE(with_k.initialize().ok);
  ASSERT_TRUE(with_k.step(0.0, 0.01).ok);
  EXPECT_EQ(with_k.real("k"), 100.0);
}

TEST_P(Fmu, IsHeardOnceForEachKindAndThenCounted) {
  std::vector<std::string> lines;
  FmuLog::instance().show_with([](const std::string&) {});
  FmuLog::instance().finish();
  FmuLog::instance().show_with([&](const std::string& line) { lines.push_back(line); });
  const PrivateFolder folder("test");
  FmuLog::instance().write_to(folder.path() / "fmu.log");
  for (const char* fault : {"noisy", "restless_environment"}) {
    KitInstance fmu(kit(fault), options());
    ASSERT_TRUE(fmu.subsystem) << fmu.said;
    ASSERT_TRUE(fmu.initialize().ok);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(fmu.step(i * 0.01, 0.01).ok);
    }
  }
  EXPECT_LE(lines.size(), 3U);
  ASSERT_GE(lines.size(), 1U);
  EXPECT_NE(lines.front().find("100 %"), std::string::npos) << lines.front();
  const std::size_t before = lines.size();
  FmuLog::instance().finish();
  ASSERT_GT(lines.size(), before);
  EXPECT_NE(lines.back().find("10 such messages"), std::string::npos) << lines.back();
  FmuLog::instance().show_with([](const std::string&) {});
  std::ifstream file(folder.path() / "fmu.log");
  std::string line;
  std::size_t count = 0;
  while (std::getline(file, line)) ++count;
  EXPECT_GE(count, 20U);
}

}  // namespace
}  // namespace ergon::fmi
