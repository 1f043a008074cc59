#include "ergon/scenario/write/resolved_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/scenario/setting_names.hpp"
#include "ergon/scenario/write/sha256.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr const char* provenance_heading = "\n[provenance]\n";

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string toml_key(const std::string& name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
  return bare ? name : toml_text(name);
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  // "-0" would be read as the whole number 0.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string toml_time(const Rational& value) {
  const std::string text = value.text();
  return text.find('/') == std::string::npos ? text : toml_text(text);
}

std::string list(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double v : values) texts.push_back(toml_number(v));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string text_list(const std::vector<std::string>& values) {
  std::vector<std::string> texts;
  for (const std::string& v : values) texts.push_back(toml_text(v));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string text_or_list(const std::vector<std::string>& values) {
  return values.size() == 1 ? toml_text(values.front()) : text_list(values);
}

std::vector<std::string> plain(const std::vector<Said<std::string>>& said) {
  std::vector<std::string> result;
  for (const auto& s : said) result.push_back(s.value);
  return result;
}

std::string parameter(const ParameterValue& value) {
  if (const double* n = std::get_if<double>(&value)) return toml_number(*n);
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const std::string* s = std::get_if<std::string>(&value)) return toml_text(*s);
  return list(std::get<std::vector<double>>(value));
}

using ParameterValues = std::map<std::string, ParameterValue>;

std::string inline_table(const ParameterValues& values) {
  if (values.empty()) return "{}";
  std::vector<std::string> pairs;
  for (const auto& [name, value] : values) pairs.push_back(toml_key(name) + " = " + parameter(value));
  return fmt::format("{{ {} }}", fmt::join(pairs, ", "));
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

/// Whether the model may be told all of `values` explicitly: some take alternatives (a file or a list), and telling
/// them the default of the one that is not used would be an error.
bool accepts(const ModelInfo& model, const SubsystemEntry& subsystem, const ParameterValues& values,
             const std::string& base_directory) {
  GivenParameters given;
  for (const auto& [name, value] : values) given[name] = {value, {}};
  GivenParameters states;
  for (const ParameterInfo& info : model.initial) {
    const auto found = subsystem.initial.find(info.name);
    if (found != subsystem.initial.end()) states.insert(*found);
  }
  ProblemList problems;
  const ModelRequest request{subsystem.name.value,
                             ParameterSet(model.parameters, given, {}, problems),
                             ParameterSet(model.initial, states, {}, problems),
                             subsystem.integrator,
                             base_directory,
                             {}};
  return model.make(request, problems) && !problems.has_errors();
}

std::string integrator(const IntegratorOptions& options) {
  std::string text = fmt::format("{{ method = {}, step = {}", toml_text(options.method),
                                 options.step_s ? toml_number(*options.step_s) : toml_text("communication"));
  for (const IntegratorInfo& info : integrators()) {
    if (info.name != options.method || !info.variable_step) continue;
    text += fmt::format(", rtol = {}, atol = {}", toml_number(options.rtol), toml_number(options.atol));
  }
  return text + " }";
}

std::string subsystem_text(const SubsystemEntry& s, const Scenario& scenario) {
  std::string text = fmt::format("\n[[subsystem]]\nname = {}\nmodel = {}\n", toml_text(s.name.value),
                                 toml_text(s.model.value));
  const auto& step = s.step_size_s ? s.step_size_s : scenario.simulation.step_size_s;
  if (step) text += fmt::format("step_size = {}\n", toml_time(step->value));
  const ModelInfo* model = find_model(s.model.value);
  if (!model || model->integrated) text += fmt::format("integrator = {}\n", integrator(s.integrator));
  ParameterValues parameters = as_given(s.parameters);
  ParameterValues initial = as_given(s.initial);
  if (model) {
    const ParameterValues all = filled(model->parameters, s.parameters, scenario.base_directory);
    const bool fits = accepts(*model, s, all, scenario.base_directory);
    for (const auto& [name, value] : all) {
      if (fits || parameters.contains(name)) parameters[name] = value;
    }
    initial = filled(model->initial, s.initial, scenario.base_directory);
  }
  text += fmt::format("parameters = {}\ninitial = {}\n", inline_table(parameters), inline_table(initial));
  if (s.initial_history.empty()) return text;
  ParameterValues history;
  for (const auto& [port, values] : s.initial_history) history[port] = values.value;
  return text + fmt::format("initial_history = {}\n", inline_table(history));
}

std::string element_text(const ElementEntry& e, const Scenario& scenario) {
  std::string text = fmt::format("\n[[element]]\nname = {}\n", toml_text(e.name.value));
  if (e.markers.empty()) {
    text += fmt::format("law = {}\n", toml_text(e.law.value));
  } else {
    text +=
        fmt::format("joint = {}\ni = {}\nj = {}\n", toml_text(e.law.value.substr(e.law.value.find('.') + 1)),
                    toml_text(e.markers[0].value), toml_text(e.markers[1].value));
  }
  if (!e.ends.empty()) text += fmt::format("ends = {}\n", text_list(plain(e.ends)));
  const ElementInfo* law = find_element(e.law.value);
  const auto values =
      law ? filled(law->parameters, e.parameters, scenario.base_directory) : as_given(e.parameters);
  text +=
      fmt::format("parameters = {}\nform = \"{}\"\n", inline_table(values), joint_form_names.name(e.form));
  // Inside a body a law is evaluated whenever the body needs it.
  if (has_element(e.form)) text += fmt::format("evaluate = \"{}\"\n", evaluate_names.name(e.evaluate));
  return text;
}

std::string implicit_settings(const CouplingSettings& c) {
  const ImplicitOptions& options = c.implicit;
  const UpdateRuleInfo* rule = find_update_rule(options.update);
  return fmt::format(
      "degree = {}\ninterpolation = \"{}\"\n{} = {}\ntolerance = {}\nmax_iterations = {}\n"
      "final_evaluation = {}\naccept_unstable = {}\n",
      c.degree, options.hermite ? "hermite" : "lagrange",
      rule != nullptr && !rule->is_jacobian ? "acceleration" : "jacobian", toml_text(options.update),
      toml_number(options.tolerance), options.max_iterations, options.final_evaluation,
      options.accept_unstable);
}

std::string bond_end(const BondEnd& end) {
  std::vector<std::string> pairs;
  const auto add = [&](const char* name, const std::vector<std::string>& ports) {
    if (!ports.empty()) pairs.push_back(fmt::format("{} = {}", name, text_or_list(ports)));
  };
  add("effort", end.effort);
  add("flow", end.flow);
  add("displacement", end.displacement);
  return fmt::format("{{ {} }}", fmt::join(pairs, ", "));
}

std::string extrapolation(const std::optional<int>& own, const Scenario& scenario) {
  return fmt::format("extrapolation = \"{}\"\n", extrapolation_name(own.value_or(scenario.coupling.degree)));
}

std::string correction_text(const std::optional<CorrectionRequest>& correction) {
  std::string text = fmt::format("method = {}", toml_text(correction ? correction->method : "none"));
  if (!correction) return text;
  for (const auto& [key, setting] : correction->settings) {
    text += fmt::format(", {} = ", key);
    if (const auto* number = std::get_if<double>(&setting.value)) {
      text += toml_number(*number);
    } else if (const auto* word = std::get_if<std::string>(&setting.value)) {
      text += toml_text(*word);
    } else {
      text += std::get<bool>(setting.value) ? "true" : "false";
    }
  }
  return text;
}

std::string bond_text(const BondEntry& entry, const Scenario& scenario) {
  const BondSpec& b = entry.spec;
  std::string text =
      fmt::format("\n[[bond]]\nname = {}\na = {}\nb = {}\n", toml_text(b.name), bond_end(b.a), bond_end(b.b));
  const auto mode = b.feedthrough ? b.feedthrough : scenario.coupling.feedthrough;
  if (mode) text += fmt::format("feedthrough = \"{}\"\n", feedthrough_names.name(*mode));
  text += extrapolation(b.degree, scenario) +
          fmt::format("correction = {{ {} }}\n", correction_text(entry.correction));
  if (b.scale) text += fmt::format("scale = {}\n", toml_number(*b.scale));
  return text;
}

std::string connection_text(const ConnectionSpec& c, const Scenario& scenario) {
  return fmt::format("\n[[connection]]\nfrom = {}\nto = {}\ngain = {}\noffset = {}\n", text_or_list(c.from),
                     toml_text(c.to), toml_number(c.gain), toml_number(c.offset)) +
         extrapolation(c.degree, scenario);
}

std::string initialization_text(const Scenario& scenario) {
  if (!scenario.equilibrium) return "\n[initialization]\nmode = \"given\"\n";
  const auto names = [](const std::vector<EquilibriumRequest::Quantity>& quantities) {
    std::vector<std::string> result;
    for (const auto& quantity : quantities) result.push_back(quantity.name);
    return text_list(result);
  };
  return fmt::format("\n[initialization]\nmode = \"static\"\nfree = {}\nhold = {}\n",
                     names(scenario.equilibrium->free), names(scenario.equilibrium->hold));
}

std::string settings_text(const Scenario& scenario) {
  const SimulationSettings& s = scenario.simulation;
  std::string text = fmt::format("\n[simulation]\nstart_time = {}\n", toml_time(s.start_time_s.value));
  if (s.stop_time_s) text += fmt::format("stop_time = {}\n", toml_time(s.stop_time_s->value));
  if (s.step_size_s) text += fmt::format("step_size = {}\n", toml_time(s.step_size_s->value));
  text += fmt::format("threads = {}\non_unreliable = \"{}\"\n", s.threads,
                      on_unreliable_names.name(s.on_unreliable));

  const CouplingSettings& c = scenario.coupling;
  text += initialization_text(scenario);
  text += fmt::format("\n[coupling]\nscheme = {}\n", toml_text(c.scheme.value));
  if (!c.order.empty()) text += fmt::format("order = {}\n", text_list(plain(c.order)));
  const Scheme* scheme = find_scheme(c.scheme.value);
  if (scheme != nullptr && scheme->implicit) {
    text += implicit_settings(c);
  } else {
    text += fmt::format("extrapolation = \"{}\"\n", extrapolation_name(c.degree));
  }
  // Without it each bond refreshes where it can and predicts elsewhere: no single word says that.
  if (c.feedthrough) text += fmt::format("feedthrough = \"{}\"\n", feedthrough_names.name(*c.feedthrough));
  text += fmt::format("starter = \"{}\"\n", starter_names.name(c.starter));

  if (scenario.step_control) {
    const StepControlSettings& control = *scenario.step_control;
    text += fmt::format("\n[step_control]\nmethod = {}\nrtol = {}\natol = {}\n", toml_text(control.method),
                        toml_number(control.rtol), toml_number(control.atol_J));
    if (control.min_step_s) text += fmt::format("min_step = {}\n", toml_time(control.min_step_s->value));
    if (control.max_step_s) text += fmt::format("max_step = {}\n", toml_time(control.max_step_s->value));
  }

  text += fmt::format("\n[output]\nvariables = {}\n", text_list(plain(scenario.output.variables)));
  if (scenario.output.interval_s)
    text += fmt::format("interval = {}\n", toml_time(scenario.output.interval_s->value));
  return text;
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

std::string resolved_toml(const Scenario& scenario, std::string_view ergon_version) {
  std::string text = "# The scenario as it was run: command line applied, defaults filled in.\n";
  text += settings_text(scenario);
  for (const SubsystemEntry& s : scenario.subsystems) text += subsystem_text(s, scenario);
  for (const ElementEntry& e : scenario.elements) text += element_text(e, scenario);
  for (const BondEntry& b : scenario.bonds) text += bond_text(b, scenario);
  for (const ConnectionEntry& c : scenario.connections) text += connection_text(c.spec, scenario);

  const std::string body_hash = sha256(text);
  text += provenance_heading;
  text += fmt::format(
      "ergon_version = {}\nscenario_sha256 = \"{}\"  # of all above\noverrides = {}\ninputs = [\n",
      toml_text(ergon_version), body_hash, text_list(scenario.overrides));
  for (const InputFile& input : scenario.inputs) {
    text += fmt::format("  {{ file = {}, sha256 = \"{}\" }},\n", toml_text(input.path), input.sha256);
  }
  return text + "]\n";
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
