#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/step_control/step_control.hpp"
#include "ergon/scenario/file/readers.hpp"
#include "ergon/scenario/file/table_reader.hpp"
#include "ergon/scenario/setting_names.hpp"

namespace ergon {
namespace {

constexpr std::int64_t max_threads = 1024;
constexpr int most_iterations = 100000;

void read_simulation(const Value* table, Scenario& scenario, ProblemList& problems) {
  if (!table) return;
  TableReader reader(*table, "[simulation]", problems);
  SimulationSettings& s = scenario.simulation;
  s.where = table->where;
  if (const auto start = reader.time_s("start_time")) s.start_time_s = *start;
  const bool has_stop = reader.entry("stop_time") != nullptr;
  s.stop_time_s = reader.time_s("stop_time");
  if (!has_stop) reader.missing("stop_time", "Add it, as in: stop_time = 10.0, or give --stop-time.");
  s.step_size_s = reader.step_s("step_size");
  if (const Entry* threads = reader.entry("threads")) {
    const Value& v = threads->value;
    if (v.kind == Value::Kind::integer && v.integer >= 1 && v.integer <= max_threads) {
      s.threads = static_cast<unsigned>(v.integer);
    } else {
      reader.error(v.where, fmt::format("'threads' in [simulation] is {}.", v.describe()),
                   fmt::format("Give a whole number from 1 to {}.", max_threads));
    }
  }
  if (const auto reaction = reader.choice("on_unreliable", on_unreliable_names.all())) {
    s.on_unreliable = on_unreliable_names.value(reaction->value);
  }
  if (const auto check = reader.choice("check", motion_check_names.all())) {
    s.check = motion_check_names.value(check->value);
  }
  reader.finish();
  if (reader.misspelt("step_size")) s.step_size_s.emplace();
}

/// Settings of the implicit schemes. One file often serves several schemes by --set coupling.scheme=…, so what a scheme
/// does not know is not an error.
class ImplicitReader {
 public:
  ImplicitReader(TableReader& reader, CouplingSettings& coupling, ProblemList& problems)
      : reader_(reader), coupling_(coupling), problems_(problems) {
    const Scheme* scheme = find_scheme(coupling.scheme.value);
    implicit_ = scheme != nullptr && scheme->solves_for_coupling_variables();
  }

  void read() {
    if (implicit_) {
      if (const Entry* extrapolation = reader_.entry("extrapolation")) {
        no_effect(*extrapolation, "extrapolation");
      }
      coupling_.degree = 1;
    }
    read_degree();
    read_update();
    if (const auto tolerance = number("tolerance")) coupling_.implicit.tolerance = *tolerance;
    if (const auto limit = number("max_iterations")) {
      if (*limit == std::floor(*limit) && *limit <= most_iterations) {
        coupling_.implicit.max_iterations = static_cast<int>(*limit);
      } else {
        reader_.error(reader_.entry("max_iterations")->where,
                      fmt::format("max_iterations = {} in [coupling] is not possible.", *limit),
                      fmt::format("Give a whole number from 1 to {}.", most_iterations));
      }
    }
    flag("final_evaluation", coupling_.implicit.final_evaluation);
    flag("accept_unstable", coupling_.implicit.accept_unstable);
  }

 private:
  void no_effect(const Entry& entry, const char* key) {
    problems_.note(entry.where, fmt::format("'{}' has no effect on '{}'.", key, coupling_.scheme.value));
  }
  /// The entry, where it is there and means something.
  const Entry* entry(const char* key) {
    const Entry* found = reader_.entry(key);
    if (found == nullptr || implicit_) return found;
    no_effect(*found, key);
    return nullptr;
  }
  void read_degree() {
    if (entry("degree") != nullptr) {
      const auto degree = reader_.number("degree");
      if (degree && (degree->value == 0.0 || degree->value == 1.0 || degree->value == 2.0)) {
        coupling_.degree = static_cast<int>(degree->value);
      } else if (degree) {
        reader_.error(degree->where, fmt::format("degree = {} in [coupling] is not possible.", degree->value),
                      "Give 0, 1 or 2.");
      }
    }
    if (entry("interpolation") != nullptr) {
      if (const auto name = reader_.choice("interpolation", {"lagrange", "hermite"})) {
        coupling_.implicit.hermite = name->value == "hermite";
      }
    }
  }
  void read_update() {
    const Entry* jacobian = entry("jacobian");
    const Entry* acceleration = entry("acceleration");
    if (jacobian != nullptr && acceleration != nullptr) {
      reader_.error(acceleration->where, "[coupling] has both a jacobian and an acceleration.",
                    "An acceleration works without a Jacobian: leave one of them out.");
    }
    if (jacobian != nullptr) {
      if (const auto name = reader_.choice("jacobian", update_rule_names(true))) {
        coupling_.implicit.update = name->value;
      }
    }
    if (acceleration != nullptr) {
      if (const auto name = reader_.choice("acceleration", update_rule_names(false))) {
        coupling_.implicit.update = name->value;
      }
    }
  }
  std::optional<double> number(const char* key) {
    if (entry(key) == nullptr) return std::nullopt;
    const auto given = reader_.number(key);
    if (!given) return std::nullopt;
    if (std::isfinite(given->value) && given->value > 0.0) return given->value;
    reader_.error(given->where, fmt::format("{} = {} in [coupling] is not possible.", key, given->value),
                  "Give a number > 0.");
    return std::nullopt;
  }
  void flag(const char* key, bool& value) {
    const Entry* found = entry(key);
    if (found == nullptr) return;
    if (found->value.kind == Value::Kind::boolean) {
      value = found->value.boolean;
      return;
    }
    reader_.error(found->value.where, fmt::format("'{}' in [coupling] is {}.", key, found->value.describe()),
                  "Give true or false.");
  }

  TableReader& reader_;
  CouplingSettings& coupling_;
  ProblemList& problems_;
  bool implicit_ = false;
};

void read_coupling(const Value* table, CouplingSettings& coupling, ProblemList& problems) {
  if (!table) return;
  TableReader reader(*table, "[coupling]", problems);
  Names names;
  for (const Scheme* scheme : schemes()) names.emplace_back(scheme->name());
  if (const auto scheme = reader.choice("scheme", names)) coupling.scheme = *scheme;
  coupling.order = reader.texts("order");
  if (const auto extrapolation = reader.choice("extrapolation", bond_extrapolations())) {
    const auto degree = extrapolation_degree(extrapolation->value);
    coupling.degree = degree.value_or(0);
    if (!degree) coupling.predictor = predictor_of_extrapolation(extrapolation->value);
  }
  if (const auto mode = reader.choice("feedthrough", feedthrough_names.all())) {
    coupling.feedthrough = feedthrough_names.value(mode->value);
  }
  if (const auto starter = reader.choice("starter", starter_names.all())) {
    coupling.starter = starter_names.value(starter->value);
  }
  coupling.implicit.where = table->where;
  ImplicitReader(reader, coupling, problems).read();
  reader.finish();
  const Scheme* scheme = find_scheme(coupling.scheme.value);
  if (reader.ok() && scheme && !scheme->takes_order() && !coupling.order.empty()) {
    // Not an error: one file often serves several schemes by --set coupling.scheme=…
    problems.note(coupling.order.front().where,
                  fmt::format("'order' has no effect on '{}'.", scheme->name()));
  }
}

std::optional<StepControlSettings> read_step_control(const Value* table, ProblemList& problems) {
  if (!table) return std::nullopt;
  TableReader reader(*table, "[step_control]", problems);
  StepControlSettings settings;
  settings.where = table->where;
  Names names;
  for (const StepControlMethod& method : step_control_methods()) names.emplace_back(method.name);
  const bool said = reader.entry("method") != nullptr;
  const auto method = reader.choice("method", names);
  if (!said) reader.missing("method", "Write method = \"interface-power\".");
  if (method) settings.method = method->value;
  const auto tolerance = [&](const char* key, double& value, bool may_be_zero) {
    const auto number = reader.number(key);
    if (!number) return;
    value = number->value;
    if (std::isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0))) return;
    reader.error(number->where, fmt::format("{} = {} in [step_control] is not a tolerance.", key, value),
                 fmt::format("Give a number {} 0.", may_be_zero ? "≥" : ">"));
  };
  tolerance("rtol", settings.rtol, false);
  tolerance("atol", settings.atol_J, true);
  settings.min_step_s = reader.step_s("min_step");
  settings.max_step_s = reader.step_s("max_step");
  reader.finish();
  return settings;
}

/// { default = "5 %", "body.temperature" = "1 K", "*.force" = "10 %" }
void read_accuracy(const Value* table, OutputSettings& output, ProblemList& problems) {
  if (!table) return;
  for (const Entry& e : table->entries) {
    const bool is_text = e.value.kind == Value::Kind::text;
    const auto accuracy = is_text ? Accuracy::parse(e.value.text) : std::nullopt;
    if (!accuracy) {
      problems.error(
          e.value.where,
          fmt::format("'{}' in 'accuracy' of [output] must be an accuracy, but is {}.", e.key,
                      e.value.describe()),
          fmt::format("Write a part of half the range, \"{}\" = \"5 %\", a positive number with its "
                      "unit, \"0.1 K\" (\"0.1 1\" without one), or \"any\".",
                      e.key));
    } else if (e.key == "default") {
      output.accuracy = *accuracy;
      if (accuracy->kind == Accuracy::Kind::absolute) {
        problems.error(e.value.where,
                       "'default' in 'accuracy' of [output] has a unit, but outputs have many.",
                       "Write a percentage, \"5 %\", or name the outputs instead of 'default'.");
      }
    } else {
      output.accuracies.push_back({{e.key, e.where}, *accuracy});
    }
  }
}

void read_output(const Value* table, OutputSettings& output, ProblemList& problems) {
  if (!table) return;
  TableReader reader(*table, "[output]", problems);
  if (reader.entry("variables")) output.variables = reader.texts("variables");
  if (reader.entry("bonds")) output.bonds = reader.texts("bonds");
  output.interval_s = reader.step_s("interval");
  read_accuracy(reader.table("accuracy"), output, problems);
  reader.finish();
}

std::optional<EquilibriumRequest> read_initialization(const Value* table, ProblemList& problems) {
  if (!table) return std::nullopt;
  TableReader reader(*table, "[initialization]", problems);
  const auto mode = reader.choice("mode", {"given", "static"}, {"consistent"});
  const bool is_static = mode && mode->value == "static";
  EquilibriumRequest request;
  request.where = mode ? mode->where : table->where;
  for (const char* key : {"free", "hold"}) {
    const Entry* entry = reader.entry(key);
    if (entry == nullptr) continue;
    if (mode && !is_static) {
      reader.error(
          entry->value.where,
          fmt::format("'{}' in [initialization] means nothing with mode = \"{}\".", key, mode->value),
          "Write mode = \"static\", or leave it out.");
    }
    auto& quantities = std::string_view(key) == "free" ? request.free : request.hold;
    for (const Said<std::string>& name : reader.texts(key)) quantities.push_back({name.value, name.where});
  }
  if (is_static && reader.entry("free") == nullptr) {
    reader.missing("free", "Name what is to be found, as in: free = [\"cylinder.p1\", \"cylinder.p2\"].");
  }
  if (!mode && reader.entry("mode") == nullptr)
    reader.missing("mode", "Write mode = \"given\" or \"static\".");
  reader.finish();
  if (!is_static) return std::nullopt;
  return request;
}

}  // namespace

void read_sections(const Value& document, const ModelSources& sources, Scenario& scenario,
                   ProblemList& problems) {
  TableReader top(document, "the scenario", problems);
  read_simulation(top.table("simulation"), scenario, problems);
  read_coupling(top.table("coupling"), scenario.coupling, problems);
  read_output(top.table("output"), scenario.output, problems);
  scenario.equilibrium = read_initialization(top.table("initialization"), problems);
  scenario.step_control = read_step_control(top.table("step_control"), problems);
  // What an earlier run wrote about itself: never a setting, so nothing of it is read or checked here.
  top.entry("provenance");

  std::size_t number = 0;
  for (const Value* table : top.tables("subsystem")) {
    scenario.subsystems.push_back(
        read_subsystem(*table, ++number, sources, scenario.base_directory, problems));
  }
  number = 0;
  for (const Value* table : top.tables("element")) {
    scenario.elements.push_back(read_element(*table, ++number, problems));
  }
  number = 0;
  for (const Value* table : top.tables("bond")) {
    scenario.bonds.push_back(read_bond(*table, ++number, problems));
  }
  number = 0;
  for (const Value* table : top.tables("connection")) {
    scenario.connections.push_back(read_connection(*table, ++number, problems));
  }
  number = 0;
  for (const Value* table : top.tables("change")) {
    if (auto change = read_change(*table, ++number, problems)) scenario.changes.push_back(std::move(*change));
  }
  number = 0;
  for (const Value* table : top.tables("shape")) {
    scenario.shapes.push_back(read_shape(*table, ++number, problems));
  }
  // A misspelt or mistyped heading was just reported: what is missing is probably below it.
  scenario.complete = top.finish();
  if (!scenario.complete) return;
  if (scenario.simulation.where.file.empty()) {
    problems.error({scenario.file, 0, 0}, "The scenario has no [simulation].",
                   "Add it, with stop_time = 10.0 and step_size = 1e-3 (both in seconds).");
  }
  if (scenario.subsystems.empty()) {
    problems.error({scenario.file, 0, 0}, "The scenario has no subsystem.",
                   "Add at least one [[subsystem]].");
  }
}

}  // namespace ergon
