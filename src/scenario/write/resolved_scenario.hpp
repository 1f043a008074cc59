#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// The scenario as TOML, overrides applied and defaults filled in, with shortest round-trip numbers: running it is
/// the same run. It ends with a [provenance] table that tells the version and every input file with its SHA-256.
/// Only for scenarios that loaded and built without an error.
std::string resolved_toml(const Scenario& scenario, std::string_view ergon_version);

/// The absolute path of the FMU of a subsystem.
std::string fmu_path(const SubsystemEntry& subsystem, const Scenario& scenario);

/// If `text` is a resolved scenario that nobody has edited since (its provenance holds the hash of what stands above
/// it), the run's origin is still the files named there, and `scenario` takes them over.
void keep_provenance(const std::string& text, const Value& document, Scenario& scenario);

/// The file that a text parameter names, made absolute; nothing where it does not name one.
std::optional<std::string> file_named_by(const ParameterInfo& info, const ParameterValue& value,
                                         const std::string& base_directory);

}  // namespace ergon
