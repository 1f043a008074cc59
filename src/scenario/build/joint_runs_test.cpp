// Every joint of the registry in every form, between two free bodies of a scenario: what is exchanged does not change the motion.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ergon/coupling/engine.hpp"
#include "ergon/scenario/setting_names.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

std::string toml(const ParameterValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return '"' + *text + '"';
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    return fmt::format("[{}]", fmt::join(*list, ", "));
  return fmt::format("{}", std::get<double>(value));
}

/// Two bodies that move apart, each with the marker "tip", and the joint between both.
std::string scenario_of(const std::string& joint, const GivenParameters& given, std::string_view form) {
  const bool planar = given.contains("planar");
  std::string parameters;
  for (const auto& [key, value] : given) {
    if (key != "planar")
      parameters += fmt::format("{}{} = {}", parameters.empty() ? "" : ", ", key, toml(value.value));
  }
  const auto body = [&](const char* name, const char* initial) {
    return fmt::format(
        "[[subsystem]]\nname = \"{}\"\nmodel = \"multibody.{}\"\nintegrator = {{ method = \"rk4\" }}\n"
        "parameters = {{ {}, markers = \"tip\", marker_positions = {} }}\ninitial = {{ {} }}\n",
        name, planar ? "planar_link" : "rigid_body", planar ? "J = 0.2" : "J = [0.2, 0.3, 0.25]",
        planar ? "[-0.2, 0.1]" : "[-0.2, 0.1, 0.1]", initial);
  };
  return "simulation = { stop_time = 0.03, step_size = 1e-4 }\n"
         "coupling = { extrapolation = \"quadratic\", starter = \"repeat\" }\n" +
         body("left", planar
                          ? "phi = 0.4, omega = -2.0, position = [0.3, -0.1], velocity = [1.0, 0.5]"
                          : "position = [0.3, -0.1, 0.2], orientation = [0.98, 0.1, -0.1, 0.1], velocity = "
                            "[1.0, 0.5, -0.3], angular_velocity = [1.0, -2.0, 1.5]") +
         body("right", planar ? "phi = 0.1, omega = 1.0, position = [-0.2, 0.1], velocity = [0.0, -0.5]"
                              : "position = [-0.2, 0.1, 0.0], orientation = [1.0, 0.0, 0.1, 0.0], velocity = "
                                "[0.0, -0.5, 0.2], angular_velocity = [0.5, 1.0, -1.0]") +
         fmt::format(
             "[[element]]\nname = \"knee\"\njoint = \"{}\"\ni = \"left.tip\"\nj = \"right.tip\"\nform = "
             "\"{}\"\n"
             "parameters = {{ {} }}\n",
             joint.substr(joint.find('.') + 1), form, parameters);
}

struct Motion {
  std::vector<double> tips;
  double energy_change = 0.0;  ///< of stored + dissipated, relative to what there was at the start
};

Motion run(const std::string& text) {
  Motion motion;
  Opened o = open_text(text);
  EXPECT_TRUE(o.built) << o.all() << text;
  if (!o.built) return motion;
  CoupledSystem& system = *o.built->system;
  const auto made = Engine::make(system, o.built->grid, o.built->coupling, o.problems);
  if (!made) throw InputError(o.problems);
  Engine& engine = *made;
  EXPECT_FALSE(engine.initialize(o.problems)) << o.all();
  std::vector<EnergyRecord> energies(system.nodes.size());
  const auto energy = [&] {
    engine.record().energies(energies);
    double sum = 0.0;
    for (const EnergyRecord& e : energies) sum += e.stored_J + e.non_conservative_J();
    return sum;
  };
  const double start = energy();
  while (!engine.done()) {
    const auto failure = engine.advance();
    EXPECT_FALSE(failure);
    if (failure) break;
  }
  motion.energy_change = (energy() - start) / start;
  for (Index i = 0; i < system.outputs.size(); ++i) {
    const std::string& name = system.outputs[i].text;
    if (name.find(".tip_position") != std::string::npos || name.find(".tip_axes[") != std::string::npos)
      motion.tips.push_back(engine.record().output(i));
  }
  return motion;
}

TEST(JointRuns, TheFormOfAJointDoesNotChangeTheMotion) {
  int runs = 0;
  for (const ElementInfo& info : elements()) {
    if (!info.make_joint) continue;
    for (const Example& example : info.examples) {
      const Motion expected = run(scenario_of(info.name, example.parameters, "force/force"));
      for (const std::string& form : joint_form_names.all()) {
        const bool has_multipliers = info.name != "joint.bushing" && info.name != "joint.spring-damper";
        if (form == "force/force" || (form == "multiplier" && !has_multipliers)) continue;
        SCOPED_TRACE(info.name + ", " + example.name + ", " + form);
        const Motion motion = run(scenario_of(info.name, example.parameters, form));
        ASSERT_EQ(motion.tips.size(), expected.tips.size());
        double worst = 0.0;
        for (std::size_t i = 0; i < motion.tips.size(); ++i)
          worst = std::max(worst, std::abs(motion.tips[i] - expected.tips[i]));
        EXPECT_LT(worst, 1e-7);
        // Bodies that evaluate the law themselves account for its dampers, too; elements do not.
        if (form != "multiplier") {
          EXPECT_LT(std::abs(motion.energy_change), 1e-6);
        }
        ++runs;
      }
    }
  }
  EXPECT_GT(runs, 100);
}

}  // namespace
}  // namespace ergon::test
