#include "ergon/run/record/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "ergon/run/motion/watched_outputs.hpp"
#include "ergon/run/record/memory_recorder.hpp"
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

/// Rows of motion.csv. The end of the run is the last one, whether it is an instant of the others or not. Where it is, it was kept twice.
std::vector<std::size_t> motion_rows(const Motion& motion) {
  std::vector<std::size_t> kept;
  const std::size_t rows = motion.times_s.size();
  const double slack_s = rows > 1 ? 1e-6 * (motion.times_s[1] - motion.times_s[0]) : 0.0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row + 1 == rows || motion.times_s[row + 1] - motion.times_s[row] > slack_s) kept.push_back(row);
  }
  return kept;
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
  for (const std::size_t row : motion_rows(motion)) {
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
  void add(const char* file, const std::vector<RowColumn>& columns, const StepOf& step_of,
           const HelpOf& help_of) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double step_s = step_of(i);
      fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{}\n", file, csv_field(columns[i].name),
                     csv_field(columns[i].unit), name_of(columns[i].type),
                     step_s > 0.0 ? fmt::format("{}", step_s) : std::string(), csv_field(help_of(i)));
    }
  }
  void add(const char* file, const std::vector<RowColumn>& columns) {
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
  const std::vector<RowColumn> columns = file.signals.columns(system);
  // With an envelope a real signal has three columns.
  std::vector<std::size_t> signals;
  for (std::size_t signal = 0; signal < outputs + file.signals.inputs.size(); ++signal) {
    const bool has_envelope = file.signals.envelope && columns[signals.size()].type == PortType::real;
    signals.insert(signals.end(), has_envelope ? 3 : 1, signal);
  }
  const auto node_of = [&](std::size_t signal) -> const Node& {
    return system.nodes[signal < outputs ? system.outputs[file.signals.outputs[signal]].node
                                         : system.inputs[file.signals.inputs[signal - outputs]].node];
  };
  text.add(
      file.name.c_str(), columns,
      [&](std::size_t i) {
        const Node& node = node_of(signals[i]);
        return variable_steps || node.description->algebraic ? 0.0 : node.step_s.value();
      },
      [&](std::size_t i) {
        const std::string& help = columns[i].description;
        return signals[i] < outputs ? help : "input" + (help.empty() ? "" : ": " + help);
      });
}

std::vector<std::string> names_of(const std::vector<ResultsFile>& files) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < files.size(); ++i) names.push_back(files[i].name);
  return names;
}

/// An upper bound, for the size of chunks.
std::size_t expected_rows(const Engine& engine, const IntervalGate& gate) {
  std::vector<Tick> periods;
  for (Index node = 0; node < engine.system().nodes.size(); ++node) periods.push_back(engine.period(node));
  const Tick end = engine.grid().end();
  return std::min(most_points(periods, end), static_cast<std::size_t>(gate.most_points(end)));
}

std::unique_ptr<Hdf5Results> hdf5_results(const std::filesystem::path& file, Results how,
                                          const Engine& engine, const ResultFormats& formats,
                                          const IntervalGate& gate) {
  if (!formats.hdf5) return nullptr;
  return std::make_unique<Hdf5Results>(file, how,
                                       hdf5::StoreOptions{formats.compression, expected_rows(engine, gate)});
}

}  // namespace

RunFiles::RunFiles(const std::filesystem::path& directory, Results results, const Engine& engine,
                   const BuiltScenario& built, const RunFilesOptions& options, const Scenario* scenario)
    : RunFiles(directory, results, engine, built, options, scenario, results_files(built)) {}

RunFiles::RunFiles(const std::filesystem::path& directory, Results how, const Engine& engine,
                   const BuiltScenario& built, const RunFilesOptions& options, const Scenario* scenario,
                   const std::vector<ResultsFile>& files)
    : formats_(built.formats),
      units_(built.units),
      directory_(directory, scenario != nullptr ? scenario->files_read : std::vector<std::string>{}, how,
                 names_of(files), built.formats),
      hdf5_(hdf5_results(directory_ / "results.h5", how, engine, built.formats, options.gate)) {
  const ResultForms forms{formats_.csv, formats_.mat, hdf5_.get()};
  const UnitLine unit_line = units_ ? UnitLine::second : UnitLine::none;
  const bool variable_steps = built.coupling.step_control.has_value();
  VariablesText variables;
  for (const ResultsFile& file : files) {
    add_results(file, *built.system, variable_steps, variables);
    results_.push_back(std::make_unique<ResultsRecorder>(
        ResultFile{directory_ / file.name.c_str(), how, forms}, *built.system, file.signals,
        file.interval_s ? IntervalGate::seconds(*file.interval_s, engine.grid()) : options.gate, unit_line));
    recorders_.push_back(results_.back().get());
  }
  const ResultForms other_forms{formats_.csv || !formats_.hdf5, false, hdf5_.get()};
  const BondsRecorderOptions bonds{engine.corrected_bonds(), variable_steps,
                                   engine.record().implicit_steps() != nullptr, built.recorded_bonds,
                                   unit_line};
  variables.add("bonds.csv", BondsRecorder::columns(*built.system, bonds));
  recorders_.push_back(&bonds_.emplace(ResultFile{directory_ / "bonds.csv", how, other_forms}, *built.system,
                                       options.gate, bonds));
  if (!EnergyRecorder::accounts(engine).empty()) {
    variables.add("energy.csv", EnergyRecorder::columns(engine));
    recorders_.push_back(
        &energy_.emplace(ResultFile{directory_ / "energy.csv", how, other_forms}, engine, unit_line));
  }
  SystemPicture picture(*built.system, built.shapes);
  system_json_ = system_json(engine, built, scenario, picture, files);
  if (!picture.empty()) {
    variables.add("geometry.csv", picture.columns());
    recorders_.push_back(&geometry_.emplace(ResultFile{directory_ / "geometry.csv", how, other_forms}, engine,
                                            std::move(picture), unit_line));
  }
  observers_.assign(recorders_.begin(), recorders_.end());
  variables_ = variables.take();
  if (scenario != nullptr) scenario_toml_ = resolved_toml(*scenario, version());
  directory_.reserve(summary_bytes(*built.system));
  if (hdf5_) {
    if (options.checked) add_motion_table(built);
    hdf5_->start();
  }
  if (how == Results::anew) describe();
}

void RunFiles::describe() {
  write("system.json", system_json_);
  if (formats_.csv) write("variables.csv", variables_);
  if (scenario_toml_) write("scenario.toml", *scenario_toml_);
  if (!hdf5_) return;
  hdf5_->set_text("system", system_json_);
  if (scenario_toml_) hdf5_->set_text("scenario", *scenario_toml_);
}

void RunFiles::write(const char* name, const std::string& text) const {
  if (const auto error = replace_file(directory_ / name, text)) throw std::runtime_error(*error);
}

void RunFiles::add_motion_table(const BuiltScenario& built) {
  std::vector<RowColumn> columns;
  for (const Index output : watched_outputs(*built.system, built.recorded, built.accuracies).outputs) {
    motion_columns_.push_back(built.system->outputs[output].text);
    columns.push_back({motion_columns_.back(),
                       PortType::real,
                       {},
                       built.system->output_port(output).unit.text,
                       "error bar"});
  }
  hdf5_->add_late_table("motion", columns);
}

void RunFiles::write_motion(const Motion& motion) {
  std::map<std::string, std::size_t> places;
  for (std::size_t v = 0; v < motion.variables.size(); ++v) places[motion.variables[v].name] = v;
  std::vector<double> rows;
  for (const std::size_t row : motion_rows(motion)) {
    rows.push_back(motion.times_s[row]);
    for (const std::string& column : motion_columns_) {
      const auto place = places.find(column);
      rows.push_back(place == places.end() ? RowWriter::empty_field()
                                           : motion.errors[row * motion.variables.size() + place->second]);
    }
  }
  hdf5_->write_late_table(rows);
}

std::vector<std::string> RunFiles::finish(Summary& summary) {
  std::vector<std::string> errors;
  for (const RowRecorder* recorder : recorders_) {
    for (const std::string& error : recorder->errors()) {
      // A file with several tables has one reason.
      if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
    }
  }
  summary.files_complete = errors.empty();
  summary.warnings.insert(summary.warnings.end(), errors.begin(), errors.end());
  directory_.free_reserve();
  const auto replace = [&](const char* name, const std::string& text) {
    if (auto error = replace_file(directory_ / name, text)) errors.push_back(std::move(*error));
  };
  if (summary.motion.checked && formats_.csv) {
    replace("motion.csv", motion_text(summary.motion, units_));
    for (const VariableMotion& variable : summary.motion.variables)
      variables_ += fmt::format("motion.csv,{},{},{},,error bar\n", csv_field(variable.name),
                                csv_field(variable.unit), name_of(PortType::real));
    replace("variables.csv", variables_);
  }
  const std::string json = to_json(summary);
  if (hdf5_) {
    if (summary.motion.checked) write_motion(summary.motion);
    hdf5_->set_text("summary", json);
    if (auto error = hdf5_->close(); error && std::find(errors.begin(), errors.end(), *error) == errors.end())
      errors.push_back(std::move(*error));
  }
  replace("summary.json", json);
  directory_.release();
  return errors;
}

}  // namespace ergon
