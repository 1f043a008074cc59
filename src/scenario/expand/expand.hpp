#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Settings of the command line for [constants]: they decide what a document becomes.
struct ConstantSetting {
  std::string name;
  Value value;
};

/// Turns a scenario document into its long form: files that it includes, systems that it uses (`system` of a [[subsystem]], whose parts
/// are named OUTER/INNER), entries with `count`, constants. What is left are the tables of docs/scenario.md; strings know the constants
/// that formulas in them may use. Returns the constants of the outermost file, for strings that come later (the command line); adds the
/// files that were read to `files`.
std::shared_ptr<const Constants> expand_document(Value& document, const std::string& path,
                                                 const std::vector<ConstantSetting>& settings,
                                                 std::vector<std::string>& files, ProblemList& problems);

}  // namespace ergon
