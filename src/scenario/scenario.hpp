#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/core/unit.hpp"
#include "ergon/coupling/options/options.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/scenario/edition.hpp"
#include "ergon/scenario/sources/model_source.hpp"

namespace ergon {

/// A value and where the user said it; a default has no place.
template <class T>
struct Said {
  T value{};
  SourceLocation where{};
};

/// What to do with a run once it is known to be unreliable (docs/theory/verdict.md).
enum class OnUnreliable { carry_on, stop };

/// With which companion the motion of a run is checked: the same system at other steps (docs/theory/verdict.md).
enum class MotionCheck {
  automatic,     ///< twice the steps beside the run; half of them after it, where the first leaves doubts
  double_steps,  ///< twice the steps alone
  half_steps,    ///< half the steps alone
  off,
};

/// How accurate an output has to be.
struct ERGON_API Accuracy {
  enum class Kind {
    relative,  ///< of half the range of the output
    absolute,  ///< in `unit`
    any,       ///< its error does not matter
  };
  Kind kind = Kind::relative;
  double value = 0.05;
  Unit unit{};

  /// "5 %", "0.1 mm", "any"; nothing where it is none of them.
  static std::optional<Accuracy> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

struct SimulationSettings {
  SourceLocation where;  ///< of the table; without a file: there is none
  const Edition* edition = &newest_edition();
  Said<Rational> start_time_s;
  std::optional<Said<Rational>> stop_time_s;  ///< present in every scenario that loaded without an error
  std::optional<Said<Rational>> step_size_s;  ///< for subsystems that do not say their own
  unsigned threads = 1;
  OnUnreliable on_unreliable = OnUnreliable::carry_on;
  std::optional<MotionCheck> check;  ///< nothing: the command checks, programs and benchmarks do not
  std::vector<Said<std::string>>
      plugins;  ///< shared objects with models and methods; loaded by load_scenario
};

struct Value;

struct SubsystemEntry {
  Said<std::string> name;
  Said<std::string> model;
  std::string source = "model";           ///< the key that names the model, and so where it comes from
  std::shared_ptr<const ModelInfo> info;  ///< what that source knows of it; nothing after a reported problem
  std::optional<Said<Rational>> step_size_s;
  IntegratorOptions integrator;
  std::optional<SourceLocation> integrator_said;
  GivenParameters parameters;
  std::shared_ptr<const Value> machine{};  ///< what is changed of a machine file (docs/machines.md)
  ForeignOptions foreign;                  ///< of an FMU
  GivenParameters initial;                 ///< states of the model and values of input ports alike
  /// Per output port, the most recent first: y(t₀ − H), y(t₀ − 2H), …
  std::map<std::string, Said<std::vector<double>>> initial_history;
  SourceLocation where;
  bool usable = true;    ///< false: it has an error that was reported, so nothing more is said about it
  bool sampled = false;  ///< its step size is part of its law: check runs keep it
};

/// What the two bodies of a joint exchange, body i before the stroke (docs/theory/joints.md).
enum class JointForm {
  force_force,                ///< an element between them evaluates the law
  force_displacement,         ///< body j evaluates it and gives body i its wrench
  displacement_force,         ///< the other way round
  displacement_displacement,  ///< both evaluate it
  multiplier,                 ///< an element evaluates its multipliers, both bodies find their directions
};
/// Whether an element between the bodies is part of the joint.
constexpr bool has_element(JointForm form) {
  return form == JointForm::force_force || form == JointForm::multiplier;
}

struct ElementEntry {
  Said<std::string> name;
  Said<std::string> law;
  /// Both ends or none. "m1" or "m1:force2", the marker that takes the force.
  std::vector<Said<std::string>> ends;
  /// Of a joint: its markers i and j, "rod.top".
  std::vector<Said<std::string>> markers;
  GivenParameters parameters;
  EvaluateAt evaluate = EvaluateAt::sources;
  JointForm form = JointForm::force_force;
  std::optional<CorrectionRequest> correction;  ///< of all bonds that it makes
  SourceLocation where;
  bool usable = true;
};

struct BondEntry {
  BondSpec spec;
  std::optional<CorrectionRequest> correction;
  std::vector<Said<std::string>> ports;  ///< every port it names, so that a slip is shown in its own line
  bool usable = true;
};

struct ConnectionEntry {
  std::string name{};  ///< for settings of the command line; may be left out
  ConnectionSpec spec;
  std::vector<Said<std::string>> ports;
  bool usable = true;
};

/// Outputs by name (a name may stand for several), or a number that stays.
struct ShapeCoordinate {
  std::string outputs{};  ///< empty: a number
  double number = 0.0;
  SourceLocation where{};
};

/// Coordinates of something to be seen.
struct ShapePlace {
  std::vector<ShapeCoordinate> coordinates;
  SourceLocation where;
};

/// Something to be seen that follows outputs, for models that show nothing of themselves (docs/report.md).
struct ShapeEntry {
  Said<std::string> name;
  std::string kind;  ///< sphere, box, cylinder, capsule or line
  std::vector<double> size_m;
  ShapePlace position, orientation, end;
  SourceLocation where;
  bool usable = true;
};

struct CouplingSettings {
  Said<std::string> scheme{"jacobi", {}};
  std::vector<Said<std::string>> order;
  int degree = 0;
  bool only_followed = false;  ///< "auto-…": see CouplingOptions
  std::string predictor;       ///< of bonds, where it is not a polynomial
  std::optional<FeedthroughMode> feedthrough;
  Starter starter = Starter::none;
  ImplicitOptions implicit;
};

struct StepControlSettings {
  std::string method = "interface-power";
  double rtol = 1e-3;
  double atol = 0.0;
  /// Of the largest communication step; nothing: 1/1000 and 100 times the one given.
  std::optional<Said<Rational>> min_step_s;
  std::optional<Said<Rational>> max_step_s;
  SourceLocation where;
};

/// How results are written.
struct ResultFormats {
  bool csv = true;
  bool hdf5 = false;
  bool mat = false;     ///< Modelica's trajectories
  int compression = 1;  ///< of HDF5: 0 (none) to 9
};

struct OutputSettings {
  std::vector<Said<std::string>> variables{{"*", {}}};  ///< patterns with * and ?
  std::vector<Said<std::string>> inputs;                ///< likewise; nothing: no inputs
  std::vector<Said<std::string>> bonds{{"*", {}}};      ///< likewise, for bonds.csv
  std::optional<Said<Rational>> interval_s;             ///< nothing: every communication point
  Said<bool> by_rate{false, {}};  ///< outputs of slower subsystems in files of their own
  bool units = false;             ///< a second line with the units in every CSV file
  ResultFormats formats;
  /// Outputs that have an interval of their own, by patterns; the pattern with the most other characters counts.
  std::vector<std::pair<Said<std::string>, Said<Rational>>> intervals_s;
  Said<bool> envelope{false, {}};              ///< least and largest value of every interval
  std::optional<Said<double>> least_change{};  ///< part of the range so far below which a row is left out
  std::optional<Accuracy> accuracy;  ///< of outputs that no pattern fits; nothing: that of the edition
  /// By patterns with * and ?; the pattern with the most other characters counts.
  std::vector<std::pair<Said<std::string>, Accuracy>> accuracies;
};

/// A file that the run depends on.
struct InputFile {
  std::string path;
  std::string sha256;
};

/// A scenario as the user said it, command line included, before any model is made.
struct Scenario {
  std::string file;
  std::string base_directory;  ///< relative file names in parameters start here
  SimulationSettings simulation;
  std::vector<SubsystemEntry> subsystems;
  std::vector<ElementEntry> elements;
  std::vector<BondEntry> bonds;
  std::vector<ConnectionEntry> connections;
  std::vector<ParameterChange> changes;
  std::vector<ShapeEntry> shapes;
  CouplingSettings coupling;
  std::optional<EquilibriumRequest> equilibrium;  ///< [initialization] mode = "static"
  /// [initialization] from: a file of 'ergon state' (absolute, or from `base_directory`).
  std::optional<Said<std::string>> start_state;
  std::optional<StepControlSettings> step_control;
  OutputSettings output;
  std::vector<InputFile> inputs;        ///< of a resolved scenario those of the run that wrote it
  std::vector<std::string> files_read;  ///< this one and those that parameters name: no run may replace them
  std::vector<std::string> overrides;   ///< as given on the command line
  /// False: some entry could not be told by its name, so a reference to nobody may be its fault.
  bool complete = true;
};

/// What the command line says; it wins over the file.
struct ScenarioOverrides {
  /// "path=value": section.key, kind.name.key (kind: subsystem, element, bond) or, for short, name.key, which
  /// looks among the parameters, the initial values and the keys of that subsystem or element, in this order.
  std::vector<std::string> settings;
  /// Files of such settings, one table for each name; those on the command line win.
  std::vector<std::string> parameter_files;
  std::optional<std::string> start_time;
  std::optional<std::string> stop_time;
  std::optional<std::string> duration;   ///< instead of stop_time
  std::optional<std::string> step_size;  ///< the default step: a subsystem's own step stays
  std::optional<unsigned> threads;
  std::optional<std::string> check;     ///< auto, double, half or off
  std::optional<std::string> accuracy;  ///< of outputs whose accuracy the file does not give, "1%"
  bool sandbox = false;                 ///< … and kept from files and network
  bool isolate = false;                 ///< every FMU in a process of its own
  bool keep_environment = false;        ///< such processes receive all variables of the environment
  bool bonds = false;  ///< power bonds that units and groups suggest are made (propose_bonds.hpp)
  std::optional<std::string>
      events;  ///< file of a libcosim scenario: changes during the run (read_events.hpp)
  std::vector<std::string> plugins;  ///< shared objects with models and methods (plugin.hpp), loaded first
  /// Folders from which the scenario itself may load plug-ins, beside those that the environment lists in ERGON_TRUST.
  std::vector<std::string> trusted;
};

/// Reads a TOML scenario, or a system of another format (.ssp, .ssd, OspSystemStructure.xml). Everything that is wrong goes to `problems`, in order of lines; what could be read is
/// returned even then, so that build_graph can look for more.
ERGON_API Scenario load_scenario(const std::string& path, const ScenarioOverrides& overrides,
                                 ProblemList& problems, const ModelSources& sources = standard_sources());

}  // namespace ergon
