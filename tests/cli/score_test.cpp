// The table of problems and methods, and settings over all runs of a benchmark (docs/compare-a-method.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/score/method.hpp"
#include "benchmarks/score/score.hpp"
#include "command.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/correctors/register_corrector.hpp"

namespace ergon::cli {
namespace {

const std::filesystem::path score_folder = std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks";

/// Adds half of the last change of the effort: what a held effort misses on the mean.
class HalfOfTheChange final : public Corrector {
 public:
  bool correct(const ReceiverStep& step, std::span<double> next) override {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = 0.5 * (step.effort1[i] - step.effort0[i]);
    return false;
  }
};

double figure_of(const std::vector<bench::Row>& rows, const std::string& problem, const std::string& method,
                 const std::string& quantity) {
  const bench::Case wanted = {{"problem", problem}, {"method", method}};
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const bench::Row& r) {
    return r.settings == wanted && r.quantity == quantity;
  });
  return row != rows.end() ? row->ours : std::nan("");
}

TEST(Score, ACorrectorOfAProgramHasItsRows) {
  CorrectorInfo info;
  info.name = "half-of-the-change";
  info.help = "for this test";
  info.make = [](CorrectorPlace&, const CorrectionSettings&, ProblemList&) -> std::unique_ptr<Corrector> {
    return std::make_unique<HalfOfTheChange>();
  };
  register_corrector(info);
  const std::string ours = "half-of-the-change+hold+refresh";
  const auto rows = bench::score({ours, "hold", "implicit"}, {"haptic"}, score_folder);
  ASSERT_EQ(rows.size(), 9U);
  for (const char* quantity : {"motion_error", "energy_error"}) {
    // A held effort lags by half a step; without that the error is of second order.
    EXPECT_LT(figure_of(rows, "haptic device", ours, quantity),
              0.2 * figure_of(rows, "haptic device", "hold", quantity))
        << quantity;
  }
  EXPECT_EQ(figure_of(rows, "haptic device", ours, "integrations"),
            figure_of(rows, "haptic device", "hold", "integrations"));
  EXPECT_GT(figure_of(rows, "haptic device", "implicit", "integrations"),
            2.0 * figure_of(rows, "haptic device", "hold", "integrations"));
  EXPECT_NE(bench::score_table(rows).find(ours), std::string::npos);
}

TEST(Score, WordsOfAMethodAreSettings) {
  const auto setting =
      bench::read_method("residual-power+correction.variant=by-parts+correction.mu=0.4+hold");
  EXPECT_EQ(setting.coupling, (std::vector<std::string>{"scheme=jacobi", "extrapolation=hold"}));
  EXPECT_EQ(setting.feedthrough, "stale");
  EXPECT_EQ(setting.correction, "residual-power");
  EXPECT_EQ(setting.correction_keys, ", variant = \"by-parts\", mu = 0.4");
  EXPECT_TRUE(bench::read_method("implicit+degree=2").solves);
  EXPECT_EQ(bench::read_method("linear").feedthrough, "refresh");
  for (const char* wrong : {"", "magic", "hold+linear", "jacobi+implicit", "linear+correction.mu=1"})
    EXPECT_THROW(static_cast<void>(bench::read_method(wrong)), InputError) << wrong;
  // Of a file only what the words say.
  EXPECT_EQ(bench::method_settings("nepce", score_folder / "lim-oscillator" / "f-s.toml"),
            (std::vector<std::string>{"bond.coupling.correction={method = \"nepce\"}"}));
}

TEST(Score, IsOneTableOnTheCommandLine) {
  const Outcome table = ergon("bench haptic --score hold+predict --plain");
  EXPECT_EQ(table.exit_code, 0) << table.output;
  EXPECT_NE(table.output.find("haptic device"), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("hold+predict"), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("energy-leak"), std::string::npos) << table.output;
  const Outcome unknown = ergon("bench haptic --score energy-leek");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.output.find("Did you mean 'energy-leak'?"), std::string::npos) << unknown.output;
  // A value that no key takes fits nowhere: the reason is that of the scenario.
  const Outcome wrong = ergon("bench haptic --score energy-leak+correction.limit=-3");
  EXPECT_EQ(wrong.exit_code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("limit"), std::string::npos) << wrong.output;
  EXPECT_EQ(ergon("bench log-crane --score").exit_code, 2);
}

TEST(ChangedRuns, HaveNoExpectations) {
  const Outcome changed = ergon("bench haptic --set simulation.stop_time=0.5");
  EXPECT_EQ(changed.exit_code, 0) << changed.output;
  EXPECT_NE(changed.output.find("figures with changed settings"), std::string::npos) << changed.output;
  EXPECT_EQ(changed.output.find("as published"), std::string::npos) << changed.output;
  EXPECT_NE(changed.output, ergon("bench haptic").output);
  const Outcome unknown = ergon("bench haptic --set coupling.scheme=magic");
  EXPECT_EQ(unknown.exit_code, 2) << unknown.output;
  EXPECT_EQ(ergon("bench haptic --with nepce --summary").exit_code, 2);
  EXPECT_EQ(ergon("bench haptic --with magic").exit_code, 2);
}

}  // namespace
}  // namespace ergon::cli
