#include "ergon/run/record/run_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <utility>

#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/record/system_file.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

/// Of summary.json, generously.
std::size_t summary_bytes(const CoupledSystem& system) {
  return 16'384 + 512 * (system.nodes.size() + system.bonds.size());
}

/// motion.csv: `time`, then the error bars of all variables under their names.
std::string motion_text(const Motion& motion, bool units) {
  std::string text = "time";
  for (const VariableMotion& variable : motion.variables) text += "," + csv_field(variable.name);
  text += "\n";
  if (units) {
    text += "s";
    for (const VariableMotion& variable : motion.variables) text += "," + csv_field(variable.unit);
    text += "\n";
  }
  const std::size_t columns = motion.variables.size();
  const std::size_t rows = motion.times_s.size();
  // The end of the run is the last row, whether it is an instant of the others or not. Where it is, it was kept twice.
  const double slack_s = rows > 1 ? 1e-6 * (motion.times_s[1] - motion.times_s[0]) : 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row + 1 < rows && motion.times_s[row + 1] - motion.times_s[row] <= slack_s) continue;
    fmt::format_to(std::back_inserter(text), "{}", motion.times_s[row]);
    for (std::size_t v = 0; v < columns; ++v)
      fmt::format_to(std::back_inserter(text), ",{}", motion.errors[row * columns + v]);
    text += "\n";
  }
  return text;
}

/// Lines of variables.csv: what the columns of a file hold.
class VariablesText {
 public:
  /// `step_s`: of a column by its number; 0: not known, or none.
  template <class StepOf, class HelpOf>
  void add(const char* file, const std::vector<CsvColumn>& columns, const StepOf& step_of,
           const HelpOf& help_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double step_s = step_of(i);
      fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{}\n", file, csv_field(columns[i].name),
                     csv_field(columns[i].unit), name_of(columns[i].type),
                     step_s > 0.0 ? fmt::format("{}", step_s) : std::string(), csv_field(help_of(i)));
    }
  }
  void add(const char* file, const std::vector<CsvColumn>& columns) {
    add(
        file, columns, [](std::size_t) { return 0.0; }, [](std::size_t) { return std::string(); });
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_ = "file,variable,unit,type,step_s,description\n";
};

/// All columns of results.csv and of the files of slower subsystems.
void add_results(const ResultsFile& file, const CoupledSystem& system, bool variable_steps,
                 VariablesText& text) {
  const std::size_t outputs = file.signals.outputs.size();
  const auto node_of = [&](std::size_t i) -> const Node& {
    return system.nodes[i < outputs ? system.outputs[file.signals.outputs[i]].node
                                    : system.inputs[file.signals.inputs[i - outputs]].node];
  };
  const auto port_of = [&](std::size_t i) -> const Port& {
    return i < outputs ? system.output_port(file.signals.outputs[i])
                       : system.input_port(file.signals.inputs[i - outputs]);
  };
  text.add(
      file.name.c_str(), file.signals.columns(system),
      [&](std::size_t i) {
        return variable_steps || node_of(i).description->algebraic ? 0.0 : node_of(i).step_s.value();
      },
      [&](std::size_t i) {
        const std::string& help = port_of(i).description;
        return i < outputs ? help : "input" + (help.empty() ? "" : ": " + help);
      });
}

std::vector<std::string> names_of(const std::vector<ResultsFile>& files) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < files.size(); ++i) names.push_back(files[i].name);
  return names;
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& directory, Results results, const Engine& engine,
                   const BuiltScenario& built, IntervalGate gate, const Scenario* scenario)
    : RunFiles(directory, results, engine, built, gate, scenario, results_files(built)) {}

RunFiles::RunFiles(const std::filesystem::path& directory, Results how, const Engine& engine,
                   const BuiltScenario& built, IntervalGate gate, const Scenario* scenario,
                   const std::vector<ResultsFile>& files)
    : units_(built.units),
      directory_(directory, scenario != nullptr ? scenario->files_read : std::vector<std::string>{}, how,
                 names_of(files)),
      bonds_({directory_ / "bonds.csv", how}, *built.system, gate,
             {engine.corrected_bonds(), built.coupling.step_control.has_value(),
              engine.record().implicit_steps() != nullptr, built.recorded_bonds,
              units_ ? UnitLine::second : UnitLine::none}) {
  const UnitLine unit_line = units_ ? UnitLine::second : UnitLine::none;
  const bool variable_steps = built.coupling.step_control.has_value();
  VariablesText variables;
  for (const ResultsFile& file : files) {
    add_results(file, *built.system, variable_steps, variables);
    results_.push_back(std::make_unique<ResultsRecorder>(ResultFile{directory_ / file.name.c_str(), how},
                                                         *built.system, file.signals, gate, unit_line));
    observers_.push_back(results_.back().get());
  }
  variables.add("bonds.csv",
                BondsRecorder::columns(*built.system, {engine.corrected_bonds(), variable_steps,
                                                       engine.record().implicit_steps() != nullptr,
                                                       built.recorded_bonds, unit_line}));
  observers_.push_back(&bonds_);
  if (!EnergyRecorder::accounts(engine).empty()) {
    variables.add("energy.csv", EnergyRecorder::columns(engine));
    observers_.push_back(&energy_.emplace(ResultFile{directory_ / "energy.csv", how}, engine, unit_line));
  }
  SystemPicture picture(*built.system, built.shapes);
  system_json_ = system_json(engine, built, scenario, picture, files);
  if (!picture.empty()) {
    variables.add("geometry.csv", picture.columns());
    observers_.push_back(&geometry_.emplace(ResultFile{directory_ / "geometry.csv", how}, engine,
                                            std::move(picture), unit_line));
  }
  variables_ = variables.take();
  if (scenario != nullptr) scenario_toml_ = resolved_toml(*scenario, version());
  directory_.reserve(summary_bytes(*built.system));
  if (how == Results::anew) describe();
}

void RunFiles::describe() const {
  write("system.json", system_json_);
  write("variables.csv", variables_);
  if (scenario_toml_) write("scenario.toml", *scenario_toml_);
}

void RunFiles::write(const char* name, const std::string& text) const {
  if (const auto error = replace_file(directory_ / name, text)) throw std::runtime_error(*error);
}

std::vector<std::string> RunFiles::finish(Summary& summary) {
  std::vector<std::string> errors;
  const auto look_at = [&](const CsvRecorder& file) {
    if (file.error()) errors.push_back(*file.error());
  };
  for (const auto& results : results_) look_at(*results);
  look_at(bonds_);
  if (energy_) look_at(*energy_);
  if (geometry_) look_at(*geometry_);
  summary.files_complete = errors.empty();
  summary.warnings.insert(summary.warnings.end(), errors.begin(), errors.end());
  directory_.free_reserve();
  if (summary.motion.checked) {
    if (auto error = replace_file(directory_ / "motion.csv", motion_text(summary.motion, units_)))
      errors.push_back(std::move(*error));
    for (const VariableMotion& variable : summary.motion.variables)
      variables_ += fmt::format("motion.csv,{},{},{},,error bar\n", csv_field(variable.name),
                                csv_field(variable.unit), name_of(PortType::real));
    if (auto error = replace_file(directory_ / "variables.csv", variables_))
      errors.push_back(std::move(*error));
  }
  if (auto error = replace_file(directory_ / "summary.json", to_json(summary))) {
    errors.push_back(std::move(*error));
  }
  directory_.release();
  return errors;
}

}  // namespace ergon
