#include "ergon/scenario/write/resolved_scenario.hpp"

#include <filesystem>
#include <utility>

#include "ergon/core/sha256.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/scenario/setting_names.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr const char* provenance_heading = "\n[provenance]\n";

Value time_value(const Rational& time_s) {
  const auto decimal = Rational::from_double(time_s.value());
  return decimal == time_s ? number_value(time_s.value()) : text_value(time_s.text());
}

Value texts(const std::vector<std::string>& values) {
  std::vector<Value> items;
  for (const std::string& v : values) items.push_back(text_value(v));
  return list_value(std::move(items));
}

Value texts(const std::vector<Said<std::string>>& said) {
  std::vector<Value> items;
  for (const auto& s : said) items.push_back(text_value(s.value));
  return list_value(std::move(items));
}

Value text_or_list(const std::vector<std::string>& values) {
  return values.size() == 1 ? text_value(values.front()) : texts(values);
}

Value parameter(const ParameterValue& value) {
  if (const double* n = std::get_if<double>(&value)) return number_value(*n);
  if (const bool* b = std::get_if<bool>(&value)) return boolean_value(*b);
  if (const std::int64_t* n = std::get_if<std::int64_t>(&value)) return integer_value(*n);
  if (const std::string* s = std::get_if<std::string>(&value)) return text_value(*s);
  std::vector<Value> items;
  for (const double n : std::get<std::vector<double>>(value)) items.push_back(number_value(n));
  return list_value(std::move(items));
}

/// A table that grows key by key.
class Table {
 public:
  Table& say(std::string key, Value value) {
    entries_.push_back({std::move(key), {}, std::move(value)});
    return *this;
  }
  Table& say(std::string key, std::string_view text) {
    return say(std::move(key), text_value(std::string(text)));
  }
  Value take() { return table_value(std::move(entries_)); }

 private:
  std::vector<Entry> entries_;
};

/// [name]
std::string section(const char* name, Table table) {
  return "\n" + to_toml(Table().say(name, table.take()).take());
}
/// [[name]]
std::string item(const char* name, Table table) {
  return "\n" + to_toml(Table().say(name, list_value({table.take()})).take());
}

using ParameterValues = std::map<std::string, ParameterValue>;

Value table_of(const ParameterValues& values) {
  Table table;
  for (const auto& [name, value] : values) table.say(name, parameter(value));
  return table.take();
}

ParameterValues as_given(const GivenParameters& given) {
  ParameterValues values;
  for (const auto& [name, one] : given) values[name] = one.value;
  return values;
}

/// What was given, and the defaults of everything else.
ParameterValues filled(const std::vector<ParameterInfo>& infos, const GivenParameters& given,
                       const std::string& base_directory) {
  ParameterValues values = as_given(given);
  for (const ParameterInfo& info : infos) {
    if (info.chosen_by_saying && !values.contains(info.name)) continue;
    const auto [entry, is_default] = values.emplace(info.name, info.standard);
    // A number for a list is a list of one.
    if (info.standard.index() == 3 && entry->second.index() == 0) {
      entry->second = std::vector<double>{std::get<double>(entry->second)};
    }
    // The resolved file lies elsewhere, so a relative name would lead nowhere.
    if (auto file = file_named_by(info, entry->second, base_directory)) entry->second = std::move(*file);
  }
  return values;
}

Value integrator(const IntegratorOptions& options) {
  Table table;
  table.say("method", options.method)
      .say("step", options.step_s ? number_value(*options.step_s) : text_value("communication"));
  for (const IntegratorInfo& info : integrators()) {
    if (info.name != options.method || !info.variable_step) continue;
    table.say("rtol", number_value(options.rtol)).say("atol", number_value(options.atol));
  }
  return table.take();
}

/// What was said about an FMU beyond its parameters.
void say_foreign(Table& table, const ForeignOptions& o) {
  if (o.isolate) table.say("isolate", boolean_value(true)).say("call_limit", number_value(o.call_limit_s));
  if (o.sandbox) table.say("sandbox", boolean_value(true));
  if (o.refresh) table.say("refresh", boolean_value(*o.refresh));
  if (o.output_derivatives) table.say("output_derivatives", boolean_value(true));
  if (!o.environment.empty()) table.say("environment", texts(o.environment));
  if (!o.outputs.empty()) table.say("outputs", texts(o.outputs));
  if (!o.inputs.empty()) table.say("inputs", texts(o.inputs));
  if (!o.feedthrough.empty()) {
    Table outputs;
    for (const auto& [output, inputs] : o.feedthrough) outputs.say(output, texts(inputs));
    table.say("feedthrough", outputs.take());
  }
  if (!o.energy) return;
  Table energy;
  energy.say("stored", o.energy->stored);
  if (!o.energy->dissipated.empty()) energy.say("dissipated", o.energy->dissipated);
  if (!o.energy->supplied.empty()) energy.say("supplied", o.energy->supplied);
  if (!o.energy->kinetic.empty()) energy.say("kinetic", o.energy->kinetic);
  if (!o.energy->through.empty()) energy.say("through", o.energy->through);
  if (!o.energy->received.empty()) {
    Table received;
    for (const auto& [input, output] : o.energy->received) received.say(input, output);
    energy.say("received", received.take());
  }
  table.say("energy", energy.take());
}

std::string subsystem_text(const SubsystemEntry& s, const Scenario& scenario) {
  Table table;
  table.say("name", s.name.value);
  if (s.source == "fmu") {
    table.say(s.source, fmu_path(s, scenario));
    say_foreign(table, s.foreign);
  } else {
    table.say(s.source, s.model.value);
  }
  const auto& step = s.step_size_s ? s.step_size_s : scenario.simulation.step_size_s;
  // A source without a step of its own is sampled for its receivers.
  const bool own_step = s.step_size_s || s.info == nullptr || s.info->integrated;
  if (step && own_step) table.say("step_size", time_value(step->value));
  if (s.sampled) table.say("sampled", boolean_value(true));
  const ModelInfo& model = *s.info;
  if (model.integrated) table.say("integrator", integrator(s.integrator));
  if (s.machine) table.say("machine", *s.machine);
  table.say("parameters", table_of(filled(model.parameters, s.parameters, scenario.base_directory)))
      .say("initial", table_of(filled(model.initial, s.initial, scenario.base_directory)));
  if (s.initial_history.empty()) return item("subsystem", std::move(table));
  ParameterValues history;
  for (const auto& [port, values] : s.initial_history) history[port] = values.value;
  return item("subsystem", std::move(table.say("initial_history", table_of(history))));
}

std::string element_text(const ElementEntry& e, const Scenario& scenario) {
  Table table;
  table.say("name", e.name.value);
  if (e.markers.empty()) {
    table.say("law", e.law.value);
  } else {
    table.say("joint", e.law.value.substr(e.law.value.find('.') + 1))
        .say("i", e.markers[0].value)
        .say("j", e.markers[1].value);
  }
  if (!e.ends.empty()) table.say("ends", texts(e.ends));
  const ElementInfo* law = find_element(e.law.value);
  table
      .say("parameters", table_of(law ? filled(law->parameters, e.parameters, scenario.base_directory)
                                      : as_given(e.parameters)))
      .say("form", joint_form_names.name(e.form));
  // Inside a body a law is evaluated whenever the body needs it.
  if (has_element(e.form)) table.say("evaluate", evaluate_names.name(e.evaluate));
  return item("element", std::move(table));
}

Value bond_end(const BondEnd& end) {
  Table table;
  const auto add = [&](const char* name, const std::vector<std::string>& ports) {
    if (!ports.empty()) table.say(name, text_or_list(ports));
  };
  add("effort", end.effort);
  add("flow", end.flow);
  add("displacement", end.displacement);
  return table.take();
}

std::string_view extrapolation(const std::optional<int>& own, const Scenario& scenario) {
  return extrapolation_name(own.value_or(scenario.coupling.degree));
}

Value correction_of(const std::optional<CorrectionRequest>& correction) {
  Table table;
  table.say("method", correction ? correction->method : "none");
  if (!correction) return table.take();
  for (const auto& [key, setting] : correction->settings) {
    if (const auto* number = std::get_if<double>(&setting.value)) {
      table.say(key, number_value(*number));
    } else if (const auto* word = std::get_if<std::string>(&setting.value)) {
      table.say(key, *word);
    } else {
      table.say(key, boolean_value(std::get<bool>(setting.value)));
    }
  }
  return table.take();
}

std::string bond_text(const BondEntry& entry, const Scenario& scenario) {
  const BondSpec& b = entry.spec;
  Table table;
  table.say("name", b.name).say("a", bond_end(b.a)).say("b", bond_end(b.b));
  const auto mode = b.feedthrough ? b.feedthrough : scenario.coupling.feedthrough;
  if (mode) table.say("feedthrough", feedthrough_names.name(*mode));
  const std::string& predictor = b.degree ? b.predictor : scenario.coupling.predictor;
  table
      .say("extrapolation", predictor.empty() || predictor == polynomial_predictor
                                ? extrapolation(b.degree, scenario)
                                : std::string_view(predictor))
      .say("correction", correction_of(entry.correction));
  if (b.scale) table.say("scale", number_value(*b.scale));
  if (b.kind != BondKind::transformer) table.say("kind", bond_kind_names.name(b.kind));
  if (b.ratio) {
    table.say("ratio", b.ratio->unit.is_unspecified()
                           ? number_value(b.ratio->value)
                           : text_value(fmt::format("{} {}", b.ratio->value, b.ratio->unit.text)));
  }
  if (!b.effort_gain.empty() || b.effort_of_a_opposite) table.say("effort_sign", integer_value(-1));
  return item("bond", std::move(table));
}

std::string connection_text(const ConnectionSpec& c, const Scenario& scenario) {
  Table table;
  table.say("from", text_or_list(c.from))
      .say("to", c.to)
      .say("gain", number_value(c.gain))
      .say("offset", number_value(c.offset))
      .say("extrapolation", extrapolation(c.degree, scenario));
  if (!c.converts_units) table.say("convert_units", boolean_value(false));
  return item("connection", std::move(table));
}

Value place_value(const ShapePlace& place) {
  std::vector<Value> items;
  for (const ShapeCoordinate& c : place.coordinates)
    items.push_back(c.outputs.empty() ? number_value(c.number) : text_value(c.outputs));
  return list_value(std::move(items));
}

std::string shape_text(const ShapeEntry& s) {
  std::vector<Value> size;
  for (const double length : s.size_m) size.push_back(number_value(length));
  Table table;
  table.say("name", s.name.value)
      .say("kind", s.kind)
      .say("size", list_value(std::move(size)))
      .say("position", place_value(s.position));
  if (!s.orientation.coordinates.empty()) table.say("orientation", place_value(s.orientation));
  if (s.kind == "line") table.say("end", place_value(s.end));
  return item("shape", std::move(table));
}

std::string simulation_text(const SimulationSettings& s) {
  Table table;
  table.say("start_time", time_value(s.start_time_s.value));
  if (s.stop_time_s) table.say("stop_time", time_value(s.stop_time_s->value));
  if (s.step_size_s) table.say("step_size", time_value(s.step_size_s->value));
  table.say("threads", integer_value(s.threads))
      .say("on_unreliable", on_unreliable_names.name(s.on_unreliable));
  if (s.check) table.say("check", motion_check_names.name(*s.check));
  return section("simulation", std::move(table));
}

std::string initialization_text(const Scenario& scenario) {
  Table table;
  if (!scenario.equilibrium) {
    table.say("mode", "given");
    return section("initialization", std::move(table));
  }
  const auto names = [](const std::vector<EquilibriumRequest::Quantity>& quantities) {
    std::vector<std::string> result;
    for (const auto& quantity : quantities) result.push_back(quantity.name);
    return texts(result);
  };
  table.say("mode", "static")
      .say("free", names(scenario.equilibrium->free))
      .say("hold", names(scenario.equilibrium->hold));
  return section("initialization", std::move(table));
}

void say_implicit(const CouplingSettings& c, Table& table) {
  const ImplicitOptions& options = c.implicit;
  const UpdateRuleInfo* rule = find_update_rule(options.update);
  table.say("degree", integer_value(c.degree))
      .say("interpolation", options.hermite ? "hermite" : "lagrange")
      .say(rule != nullptr && !rule->is_jacobian ? "acceleration" : "jacobian", options.update)
      .say("tolerance", number_value(options.tolerance))
      .say("max_iterations", integer_value(options.max_iterations))
      .say("final_evaluation", boolean_value(options.final_evaluation))
      .say("accept_unstable", boolean_value(options.accept_unstable));
}

std::string coupling_text(const CouplingSettings& c) {
  Table table;
  table.say("scheme", c.scheme.value);
  if (!c.order.empty()) table.say("order", texts(c.order));
  const Scheme* scheme = find_scheme(c.scheme.value);
  if (scheme != nullptr && scheme->solves_for_coupling_variables()) {
    say_implicit(c, table);
  } else {
    table.say("extrapolation",
              c.predictor.empty() ? extrapolation_name(c.degree) : std::string_view(c.predictor));
  }
  // Without it each bond refreshes where it can and predicts elsewhere: no single word says that.
  if (c.feedthrough) table.say("feedthrough", feedthrough_names.name(*c.feedthrough));
  table.say("starter", starter_names.name(c.starter));
  return section("coupling", std::move(table));
}

std::string step_control_text(const StepControlSettings& control) {
  Table table;
  table.say("method", control.method)
      .say("rtol", number_value(control.rtol))
      .say("atol", number_value(control.atol_J));
  if (control.min_step_s) table.say("min_step", time_value(control.min_step_s->value));
  if (control.max_step_s) table.say("max_step", time_value(control.max_step_s->value));
  return section("step_control", std::move(table));
}

std::string change_text(const ParameterChange& change) {
  Table table;
  table.say("time", number_value(change.time_s)).say("parameter", change.parameter);
  if (change.until_s) table.say("until", number_value(*change.until_s));
  table.say(change.is_bias ? "bias" : "value", std::visit(
                                                   [](const auto& value) {
                                                     using Type = std::decay_t<decltype(value)>;
                                                     if constexpr (std::is_same_v<Type, bool>)
                                                       return boolean_value(value);
                                                     if constexpr (std::is_same_v<Type, std::int64_t>)
                                                       return integer_value(value);
                                                     if constexpr (std::is_same_v<Type, double>)
                                                       return number_value(value);
                                                     if constexpr (std::is_same_v<Type, std::string>)
                                                       return text_value(value);
                                                   },
                                                   change.value));
  return item("change", std::move(table));
}

std::string output_text(const OutputSettings& output) {
  Table table;
  table.say("variables", texts(output.variables));
  table.say("bonds", texts(output.bonds));
  if (output.interval_s) table.say("interval", time_value(output.interval_s->value));
  Table accuracy;
  if (output.accuracy) accuracy.say("default", output.accuracy->text());
  for (const auto& [pattern, wanted] : output.accuracies) accuracy.say(pattern.value, wanted.text());
  if (output.accuracy || !output.accuracies.empty()) table.say("accuracy", accuracy.take());
  return section("output", std::move(table));
}

}  // namespace

std::optional<std::string> file_named_by(const ParameterInfo& info, const ParameterValue& value,
                                         const std::string& base_directory) {
  const std::string* text = std::get_if<std::string>(&value);
  if (!text || text->empty() || !info.choices.empty()) return std::nullopt;
  const fs::path path = fs::path(base_directory) / *text;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const fs::path absolute = fs::absolute(path, error);
  return error ? std::nullopt : std::optional(absolute.lexically_normal().string());
}

std::string fmu_path(const SubsystemEntry& subsystem, const Scenario& scenario) {
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(scenario.base_directory) / subsystem.model.value, error);
  return error ? subsystem.model.value : path.lexically_normal().string();
}

std::string resolved_toml(const Scenario& scenario, std::string_view ergon_version) {
  std::string text = "# The scenario as it was run: command line applied, defaults filled in.\n";
  text += simulation_text(scenario.simulation);
  text += initialization_text(scenario);
  text += coupling_text(scenario.coupling);
  if (scenario.step_control) text += step_control_text(*scenario.step_control);
  text += output_text(scenario.output);
  for (const SubsystemEntry& s : scenario.subsystems) text += subsystem_text(s, scenario);
  for (const ElementEntry& e : scenario.elements) text += element_text(e, scenario);
  for (const BondEntry& b : scenario.bonds) text += bond_text(b, scenario);
  for (const ConnectionEntry& c : scenario.connections) text += connection_text(c.spec, scenario);
  for (const ParameterChange& change : scenario.changes) text += change_text(change);
  for (const ShapeEntry& s : scenario.shapes) text += shape_text(s);

  const std::string body_hash = sha256(text);
  std::vector<Value> inputs;
  for (const InputFile& input : scenario.inputs) {
    inputs.push_back(Table().say("file", input.path).say("sha256", input.sha256).take());
  }
  Table provenance;
  provenance.say("ergon_version", ergon_version)
      .say("scenario_sha256", body_hash)  // of all above
      .say("overrides", texts(scenario.overrides))
      .say("inputs", list_value(std::move(inputs)));
  return text + section("provenance", std::move(provenance));
}

void keep_provenance(const std::string& text, const Value& document, Scenario& scenario) {
  const auto heading = text.rfind(provenance_heading);
  const Entry* provenance = document.find("provenance");
  if (heading == std::string::npos || !provenance) return;
  const auto text_at = [](const Value& table, const char* name) {
    const Entry* entry = table.find(name);
    return entry ? entry->value.text : std::string();
  };
  if (text_at(provenance->value, "scenario_sha256") != sha256(std::string_view(text).substr(0, heading)))
    return;
  if (const Entry* inputs = provenance->value.find("inputs")) {
    scenario.inputs.clear();
    for (const Value& input : inputs->value.items) {
      scenario.inputs.push_back({text_at(input, "file"), text_at(input, "sha256")});
    }
  }
  if (const Entry* overrides = provenance->value.find("overrides")) {
    for (const Value& item : overrides->value.items) scenario.overrides.push_back(item.text);
  }
}

}  // namespace ergon
