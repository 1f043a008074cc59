#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/tables/key.hpp"

namespace ergon {

/// A table of the scenario file, [name] or [[name]], or one inside of another ("integrator").
struct TableInfo {
  enum class Form { section, list, inside };
  std::string name;
  Form form = Form::section;
  Names keys;
};
/// Every table with fixed keys, in the order in which resolved scenarios have them; inner ones behind those that hold them.
const std::vector<TableInfo>& scenario_tables();
/// The keys of an entry of [[kind]], for overrides such as "left.step_size=1e-4".
const Names& entry_keys(const std::string& kind);

/// Fills `scenario` from a parsed and overridden document; whatever is wrong goes to `problems`.
void read_tables(const Value& document, const ModelSources& sources, Scenario& scenario,
                 ProblemList& problems);
/// All tables as TOML, with their defaults.
std::string written_tables(const Scenario& scenario);
/// "[name]", or "[[name]]", and what is below it.
std::string section_text(const std::string& name, Value table);
std::string item_text(const std::string& name, Value table);

// One file per table has these: what its keys are, and what of a table is more than its keys.
const Keys<SimulationSettings>& simulation_keys();
const Keys<Scenario>& initialization_keys();
const Keys<CouplingSettings>& coupling_keys();
const Keys<StepControlSettings>& step_control_keys();
const Keys<OutputSettings>& output_keys();
const Keys<SubsystemEntry>& subsystem_keys();
const Keys<IntegratorOptions>& integrator_keys();
const Keys<ForeignOptions>& foreign_keys();
const Keys<EnergyMapping>& energy_keys();
const Keys<ElementEntry>& element_keys();
const Keys<BondEntry>& bond_keys();
const Names& bond_end_keys();
const Keys<ConnectionEntry>& connection_keys();
const Keys<ParameterChange>& change_keys();
const Keys<ShapeEntry>& shape_keys();

/// 'correction' of `owner`, for its bond of that name; nothing where it has none.
std::optional<CorrectionRequest> read_correction(TableReader& owner, const std::string& bond);
Value correction_value(const std::optional<CorrectionRequest>& correction);
void read_simulation(const Value& table, SimulationSettings& settings, ProblemList& problems);
void read_initialization(const Value& table, Scenario& scenario, ProblemList& problems);
/// Of [initialization] from, absolute.
std::string start_state_path(const Scenario& scenario);
/// What the table does not say is as in the edition.
void read_coupling(const Value& table, const Edition& edition, CouplingSettings& coupling,
                   ProblemList& problems);
/// The words of [coupling] extrapolation: those of bonds, and "auto-linear" …: where the receiver looks at the input within its step and what
/// is sent is continuous; elsewhere "hold".
Names run_extrapolations();
void set_extrapolation(std::string_view word, CouplingSettings& coupling);
/// Nothing where steps are fixed.
std::optional<StepControlSettings> read_step_control(const Value& table, ProblemList& problems);
void read_output(const Value& table, OutputSettings& output, ProblemList& problems);
SubsystemEntry read_subsystem(const Value& table, std::size_t number, const ModelSources& sources,
                              const std::string& base_directory, ProblemList& problems);
ElementEntry read_element(const Value& table, std::size_t number, ProblemList& problems);
BondEntry read_bond(const Value& table, std::size_t number, const Edition& edition, ProblemList& problems);
ConnectionEntry read_connection(const Value& table, std::size_t number, ProblemList& problems);
/// Nothing after reporting what is wrong.
std::optional<ParameterChange> read_change(const Value& table, std::size_t number, ProblemList& problems);
ShapeEntry read_shape(const Value& table, std::size_t number, ProblemList& problems);

/// For messages: "[[bond]] 'spring'", or "[[bond]] no. 2" where it has no name.
std::string item_title(const char* kind, const Value& table, std::size_t number);
/// The name of an instance or bond; an unusable one is reported.
Said<std::string> read_instance_name(TableReader& reader, const char* example);

}  // namespace ergon
