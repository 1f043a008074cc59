#pragma once

#include <memory>
#include <string>

#include "ergon/models/nonsmooth/machine_description.hpp"
#include "ergon/scenario/edition.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// A machine described in a TOML file of its own (docs/machines.md). Nothing after reporting all that is wrong with how it is
/// written: unknown keys, wrong types, missing values. What it means, `check_machine` looks at. `changes`: what a scenario
/// says differently, see `apply_machine_changes`. What the file does not say of its solver is as in the edition.
std::shared_ptr<const MachineDescription> read_machine(const std::string& text, const std::string& file,
                                                       ProblemList& problems, const Value* changes = nullptr,
                                                       const Edition& edition = newest_edition());
/// Names of the joints in a machine file; none where it cannot be read, which is reported by who reads it.
std::vector<std::string> joints_of_machine_file(const std::string& path);
/// The same from a file on disk; `said` is where its name was given.
std::shared_ptr<const MachineDescription> load_machine(const std::string& path, const SourceLocation& said,
                                                       ProblemList& problems, const Value* changes = nullptr,
                                                       const Edition& edition = newest_edition());

}  // namespace ergon
