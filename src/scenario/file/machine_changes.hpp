#pragma once

#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Writes what a scenario changes of a machine into the document of its file, before that is read: so every key can be changed, and
/// is checked in the same way. Changed values keep the place where the scenario gives them.
///   { log = { mass = 500 }, body = { boom = { mass = 80 } }, gravity = [0, 0, -1.62], solver = { … }, initial = { … } }
/// A name stands for the one part that is called so; with its kind in front where several are.
void apply_machine_changes(Value& machine, const Value& changes, ProblemList& problems);

}  // namespace ergon
