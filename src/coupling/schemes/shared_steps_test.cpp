// Steps that cost enough to be shared among threads.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

struct Watch {
  std::mutex mutex;
  std::set<std::thread::id> threads;
};

/// ẋ = −x + u by Euler's rule, in at least so many microseconds.
class Busy final : public Rewinding {
 public:
  Busy(double x0, int microseconds, Watch& watch) : x0_(x0), least_(microseconds), watch_(watch) {}
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {scalar("u")};
    d.outputs = {scalar("x")};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {x0_};
    return {};
  }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    const auto until = std::chrono::steady_clock::now() + least_;
    state_[0] += h * (u(0, 0.0) - state_[0]);
    {
      const std::lock_guard lock(watch_.mutex);
      watch_.threads.insert(std::this_thread::get_id());
    }
    while (std::chrono::steady_clock::now() < until) {
    }
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }

 private:
  double x0_;
  std::chrono::microseconds least_;
  Watch& watch_;
};

/// Everyone reads the one before; half of them cost something.
struct SharedRing {
  Watch watch;
  Simulation sim;
  SharedRing(const std::string& scheme, unsigned threads, int microseconds) {
    sim.options.scheme = scheme;
    sim.options.threads = threads;
    for (int i = 0; i < 8; ++i) {
      sim.graph.add(name(i), std::make_unique<Busy>(i, i < 4 ? 0 : microseconds, watch), milliseconds(1));
    }
    for (int i = 0; i < 8; ++i) sim.connect(name(i) + ".x", name((i + 1) % 8) + ".u");
  }
  static std::string name(int i) { return "busy_" + std::to_string(i); }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all;
    for (int i = 0; i < 8; ++i) all.push_back(sim.output(name(i) + ".x"));
    return all;
  }
};

class SharedSteps : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedSteps, AreTheSameBitsForAnyNumberOfThreads) {
  SharedRing alone(GetParam(), 1, 0);
  alone.sim.run("0.3");
  for (const unsigned threads : {2U, 4U}) {
    SharedRing shared(GetParam(), threads, 40);
    shared.sim.run("0.3");
    EXPECT_EQ(shared.values(), alone.values()) << threads;
    EXPECT_GT(shared.watch.threads.size(), 1U) << "nobody helped";
    EXPECT_LE(shared.watch.threads.size(), threads);
  }
}
INSTANTIATE_TEST_SUITE_P(Schemes, SharedSteps, ::testing::Values("jacobi", "implicit"));

}  // namespace
}  // namespace ergon
