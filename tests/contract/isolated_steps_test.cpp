// FMUs in workers: all of a stage begin their steps before the first is waited for, and nothing but the time that this takes can be seen
// of it. The test FMUs `…_meeting` cannot end a step before another one has begun.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "ergon/core/ends_initialization.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "support/fmi_kit.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::fmi {
namespace {

constexpr double step_s = 0.01;

/// The same subsystem, which is waited for when it is stepped.
class WaitedFor final : public Subsystem, public EndsInitialization {
 public:
  explicit WaitedFor(std::unique_ptr<Subsystem> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Description describe() const override { return inner_->describe(); }
  StepStatus initialize(const Experiment& e) override { return inner_->initialize(e); }
  StepStatus end_initialization(double t, const double* u) override {
    return inner_->ends_initialization()->end_initialization(t, u);
  }
  EndsInitialization* ends_initialization() override { return this; }
  StepStatus step(double t, double length, const InputView& u) override { return inner_->step(t, length, u); }
  void outputs(double t, const double* u, double* y) override { inner_->outputs(t, u, y); }
  DiscretePorts* discrete_ports() override { return inner_->discrete_ports(); }
  Rewindable* rewindable() override { return inner_->rewindable(); }

 private:
  std::unique_ptr<Subsystem> inner_;
};

struct Way {
  std::string scheme = "jacobi";
  int degree = 0;
  unsigned threads = 1;
  bool begins_first = true;  ///< as it is; else each is waited for when it is stepped
};
std::string name_of(const Way& way) {
  return way.scheme + " of degree " + std::to_string(way.degree) + ", threads " + std::to_string(way.threads);
}

/// All that can be seen of a run from outside.
struct Seen {
  std::vector<std::string> messages;
  std::vector<double> outputs;
  std::vector<std::string> texts;
  std::vector<std::int64_t> integers;
  std::optional<Failure> failure;
  std::vector<double> cost_s;
};

class IsolatedSteps : public ::testing::Test {
 protected:
  IsolatedSteps() {
    set_worker_command(ERGON_COMMAND);
    set_log_sink([this](const LogMessage& m) {
      messages_.push_back(m.instance + " at " + std::to_string(m.time_s) + ": " + m.text);
    });
  }
  ~IsolatedSteps() override {
    set_log_sink([](const LogMessage& m) { FmuLog::instance().add(m); });
    set_worker_command("");
  }

  void add(const std::string& name, const std::string& fmu, const Way& way,
           const std::map<std::string, double>& numbers, const std::string& label = "") {
    ProblemList problems;
    const auto model = FmuModel::load(kit_file(fmu), problems);
    if (!model) throw InputError(problems);
    FmuRequest request;
    request.name = name;
    request.options.refresh = way.scheme == "implicit";
    request.options.isolate = true;
    request.options.call_limit_s = call_limit_s_;
    for (const auto& [parameter, value] : numbers)
      request.values.push_back(KitInstance::given(*model, parameter, value));
    if (!label.empty())
      request.values.push_back({model->find("label")->reference, VariableType::text, false, {}, {}, {label}});
    auto subsystem = make_fmu_subsystem(model, request, problems);
    if (!subsystem) throw InputError(problems);
    EXPECT_NE(subsystem->async_steps(), nullptr);
    if (!way.begins_first) subsystem = std::make_unique<WaitedFor>(std::move(subsystem));
    graph_.add(name, std::move(subsystem), *Rational::from_double(step_s));
  }
  void connect(const std::string& from, const std::string& to) {
    ConnectionSpec spec;
    spec.from = {from};
    spec.to = to;
    graph_.connect(std::move(spec));
  }
  /// How many steps the one has taken goes to an input of the other: an integer that changes at every point.
  void connect_steps(const std::string& from, const std::string& fmu, const std::string& to) {
    connect(from + ".steps", to + (fmu.starts_with("kit2") ? ".count_in" : ".int32_in"));
  }
  Seen run(const Way& way, int points) {
    Seen seen;
    ProblemList problems;
    const Rational step = *Rational::from_double(step_s);
    const auto system = graph_.freeze(problems);
    if (!system) throw InputError(problems);
    CouplingOptions options;
    options.scheme = way.scheme;
    options.degree = way.degree;
    options.threads = way.threads;
    const std::vector<Rational> steps = {step};
    const auto engine =
        Engine::make(*system, TimeGrid(Rational(), step * Rational(points, 1), steps), options, problems);
    if (!engine) throw InputError(problems);
    seen.failure = engine->initialize(problems);
    if (problems.has_errors()) throw InputError(problems);
    while (!engine->done() && !seen.failure) {
      seen.failure = engine->advance();
      for (Index i = 0; i < system->outputs.size() && !seen.failure; ++i)
        note_output(engine->record(), i, system->outputs[i].type, seen);
    }
    for (Index n = 0; n < system->nodes.size(); ++n) seen.cost_s.push_back(engine->cost(n).mean_step_s);
    seen.messages = std::move(messages_);
    messages_.clear();
    graph_ = SystemGraph();
    return seen;
  }
  static void note_output(const StepRecord& record, Index i, PortType type, Seen& seen) {
    const ValueKind kind = value_kind_of(type);
    if (kind == ValueKind::integer)
      seen.integers.push_back(record.integer_output(i));
    else if (kind == ValueKind::real)
      seen.outputs.push_back(record.output(i));
    else
      seen.texts.push_back(record.text_output(i));
  }
  static void expect_same(const Seen& one, const Seen& other) {
    EXPECT_EQ(one.outputs, other.outputs);
    EXPECT_EQ(one.integers, other.integers);
    EXPECT_EQ(one.texts, other.texts);
    EXPECT_EQ(one.messages, other.messages);
    ASSERT_EQ(one.failure.has_value(), other.failure.has_value());
    if (!one.failure) return;
    EXPECT_EQ(one.failure->subsystem, other.failure->subsystem);
    EXPECT_EQ(one.failure->port, other.failure->port);
    EXPECT_EQ(one.failure->time_s, other.failure->time_s);
    EXPECT_EQ(one.failure->what, other.failure->what);
  }

  double call_limit_s_ = 60.0;
  SystemGraph graph_;
  std::vector<std::string> messages_;
  ScratchDirectory scratch_;
};

TEST_F(IsolatedSteps, OfAStageAllBeginBeforeAnyIsWaitedFor) {
  int meetings = 0;
  for (const char* const fmu : {"kit2_meeting", "kit3_meeting", "kit3_meeting_clock"}) {
    for (const Way& way : {Way{}, Way{"jacobi", 1}, Way{"jacobi", 0, 2}, Way{"implicit", 1}}) {
      // Event mode would be entered for every evaluation there.
      if (way.scheme == "implicit" && fmu != std::string("kit2_meeting")) continue;
      SCOPED_TRACE(std::string(fmu) + " " + name_of(way));
      const std::string place = (scratch_ / std::to_string(meetings++)).string();
      for (const std::string name : {"a", "b"}) add(name, fmu, way, {}, place);
      for (const std::string name : {"a", "b"}) {
        const std::string other = name == "a" ? "b" : "a";
        connect(other + ".spring_force", name + ".force");
        connect_steps(other, fmu, name);
      }
      connect("a.text_out", "b.text_in");
      constexpr int points = 70;  // more than are taken between two that are timed
      const Seen seen = run(way, points);
      ASSERT_FALSE(seen.failure) << seen.failure->subsystem << ": " << seen.failure->what;
      EXPECT_EQ(seen.texts.size() % points, 0U);
    }
  }
}

// What the test before relies on.
TEST_F(IsolatedSteps, ThatAreWaitedForOneByOneDoNotMeet) {
  const Way way{"jacobi", 0, 1, false};
  for (const std::string name : {"a", "b"}) add(name, "kit2_meeting", way, {}, (scratch_ / "place").string());
  const Seen seen = run(way, 3);
  ASSERT_TRUE(seen.failure);
  EXPECT_EQ(seen.failure->subsystem, "a");
  EXPECT_NE(seen.failure->what.find("nobody came"), std::string::npos) << seen.failure->what;
}

TEST_F(IsolatedSteps, ThatBeginTogetherLeaveTheRunOfThoseThatAreWaitedForOneByOne) {
  constexpr int faults = 11;  // tests/fmus/plain.h
  constexpr std::size_t count = 4;
  for (const char* const fmu : {"plain2_states", "plain3_states"}) {
    for (int fault = 0; fault < faults; ++fault) {
      const auto seen = [&](bool begins_first) {
        const Way way{"jacobi", 0, 1, begins_first};
        const auto name = [](std::size_t i) { return "m" + std::to_string(i % count); };
        for (std::size_t i = 0; i < count; ++i)
          add(name(i), fmu, way,
              {{"start", 1.0 + static_cast<double>(i)}, {"fault", i == 1 ? fault : 0}, {"when", 0.055}});
        for (std::size_t i = 0; i < count; ++i) connect(name(i) + ".y", name(i + 1) + ".u");
        return run(way, 10);
      };
      SCOPED_TRACE(std::string(fmu) + " fault " + std::to_string(fault));
      const Seen together = seen(true);
      expect_same(together, seen(false));
      EXPECT_GT(together.messages.size(), 40U);
      EXPECT_GE(together.outputs.size(), 5 * count);
    }
  }
}

TEST_F(IsolatedSteps, OfEveryKindOfPortGiveTheSameBits) {
  for (const char* const fmu :
       {"kit2_noisy", "kit3_noisy", "kit3_events", "kit3_clocked_text", "kit3_segfault"}) {
    for (Way way : {Way{}, Way{"jacobi", 1}, Way{"implicit", 1}}) {
      if (way.scheme == "implicit" && fmu != std::string("kit2_noisy")) continue;
      SCOPED_TRACE(std::string(fmu) + " " + name_of(way));
      const auto seen = [&](bool begins_first) {
        way.begins_first = begins_first;
        for (const std::string name : {"a", "b", "c"}) {
          // Only one that can fail, in the middle.
          const bool is_healthy = name != "b" && std::string(fmu) == "kit3_segfault";
          add(name, is_healthy ? "kit3_noisy" : fmu, way, {{"initial.x", name == "a" ? 0.5 : 1.0}});
        }
        for (const auto& [from, to] :
             std::map<std::string, std::string>{{"a", "b"}, {"b", "c"}, {"c", "a"}}) {
          connect(from + ".spring_force", to + ".force");
          connect_steps(from, fmu, to);
        }
        connect("a.text_out", "b.text_in");
        connect("b.switch_out", "c.switch_in");
        return run(way, 60);
      };
      const Seen together = seen(true);
      expect_same(together, seen(false));
      EXPECT_EQ(together.failure.has_value(), std::string(fmu) == "kit3_segfault");
      EXPECT_GT(together.outputs.size(), 45U * 3);
    }
  }
}

// A limit counts from the request on: those that hang at the same time are ended at the same time, and not one after the other.
TEST_F(IsolatedSteps, ThatHangAreEndedTogether) {
  const Way way;
  call_limit_s_ = 2.0;
  for (const std::string name : {"a", "b", "c", "d"}) add(name, "kit2_hang", way, {});
  const auto begin = std::chrono::steady_clock::now();
  const Seen seen = run(way, 60);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(seen.failure);
  EXPECT_EQ(seen.failure->subsystem, "a");
  EXPECT_NE(seen.failure->what.find("did not answer within 2 s"), std::string::npos) << seen.failure->what;
  EXPECT_GT(taken.count(), 1.9);
  EXPECT_LT(taken.count(), 6.0);
}

// Whoever is waited for first would seem to cost what all do, and the others nothing.
TEST_F(IsolatedSteps, CostEachWhatItsOwnStepTakes) {
  const Way way;
  for (const std::string name : {"a", "b", "c"}) add(name, "kit2_slow", way, {});
  const Seen seen = run(way, 20);
  ASSERT_FALSE(seen.failure);
  for (const double cost_s : seen.cost_s) EXPECT_GE(cost_s, 2e-3);  // they sleep 2 ms in every step
}

}  // namespace
}  // namespace ergon::fmi
