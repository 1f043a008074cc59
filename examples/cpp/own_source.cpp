// Models of our own in scenario files (docs/library.md):  own_source sledge.toml [sledge.d=1.0 …]
//
//   [[subsystem]]
//   name = "sledge"
//   sledge = "wooden"      # a key of this program, beside `model` and `fmu`
//   parameters = { d = 0.5 }
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ergon/run/simulation.hpp"
#include "ergon/scenario/sources/model_source.hpp"
#include "sledge.hpp"

namespace {

/// What the key finds: a wooden sledge of 2 kg or one of steel of 8 kg, which the scenario may change.
class Sledges final : public ergon::ModelSource {
 public:
  [[nodiscard]] std::string_view key() const override { return "sledge"; }
  [[nodiscard]] std::shared_ptr<const ergon::ModelInfo> find(const std::string& name,
                                                             const std::string& /*base_directory*/,
                                                             const ergon::SourceLocation& where,
                                                             ergon::ProblemList& problems) const override {
    if (name != "wooden" && name != "steel") {
      problems.error(where, "There is no sledge '" + name + "'.", "Write \"wooden\" or \"steel\".");
      return nullptr;
    }
    auto info = std::make_shared<ergon::ModelInfo>();
    info->name = name;
    info->summary = "a mass that slides on a plane with viscous friction";
    ergon::ParameterInfo mass{"m", "kg", name == "wooden" ? 2.0 : 8.0, "mass"};
    mass.minimum = 0.0;
    mass.minimum_excluded = true;
    ergon::ParameterInfo friction{"d", "N.s/m", 0.5, "force of friction per velocity"};
    friction.minimum = 0.0;
    info->parameters = {mass, friction};
    info->integrated = false;  // it brings its own rule, so it takes no integrator
    info->make = [](const ergon::ModelRequest& request, ergon::ProblemList& /*problems*/) {
      return std::make_unique<Sledge>(request.parameters.number("m"), request.parameters.number("d"));
    };
    return info;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: own_source SCENARIO [instance.parameter=value ...]\n", stderr);
    return 2;
  }
  try {
    ergon::ModelSources sources = ergon::standard_sources();
    sources.push_back(std::make_shared<const Sledges>());
    ergon::ScenarioOverrides overrides;
    overrides.settings.assign(argv + 2, argv + argc);
    ergon::Simulation simulation(argv[1], overrides, sources);
    simulation.check_motion(ergon::MotionCheck::automatic);
    if (const auto& failure = simulation.run().failure) {
      std::fprintf(stderr, "%s at %g s: %s\n", failure->subsystem.c_str(), failure->time_s,
                   failure->what.c_str());
      return 1;
    }
    for (const ergon::VariableMotion& variable : simulation.motion().variables) {
      if (variable.name.rfind("sledge.", 0) != 0) continue;
      std::printf("%s = %.3f %s at the end, at most %.1e %s off\n", variable.name.c_str(),
                  simulation.value(variable.name), variable.unit.c_str(), variable.largest_error,
                  variable.unit.c_str());
    }
    std::printf("verdict: %s\n", std::string(ergon::name_of(simulation.verdict().value)).c_str());
    return 0;
  } catch (const ergon::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
