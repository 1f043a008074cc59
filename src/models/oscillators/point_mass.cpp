#include "ergon/models/oscillators/point_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

using Form = PointMassForm;

constexpr double max_force_ports = 10000.0;

std::vector<ParameterInfo> parameters_of(Form form) {
  std::vector<ParameterInfo> infos = {
      {"m", "kg", 1.0, "mass", {}, 0.0, true},
      {"k", "N/m", 0.0, "stiffness of the spring to the ground (N/m^0.5 for square-root)"},
      {"c", "N.s/m", 0.0, "coefficient of the damper to the ground (N.s2/m2 for quadratic)"},
      {"x_rest", "m", 0.0, "position at which the spring to the ground is relaxed"},
      spring_law_parameter("spring", "linear", "law of the spring to the ground"),
      damper_law_parameter("damper", "linear", "law of the damper to the ground"),
  };
  if (form != Form::force_driven) {
    infos.insert(
        infos.end(),
        {{"kc", "N/m", 0.0, "stiffness of the coupling spring (N/m^0.5 for square-root)"},
         {"cc", "N.s/m", 0.0, "coefficient of the coupling damper (N.s2/m2 for quadratic)"},
         {"coupling_rest", "m", 0.0, "position - position_in at which the coupling spring is relaxed"},
         spring_law_parameter("coupling_spring", "linear", "law of the coupling spring"),
         damper_law_parameter("coupling_damper", "linear", "law of the coupling damper")});
  }
  if (form != Form::displacement_driven) {
    const bool is_driven = form == Form::force_driven;
    infos.push_back(
        {"force_ports",
         "",
         is_driven ? 1.0 : 0.0,
         is_driven ? "number of force inputs: force, or force1, force2, ... if there are several"
                   : "number of force inputs: force_in, or force_in1, force_in2, ... if there are several",
         {},
         0.0});
  }
  return infos;
}

std::vector<ParameterInfo> initial_values() {
  return {{"x", "m", 0.0, "position at the start"}, {"v", "m/s", 0.0, "velocity at the start"}};
}

template <Form form, int ports>
std::unique_ptr<Subsystem> subsystem(const PointMassParameters& parameters,
                                     const NativeIntegration& integration, const ParameterSet& initial) {
  using Model = PointMass<form, ports>;
  return std::make_unique<NativeSubsystem<Model>>(
      Model(parameters), integration, std::vector<double>{initial.number("x"), initial.number("v")});
}

std::unique_ptr<Subsystem> make(Form form, const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  PointMassParameters p;
  p.mass_kg = given.number("m");
  p.ground_spring = {given.number("k"), spring_law(given.text("spring"))};
  p.ground_damper = {given.number("c"), damper_law(given.text("damper"))};
  p.ground_rest_m = given.number("x_rest");
  p.force_ports = 0;
  if (form != Form::force_driven) {
    p.coupling_spring = {given.number("kc"), spring_law(given.text("coupling_spring"))};
    p.coupling_damper = {given.number("cc"), damper_law(given.text("coupling_damper"))};
    p.coupling_rest_m = given.number("coupling_rest");
  }
  if (form != Form::displacement_driven) {
    const double ports = given.number("force_ports");
    if (ports != std::floor(ports) || ports > max_force_ports) {
      problems.error(request.where, fmt::format("'{}': force_ports is {}.", request.name, ports),
                     fmt::format("Give a whole number up to {}.", max_force_ports));
      return nullptr;
    }
    p.force_ports = static_cast<std::size_t>(ports);
  }
  if (!integration) return nullptr;
  // What is usual, linear laws, few forces and no negative damping, is compiled in.
  const bool usual = p.ground_spring.law == SpringLaw::linear && p.ground_damper.law == DamperLaw::linear &&
                     p.coupling_spring.law == SpringLaw::linear &&
                     p.coupling_damper.law == DamperLaw::linear && p.ground_damper.coefficient >= 0.0 &&
                     p.coupling_damper.coefficient >= 0.0;
  switch (form) {
    case Form::force_driven:
      if (usual && p.force_ports == 1)
        return subsystem<Form::force_driven, 1>(p, *integration, request.initial);
      return subsystem<Form::force_driven, -1>(p, *integration, request.initial);
    case Form::displacement_driven:
      if (usual) return subsystem<Form::displacement_driven, 0>(p, *integration, request.initial);
      return subsystem<Form::displacement_driven, -1>(p, *integration, request.initial);
    default:
      if (usual && p.force_ports == 0)
        return subsystem<Form::force_output, 0>(p, *integration, request.initial);
      if (usual && p.force_ports == 1)
        return subsystem<Form::force_output, 1>(p, *integration, request.initial);
      return subsystem<Form::force_output, -1>(p, *integration, request.initial);
  }
}

GivenParameters given(std::initializer_list<std::pair<const char*, ParameterValue>> values) {
  GivenParameters result;
  for (const auto& [name, value] : values) result[name] = {value, {}};
  return result;
}

ModelInfo model(std::string name, std::string summary, Form form, std::vector<Example> examples) {
  return {
      std::move(name),
      std::move(summary),
      parameters_of(form),
      initial_values(),
      true,
      [form](const ModelRequest& request, ProblemList& problems) { return make(form, request, problems); },
      std::move(examples)};
}

std::vector<Example> coupled_examples() {
  return {{"linear",
           given({{"m", 2.0}, {"k", 10.0}, {"c", 0.3}, {"kc", 100.0}, {"cc", 0.2}, {"coupling_rest", 0.1}}),
           given({{"x", 0.2}, {"v", -1.0}})},
          {"nonlinear",
           given({{"k", 10.0},
                  {"c", 0.3},
                  {"kc", 20.0},
                  {"cc", 0.2},
                  {"spring", "square-root"},
                  {"damper", "quadratic"},
                  {"coupling_spring", "square-root"},
                  {"coupling_damper", "quadratic"},
                  {"x_rest", -5.0},
                  {"coupling_rest", -5.0}}),
           given({{"x", 0.5}, {"v", 1.0}})}};
}

}  // namespace

Description describe_point_mass(PointMassForm form, std::size_t force_ports) {
  const Unit newton = Unit::of("N");
  const Unit metre = Unit::of("m");
  const Unit metre_per_second = Unit::of("m/s");
  Description description;
  if (form != Form::force_driven) {
    description.inputs.push_back({"position_in", metre, 1, "position of the coupling's far end"});
    description.inputs.push_back({"velocity_in", metre_per_second, 1, "velocity of the coupling's far end"});
  }
  const std::string stem = form == Form::force_driven ? "force" : "force_in";
  for (std::size_t i = 1; i <= force_ports; ++i) {
    description.inputs.push_back(
        {force_ports == 1 ? stem : fmt::format("{}{}", stem, i), newton, 1, "force on the mass"});
  }
  Port external{"external_force", newton, 1, "further force on the mass"};
  external.optional = true;
  description.inputs.push_back(external);
  description.outputs = {{"position", metre, 1, "position of the mass"},
                         {"velocity", metre_per_second, 1, "velocity of the mass"}};
  description.outputs.back().rate_of = "position";
  if (form == Form::force_output) {
    description.outputs.push_back({"force", newton, 1, "force of the coupling on its far end"});
    description.feedthrough = {{2, 0}, {2, 1}};
  }
  return description;
}

std::shared_ptr<const Description> shared_description_of_point_mass(Form form, std::size_t force_ports,
                                                                    InputSampling sampling) {
  using Kind = std::tuple<Form, std::size_t, InputSampling>;
  static std::mutex access;
  static std::map<Kind, std::shared_ptr<const Description>> made;
  const std::lock_guard lock(access);
  std::shared_ptr<const Description>& shared = made[{form, force_ports, sampling}];
  if (!shared) {
    Description description = describe_point_mass(form, force_ports);
    description.samples_input = sampling;
    shared = std::make_shared<const Description>(std::move(description));
  }
  return shared;
}

ModelInfo mass_model() {
  return model(
      "oscillator.mass", "mass on a spring and damper, driven by forces", Form::force_driven,
      {{"several forces", given({{"m", 3.0}, {"k", 50.0}, {"c", 0.5}, {"force_ports", 3.0}, {"x_rest", 0.1}}),
        given({{"x", 0.2}, {"v", -1.0}})},
       {"nonlinear",
        given(
            {{"k", 10.0}, {"c", 0.3}, {"spring", "square-root"}, {"damper", "quadratic"}, {"x_rest", -5.0}}),
        given({{"v", 1.0}})}});
}

ModelInfo displacement_driven_model() {
  return model("oscillator.displacement_driven",
               "mass with a coupling spring and damper whose far end is moved from outside",
               Form::displacement_driven, coupled_examples());
}

ModelInfo force_output_model() {
  std::vector<Example> examples = coupled_examples();
  for (double ports : {1.0, 2.0}) {
    Example middle = examples.front();
    middle.name = fmt::format("{} forces", ports);
    middle.parameters["force_ports"] = {ports, {}};
    examples.push_back(middle);
  }
  return model(
      "oscillator.force_output",
      "mass with a coupling spring and damper whose far end is moved from outside; gives the coupling force",
      Form::force_output, std::move(examples));
}

}  // namespace ergon
