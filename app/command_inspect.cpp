#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/description/grammar.hpp"
#include "ergon/fmi/description/read_description.hpp"
#include "ergon/fmi/description/rules.hpp"
#include "ergon/fmi/subsystem/bond_proposals.hpp"
#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon::app {
namespace {

using namespace fmi;

struct Capability {
  const char* name;
  bool there;
  const char* buys;
};

/// Of an FMU that is run by model exchange.
std::vector<Capability> exchange_capabilities(const ModelDescription& d) {
  const ModelExchange& me = *d.model_exchange;
  return {
      {"save/restore", me.can_save_state,
       "semi-implicit and implicit coupling, step control, repeated steps"},
      {"serialisation", me.can_serialize_state, "snapshots that outlive the process"},
      {"directional derivatives", me.directional_derivatives,
       "interface Jacobians, and that of the integration, without extra evaluations"},
      {"several instances per process", !me.once_per_process, "else: isolate = true for each"},
      {"completed steps", me.needs_completed_step, "called after each internal step (it may select states)"},
  };
}

std::size_t element_total(const ModelDescription& d, const std::vector<Unknown>& unknowns) {
  std::size_t total = 0;
  for (const Unknown& u : unknowns) total += element_count(d, d.variables[u.variable]).value_or(0);
  return total;
}

std::size_t indicator_total(const ModelDescription& d) {
  return d.version == FmiVersion::fmi3 ? element_total(d, d.indicators) : d.indicator_count;
}

/// "co-simulation and model exchange", as far as it can be run.
std::string interfaces_of(const ModelDescription& d) {
  if (d.co_simulation) return d.model_exchange ? "co-simulation and model exchange" : "co-simulation";
  if (d.model_exchange) return "model exchange";
  return d.has_model_exchange ? "model exchange only" : "scheduled execution only";
}

void print_exchange(const ModelDescription& d) {
  emit("\nmodel exchange{}\n  {} continuous states, {} event indicators\n",
       d.co_simulation ? " (with interface = \"me\")" : ": integrated by Ergon",
       element_total(d, d.derivatives), indicator_total(d));
  for (const Capability& c : exchange_capabilities(d))
    emit("  {} {:<30} {}\n", c.there ? "yes" : "no ", c.name, c.buys);
  if (d.model_exchange->needs_execution_tool) emit("  It needs another program on this machine.\n");
}

std::vector<Capability> capabilities(const ModelDescription& d) {
  const CoSimulation& cs = *d.co_simulation;
  std::vector<Capability> all = {
      {"save/restore", cs.can_save_state,
       "semi-implicit and implicit coupling, step control, repeated steps"},
      {"serialisation", cs.can_serialize_state, "snapshots that outlive the process"},
      {"directional derivatives", cs.directional_derivatives, "interface Jacobians without extra steps"},
      {"variable step", cs.variable_step, "step control, a shortened last step"},
      {"output derivatives", cs.output_derivative_order > 0,
       "rates of outputs, with output_derivatives = true"},
      {"several instances per process", !cs.once_per_process, "else: isolate = true for each"},
  };
  if (d.version != fmi::FmiVersion::fmi3) {
    all.push_back({"input derivatives", cs.interpolates_inputs, "extrapolated inputs within a step"});
  } else {
    all.push_back({"intermediate update", cs.intermediate_update, "extrapolated inputs within a step"});
    all.push_back({"event mode", cs.event_mode, "refresh is legal; events and clocks"});
    all.push_back({"early return", cs.might_return_early, "events within a step are found in time"});
  }
  return all;
}

std::string start_text(const Variable& v) {
  if (!v.start_texts.empty())
    return v.type == VariableType::binary ? "(bytes)" : "\"" + v.start_texts.front() + "\"";
  if (v.start.empty()) return "";
  if (v.type == VariableType::boolean) return v.start.front() != 0.0 ? "true" : "false";
  if (!v.start_integers.empty()) {
    std::vector<std::string> texts;
    for (const std::int64_t start : v.start_integers)
      texts.push_back(v.type == VariableType::uint64 ? fmt::format("{}", static_cast<std::uint64_t>(start))
                                                     : fmt::format("{}", start));
    return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
  }
  return v.start.size() == 1 ? fmt::format("{}", v.start.front())
                             : fmt::format("[{}]", fmt::join(v.start, ", "));
}

constexpr std::size_t most_shown = 60;

void print_variables(const ModelDescription& d, const char* title, Causality causality, bool all) {
  std::vector<const Variable*> list;
  for (const Variable& v : d.variables) {
    if (v.causality == causality) list.push_back(&v);
  }
  if (list.empty()) return;
  emit("{} ({})\n", title, list.size());
  for (std::size_t i = 0; i < list.size() && (all || i < most_shown); ++i) {
    const Variable& v = *list[i];
    std::string size;
    for (const Dimension& dimension : v.dimensions) {
      const auto by = dimension.reference ? d.find_reference(*dimension.reference) : std::nullopt;
      size += by ? fmt::format("[{}]", d.variables[*by].name) : fmt::format("[{}]", dimension.start);
    }
    const std::string start = start_text(v);
    emit("  {:<24} {:<11} {:<8} {:<12} {}{}{}\n", v.name + size, name_of(v.type), v.unit,
         start.empty() ? "" : "= " + start, v.description,
         v.aliases.empty() ? "" : fmt::format(" (also: {})", fmt::join(v.aliases, ", ")),
         v.variability == Variability::tunable ? " (tunable)" : "");
  }
  if (!all && list.size() > most_shown) emit("  and {} more (--all)\n", list.size() - most_shown);
}

void print_feedthrough(const ModelDescription& d) {
  std::vector<std::string> unknown;
  std::string lines;
  for (const Unknown& u : d.outputs) {
    if (!u.dependencies) {
      unknown.push_back(d.variables[u.variable].name);
      continue;
    }
    std::vector<std::string> inputs;
    for (const std::size_t i : *u.dependencies) {
      if (d.variables[i].causality == Causality::input) inputs.push_back(d.variables[i].name);
    }
    if (!inputs.empty())
      lines += fmt::format("  {} → {}\n", fmt::join(inputs, ", "), d.variables[u.variable].name);
  }
  if (!lines.empty()) emit("feed-through\n{}", lines);
  if (!unknown.empty())
    emit(
        "outputs whose feed-through the FMU does not declare (all inputs are assumed;  'feedthrough' in the "
        "scenario "
        "can correct this): {}\n",
        fmt::join(unknown, ", "));
}

void print_proposals(const std::vector<BondProposal>& proposals) {
  if (proposals.empty()) return;
  emit("power bonds that its variables may be ends of (check which way power is positive)\n");
  for (const BondProposal& p : proposals) {
    const std::string displacement =
        p.displacement.empty() ? "" : fmt::format(", displacement = \"NAME.{}\"", p.displacement);
    emit("  {{ effort = \"NAME.{}\", flow = \"NAME.{}\"{} }}   {}\n", p.effort, p.flow, displacement, p.why);
  }
}

nlohmann::json json_of(const FmuModel& model, const std::vector<BondProposal>& proposals) {
  using nlohmann::json;
  const ModelDescription& d = model.description();
  json out = {{"file", model.file()},
              {"sha256", model.files().sha256()},
              {"fmi_version", d.version_text},
              {"model_name", d.model_name},
              {"description", d.description},
              {"generation_tool", d.generation_tool},
              {"token", d.token},
              {"platforms", fmi::platforms_with_library(model.files().folder())},
              {"scheduled_execution", d.has_scheduled_execution}};
  out["model_exchange"] = nullptr;
  if (d.model_exchange) {
    json flags = json::object();
    for (const Capability& c : exchange_capabilities(d)) flags[c.name] = c.there;
    out["model_exchange"] = {{"model_identifier", d.model_exchange->model_identifier},
                             {"needs_execution_tool", d.model_exchange->needs_execution_tool},
                             {"continuous_states", element_total(d, d.derivatives)},
                             {"event_indicators", indicator_total(d)},
                             {"capabilities", flags}};
  }
  out["co_simulation"] = nullptr;
  if (d.co_simulation) {
    json flags = json::object();
    for (const Capability& c : capabilities(d)) flags[c.name] = c.there;
    out["co_simulation"] = {{"model_identifier", d.co_simulation->model_identifier},
                            {"needs_execution_tool", d.co_simulation->needs_execution_tool},
                            {"capabilities", flags}};
  }
  const auto number = [](const std::optional<double>& value) { return value ? json(*value) : json(nullptr); };
  out["default_experiment"] = {{"start_time", number(d.experiment.start_s)},
                               {"stop_time", number(d.experiment.stop_s)},
                               {"tolerance", number(d.experiment.tolerance)},
                               {"step_size", number(d.experiment.step_s)}};
  out["variables"] = json::array();
  for (const Variable& v : d.variables) {
    json one = {{"name", v.name},
                {"type", name_of(v.type)},
                {"causality", name_of(v.causality)},
                {"variability", name_of(v.variability)},
                {"initial", name_of(v.initial)},
                {"reference", v.reference},
                {"unit", v.unit},
                {"description", v.description},
                {"aliases", v.aliases},
                {"size", element_count(d, v).value_or(0)}};
    if (!v.start.empty()) one["start"] = v.start;
    if (!v.start_integers.empty()) {
      if (v.type == VariableType::uint64)
        one["start"] = std::vector<std::uint64_t>(v.start_integers.begin(), v.start_integers.end());
      else
        one["start"] = v.start_integers;
    }
    if (!v.start_texts.empty() && v.type == VariableType::text) one["start"] = v.start_texts;
    out["variables"].push_back(std::move(one));
  }
  out["feedthrough"] = json::object();
  for (const Unknown& u : d.outputs) {
    json inputs = json::array();
    for (std::size_t i = 0; i < d.variables.size(); ++i) {
      const bool depends = !u.dependencies || std::find(u.dependencies->begin(), u.dependencies->end(), i) !=
                                                  u.dependencies->end();
      if (depends && d.variables[i].causality == Causality::input) inputs.push_back(d.variables[i].name);
    }
    out["feedthrough"][d.variables[u.variable].name] = std::move(inputs);
  }
  out["bond_proposals"] = json::array();
  for (const BondProposal& p : proposals)
    out["bond_proposals"].push_back(
        {{"effort", p.effort}, {"flow", p.flow}, {"displacement", p.displacement}, {"why", p.why}});
  return out;
}

}  // namespace

int inspect_command(const InspectArguments& arguments) {
  if (is_foreign_system(arguments.file) || arguments.file.ends_with(".toml"))
    return inspect_system(arguments);
  ProblemList problems;
  const auto model = FmuModel::load(arguments.file, problems, arguments.try_out);
  if (!model) throw InputError(problems);
  print_problems(problems);
  const ModelDescription& d = model->description();
  const std::vector<BondProposal> proposals = propose_bonds(d);
  if (arguments.json) {
    emit("{}\n", json_of(*model, proposals).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return exit_done;
  }
  emit("{}: FMI {}, {}{}\n", d.model_name, d.version_text, interfaces_of(d),
       d.description.empty() ? "" : ", " + d.description);
  if (!d.generation_tool.empty()) emit("made with {}\n", d.generation_tool);
  emit("libraries for: {}\n", fmt::join(fmi::platforms_with_library(model->files().folder()), ", "));
  const DefaultExperiment& e = d.experiment;
  if (e.stop_s || e.step_s)
    emit("default experiment: {} s to {} s{}\n", e.start_s.value_or(0.0), e.stop_s.value_or(0.0),
         e.step_s ? fmt::format(", step {} s", *e.step_s) : "");
  if (d.co_simulation) {
    emit("\ncapabilities\n");
    for (const Capability& c : capabilities(d))
      emit("  {} {:<30} {}\n", c.there ? "yes" : "no ", c.name, c.buys);
    if (d.co_simulation->needs_execution_tool) emit("  It needs another program on this machine.\n");
    if (arguments.try_out) {
      const auto kind = make_kind(model, {}, {}, problems);
      const bool refreshes = kind && finds_refresh(*kind, {});
      emit("  {} {:<30} {}\n", refreshes ? "yes" : "no ", "refresh (tried out)",
           "feed-through without a step's delay");
    }
  }
  if (d.model_exchange) print_exchange(d);
  emit("\n");
  print_variables(d, "inputs", Causality::input, arguments.all);
  print_variables(d, "outputs", Causality::output, arguments.all);
  print_variables(d, "parameters", Causality::parameter, arguments.all);
  print_variables(d, "structural parameters", Causality::structural_parameter, arguments.all);
  if (arguments.all) {
    print_variables(d, "calculated parameters", Causality::calculated_parameter, true);
    print_variables(d, "local variables", Causality::local, true);
  }
  print_feedthrough(d);
  print_proposals(proposals);
  return exit_done;
}

int validate_command(const std::string& file) {
  ProblemList problems;
  const auto files = UnpackedFmu::open(file, problems);
  if (!files) throw InputError(problems);
  XmlFile xml;
  const std::string shown = file + "/modelDescription.xml";
  if (xml.load(files->folder() / "modelDescription.xml", shown, problems)) check_grammar(xml, problems);
  if (const auto model = read_description(files->folder(), file, problems)) {
    check_rules(*model, problems);
    if (model->co_simulation || model->model_exchange) {
      ProblemList of_library;
      const FmuInterface& declared = declared_interface(*model, interface_of(*model, {}));
      (void)find_library(files->folder(), model->version, declared.model_identifier, file, of_library);
      for (const Problem& p : of_library.all()) problems.warning(p.where, p.what, p.remedy);
    }
  }
  print_problems(problems, true);
  std::size_t errors = 0;
  for (const Problem& p : problems.all()) errors += p.severity == Severity::error ? 1 : 0;
  if (errors > 0) {
    emit("{}: {} error{}, {} warning{}.\n", file, errors, errors == 1 ? "" : "s",
         problems.all().size() - errors, problems.all().size() - errors == 1 ? "" : "s");
    return exit_bad_input;
  }
  emit("{}: the description follows the standard{}.\n", file,
       problems.all().empty() ? "" : fmt::format(", with {} to look at", problems.all().size()));
  return exit_done;
}

}  // namespace ergon::app
