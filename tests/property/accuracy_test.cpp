// Every recorded output is judged, against its own range and the accuracy that is asked for. The outputs here are functions of time and of
// the step size, so that their errors are known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/step_dependent.hpp"

namespace ergon {
namespace {

using namespace known_errors;

// A temperature that is off by 50 % of half its range beside a position that is exact: order one, so the bars are 1.2 and 1.3 errors.
TEST(Accuracy, ATemperatureIsJudgedBesideAPosition) {
  const std::vector<Port> ports = {port("position", "m"), port("temperature", "K")};
  const auto heat = [](double error) {
    return [error](double t, double h, double* y) {
      y[0] = std::sin(t);
      y[1] = 300.0 + 10.0 * std::sin(0.5 * t) + error * (h / H_s) * std::sin(t);
    };
  };
  const Summary wrong = judge(ports, heat(5.0));
  EXPECT_EQ(wrong.verdict->value, VerdictValue::unreliable) << wrong.verdict->reasons.front().what;
  EXPECT_EQ(wrong.motion.worst, "body.temperature");
  EXPECT_NEAR(variable(wrong, "body.temperature").largest_error, 1.3 * 5.0, 0.01);
  EXPECT_EQ(judge(ports, heat(1.0)).verdict->value, VerdictValue::doubtful);
  EXPECT_EQ(judge(ports, heat(0.3)).verdict->value, VerdictValue::reliable);
}

TEST(Accuracy, IsWhatTheUserAsksFor) {
  const std::vector<Port> ports = {port("temperature", "degC"), port("force", "N")};
  const Outputs outputs = [](double t, double h, double* y) {
    y[0] = 20.0 + 100.0 * std::sin(t) + 2.0 * (h / H_s) * std::cos(3.0 * t);
    y[1] = std::sin(t) + 0.07 * (h / H_s) * std::cos(3.0 * t);
  };
  SimulationOptions options = options_for();
  EXPECT_EQ(judge(ports, outputs, options).motion.worst, "body.force");
  EXPECT_EQ(judge(ports, outputs, options).verdict->value, VerdictValue::doubtful);
  options.accuracies = {{"*.force", *Accuracy::parse("10 %")}};
  EXPECT_EQ(judge(ports, outputs, options).verdict->value, VerdictValue::reliable);
  options.accuracies.push_back({"body.temperature", *Accuracy::parse("1 K")});
  const Summary kelvin = judge(ports, outputs, options);
  EXPECT_EQ(kelvin.verdict->value, VerdictValue::doubtful);
  EXPECT_EQ(kelvin.motion.worst, "body.temperature");
  EXPECT_NEAR(kelvin.motion.excess, 1.2 * 2.0, 0.01);  // two check runs tell its order
  options.accuracies.back().second = *Accuracy::parse("0.5 K");
  EXPECT_EQ(judge(ports, outputs, options).verdict->value, VerdictValue::unreliable) << "four times and more";
  options.accuracies.back().second = *Accuracy::parse("any");
  const Summary any = judge(ports, outputs, options);
  EXPECT_EQ(any.verdict->value, VerdictValue::reliable);
  EXPECT_FALSE(variable(any, "body.temperature").judged);
  options.accuracy = *Accuracy::parse("1 %");
  options.accuracies.clear();
  EXPECT_EQ(judge(ports, outputs, options).verdict->value, VerdictValue::unreliable);
}

// Its size is what matters: an error of its own it has not.
TEST(Accuracy, ResidualsAreNotJudged) {
  std::vector<Port> ports = {port("position", "m"), port("length_error", "m")};
  const Outputs outputs = [](double t, double h, double* y) {
    y[0] = 1e-12 * std::sin(t);
    y[1] = h * std::sin(t);
  };
  EXPECT_EQ(judge(ports, outputs).verdict->value, VerdictValue::unreliable);
  ports[1].role = PortRole::diagnostic;
  EXPECT_EQ(judge(ports, outputs).verdict->value, VerdictValue::reliable);
}

// Round-off in all digits of a hub, beside masses that move by a metre.
TEST(Accuracy, AHubThatHardlyMovesIsNoAlarm) {
  const auto noise = [](double size) {
    return [size](double t, double h, double* y) { y[0] = size * std::sin(300.0 * t / h); };
  };
  const Outputs moves = [](double t, double /*h*/, double* y) { y[0] = std::sin(t); };
  const std::vector<Port> position = {port("position", "m")};
  EXPECT_EQ(judge(position, noise(1.5e-17), options_for(), position, moves).verdict->value,
            VerdictValue::reliable);
  EXPECT_EQ(judge(position, noise(0.1), options_for(), position, moves).verdict->value,
            VerdictValue::unreliable);
}

// 10 kN that change by 20 N: 1 N is 0.01 % of what is looked at. A position of 10 km that changes by 20 m has a scale of its own.
TEST(Accuracy, AForceThatHardlyChangesIsMeasuredByItsSize) {
  const Outputs outputs = [](double t, double h, double* y) {
    y[0] = 1e4 + 10.0 * std::sin(t) + (h / H_s) * std::cos(3.0 * t);
  };
  EXPECT_EQ(judge({port("force", "N")}, outputs).verdict->value, VerdictValue::reliable);
  EXPECT_EQ(judge({port("position", "m")}, outputs).verdict->value, VerdictValue::doubtful);
}

// ── Rotation ──

TEST(Accuracy, AQuaternionAndItsNegativeAreOneOrientation) {
  const auto turning = [](double error) {
    return [error](double t, double h, double* y) {
      const double half = 0.5 * (t + error * (h / H_s) * std::sin(t));
      const double sign = h > H_s ? -1.0 : 1.0;
      y[0] = sign * std::cos(half);
      y[1] = y[2] = 0.0;
      y[3] = sign * std::sin(half);
    };
  };
  std::vector<Port> ports = {port("orientation", "1", 4)};
  ports[0].role = PortRole::orientation;
  EXPECT_EQ(judge(ports, turning(0.01), options_for(MotionCheck::double_steps)).verdict->value,
            VerdictValue::reliable);
  EXPECT_GT(judge(ports, turning(0.5), options_for(MotionCheck::double_steps)).motion.excess, 4.0);
  ports[0].role = PortRole::quantity;
  EXPECT_GT(judge(ports, turning(0.01), options_for(MotionCheck::double_steps)).motion.excess, 4.0);
}

TEST(Accuracy, AnAngleWithinOneTurnIsRightWhereItWraps) {
  for (const char* unit : {"rad", "deg"}) {
    const double turn = std::string_view(unit) == "rad" ? 2.0 * std::numbers::pi : 360.0;
    const auto heading = [turn](double error) {
      return [=](double t, double h, double* y) {
        y[0] = turn * std::remainder(0.7 * t + error * (h / H_s) * std::sin(t), 1.0);
      };
    };
    EXPECT_EQ(judge({port("heading", unit)}, heading(0.002)).verdict->value, VerdictValue::reliable) << unit;
    EXPECT_EQ(judge({port("heading", unit)}, heading(0.1)).verdict->value, VerdictValue::unreliable) << unit;
  }
}

// ── Between the points ──

/// A half sine of 8 ms: two of the 1024 comparison points are 10 ms apart.
double hit(double t, double begin) {
  constexpr double duration = 8e-3;
  return t < begin || t > begin + duration ? 0.0 : std::sin(std::numbers::pi * (t - begin) / duration);
}

TEST(Accuracy, AShortHitBetweenComparisonPointsIsSeen) {
  const auto hits = [](double error) {
    return [error](double t, double h, double* y) {
      y[0] = 0.05 * std::sin(t) + hit(t, 4.0011) * (1.0 + error * h / H_s);
    };
  };
  const Summary wrong = judge({port("force", "N")}, hits(0.6));
  EXPECT_EQ(wrong.verdict->value, VerdictValue::unreliable) << wrong.verdict->reasons.front().what;
  EXPECT_EQ(judge({port("force", "N")}, hits(0.01)).verdict->value, VerdictValue::reliable);
}

// The range is that of the hit, whichever points are compared: what is off by 2 % of it is not an alarm.
TEST(Accuracy, RangesAreThoseOfAllPoints) {
  const Outputs outputs = [](double t, double h, double* y) {
    y[0] = hit(t, 4.0011) + 0.01 * (h / H_s) * std::sin(t);
  };
  const Summary summary = judge({port("force", "N")}, outputs);
  EXPECT_EQ(summary.verdict->value, VerdictValue::reliable) << summary.verdict->reasons.front().what;
  // Its peak is met within 1 ms by one of the shared points, 2 ms apart: at least cos(π/8) of it.
  EXPECT_GT(variable(summary, "body.force").half_range, 0.5 * std::cos(std::numbers::pi / 8.0));
}

// An impact that comes a step later is not an error of its height; one of another height is.
TEST(Accuracy, AJumpThatIsShiftedByAStepIsNoAlarm) {
  const auto bounce = [](double height) {
    return [height](double t, double h, double* y) {
      const double impact = 5.0 + 3.0 * h;
      y[0] = t < impact ? -0.1 * t : -0.1 * t + 1.0 + height * (h / H_s);
    };
  };
  EXPECT_EQ(judge({port("velocity", "m/s")}, bounce(0.0)).verdict->value, VerdictValue::reliable);
  EXPECT_EQ(judge({port("velocity", "m/s")}, bounce(0.2)).verdict->value, VerdictValue::unreliable);
}

// ── False alarms ──

// Two temperatures that drift alike by 20 K, 0.2 K apart: what is between them is not what is looked at.
TEST(Accuracy, ACommonDriftIsAMatterOfDisplacements) {
  const auto drift = [](double sign) {
    return [sign](double t, double h, double* y) {
      y[0] = 300.0 + 2.0 * t + 0.1 * sign * (std::sin(t) + 0.3 * (h / H_s) * std::cos(t));
    };
  };
  const auto both = [&](const char* unit) {
    return judge({port("a", unit), port("b", unit)},
                 [=](double t, double h, double* y) {
                   drift(1.0)(t, h, y);
                   drift(-1.0)(t, h, y + 1);
                 })
        .verdict->value;
  };
  EXPECT_EQ(both("K"), VerdictValue::reliable);
  EXPECT_EQ(both("m"), VerdictValue::unreliable);
}

// The error of what dies away grows from 0.01 % of the range to 30 % and is not chaos.
TEST(Accuracy, WhatDiesAwayIsNotChaotic) {
  const auto grows = [](double damping) {
    return [damping](double t, double h, double* y) {
      const double error = 1e-4 * std::min(std::exp(std::max(0.0, t - 5.0) * 6.0), 2400.0) * (h / H_s);
      y[0] = std::exp(-damping * t) * std::sin(5.0 * t) + error;
    };
  };
  EXPECT_TRUE(judge({port("voltage", "V")}, grows(0.0)).motion.chaotic_after_s);
  EXPECT_FALSE(judge({port("voltage", "V")}, grows(1.0)).motion.chaotic_after_s);
}

// ── What no check run sees ──

/// y = what it read at the start of its step.
class Reader final : public Subsystem {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {port("in", "m")};
    d.outputs = {port("out", "m")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& u) override {
    out_ = u.start(0);
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = out_; }

 private:
  double out_ = 0.0;
};

Summary judge_reader(double frequency_Hz, const Rational& reader_step_s) {
  Simulation simulation(
      [=] {
        SystemGraph graph;
        const Outputs wave = [=](double t, double /*h*/, double* y) {
          y[0] = std::cos(2.0 * std::numbers::pi * frequency_Hz * t) + 0.1 * t;
        };
        graph.add("sender", std::make_unique<StepDependent>(std::vector{port("position", "m")}, wave, H_s),
                  Rational(1, 1000));
        graph.add("reader", std::make_unique<Reader>(), reader_step_s);
        ConnectionSpec spec;
        spec.from = {"sender.position"};
        spec.to = "reader.in";
        graph.connect(spec);
        return graph;
      },
      options_for());
  simulation.run();
  return simulation.summary();
}

// A wave of 10 Hz that is read every 0.2 s: every second period, the same value at all step sizes.
TEST(Accuracy, AFastOutputThatIsReadNearAMultipleOfItsPeriodIsToldOf) {
  const Summary lost = judge_reader(10.0, Rational(1, 5));
  EXPECT_EQ(lost.motion.value, VerdictValue::reliable) << "the check run agrees";
  EXPECT_GE(severity(lost.verdict->value), severity(VerdictValue::doubtful));
  EXPECT_NE(lost.verdict->advice.find("reader.step_size"), std::string::npos) << lost.verdict->advice;
  const Summary often = judge_reader(0.2, Rational(1, 50));
  for (const VerdictReason& reason : often.verdict->reasons)
    EXPECT_NE(reason.kind, ReasonKind::source_sampling) << reason.what;
}

// A run that a subsystem ends, or somebody interrupts, is judged as far as it went.
TEST(Accuracy, ARunThatDoesNotFinishIsJudgedUpToThere) {
  const auto judged_up_to = [](double error) {
    const Outputs outputs = [error](double t, double h, double* y) {
      y[0] = std::sin(t) + error * (h / H_s) * std::sin(2.0 * t);
    };
    Simulation simulation(
        [=] {
          SystemGraph graph;
          graph.add("body", std::make_unique<StepDependent>(std::vector{port("position", "m")}, outputs, H_s),
                    Rational(1, 1000));
          return graph;
        },
        options_for());
    simulation.run([&]() -> std::optional<StopReason> {
      constexpr double interrupted_at_s = 4.0;
      return simulation.engine().record().time_s() >= interrupted_at_s
                 ? std::optional(StopReason::interrupted)
                 : std::nullopt;
    });
    return simulation.summary();
  };
  const Summary wrong = judged_up_to(0.5);
  EXPECT_EQ(wrong.status, RunStatus::interrupted);
  ASSERT_TRUE(wrong.motion.checked) << wrong.motion.why_not;
  EXPECT_GT(severity(wrong.verdict->value), severity(VerdictValue::consistent));
  EXPECT_NEAR(wrong.motion.variables.front().largest_error, 1.2 * 0.5, 0.01);
  EXPECT_NE(wrong.verdict->reasons.front().what.find("up to 4 s"), std::string::npos)
      << wrong.verdict->reasons.front().what;
  EXPECT_EQ(judged_up_to(0.01).verdict->value, VerdictValue::reliable);
}

// The steps inside are its own at all communication steps, so that both runs agree in what is wrong.
TEST(Accuracy, ASolverInsideIsConsistentAtBest) {
  class Inside final : public Subsystem {
   public:
    [[nodiscard]] Description describe() const override {
      Description d;
      d.outputs = {port("position", "m")};
      d.solver_step_s = 1e-3;
      return d;
    }
    StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
    StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
    void outputs(double t, const double* /*u*/, double* y) override { y[0] = std::sin(t); }
  };
  Simulation simulation(
      [] {
        SystemGraph graph;
        graph.add("fmu", std::make_unique<Inside>(), Rational(1, 100));
        return graph;
      },
      options_for());
  simulation.run();
  EXPECT_EQ(simulation.motion().value, VerdictValue::reliable);
  EXPECT_EQ(simulation.verdict().value, VerdictValue::consistent);
  EXPECT_EQ(simulation.motion().solvers_inside, std::vector<std::string>{"fmu"});
}

}  // namespace
}  // namespace ergon
