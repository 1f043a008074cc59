// The sledge of sledge.hpp as a plug-in: a shared object that the command loads (docs/library.md), and a model of scenarios from then on.
//   ergon models example.sledge --plugin build/example/own_models.so
//   ergon run hammer_and_sledge.toml --plugin build/example/own_models.so
#include <memory>

#include "ergon/plugin/plugin.hpp"
#include "sledge.hpp"

namespace {

ergon::ModelInfo sledge() {
  ergon::ModelInfo info;
  info.name = "example.sledge";
  info.summary = "a mass that slides on a plane with viscous friction";
  ergon::ParameterInfo mass{"m", "kg", 2.0, "mass"};
  mass.minimum = 0.0;
  mass.minimum_excluded = true;
  ergon::ParameterInfo friction{"d", "N.s/m", 0.5, "force of friction per velocity"};
  friction.minimum = 0.0;
  info.parameters = {mass, friction};
  info.integrated = false;  // it brings its own rule, so it takes no integrator
  info.make = [](const ergon::ModelRequest& request, ergon::ProblemList& /*problems*/) {
    return std::make_unique<Sledge>(request.parameters.number("m"), request.parameters.number("d"));
  };
  return info;
}

void register_models() {
  ergon::register_model(sledge());
}

}  // namespace

ERGON_PLUGIN(register_models)
