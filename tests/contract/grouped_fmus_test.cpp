// FMUs that are stepped in one call: whatever one of them does, the run sees what it sees when they are stepped one by one. The
// test FMUs (tests/fmus/plain.h) tell their log of every call and its values, so that calls can be compared, too.
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/core/ends_initialization.hpp"
#include "ergon/core/grouped_steps.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "support/fmi_kit.hpp"

namespace ergon::fmi {
namespace {

enum Fault {
  healthy,
  warning_at_set,
  error_at_set,
  warning,
  error,
  fatal,
  discard,
  terminate,
  early_return,
  nan_output,
  error_at_get,
  faults
};

constexpr double h = 0.01;
constexpr double when = 0.055;  // within the sixth step: the first one of a run is measured one by one
constexpr std::size_t group_count = 7;
constexpr std::size_t faulty_member = 3;
constexpr int group_points = 10;

/// The same subsystem, which does not say that it can be stepped with others.
class OneByOne final : public Subsystem, public EndsInitialization {
 public:
  explicit OneByOne(std::unique_ptr<Subsystem> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Description describe() const override { return inner_->describe(); }
  StepStatus initialize(const Experiment& e) override { return inner_->initialize(e); }
  StepStatus step(double t, double length, const InputView& u) override { return inner_->step(t, length, u); }
  void outputs(double t, const double* u, double* y) override { inner_->outputs(t, u, y); }
  StepStatus end_initialization(double t, const double* u) override {
    return inner_->ends_initialization()->end_initialization(t, u);
  }
  EndsInitialization* ends_initialization() override { return this; }
  [[nodiscard]] double time_reached() const override { return inner_->time_reached(); }
  Rewindable* rewindable() override { return inner_->rewindable(); }

 private:
  std::unique_ptr<Subsystem> inner_;
};

struct Case {
  std::string fmu;
  std::string scheme;
  unsigned threads = 1;
  Fault fault = healthy;
  bool in_one_call = true;
};

/// All that can be seen of a run from outside.
struct SeenInGroup {
  std::vector<std::string> calls;  ///< who, when, what: of all FMUs, in order
  std::vector<double> outputs;     ///< at every point that was reached
  double last_point_s = 0.0;
  std::optional<Failure> failure;
};

std::unique_ptr<Subsystem> make_plain(const std::string& fmu, std::size_t i, Fault fault) {
  ProblemList problems;
  const auto model = FmuModel::load(kit_file(fmu), problems);
  if (!model) throw InputError(problems);
  FmuRequest request;
  request.name = "m" + std::to_string(i);
  request.options.refresh = false;
  request.values = {KitInstance::given(*model, "start", 1.0 + static_cast<double>(i)),
                    KitInstance::given(*model, "fault", fault), KitInstance::given(*model, "when", when)};
  auto subsystem = make_fmu_subsystem(model, request, problems);
  if (!subsystem) throw InputError(problems);
  return subsystem;
}

class Listener {
 public:
  explicit Listener(std::vector<std::string>& calls) {
    set_log_sink([&calls](const LogMessage& m) {
      calls.push_back(fmt::format("{} at {}: {} ({})", m.instance, m.time_s, m.text, name_of(m.status)));
    });
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() {
    set_log_sink([](const LogMessage& m) { FmuLog::instance().add(m); });
  }
};

/// A ring: each follows the one before it.
SeenInGroup run(const Case& c) {
  SeenInGroup seen;
  const Listener listener(seen.calls);
  SystemGraph graph;
  const Rational step = *Rational::from_double(h);
  for (std::size_t i = 0; i < group_count; ++i) {
    auto fmu = make_plain(c.fmu, i, i == faulty_member ? c.fault : healthy);
    EXPECT_NE(fmu->grouped_steps().steps, nullptr);
    if (!c.in_one_call) fmu = std::make_unique<OneByOne>(std::move(fmu));
    graph.add("m" + std::to_string(i), std::move(fmu), step);
  }
  for (std::size_t i = 0; i < group_count; ++i) {
    ConnectionSpec spec;
    spec.from = {"m" + std::to_string(i) + ".y"};
    spec.to = "m" + std::to_string((i + 1) % group_count) + ".u";
    graph.connect(std::move(spec));
  }
  ProblemList problems;
  const auto system = graph.freeze(problems);
  CouplingOptions options;
  options.scheme = c.scheme;
  options.threads = c.threads;
  const std::vector<Rational> steps = {step};
  const auto made =
      Engine::make(*system, TimeGrid(Rational(), step * Rational(group_points, 1), steps), options, problems);
  if (!made) throw InputError(problems);
  Engine& engine = *made;
  seen.failure = engine.initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  while (!engine.done() && !seen.failure) {
    for (Index i = 0; i < group_count; ++i) seen.outputs.push_back(engine.record().output(i));
    seen.last_point_s = engine.record().time_s();
    seen.failure = engine.advance();
  }
  return seen;
}

class GroupedFmus : public ::testing::TestWithParam<int> {
 protected:
  template <class Check>
  static void on_every_case(Check&& check) {
    const std::string name = "plain" + std::to_string(GetParam());
    for (const char* variant : {"", "_states"}) {
      for (const char* scheme : {"jacobi", "gauss-seidel"}) {
        for (const unsigned threads : {1U, 2U}) {
          for (int fault = healthy; fault < faults; ++fault) {
            const Case c{name + variant, scheme, threads, static_cast<Fault>(fault)};
            SCOPED_TRACE(fmt::format("{} {} threads {} fault {}", c.fmu, scheme, threads, fault));
            check(c);
          }
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, GroupedFmus, ::testing::Values(2, 3));

TEST_P(GroupedFmus, OneCallMakesTheSameCallsAndLeavesTheSameRunWhateverOneOfThemDoes) {
  on_every_case([](Case c) {
    const SeenInGroup together = run(c);
    c.in_one_call = false;
    const SeenInGroup alone = run(c);
    EXPECT_EQ(together.calls, alone.calls);
    EXPECT_EQ(together.outputs, alone.outputs);
    EXPECT_EQ(together.last_point_s, alone.last_point_s);
    ASSERT_EQ(together.failure.has_value(), alone.failure.has_value());
    if (!alone.failure) return;
    EXPECT_EQ(together.failure->subsystem, alone.failure->subsystem);
    EXPECT_EQ(together.failure->port, alone.failure->port);
    EXPECT_EQ(together.failure->time_s, alone.failure->time_s);
    EXPECT_EQ(together.failure->what, alone.failure->what);
    EXPECT_EQ(together.failure->discarded, alone.failure->discarded);
  });
}

TEST_P(GroupedFmus, WhoFailsIsNamedWithItsTimeAndWhatItSaid) {
  on_every_case([](const Case& c) {
    const SeenInGroup seen = run(c);
    const bool fails = c.fault == error_at_set || c.fault == error || c.fault == fatal ||
                       c.fault == terminate || c.fault == nan_output || c.fault == error_at_get;
    ASSERT_EQ(seen.failure.has_value(), fails) << (seen.failure ? seen.failure->what : "");
    // One that asks to end the run holds its values to the end of that step, and refuses the next one.
    const bool ends = c.fault == terminate;
    EXPECT_EQ(seen.outputs.size(), group_count * (ends ? 7 : fails ? 6 : group_points));
    if (!fails) return;
    EXPECT_EQ(seen.failure->subsystem, "m3");
    EXPECT_EQ(seen.last_point_s, ends ? 0.06 : 0.05);
    EXPECT_EQ(seen.failure->time_s, c.fault == nan_output || ends ? 0.06 : 0.05);
    const char* const said = c.fault == error        ? "DoStep returned error: \"this step cannot be done"
                             : c.fault == fatal      ? "DoStep returned fatal: \"nothing can be done any more"
                             : c.fault == terminate  ? "it asked to end the run"
                             : c.fault == nan_output ? "output 'm3.y' is nan"
                             : c.fault == error_at_set ? "SetFloat64 (SetReal) returned error"
                                                       : "GetFloat64 (GetReal) returned error";
    EXPECT_NE(seen.failure->what.find(said), std::string::npos) << seen.failure->what;
    // Those behind it were not touched in that step where it did not do it itself.
    const auto steps_of = [&](const char* who) {
      const auto is_step = [&](const std::string& call) {
        return call.starts_with(who) && call.find(": step") != std::string::npos;
      };
      return std::count_if(seen.calls.begin(), seen.calls.end(), is_step);
    };
    EXPECT_EQ(steps_of("m2"), ends ? 7 : 6);
    EXPECT_EQ(steps_of("m4"), ends ? 6 : c.fault == nan_output && c.scheme == std::string("jacobi") ? 6 : 5);
  });
}

TEST_P(GroupedFmus, AWarningOrAShorterStepDoesNotDisturbTheOthers) {
  on_every_case([](Case c) {
    if (c.fault == healthy) return;
    const SeenInGroup seen = run(c);
    if (seen.failure) return;
    const bool other_step = c.fault == discard || (c.fault == early_return && c.fmu.starts_with("plain3"));
    c.fault = healthy;
    const SeenInGroup clean = run(c);
    // Until the fault all are the same; where the step is only talked about, to the end, and so are the calls.
    if (!other_step) {
      const auto sets = [](const SeenInGroup& s) {
        return std::count_if(s.calls.begin(), s.calls.end(), [](const std::string& call) {
          return call.find(": set 0 ") != std::string::npos;
        });
      };
      EXPECT_EQ(sets(seen), sets(clean));
    }
    const std::size_t same = other_step ? 6 * group_count : seen.outputs.size();
    ASSERT_EQ(seen.outputs.size(), clean.outputs.size());
    for (std::size_t i = 0; i < same; ++i) EXPECT_EQ(seen.outputs[i], clean.outputs[i]) << i;
  });
}

TEST_P(GroupedFmus, TellsTheFirstThatIsNotDone) {
  for (const bool may_save : {false, true}) {
    const std::string fmu = "plain" + std::to_string(GetParam()) + (may_save ? "_states" : "");
    std::vector<std::unique_ptr<Subsystem>> all;
    std::vector<GroupedSteps::Member> members;
    std::vector<std::string> calls;
    const Listener listener(calls);
    for (std::size_t i = 0; i < group_count; ++i) {
      all.push_back(make_plain(fmu, i, i == faulty_member ? error : healthy));
      ASSERT_TRUE(all.back()->initialize({0.0, 1.0, {}}).ok);
      const auto at = static_cast<std::uint32_t>(i);
      members.push_back({all.back()->grouped_steps().self, at, at});
    }
    const GroupedSteps& together = *all.front()->grouped_steps().steps;
    std::vector<double> u(group_count, 1.0);
    std::vector<double> y(group_count, -1.0);
    std::size_t next = 0;
    EXPECT_TRUE(together.run(members, next, {0.0, 0.05, 0.05}, u.data(), y.data()).ok);
    EXPECT_EQ(next, group_count);
    std::vector<double> before = y;
    for (std::size_t i = 0; i < group_count; ++i) {  // y + h·(1 − y)
      const double start = 1.0 + static_cast<double>(i);
      EXPECT_EQ(y[i], start + 0.05 * (1.0 - start));
    }
    next = 1;  // the first has had its turn
    const StepStatus status = together.run(members, next, {0.05, 0.01, 0.06}, u.data(), y.data());
    EXPECT_FALSE(status.ok);
    EXPECT_EQ(status.outcome, StepOutcome::failed);
    EXPECT_NE(std::string(status.reason).find("this step cannot be done"), std::string::npos);
    EXPECT_EQ(next, faulty_member);
    for (std::size_t i = 0; i < group_count; ++i) {
      if (i == 1 || i == 2)
        EXPECT_NE(y[i], before[i]) << i;
      else
        EXPECT_EQ(y[i], before[i]) << i;
    }
  }
}

}  // namespace
}  // namespace ergon::fmi
