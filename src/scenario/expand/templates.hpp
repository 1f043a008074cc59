#pragma once

#include "ergon/scenario/expand/constants.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Entries with `count` become that many, numbered from 1: in their strings {i}, or any formula in braces, becomes its whole number, and
/// formulas know i. `{{` and `}}` are braces. All other strings get the constants.
void expand_templates(Value& document, const std::shared_ptr<const Constants>& constants,
                      ProblemList& problems);

/// Gives the strings of `value` these constants, where they have none.
void attach_constants(Value& value, const std::shared_ptr<const Constants>& constants);

/// Lists whose entries may have `count`.
const std::vector<std::string>& counted_lists();

}  // namespace ergon
