#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/capability_names.hpp"
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/scenario/file/machine_file.hpp"

namespace ergon::app {
namespace {

std::string value_text(const ParameterValue& value) {
  struct Visitor {
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const {
      std::string lines;  // of several lines: in one
      for (const char c : v) lines += c == '\n' ? std::string("; ") : std::string(1, c);
      while (lines.ends_with("; ")) lines.resize(lines.size() - 2);
      return "\"" + lines + "\"";
    }
    std::string operator()(const std::vector<double>& v) const {
      return fmt::format("[{}]", fmt::join(v, ", "));
    }
  };
  return std::visit(Visitor{}, value);
}

void print_parameters(const char* title, const std::vector<ParameterInfo>& infos) {
  if (infos.empty()) return;
  emit("{}\n", title);
  for (const ParameterInfo& p : infos) {
    const std::string choices = p.choices.empty() ? "" : fmt::format(" ({})", fmt::join(p.choices, ", "));
    emit("  {:<18} = {:<16} {:<6} {}{}\n", p.name, value_text(p.standard), p.unit, p.help, choices);
  }
}

void print_ports(const char* title, const std::vector<Port>& ports) {
  if (ports.empty()) return;
  emit("{}\n", title);
  for (const Port& p : ports) {
    const std::string size = p.size > 1 ? fmt::format("[{}]", p.size) : "";
    std::vector<std::string> items;
    for (const EnumerationItem& item : p.items) items.push_back(item.name);
    emit("  {:<18} {:<6} {}{}{}{}\n", p.name + size,
         p.type == PortType::real ? p.unit.text : std::string(name_of(p.type)), p.description,
         items.empty() ? "" : fmt::format(": {}", fmt::join(items, ", ")),
         p.type != PortType::real && !p.unit.text.empty() ? fmt::format(" in {}", p.unit.text) : "",
         p.optional ? " (optional)" : "");
  }
}

void print_tunables(Subsystem& subsystem) {
  if (subsystem.tunable() == nullptr) return;
  std::vector<std::string> names;
  for (const TunableParameter& parameter : subsystem.tunable()->tunable_parameters())
    names.push_back(parameter.name);
  emit("may change during a run\n  {}\n", fmt::join(names, ", "));
}

void print_capabilities(Subsystem& subsystem) {
  const std::vector<std::string> names = capability_names(subsystem);
  emit("capabilities\n  {}\n", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

void print_feedthrough(const Description& d) {
  if (d.feedthrough.empty()) return;
  emit("feed-through\n");
  for (const FeedthroughPair& pair : d.feedthrough) {
    emit("  {} → {}\n", d.inputs[pair.input].name, d.outputs[pair.output].name);
  }
}

void describe_model(const ModelInfo& info) {
  emit("{}: {}\n\n", info.name, info.summary);
  ProblemList problems;
  const auto subsystem = info.make({info.name,
                                    ParameterSet(info.parameters, {}, info.name, problems),
                                    ParameterSet(info.initial, {}, info.name, problems),
                                    {},
                                    "",
                                    {}},
                                   problems);
  if (subsystem != nullptr) {
    const Description d = subsystem->describe();
    print_ports("inputs", d.inputs);
    print_ports("outputs", d.outputs);
    print_feedthrough(d);
  }
  print_parameters("parameters", info.parameters);
  print_parameters("initial", info.initial);
  if (subsystem != nullptr) {
    print_tunables(*subsystem);
    print_capabilities(*subsystem);
  }
  if (info.integrated) {
    emit("integrators  (integrator = {{ method = \"...\", step = 1e-5, rtol = 1e-6, atol = 1e-9 }})\n");
    for (const IntegratorInfo& i : integrators()) {
      if (info.takes_integrator(i.name)) emit("  {:<20} {}\n", i.name, i.help);
    }
  }
}

void describe_element(const ElementInfo& info) {
  emit("{}: {}\n\n", info.name, info.summary);
  ProblemList problems;
  const auto element = info.make(ParameterSet(info.parameters, {}, info.name, problems), problems);
  if (element != nullptr) {
    const Description d = element->describe();
    print_ports("inputs", d.inputs);
    print_ports("outputs", d.outputs);
  }
  print_parameters("parameters", info.parameters);
  if (element != nullptr) print_tunables(*element);
}

/// A machine file: what it holds, its constraints, and its ports as a subsystem.
void describe_machine(const std::string& file) {
  ProblemList problems;
  const auto description = load_machine(file, {}, problems);
  auto ready = description ? make_ready(*description, problems) : std::nullopt;
  if (!ready) throw InputError(problems);
  const Machine& machine = *ready->machine;
  emit("{}: machine with {} bodies, {} joints, {} actuators, {} contact pair{}\n", file, machine.count(),
       machine.joints.size(), machine.actuators.size(), machine.pairs.size(),
       machine.pairs.size() == 1 ? "" : "s");
  emit("{}\n", tell_constraints(ready->constraints));
  for (const Problem& problem : problems.all()) emit("{}\n", to_string(problem));
  Kinematics now;
  now.evaluate(machine, ready->state);
  for (const Machine::Actuator& actuator : machine.actuators) {
    Row row;
    line_row(now, actuator.a, actuator.point_a, actuator.b, actuator.point_b, row);
    emit("'{}' is {:.10g} m long.\n", actuator.name, row.gap);
  }
  MachineState rest = ready->state;
  const StaticEquilibrium equilibrium = find_static_equilibrium(machine, 0.0, rest);
  if (!equilibrium.found) {
    emit("With its actuators held it does not come to rest.\n");
  } else {
    for (std::size_t i = 0; i < machine.actuators.size(); ++i)
      emit("At rest '{}' is held by {:.6g} N.\n", machine.actuators[i].name, equilibrium.holding_N[i]);
  }
  emit("\nmodel = \"multibody.nonsmooth\", description = \"{}\"\n", file);
  const NonsmoothMachine subsystem({ready->machine, ready->state, {}});
  const Description d = subsystem.describe();
  print_ports("inputs", d.inputs);
  print_ports("outputs", d.outputs);
}

}  // namespace

int models_command(const std::optional<std::string>& name) {
  if (!name) {
    emit("Models, for [[subsystem]] model = \"...\":\n");
    for (const ModelInfo& m : models()) emit("  {:<32} {}\n", m.name, m.summary);
    emit("\nLaws, for [[element]] law = \"...\":\n");
    for (const ElementInfo& e : elements()) emit("  {:<32} {}\n", e.name, e.summary);
    emit(
        "\n'ergon models NAME' shows ports, parameters and capabilities, 'ergon models FILE.toml' those of a "
        "machine.\n");
    return exit_done;
  }
  if (name->ends_with(".toml")) {
    describe_machine(*name);
  } else if (const ModelInfo* model = find_model(*name)) {
    describe_model(*model);
  } else if (const ElementInfo* element = find_element(*name)) {
    describe_element(*element);
  } else {
    std::vector<std::string> names;
    for (const ModelInfo& m : models()) names.push_back(m.name);
    for (const ElementInfo& e : elements()) names.push_back(e.name);
    throw InputError({}, fmt::format("There is no model or law '{}'.", *name), did_you_mean(*name, names));
  }
  return exit_done;
}

}  // namespace ergon::app
