// Steps that are taken elsewhere: all of a stage have begun before the first is waited for.
#include <gtest/gtest.h>

#include <atomic>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using namespace testing;

constexpr int ring_size = 8;
constexpr double told_cost_s = 5.0;

struct Office {
  std::atomic<int> begun{0};       ///< since all had last
  std::atomic<int> unexpected{0};  ///< steps that were not begun, or waited for before all were
};

/// ẋ = −x + u by Euler's rule. With an office: in two parts, of which `begin_step` is the first.
class Elsewhere final : public Rewinding, private AsyncSteps {
 public:
  Elsewhere(double x0, Office* office) : x0_(x0), office_(office) {}
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
  AsyncSteps* async_steps() override { return office_ != nullptr ? this : nullptr; }
  void begin_step(double /*t*/, double h, const InputView& u, bool is_timed) override {
    next_ = state_[0] + h * (u(0, 0.0) - state_[0]);
    is_under_way_ = true;
    cost_s_ = is_timed ? told_cost_s : 0.0;
    ++office_->begun;
  }
  [[nodiscard]] bool is_under_way() const override { return is_under_way_; }
  [[nodiscard]] double step_cost_s() const override { return cost_s_; }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    if (office_ == nullptr) {
      state_[0] += h * (u(0, 0.0) - state_[0]);
      return {};
    }
    if (!is_under_way_ || office_->begun % ring_size != 0) ++office_->unexpected;
    is_under_way_ = false;
    state_[0] = next_;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }

 private:
  double x0_;
  Office* office_;
  double next_ = 0.0;
  bool is_under_way_ = false;
  double cost_s_ = 0.0;
};

/// Everyone reads the one before.
struct Offices {
  Office office;
  Simulation sim;
  Offices(const std::string& scheme, int degree, unsigned threads, bool elsewhere) {
    sim.options.scheme = scheme;
    sim.options.degree = degree;
    sim.options.threads = threads;
    const auto name = [](int i) { return "office_" + std::to_string(i % ring_size); };
    for (int i = 0; i < ring_size; ++i)
      sim.graph.add(name(i), std::make_unique<Elsewhere>(i, elsewhere ? &office : nullptr), milliseconds(1));
    for (int i = 0; i < ring_size; ++i) sim.connect(name(i) + ".x", name(i + 1) + ".u");
    sim.run("0.2");
  }
  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all;
    for (Index i = 0; i < ring_size; ++i) all.push_back(sim.engine->record().output(i));
    return all;
  }
};

struct OfficeCase {
  const char* scheme;
  int degree;
  unsigned threads;
};
class StepsElsewhere : public ::testing::TestWithParam<OfficeCase> {};

TEST_P(StepsElsewhere, AllBeginBeforeTheFirstIsWaitedFor) {
  const OfficeCase c = GetParam();
  const Offices elsewhere(c.scheme, c.degree, c.threads, true);
  EXPECT_GE(elsewhere.office.begun, 200 * ring_size);
  EXPECT_EQ(elsewhere.office.unexpected, 0);
  EXPECT_EQ(elsewhere.values(), Offices(c.scheme, c.degree, 1, false).values());
}

TEST_P(StepsElsewhere, CostWhatTheyTakeThere) {
  const OfficeCase c = GetParam();
  const Offices elsewhere(c.scheme, c.degree, c.threads, true);
  for (Index n = 0; n < ring_size; ++n) EXPECT_GE(elsewhere.sim.engine->cost(n).mean_step_s, told_cost_s);
  const Offices here(c.scheme, c.degree, c.threads, false);
  for (Index n = 0; n < ring_size; ++n) EXPECT_LT(here.sim.engine->cost(n).mean_step_s, told_cost_s);
}

INSTANTIATE_TEST_SUITE_P(Schemes, StepsElsewhere,
                         ::testing::Values(OfficeCase{"jacobi", 0, 1}, OfficeCase{"jacobi", 1, 1},
                                           OfficeCase{"jacobi", 0, 2}, OfficeCase{"implicit", 1, 1},
                                           OfficeCase{"implicit", 1, 2}, OfficeCase{"semi-implicit", 1, 1}));

}  // namespace
}  // namespace ergon
