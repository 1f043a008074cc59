// A system that is spread over two parts, each in a thread with its own graph and engine: the same bits as in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "support/accounted_body.hpp"

namespace ergon::testing {
namespace {

/// A subsystem that another part steps: here it has its ports, and nothing to be asked for.
class Elsewhere final : public Rewinding {
 public:
  explicit Elsewhere(Description description) : description_(std::move(description)) {}
  [[nodiscard]] Description describe() const override { return description_; }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}

 private:
  Description description_;
};

struct Message {
  enum class Kind { outputs, failure, number } kind = Kind::outputs;
  std::vector<double> numbers{};
  std::optional<Failure> failure{};
};

/// What has been sent to one part, in order.
class Mailbox {
 public:
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    arrived_.notify_one();
  }
  Message take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !messages_.empty(); });
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
};

/// One of two parts. Whoever fails sends its failure in place of outputs.
class Part final : public OutputExchange, public Decisions {
 public:
  Part(std::set<std::string> own, Mailbox& inbox, Mailbox& other)
      : own_(std::move(own)), inbox_(inbox), other_(other) {}

  void prepare(const CouplingPlan& plan) override { plan_ = &plan; }

  std::optional<Failure> complete(Index stage, std::span<const std::uint32_t> members,
                                  const OutputPlanes& plane) override {
    const std::vector<Member>& all = plan_->stage(stage).members;
    std::vector<std::uint32_t> everyone(all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) everyone[i] = i;
    if (members.empty()) members = everyone;
    Message message;
    for (const std::uint32_t i : members) {
      if (is_own(all[i]))
        message.numbers.insert(message.numbers.end(), plane.reals + all[i].first_output,
                               plane.reals + all[i].first_output + all[i].output_count);
    }
    other_.put(std::move(message));
    const Message answer = inbox_.take();
    if (answer.kind == Message::Kind::failure) {
      from_other_ = answer;
      return answer.failure;
    }
    const double* number = answer.numbers.data();
    for (const std::uint32_t i : members) {
      if (is_own(all[i])) continue;
      std::copy_n(number, all[i].output_count, plane.reals + all[i].first_output);
      number += all[i].output_count;
    }
    EXPECT_EQ(number, answer.numbers.data() + answer.numbers.size());
    return std::nullopt;
  }

  std::optional<Failure> failure(std::optional<Failure> own) override {
    other_.put({Message::Kind::failure, {}, own});
    // Outputs that were sent before the other part knew are of no use any more.
    while (!from_other_) {
      Message message = inbox_.take();
      if (message.kind == Message::Kind::failure) from_other_ = std::move(message);
    }
    const std::optional<Failure> others = std::exchange(from_other_, std::nullopt)->failure;
    if (!own || !others) return own ? own : others;
    return own->subsystem <= others->subsystem ? own
                                               : others;  // members of a stage are in order of their names
  }

  double largest(double own) override {
    other_.put({Message::Kind::number, {own}, {}});
    const double others = inbox_.take().numbers.front();
    return std::isnan(own) || std::isnan(others) ? NAN : std::max(own, others);
  }

 private:
  [[nodiscard]] bool is_own(const Member& m) const {
    return plan_->stepping().empty() || m.law != nullptr || own_.contains(plan_->node_of(m).name);
  }

  std::set<std::string> own_;
  Mailbox& inbox_;
  Mailbox& other_;
  const CouplingPlan* plan_ = nullptr;
  std::optional<Message> from_other_;
};

struct Body4 {
  const char* name;
  const char* step_s;
  BodyParameters parameters;
};

struct Case {
  std::string scheme;
  int degree = 0;
  FeedthroughMode mode = FeedthroughMode::stale;
  bool multirate = false;
  bool controlled = false;
};
std::string text_of(const Case& c) {
  std::string text = c.scheme == "jacobi" ? "jacobi" : "sweep";
  text += "_degree" + std::to_string(c.degree);
  text += c.mode == FeedthroughMode::stale     ? "_stale"
          : c.mode == FeedthroughMode::refresh ? "_refresh"
                                               : "_predict";
  return text + (c.multirate ? "_multirate" : "") + (c.controlled ? "_controlled" : "");
}

/// What every point of a run has.
struct PartRun {
  std::vector<double> times_s;
  std::vector<double> outputs;
  std::optional<Failure> failure;
  std::vector<std::string> problems;
};

/// A chain of four bodies, of which every other one belongs to the same part.
PartRun run(const Case& c, const std::set<std::string>& own, const Parts& parts,
            const std::string& failing = "") {
  const auto body = [](double m, double kc, double v) {
    BodyParameters p;
    p.m_kg = m;
    p.k_N_m = 40.0 / m;
    p.kc_N_m = kc;
    p.v0_m_s = {v};
    return p;
  };
  std::vector<Body4> bodies = {{"a", "0.006", body(1.0, 30.0, 1.0)},
                               {"b", "0.002", body(2.0, 20.0, -0.3)},
                               {"c", "0.004", body(0.7, 25.0, 0.1)},
                               {"d", "0.002", body(1.3, 0.0, -1.0)}};
  SystemGraph graph;
  for (Body4& b : bodies) {
    if (b.name == failing)
      b.parameters.at_step = [count = 0]() mutable {
        if (++count == 7) throw std::runtime_error("its bearing broke");
      };
    auto real = std::make_unique<Body>(b.parameters);
    const Rational step = *Rational::parse(c.multirate ? b.step_s : "0.002");
    if (own.contains(b.name)) {
      graph.add(b.name, std::move(real), step);
    } else {
      graph.add(b.name, std::make_unique<Elsewhere>(real->describe()), step);
    }
  }
  graph.bond(spring_bond("ab", "a", "b"));
  graph.bond(spring_bond("bc", "b", "c"));
  graph.bond(spring_bond("cd", "c", "d"));
  CouplingOptions options;
  options.scheme = c.scheme;
  options.degree = c.degree;
  options.feedthrough = c.mode;
  if (c.controlled) {
    StepControlOptions control;
    control.method = "richardson";
    control.rtol = 1e-4;
    options.step_control = control;
  }
  PartRun result;
  ProblemList problems;
  const auto system = graph.freeze(problems);
  std::vector<Rational> steps;
  for (const Node& node : system->nodes) steps.push_back(node.step_s);
  if (c.controlled) steps = {Rational(1, 500 * StepControlOptions{}.subdivisions)};
  const TimeGrid grid(Rational(), Rational(3, 25), steps);
  const auto engine = Engine::make(*system, grid, options, problems, parts);
  EXPECT_NE(engine, nullptr);
  if (engine) result.failure = engine->initialize(problems);
  const auto note = [&] {
    result.times_s.push_back(engine->record().time_s());
    for (Index o = 0; o < system->outputs.size(); ++o) result.outputs.push_back(engine->record().output(o));
  };
  if (engine && !result.failure) note();
  while (engine && !result.failure && !engine->done()) {
    result.failure = engine->advance();
    note();
  }
  for (const Problem& problem : problems.all()) result.problems.push_back(problem.what);
  return result;
}

const std::set<std::string> everything = {"a", "b", "c", "d"};

std::pair<PartRun, PartRun> run_in_two_parts(const Case& c, const std::string& failing = "") {
  Mailbox first_box;
  Mailbox second_box;
  const std::set<std::string> first_own = {"a", "c"};
  const std::set<std::string> second_own = {"b", "d"};
  Part first(first_own, first_box, second_box);
  Part second(second_own, second_box, first_box);
  PartRun of_second;
  std::thread other([&] { of_second = run(c, second_own, {&second, &second}, failing); });
  PartRun of_first = run(c, first_own, {&first, &first}, failing);
  other.join();
  return {std::move(of_first), std::move(of_second)};
}

class TwoParts : public ::testing::TestWithParam<Case> {};

TEST_P(TwoParts, HaveTheBitsOfOne) {
  const PartRun one = run(GetParam(), everything, {});
  ASSERT_FALSE(one.failure);
  ASSERT_GT(one.times_s.size(), 20U);
  const auto [first, second] = run_in_two_parts(GetParam());
  for (const PartRun* part : {&first, &second}) {
    EXPECT_FALSE(part->failure);
    EXPECT_EQ(part->times_s, one.times_s);
    EXPECT_EQ(part->outputs, one.outputs);
  }
}

TEST_P(TwoParts, EndWithTheSameFailureAtTheSamePoint) {
  for (const char* failing : {"a", "d"}) {
    const PartRun one = run(GetParam(), everything, {}, failing);
    const auto [first, second] = run_in_two_parts(GetParam(), failing);
    for (const PartRun* part : {&first, &second}) {
      EXPECT_EQ(part->failure.has_value(), one.failure.has_value());
      EXPECT_EQ(part->times_s, one.times_s);
      EXPECT_EQ(part->outputs, one.outputs);
      if (!part->failure || !one.failure) continue;
      EXPECT_EQ(part->failure->subsystem, failing);
      EXPECT_EQ(part->failure->time_s, one.failure->time_s);
      EXPECT_EQ(part->failure->what, "its bearing broke");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, TwoParts,
                         ::testing::Values(Case{"jacobi"}, Case{"jacobi", 1},
                                           Case{"jacobi", 1, FeedthroughMode::refresh},
                                           Case{"jacobi", 0, FeedthroughMode::predict, true},
                                           Case{"jacobi", 2, FeedthroughMode::refresh, true},
                                           Case{"jacobi", 0, FeedthroughMode::stale, false, true},
                                           Case{"gauss-seidel"},
                                           Case{"gauss-seidel", 1, FeedthroughMode::refresh, true}),
                         [](const auto& one) { return text_of(one.param); });

TEST(Parts, ImplicitSchemesAreRefused) {
  Mailbox box;
  Part part(everything, box, box);
  ProblemList problems;
  SystemGraph graph;
  BodyParameters holds;
  holds.kc_N_m = 10.0;
  graph.add("a", std::make_unique<Body>(holds), Rational(1, 100));
  graph.add("b", std::make_unique<Body>(BodyParameters{}), Rational(1, 100));
  graph.bond(spring_bond("ab", "a", "b"));
  const auto system = graph.freeze(problems);
  CouplingOptions options;
  options.scheme = "semi-implicit";
  const std::vector<Rational> steps = {Rational(1, 100)};
  EXPECT_EQ(
      Engine::make(*system, TimeGrid(Rational(), Rational(1, 1), steps), options, problems, {&part, &part}),
      nullptr);
  const auto& all = problems.all();
  const auto is_it = [](const Problem& problem) {
    return problem.what == "An implicit scheme cannot be used in a run of several parts.";
  };
  EXPECT_EQ(std::count_if(all.begin(), all.end(), is_it), 1);
}

}  // namespace
}  // namespace ergon::testing
