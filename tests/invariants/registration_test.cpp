// What a program adds to the registries works in scenarios as what is there (docs/library.md).
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/coupling/correctors/register_corrector.hpp"
#include "ergon/coupling/predictors/register_predictor.hpp"
#include "ergon/coupling/schemes/register_scheme.hpp"
#include "ergon/coupling/step_control/register_step_control.hpp"
#include "ergon/models/register_model.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/verdict/register_evidence.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

/// All outputs at all points of the two masses, with settings.
std::vector<double> course(std::vector<std::string> settings, const std::string& text = test::two_masses) {
  const test::TemporaryFolder folder;
  settings.emplace_back("simulation.stop_time=0.2");
  Simulation simulation(folder.write("scenario.toml", text), settings);
  std::vector<double> values;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    for (Index i = 0; i < simulation.system().outputs.size(); ++i) values.push_back(record.output(i));
  }));
  return values;
}

class JacobiAgain final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "added-jacobi"; }
  [[nodiscard]] std::string_view help() const override { return "for this test"; }
  [[nodiscard]] SchemeLayout layout(const SchemeRequest& request, ProblemList& problems) const override {
    return jacobi_scheme().layout(request, problems);
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                      ProblemList& problems) const override {
    return jacobi_scheme().make_stepper(context, problems);
  }
};

TEST(Registration, AModelOfAProgramIsNamedByScenarios) {
  ModelInfo info = *find_model("oscillator.mass");
  info.name = "added.mass";
  const ModelInfo* before = find_model("oscillator.mass");
  register_model(info);
  EXPECT_EQ(find_model("oscillator.mass"), before);
  EXPECT_EQ(course({}, test::with(test::two_masses, "oscillator.mass", "added.mass")), course({}));
  EXPECT_THROW(register_model(info), std::invalid_argument);
  EXPECT_THROW(register_model(*before), std::invalid_argument);
}

TEST(Registration, ALawOfAProgramIsFound) {
  ElementInfo info = *find_element("gain");
  info.name = "added.gain";
  register_element(info);
  ASSERT_NE(find_element("added.gain"), nullptr);
  EXPECT_THROW(register_element(info), std::invalid_argument);
}

TEST(Registration, ASchemeOfAProgramIsNamedByScenarios) {
  static const JacobiAgain scheme;
  register_scheme(scheme);
  EXPECT_EQ(course({"coupling.scheme=added-jacobi"}), course({"coupling.scheme=jacobi"}));
  EXPECT_THROW(register_scheme(scheme), std::invalid_argument);
}

/// Adds `gain` times the last change of the effort.
class Ahead final : public Corrector {
 public:
  explicit Ahead(double gain) : gain_(gain) {}
  bool correct(const ReceiverStep& step, std::span<double> next) override {
    next[0] = gain_ * (step.effort1[0] - step.effort0[0]);
    return false;
  }

 private:
  double gain_;
};

TEST(Registration, ACorrectorOfAProgramIsNamedByBonds) {
  CorrectorInfo info;
  info.name = "ahead";
  info.help = "for this test";
  info.keys = {{.name = "gain", .help = "", .takes_number = true, .minimum = 0.0, .maximum = 1.0}};
  info.make = [](CorrectorPlace&, const CorrectionSettings& settings,
                 ProblemList&) -> std::unique_ptr<Corrector> {
    return std::make_unique<Ahead>(settings.number("gain", 0.5));
  };
  register_corrector(info);
  const auto corrected = [](const std::string& correction) {
    return course({"bond.spring.correction={method=" + correction + "}"});
  };
  EXPECT_EQ(corrected("\"ahead\",gain=0"), corrected("\"none\""));
  EXPECT_NE(corrected("\"ahead\""), corrected("\"none\""));
  EXPECT_THROW(course({"bond.spring.correction={method=\"ahead\",gain=2}"}), InputError);
  EXPECT_THROW(register_corrector(info), std::invalid_argument);
}

TEST(Registration, AStepControlOfAProgramIsNamedByScenarios) {
  StepControlMethod method = *find_step_control("interface-power");
  method.name = "added-control";
  register_step_control(method);
  const auto controlled = [](const std::string& name) {
    return course({"step_control.method=" + name, "step_control.rtol=1e-2"});
  };
  EXPECT_EQ(controlled("added-control"), controlled("interface-power"));
  EXPECT_THROW(register_step_control(method), std::invalid_argument);
}

TEST(Registration, APredictorOfAProgramIsAskedByItsWord) {
  static int made = 0;
  register_predictor({"added-predictor",
                      "for this test",
                      "nothing",
                      {"added-word"},
                      [](const PredictorRequest&) -> std::vector<std::unique_ptr<InputPredictor>> {
                        ++made;
                        return {};
                      }});
  EXPECT_EQ(predictor_of_extrapolation("added-word"), "added-predictor");
  EXPECT_FALSE(course({"coupling.extrapolation=added-word"}).empty());
  EXPECT_GT(made, 0);
  EXPECT_THROW(register_predictor(*find_predictor("added-predictor")), std::invalid_argument);
}

/// Counts points and finds nothing.
class PointCounter final : public Evidence {
 public:
  bool start(const ObservedPoint& /*first_point*/) override { return true; }
  void observe(const ObservedPoint& /*point*/) override { ++points_; }
  void findings(Findings& /*findings*/) const override { seen = points_; }
  void describe(const Finding& /*finding*/, VerdictReason& /*reason*/) const override {}
  void archive(Archive& archive) override { archive(points_); }

  static inline std::int64_t seen = 0;

 private:
  std::int64_t points_ = 0;
};

TEST(Registration, EvidenceOfAProgramSeesEveryPointOfARun) {
  register_evidence(
      [](EvidenceContext&) -> std::unique_ptr<Evidence> { return std::make_unique<PointCounter>(); });
  const test::TemporaryFolder folder;
  Simulation simulation(folder.write("scenario.toml", test::two_masses), {"simulation.stop_time=0.2"});
  simulation.run();
  EXPECT_NE(simulation.verdict().value, VerdictValue::unreliable);
  EXPECT_EQ(static_cast<std::size_t>(PointCounter::seen) + 1, simulation.summary().points);
}

}  // namespace
}  // namespace ergon
