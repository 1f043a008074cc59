// FMUs that keep no energy account: the verdict probes what their outputs answer at once (docs/adr/0027), whichever way an FMU
// allows it, and agrees with the native run, which has accounts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/run/simulation.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

/// Ways of probing that the importer offers are hidden but for one, as if the FMU had said that it cannot.
enum class Way { setting, derivatives, saving, none };

class Restricted final : public Subsystem {
 public:
  Restricted(std::unique_ptr<Subsystem> inner, Way way) : inner_(std::move(inner)), way_(way) {}
  [[nodiscard]] Description describe() const override { return inner_->describe(); }
  StepStatus initialize(const Experiment& e) override { return inner_->initialize(e); }
  StepStatus step(double t, double h, const InputView& u) override {
    lengths().insert(h);
    return inner_->step(t, h, u);
  }
  void outputs(double t, const double* u, double* y) override { inner_->outputs(t, u, y); }
  Rewindable* rewindable() override { return way_ == Way::saving ? inner_->rewindable() : nullptr; }
  const Differentiable* differentiable() const override {
    return way_ == Way::derivatives ? inner_->differentiable() : nullptr;
  }
  /// Of the steps of all.
  static std::set<double>& lengths() {
    static std::set<double> all;
    return all;
  }

 private:
  std::unique_ptr<Subsystem> inner_;
  Way way_;
};

std::string scenario(const Rational& step) {
  return fmt::format(R"(
[simulation]
stop_time = 3.0
step_size = "{}"
[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = {{ m = 1.0, k = 50.0, kc = 120.0 }}
initial = {{ v = 1.0 }}
[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = {{ m = 2.0, k = 90.0 }}
initial = {{ v = -0.5 }}
[[bond]]
name = "spring"
a = {{ effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }}
b = {{ effort = "right.force", flow = "right.velocity", displacement = "right.position" }}
feedthrough = "stale"
)",
                     step.text());
}

struct Followed {
  Verdict verdict;
  std::vector<double> positions;
};

Followed followed(Simulation& simulation) {
  Followed run;
  const Index position = simulation.output("right.position");
  const auto failure = simulation.for_each_point(
      [&](const StepRecord& record) { run.positions.push_back(record.output(position)); });
  EXPECT_FALSE(failure) << failure->what;
  run.verdict = simulation.verdict();
  return run;
}

Followed run_fmus(const test::TemporaryFolder& folder, const Rational& step, Way way) {
  const auto fmu = [&](const char* name) -> std::unique_ptr<Subsystem> {
    ProblemList problems;
    const auto model = fmi::FmuModel::load(folder.file(std::string(name) + ".fmu"), problems);
    if (!model) throw InputError(problems);
    fmi::FmuRequest request;
    request.name = name;
    request.options.refresh = way == Way::setting;
    auto made = fmi::make_fmu_subsystem(model, request, problems);
    if (!made) throw InputError(problems);
    EXPECT_NE(made->energy_account(), nullptr) << "hidden below";
    EXPECT_NE(made->rewindable(), nullptr);
    EXPECT_NE(made->differentiable(), nullptr);
    return std::make_unique<Restricted>(std::move(made), way);
  };
  const auto build = [&] {
    SystemGraph graph;
    graph.add("left", fmu("left"), step);
    graph.add("right", fmu("right"), step);
    BondSpec bond;
    bond.name = "spring";
    bond.a = {{"left.force"}, {"left.velocity_in"}, {"left.position_in"}};
    bond.b = {{"right.force"}, {"right.velocity"}, {"right.position"}};
    bond.feedthrough = FeedthroughMode::stale;
    graph.bond(bond);
    return graph;
  };
  SimulationOptions options;
  options.stop_time_s = Rational(3, 1);
  Restricted::lengths().clear();
  Simulation simulation(build, options);
  return followed(simulation);
}

TEST(FmuVerdict, EveryWayToProbeAnFmuAgreesWithTheAccountsOfTheNativeRun) {
  std::set<VerdictValue> seen;
  for (const int version : {2, 3}) {
    const test::TemporaryFolder folder;
    const std::string exported = folder.write("exported.toml", scenario({1, 500}));
    for (const char* name : {"left", "right"}) {
      const std::string command =
          fmt::format("{} export {} --subsystem {} --fmi {} -o {} > /dev/null", ERGON_COMMAND, exported, name,
                      version, folder.file(std::string(name) + ".fmu"));
      ASSERT_EQ(std::system(command.c_str()), 0);
    }
    for (const Rational& step : {Rational{1, 4000}, Rational{1, 500}, Rational{1, 200}}) {
      const std::string file = folder.write("native.toml", scenario(step));
      Simulation simulation{std::filesystem::path(file)};
      const Followed native = followed(simulation);
      ASSERT_FALSE(native.verdict.reasons.empty());
      seen.insert(native.verdict.energy);
      for (const Way way : {Way::setting, Way::derivatives, Way::saving}) {
        SCOPED_TRACE(
            fmt::format("FMI {}, steps of {} s, way {}", version, step.value(), static_cast<int>(way)));
        const Followed fmus = run_fmus(folder, step, way);
        EXPECT_EQ(fmus.positions, native.positions);  // bit for bit: trials leave no trace
        EXPECT_EQ(fmus.verdict.energy, native.verdict.energy);
        ASSERT_FALSE(fmus.verdict.reasons.empty());
        const VerdictReason& reason = fmus.verdict.reasons.front();
        EXPECT_EQ(reason.kind, ReasonKind::black_box_estimate) << reason.what;
        const double truth = native.verdict.reasons.front().ratio.value_or(0.0);
        EXPECT_NEAR(reason.ratio.value_or(-1.0), truth, 0.1 * truth + 1e-3);
        // Trial steps are shorter ones, where that is the way.
        EXPECT_EQ(Restricted::lengths().size(), way == Way::saving ? 2U : 1U);
      }
      EXPECT_EQ(run_fmus(folder, step, Way::none).verdict.energy, VerdictValue::doubtful) << "nothing tells";
    }
  }
  EXPECT_GE(seen.size(), 2U);  // not all is well, or bad
}

}  // namespace
}  // namespace ergon
