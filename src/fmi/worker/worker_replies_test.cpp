// Replies of workers that are damaged or made up: each is taken or refused, and nothing is written where it does not belong. The
// sanitizers see what these tests do not.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cmath>

#include "ergon/core/grouped_steps.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/fmi/worker/worker_link.hpp"
#include "support/lying_worker.hpp"

namespace ergon::fmi {
namespace {

/// A worker in this process, which damages its replies.
class LyingLink final : public WorkerLink {
 public:
  explicit LyingLink(std::uint64_t seed) : honest_(setup_of_all_kinds()), liar_(seed) {}
  std::string start() override { return {}; }
  [[nodiscard]] bool is_running() const override { return true; }
  [[nodiscard]] const Channel& channel() const override { return channel_; }
  void send(Request request, std::size_t size) override {
    HonestWorker::Reply reply = honest_.answer(request, channel_.memory().first(size), liar_.below(16) == 0,
                                               liar_.below(8) == 0 ? liar_.below(4) : 0);
    is_failing = reply.ok == 0;
    std::uint64_t said_size = reply.bytes.size();
    is_damaged = lies && liar_.damage(reply, said_size);
    std::memcpy(channel_.memory().data(), reply.bytes.data(), reply.bytes.size());
    channel_.head().ok.store(reply.ok);
    channel_.head().size.store(said_size);
  }
  std::string wait(bool /*may_spin*/) override { return {}; }
  void end() override { ++ends; }

  bool lies = false;
  bool is_damaged = false;
  bool is_failing = false;
  std::size_t ends = 0;

 private:
  Channel channel_ = Channel::make();
  HonestWorker honest_;
  Liar liar_;
};

/// Arrays with guards behind them.
struct Targets {
  static constexpr double real_guard = -77.0;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  explicit Targets(const Batches& b) {
    reals.assign(b.real_count + 4, real_guard);
    integers.assign(b.integer_count + 4, -77);
    texts.assign(b.text_count + 4, "guard");
  }
  [[nodiscard]] bool guards_are_whole(const Batches& b) const {
    bool whole = true;
    for (std::size_t i = 0; i < 4; ++i)
      whole = whole && reals[b.real_count + i] == real_guard && integers[b.integer_count + i] == -77 &&
              texts[b.text_count + i] == "guard";
    return whole;
  }
};

struct Counts {
  std::uint64_t taken = 0, refused = 0;
};

Counts damaged_replies(std::uint64_t count) {
  const auto setup = setup_of_all_kinds();
  auto owned = std::make_unique<LyingLink>(count);
  LyingLink& link = *owned;
  const auto instance = make_linked_instance(setup, "lying", std::move(owned));
  instance->mute();
  EXPECT_TRUE(instance->instantiate() || link.is_failing);
  link.lies = true;
  Targets targets(setup->outputs);
  const std::vector<double> u(setup->inputs.real_count, 1.0);
  const std::vector<std::uint32_t> references = {1, 2};
  std::vector<double> values(references.size() + 1, Targets::real_guard);
  std::vector<std::byte> bytes;
  Counts counts;
  Liar choice(count + 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t ends = link.ends;
    bool ok = false;
    switch (choice.below(8)) {
      case 0:
        ok = instance->step(0.0, 0.1, InputView{u.data(), u.size(), 0}) == StepEnd::done &&
             instance->outputs(0.1, u.data(), targets.reals.data(), false) &&
             instance->discrete_outputs(targets.integers.data(), targets.texts.data());
        if (ok && !link.is_damaged) {
          EXPECT_EQ(targets.reals[2], HonestWorker::real(2));
          EXPECT_EQ(targets.integers[4], HonestWorker::integer(4));
          EXPECT_EQ(targets.texts[2], HonestWorker::text(2));
        }
        break;
      case 1:
        (void)instance->restore(0);  // outputs are asked for anew
        ok = instance->discrete_outputs(targets.integers.data(), targets.texts.data());
        break;
      case 2: {
        StartValue value{3, VariableType::int8, false, {}, {1, 2}, {}};
        ok = instance->get_value(value);
        EXPECT_EQ(value.integers.size(), 2U);
        break;
      }
      case 3:
        try {
          (void)instance->make_slot();
          ok = true;
        } catch (const std::runtime_error&) {
          ok = false;
        }
        break;
      case 4:
        ok = instance->serialize(0, bytes);
        EXPECT_LE(bytes.size(), link.channel().memory().size());
        break;
      case 5:
        ok = instance->directional_derivative(references, references, values, std::span(values).first(2));
        break;
      case 6:
        ok = instance->output_derivatives(references, std::span(values).first(2));
        break;
      default:
        ok = instance->set_value({3, VariableType::int8, false, {}, {1}, {}});
    }
    ++(ok ? counts.taken : counts.refused);
    if (ok) {
      EXPECT_TRUE(!link.is_failing || link.is_damaged);
    } else {
      EXPECT_FALSE(instance->reason().empty() && !link.is_damaged);
      EXPECT_TRUE(link.is_damaged || link.is_failing || ends != link.ends) << instance->reason();
    }
    EXPECT_EQ(values.back(), Targets::real_guard);
    if (!targets.guards_are_whole(setup->outputs)) {
      ADD_FAILURE() << "reply " << i << " was written beyond its place";
      break;
    }
  }
  return counts;
}

TEST(WorkerReplies, AMillionMadeAtRandomAreTakenOrRefused) {
  const Counts counts = damaged_replies(1'000'000);
  EXPECT_GT(counts.taken, 50'000U);  // those that are as they should be, and numbers that could be
  EXPECT_GT(counts.refused, 500'000U);
}

/// A worker in this process that notes when it is asked and when it is waited for.
class NotingLink final : public WorkerLink {
 public:
  NotingLink(std::shared_ptr<const InstanceSetup> setup, std::string& notes, bool fails)
      : honest_(std::move(setup)), notes_(notes), fails_(fails) {}
  std::string start() override { return {}; }
  [[nodiscard]] bool is_running() const override { return true; }
  [[nodiscard]] const Channel& channel() const override { return channel_; }
  void send(Request request, std::size_t size) override {
    if (request == Request::step) notes_ += "begin ";
    const HonestWorker::Reply reply =
        honest_.answer(request, channel_.memory().first(size), fails_ && request == Request::step);
    std::memcpy(channel_.memory().data(), reply.bytes.data(), reply.bytes.size());
    channel_.head().ok.store(reply.ok);
    channel_.head().size.store(reply.bytes.size());
  }
  std::string wait(bool /*may_spin*/) override {
    notes_ += "wait ";
    return {};
  }
  void end() override {}

 private:
  Channel channel_ = Channel::make();
  HonestWorker honest_;
  std::string& notes_;
  bool fails_;
};

class WorkersOfAStage : public ::testing::Test {
 protected:
  WorkersOfAStage() {
    for (std::size_t i = 0; i < 3; ++i) {
      all_.push_back(
          make_linked_instance(setup_, "honest", std::make_unique<NotingLink>(setup_, notes_, i == 1)));
      if (!all_.back()->instantiate()) throw std::runtime_error(all_.back()->reason());
    }
    notes_.clear();
  }
  StepEnd step(std::size_t i) { return all_[i]->step(0.0, 0.1, inputs_); }
  void begin(std::size_t i) { all_[i]->async_steps()->begin_step(0.0, 0.1, inputs_, false); }

  std::shared_ptr<const InstanceSetup> setup_ = setup_of_all_kinds();
  std::string notes_;
  std::vector<std::unique_ptr<FmuInstance>> all_;  ///< steps of the second fail
  std::vector<double> u_ = std::vector<double>(setup_->inputs.real_count, 1.0);
  InputView inputs_{u_.data(), u_.size(), 0};
};

TEST_F(WorkersOfAStage, WaitForAStepThatWasBegunWhenItIsTaken) {
  for (std::size_t i = 0; i < 3; ++i) begin(i);
  EXPECT_EQ(notes_, "begin begin begin ");
  EXPECT_EQ(step(0), StepEnd::done);
  EXPECT_FALSE(all_[0]->async_steps()->is_under_way());
  EXPECT_EQ(step(1), StepEnd::failed);
  EXPECT_EQ(all_[1]->reason(), "it could not be done");
  EXPECT_EQ(notes_, "begin begin begin wait wait ");
  EXPECT_TRUE(all_[2]->async_steps()->is_under_way());
  EXPECT_EQ(step(2), StepEnd::done);
  Targets targets(setup_->outputs);
  ASSERT_TRUE(all_[2]->outputs(0.1, u_.data(), targets.reals.data(), false));
  ASSERT_TRUE(all_[2]->discrete_outputs(targets.integers.data(), targets.texts.data()));
  EXPECT_EQ(targets.reals[2], HonestWorker::real(2));
  EXPECT_EQ(targets.texts[2], HonestWorker::text(2));
  EXPECT_EQ(notes_, "begin begin begin wait wait wait ");  // outputs came with the step
}

TEST_F(WorkersOfAStage, AbandonAStepThatIsNotTaken) {
  begin(0);
  EXPECT_TRUE(all_[0]->set_value({3, VariableType::int8, false, {}, {1}, {}}));  // an answer of its own
  EXPECT_EQ(notes_, "begin wait wait ");
  EXPECT_FALSE(all_[0]->async_steps()->is_under_way());
  notes_.clear();
  begin(1);
  begin(2);
  all_.clear();  // whoever is freed amid a step is waited for: then it is asked to quit
  EXPECT_EQ(notes_, "begin begin wait wait wait wait wait ");
}

void expect_to_end_in_a_message(std::uint64_t seed) {
  const auto setup = setup_of_all_kinds();
  WorkerOptions options;
  options.call_limit_s = 0.3;
  const auto instance = make_worker_instance(setup, "lie-" + std::to_string(seed), options);
  instance->mute();
  Targets targets(setup->outputs);
  const std::vector<double> u(setup->inputs.real_count, 1.0);
  StartSettings settings;
  settings.values.push_back({3, VariableType::int32, false, {}, {1}, {}});
  bool ok = instance->instantiate() && instance->initialize(settings) && instance->finish_initialization();
  for (int i = 0; i < 500 && ok; ++i) {
    ok = instance->step(0.1 * i, 0.1, InputView{u.data(), u.size(), 0}) == StepEnd::done &&
         instance->outputs(0.1 * i + 0.1, u.data(), targets.reals.data(), true) &&
         instance->discrete_outputs(targets.integers.data(), targets.texts.data());
    EXPECT_TRUE(targets.guards_are_whole(setup->outputs));
  }
  EXPECT_FALSE(ok) << "nothing of what worker " << seed << " said was noticed";
}

class HostileWorkers : public ::testing::Test {
 protected:
  HostileWorkers() { set_worker_command(ERGON_HOSTILE_WORKER); }
  ~HostileWorkers() override { set_worker_command("/proc/self/exe"); }  // as main_test.cpp says
  static void expect_ends(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t seed = from; seed < to; ++seed) {
      SCOPED_TRACE(seed);
      expect_to_end_in_a_message(seed);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(-1, &status, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
};
TEST_F(HostileWorkers, EndInAMessage) {
  expect_ends(0, 24);
}
class LongHostileWorkers : public HostileWorkers {};
TEST_F(LongHostileWorkers, TwoHundredEndInAMessage) {
  expect_ends(0, 200);
}

}  // namespace
}  // namespace ergon::fmi
