#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ergon/core/problem.hpp"

namespace ergon {

/// Where byte `offset` of `text` stands in the file in which `literal` is the first quote of a TOML string (basic or literal, of one
/// line or several) with that text. Nothing where the file cannot be read, or holds something else there: what was said on the
/// command line, or changed since.
std::optional<SourceLocation> place_in_literal(const SourceLocation& literal, std::string_view text,
                                               std::size_t offset);

}  // namespace ergon
