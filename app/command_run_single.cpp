#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "commands.hpp"
#include "cross_check_options.hpp"
#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/subsystem/fmu_model.hpp"
#include "ergon/models/sources/csv_table.hpp"
#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/setting_names.hpp"

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

/// Where nobody says one: a millisecond, or a thousandth of what would be more than a million of them.
std::string usual_step(const Times& times) {
  constexpr double usual_s = 1e-3, most_steps = 1e6, instead = 1e3;
  const auto begin = Rational::parse(times.start), end = Rational::parse(times.stop);
  const double duration_s = begin && end ? end->value() - begin->value() : 0.0;
  return fmt::format("{}", duration_s > most_steps * usual_s ? duration_s / instead : usual_s);
}

FmuInterfaceKind interface_of(const fmi::ModelDescription& model, const RunSingleArguments& arguments) {
  ForeignOptions options;
  if (arguments.interface) options.interface = fmu_interface_names.value(*arguments.interface);
  const FmuInterfaceKind kind = fmi::interface_of(model, options);
  const bool is_there = kind == FmuInterfaceKind::model_exchange ? model.model_exchange.has_value()
                                                                 : model.co_simulation.has_value();
  if (!is_there)
    throw InputError({arguments.file, 0, 0},
                     fmt::format("--interface {}: the FMU does not have it.", fmu_interface_names.name(kind)),
                     "'ergon inspect' lists what it can.");
  return kind;
}

/// The order of a plain FMI loop (set, step, get), so that results can be compared with those of other tools. In event mode the
/// standard lets outputs follow their inputs at once, and such a loop reads them there: nothing is said, and the engine does so, too.
std::optional<std::string> feedthrough_of(const fmi::ModelDescription& model,
                                          const RunSingleArguments& arguments) {
  const bool is_exchange = interface_of(model, arguments) == FmuInterfaceKind::model_exchange;
  if (arguments.feedthrough || is_exchange || model.co_simulation->event_mode) return arguments.feedthrough;
  return "stale";
}

/// The end of the last whole step, for FMUs whose steps have one length: experiments of other tools need not end with one.
std::string end_of_whole_steps(const Times& times, const std::string& file) {
  const auto begin = Rational::parse(times.start), end = Rational::parse(times.stop),
             step = Rational::parse(times.step);
  if (!begin || !end || !step || !step->is_positive() || !(*begin < *end)) return times.stop;
  std::string last;
  try {
    const Rational steps = (*end - *begin) / *step;
    const std::int64_t whole = steps.numerator() / steps.denominator();
    if (steps.denominator() == 1 || whole == 0) return times.stop;
    last = (*begin + Rational(whole, 1) * *step).text();
  } catch (const std::overflow_error&) {
    return times.stop;  // what is wrong with such times is reported where they are read
  }
  ProblemList noted;
  noted.note(
      {file, 0, 0},
      fmt::format("Its steps have one length: the run ends with the last whole one, at {} s instead of {} s.",
                  last, times.stop));
  print_problems(noted, true);
  return last;
}

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
  const bool is_exchange = interface_of(model, arguments) == FmuInterfaceKind::model_exchange;
  std::optional<std::string> internal;
  if (!is_exchange) internal = number(model.co_simulation->internal_step_s);
  const auto own_step = e.step_s && *e.step_s > 0.0 ? number(e.step_s) : std::nullopt;
  times.step = *first({file.step, own_step, internal, usual_step(times)});
  // What is suggested is meant for its own experiment: a shorter run is one step.
  const auto end = Rational::parse(times.stop), suggested = Rational::parse(times.step),
             begin = Rational::parse(times.start);
  if (end && suggested && begin && *begin < *end && *end - *begin < *suggested)
    times.step = (*end - *begin).text();
  if (arguments.step_size) times.step = *arguments.step_size;
  if (!arguments.stop_time && !is_exchange && !model.co_simulation->variable_step)
    times.stop = end_of_whole_steps(times, arguments.file);
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
  if (const auto feedthrough = feedthrough_of(model->description(), arguments))
    text += fmt::format("\n[coupling]\nfeedthrough = {}\n", toml_text(*feedthrough));
  text += fmt::format("\n[[subsystem]]\nname = \"fmu\"\nfmu = {}\n", toml_text(file.string()));
  if (arguments.interface) text += fmt::format("interface = {}\n", toml_text(*arguments.interface));
  if (arguments.tolerance) text += fmt::format("tolerance = {}\n", *arguments.tolerance);
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
  run.checkpoints.off = true;  // nobody asked for them, and saving states is what FMUs crash in
  try {
    return run_command(run);
  } catch (const InputError& error) {
    throw InputError(relocated(error.problems(), run.scenario, run.made_for));
  }
}

}  // namespace ergon::app
