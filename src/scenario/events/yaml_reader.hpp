#pragma once

#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Reads JSON and the part of YAML that settings are written in: mappings and lists by indentation or in brackets, plain and quoted
/// scalars, comments. No anchors, tags, multi-line scalars or several documents (docs/adr/0078). Nothing after reporting what is
/// wrong, with its line.
std::optional<Value> parse_yaml(const std::string& text, const std::string& file, ProblemList& problems);

}  // namespace ergon
