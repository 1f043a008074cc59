// The forms of flexible joints, in the scenarios of examples/: whatever the bodies exchange, the motion is that of the monolithic
// system, and its energy is in the books once. The figures are those of joints_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

using Settings = std::vector<std::string>;

const std::filesystem::path form_examples = std::filesystem::path(ERGON_SOURCE_DIR) / "examples";

struct End {
  std::vector<double> outputs{};
  double energy_J = 0.0;  ///< stored and dissipated, of all subsystems and elements
  double energy_at_start_J = 0.0;
};

End run_to_end(const std::string& name, const std::vector<std::string>& outputs, const Settings& settings) {
  Simulation simulation(form_examples / (name + ".toml"), settings);
  std::vector<Index> indices;
  for (const std::string& output : outputs) indices.push_back(simulation.output(output));
  End end;
  end.outputs.resize(outputs.size());
  std::vector<EnergyRecord> energies(simulation.system().nodes.size());
  bool started = false;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (std::size_t i = 0; i < indices.size(); ++i) end.outputs[i] = record.output(indices[i]);
    record.energies(energies);
    end.energy_J = 0.0;
    for (const EnergyRecord& energy : energies) end.energy_J += energy.stored_J + energy.non_conservative_J();
    if (!started) end.energy_at_start_J = end.energy_J;
    started = true;
  });
  EXPECT_FALSE(failure);
  return end;
}

double form_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// Largest errors at the end, with a step and with half of it.
struct Errors {
  double coarse, fine;
};

class JointForms : public ::testing::TestWithParam<const char*> {
 protected:
  /// Settings with the form of a joint, and those of a coupling of order 3.
  static Settings with_form(const std::string& joint, Settings settings) {
    settings.push_back(joint + ".form=" + GetParam());
    settings.emplace_back("coupling.extrapolation=quadratic");
    settings.emplace_back("coupling.starter=repeat");
    return settings;
  }
  static Errors errors(const std::string& name, const std::string& joint,
                       const std::array<const char*, 2>& steps, const std::vector<std::string>& outputs,
                       const std::vector<double>& exact, const Settings& more = {}) {
    double error[2];
    for (std::size_t k = 0; k < 2; ++k) {
      Settings settings = more;
      settings.push_back(std::string("simulation.step_size=") + steps[k]);
      error[k] = form_distance(run_to_end(name, outputs, with_form(joint, settings)).outputs, exact);
    }
    return {error[0], error[1]};
  }
};

// A displacement is extrapolated with the whole acceleration of its body, a force with that of the gap alone: hence the errors of the
// forms differ, but all are of the order that the extrapolation has.
TEST_P(JointForms, TheUniversalJointConvergesToTheMonolithicSolution) {
  // The upper rod knows where the ground is in which it hangs: no error is left there.
  const Settings hook = {"hook.form=displacement/force"};
  const Errors error = errors("universal-joint", "knee", {"2e-4", "1e-4"},
                              {"rod1.position[0]", "rod1.position[1]", "rod1.position[2]", "rod2.position[0]",
                               "rod2.position[1]", "rod2.position[2]"},
                              {-0.14672675030555385, 0.15536808537700894, -0.45895987618234063,
                               -0.3607178044522389, 0.1951318389043209, -1.3947886637854037},
                              hook);
  EXPECT_LT(error.fine, 2.5e-8);
  EXPECT_LT(error.fine, error.coarse / 6.5);
}

TEST_P(JointForms, TheDoublePendulumConvergesToTheMonolithicSolution) {
  const Errors error =
      errors("double-pendulum", "elbow", {"2e-4", "1e-4"}, {"upper.angle", "lower.angle"},
             {0.9600398064427301, -1.2752804368762902},
             {"output.variables=[\"*.angle\"]"});  // not every form has the outputs of an element
  EXPECT_LT(error.fine, 1.5e-6);
  EXPECT_LT(error.fine, error.coarse / 6.5);
}

TEST_P(JointForms, TheSliderCrankConvergesToTheMonolithicSolution) {
  const Errors error = errors("slider-crank", "guide", {"5e-4", "2.5e-4"}, {"crank.angle", "slider.angle"},
                              {-4.374389749628712, -3.872161848621247});
  EXPECT_LT(error.fine, 4e-7);
  EXPECT_LT(error.fine, error.coarse / 6.5);
}

TEST_P(JointForms, TheEnergyOfAJointIsInTheBooksOnce) {
  const auto end =
      run_to_end("universal-joint", {},
                 with_form("knee", {"hook.damping=0", "knee.damping=0", "knee.rotation_damping=0"}));
  // At the start the joint is closed and stores nothing, at the end it stores some mJ.
  EXPECT_NEAR(end.energy_J, end.energy_at_start_J, 2e-6);
}

INSTANTIATE_TEST_SUITE_P(All, JointForms,
                         ::testing::Values("force/force", "force/displacement", "displacement/force",
                                           "displacement/displacement", "multiplier"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace ergon::bench
