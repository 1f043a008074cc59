#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "cross_check_options.hpp"
#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/subsystem/fmu_model.hpp"
#include "ergon/models/sources/csv_table.hpp"
#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon::app {
namespace {

using fmi::Causality;
using fmi::Variability;
using fmi::Variable;
using fmi::VariableType;

std::string toml_text(const std::string& text) {
  std::string line = to_toml(table_value({{"v", {}, text_value(text)}}));
  line.erase(0, line.find('=') + 1);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(toml_text(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

bool is_tunable(const Variable& v) {
  return v.causality == Causality::parameter && v.variability == Variability::tunable;
}

/// What a table holds that feeds this variable.
std::string type_of(const fmi::ModelDescription& model, const Variable& v) {
  if (fmi::is_float(v.type)) {
    const bool is_continuous = v.causality == Causality::input && v.variability == Variability::continuous;
    return is_continuous ? "" : ", interpolation = \"hold\"";
  }
  if (v.type == VariableType::boolean) return ", type = \"boolean\"";
  if (v.type == VariableType::text) return ", type = \"text\"";
  if (v.type == VariableType::uint64) return ", type = \"unsigned\"";

  const fmi::TypeInfo* const type =
      v.type == VariableType::enumeration ? model.type(v.declared_type) : nullptr;
  if (type == nullptr) return ", type = \"integer\"";
  std::vector<std::string> items;
  for (const EnumerationItem& item : type->items)
    items.push_back(fmt::format("{} = {}", item.name, item.value));
  return fmt::format(", type = \"enumeration\", items = {}",
                     toml_text(fmt::format("{}", fmt::join(items, ", "))));
}

/// One source per column, connected to the variable that the column is called after.
struct FedVariables {
  std::string tables;
  std::vector<std::string> tunable;  ///< parameters among them
};

FedVariables feed(const fmi::FmuModel& model, const RunSingleArguments& arguments) {
  ProblemList problems;
  const std::string time = arguments.time_column.value_or("");
  const auto columns = read_table_columns(*arguments.input, time, {arguments.file, 0, 0}, problems);
  if (!columns) throw InputError(problems);
  const std::string table = std::filesystem::absolute(*arguments.input).string();
  FedVariables fed;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const std::string& column = (*columns)[i];
    const Variable* v = model.find(column);
    if (v == nullptr || (v->causality != Causality::input && !is_tunable(*v)) ||
        v->type == VariableType::clock || v->type == VariableType::binary)
      throw InputError({*arguments.input, 1, 0},
                       fmt::format("'{}' is not an input or tunable parameter of the FMU.", column),
                       "'ergon inspect' lists its inputs.");
    if (is_tunable(*v)) fed.tunable.push_back(column);
    fed.tables += fmt::format(
        "\n[[subsystem]]\nname = \"input{0}\"\nmodel = \"source.table\"\n"
        "parameters = {{ file = {1}, column = {2}{3}{4} }}\n"
        "\n[[connection]]\nfrom = \"input{0}.value\"\nto = {5}\n",
        i + 1, toml_text(table), toml_text(column), time.empty() ? "" : ", time_column = " + toml_text(time),
        type_of(model.description(), *v), toml_text("fmu." + column));
  }
  return fed;
}

/// Variables beside inputs and outputs that the patterns stand for.
std::vector<std::string> recorded(const fmi::FmuModel& model, const std::vector<std::string>& patterns,
                                  const std::string& file) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const Variable& v : model.description().variables) {
      if (v.type == VariableType::clock || !matches_pattern(pattern, v.name)) continue;
      found = true;
      if (v.causality == Causality::input || v.causality == Causality::output) continue;
      if (std::find(names.begin(), names.end(), v.name) == names.end()) names.push_back(v.name);
    }
    if (!found)
      throw InputError({file, 0, 0}, fmt::format("--record {}: the FMU has no such variable.", pattern),
                       "'ergon inspect --all' lists its variables; * and ? stand for any characters.");
  }
  return names;
}

struct Times {
  std::string start, stop, step;
};

/// What was asked for, else the options file, else the FMU's own experiment.
Times times_of(const fmi::ModelDescription& model, const RunSingleArguments& arguments) {
  CrossCheckOptions file;
  if (arguments.options) file = read_cross_check_options(*arguments.options);
  const fmi::DefaultExperiment& e = model.experiment;
  const auto number = [](const std::optional<double>& value) {
    return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
  };
  const auto first = [](std::initializer_list<std::optional<std::string>> choices) {
    for (const auto& choice : choices) {
      if (choice) return choice;
    }
    return std::optional<std::string>();
  };
  Times times;
  times.start = *first({arguments.start_time, file.start, number(e.start_s), std::string("0")});
  const bool own_stop = e.stop_s && *e.stop_s > e.start_s.value_or(0.0);
  const auto stop = first({arguments.stop_time, file.stop, own_stop ? number(e.stop_s) : std::nullopt});
  if (!stop)
    throw InputError({arguments.file, 0, 0}, "The FMU declares no stop time.", "Give one with --stop-time.");
  times.stop = *stop;
  const std::optional<double> internal = model.co_simulation->internal_step_s;
  const auto own_step = e.step_s && *e.step_s > 0.0 ? number(e.step_s) : std::nullopt;
  times.step = *first({file.step, own_step, number(internal), std::string("0.001")});
  // What is suggested is meant for its own experiment: a shorter run is one step.
  const auto end = Rational::parse(times.stop), suggested = Rational::parse(times.step),
             begin = Rational::parse(times.start);
  if (end && suggested && begin && *begin < *end && *end - *begin < *suggested)
    times.step = (*end - *begin).text();
  if (arguments.step_size) times.step = *arguments.step_size;
  return times;
}

}  // namespace

/// One FMU is a system of one subsystem and of as many tables as it has inputs in the file: what runs, records and fails is what
/// runs everything else.
int run_single_command(const RunSingleArguments& arguments) {
  ProblemList problems;
  const auto model = fmi::FmuModel::load(arguments.file, problems);
  if (!model) throw InputError(problems);
  const Times times = times_of(model->description(), arguments);
  const std::filesystem::path file = std::filesystem::absolute(arguments.file);
  std::string text = fmt::format("[simulation]\nstart_time = {}\nstop_time = {}\nstep_size = {}\n",
                                 toml_text(times.start), toml_text(times.stop), toml_text(times.step));
  if (arguments.feedthrough)
    text += fmt::format("\n[coupling]\nfeedthrough = {}\n", toml_text(*arguments.feedthrough));
  text += fmt::format("\n[[subsystem]]\nname = \"fmu\"\nfmu = {}\n", toml_text(file.string()));
  if (arguments.isolate) text += "isolate = true\n";
  if (arguments.sandbox) text += "sandbox = true\n";
  if (arguments.keep_environment) text += "environment = [\"*\"]\n";
  const auto outputs = recorded(*model, arguments.record, arguments.file);
  if (!outputs.empty()) text += fmt::format("outputs = {}\n", toml_list(outputs));
  if (arguments.input) {
    const FedVariables fed = feed(*model, arguments);
    if (!fed.tunable.empty()) text += fmt::format("inputs = {}\n", toml_list(fed.tunable));
    text += fed.tables;
    const auto is_output = [](const Variable& v) { return v.causality == Causality::output; };
    const auto& variables = model->description().variables;
    if (!outputs.empty() || std::any_of(variables.begin(), variables.end(), is_output))
      text += "\n[output]\nvariables = [\"fmu.*\"]\n";
  }
  const fmi::PrivateFolder folder("single");
  const std::filesystem::path scenario = folder.path() / (file.stem().string() + ".toml");
  std::ofstream(scenario) << text;

  RunArguments run;
  run.scenario = scenario.string();
  run.made_for = arguments.file;
  run.output_directory = arguments.output_directory
                             ? *arguments.output_directory
                             : (std::filesystem::path("results") / file.stem()).string();
  for (const std::string& setting : arguments.settings) run.overrides.settings.push_back("fmu." + setting);
  run.overrides.check = arguments.check;
  run.progress = "auto";
  run.quiet = arguments.quiet;
  try {
    return run_command(run);
  } catch (const InputError& error) {
    throw InputError(said_of(error.problems(), run.scenario, run.made_for));
  }
}

}  // namespace ergon::app
