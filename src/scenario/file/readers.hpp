#pragma once

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Fill `scenario` from a parsed and overridden document; whatever is wrong goes to `problems`.
void read_sections(const Value& document, const ModelSources& sources, Scenario& scenario,
                   ProblemList& problems);

SubsystemEntry read_subsystem(const Value& table, std::size_t number, const ModelSources& sources,
                              const std::string& base_directory, ProblemList& problems);
/// Keys that only FMUs have.
class TableReader;
void read_foreign(TableReader& reader, ForeignOptions& options, ProblemList& problems);
ElementEntry read_element(const Value& table, std::size_t number, ProblemList& problems);
BondEntry read_bond(const Value& table, std::size_t number, ProblemList& problems);
ConnectionEntry read_connection(const Value& table, std::size_t number, ProblemList& problems);
ShapeEntry read_shape(const Value& table, std::size_t number, ProblemList& problems);

/// Nothing after reporting what is wrong.
std::optional<ParameterChange> read_change(const Value& table, std::size_t number, ProblemList& problems);

/// What spans several tables: names said twice, missing steps, steps longer than the run.
void check_scenario(Scenario& scenario, ProblemList& problems);

/// The keys of an entry of [[kind]], for overrides such as "left.step_size=1e-4".
const std::vector<std::string>& entry_keys(const std::string& kind);

}  // namespace ergon
