#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/subsystem/fmu_model.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon::app {
namespace {

/// The columns of a CSV file beside the time.
std::vector<std::string> columns_of(const std::string& file) {
  std::ifstream stream(file);
  std::string heading;
  if (!stream || !std::getline(stream, heading))
    throw InputError({file, 0, 0}, "The file with inputs cannot be read.", "Name a CSV file with a heading.");
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= heading.size()) {
    const std::size_t end = std::min(heading.find(',', begin), heading.size());
    std::string name = heading.substr(begin, end - begin);
    while (!name.empty() && (name.back() == '\r' || name.back() == ' ' || name.back() == '"'))
      name.pop_back();
    while (!name.empty() && (name.front() == ' ' || name.front() == '"')) name.erase(0, 1);
    if (!name.empty() && name != "time") names.push_back(name);
    begin = end + 1;
  }
  return names;
}

std::string toml_text(const std::string& text) {
  std::string line = to_toml(table_value({{"v", {}, text_value(text)}}));
  line.erase(0, line.find('=') + 1);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

}  // namespace

/// One FMU is a system of one subsystem and of as many tables as it has inputs in the file: what runs, records and fails is what
/// runs everything else.
int run_single_command(const RunSingleArguments& arguments) {
  ProblemList problems;
  const auto model = fmi::FmuModel::load(arguments.file, problems);
  if (!model) throw InputError(problems);
  const fmi::DefaultExperiment& e = model->description().experiment;
  const double start = e.start_s.value_or(0.0);
  const std::string stop =
      arguments.stop_time ? *arguments.stop_time
      : e.stop_s && *e.stop_s > start
          ? fmt::format("{}", *e.stop_s)
          : throw InputError({arguments.file, 0, 0}, "The FMU does not say until when to run.",
                             "Say it with --stop-time.");
  std::string step = fmt::format("{}", e.step_s && *e.step_s > 0.0 ? *e.step_s : 1e-3);
  if (!e.step_s && model->description().co_simulation->internal_step_s)
    step = fmt::format("{}", *model->description().co_simulation->internal_step_s);
  // What the FMU suggests is meant for its own experiment: a shorter run is one step.
  const auto end = Rational::parse(stop), suggested = Rational::parse(step),
             begin = Rational::parse(fmt::format("{}", start));
  if (end && suggested && begin && *begin < *end && *end - *begin < *suggested) step = (*end - *begin).text();
  if (arguments.step_size) step = *arguments.step_size;

  const std::filesystem::path file = std::filesystem::absolute(arguments.file);
  std::string text = fmt::format("[simulation]\nstart_time = {}\nstop_time = {}\nstep_size = {}\n", start,
                                 toml_text(stop), toml_text(step));
  text += fmt::format("\n[[subsystem]]\nname = \"fmu\"\nfmu = {}\n", toml_text(file.string()));
  if (arguments.isolate) text += "isolate = true\n";
  if (arguments.sandbox) text += "sandbox = true\n";
  if (arguments.input) {
    const std::string table = std::filesystem::absolute(*arguments.input).string();
    std::size_t number = 0;
    for (const std::string& column : columns_of(*arguments.input)) {
      const fmi::Variable* v = model->find(column);
      if (v == nullptr || v->causality != fmi::Causality::input)
        throw InputError({*arguments.input, 1, 0}, fmt::format("'{}' is no input of the FMU.", column),
                         "'ergon inspect' lists its inputs.");
      ++number;
      text += fmt::format(
          "\n[[subsystem]]\nname = \"input{}\"\nmodel = \"source.table\"\nparameters = {{ file = {}, column "
          "= {} }}\n"
          "\n[[connection]]\nfrom = \"input{}.value\"\nto = {}\n",
          number, toml_text(table), toml_text(column), number, toml_text("fmu." + column));
    }
    const auto is_output = [](const fmi::Variable& v) { return v.causality == fmi::Causality::output; };
    const auto& variables = model->description().variables;
    if (std::any_of(variables.begin(), variables.end(), is_output))
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
  run.progress = "auto";
  run.quiet = arguments.quiet;
  try {
    return run_command(run);
  } catch (const InputError& error) {
    throw InputError(said_of(error.problems(), run.scenario, run.made_for));
  }
}

}  // namespace ergon::app
