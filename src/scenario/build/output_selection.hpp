#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// The order in which people count: m2 before m10.
bool natural_less(std::string_view a, std::string_view b);

/// Whether `text` fits `pattern`, in which * stands for any characters and ? for any one.
bool matches_pattern(std::string_view pattern, std::string_view text);

/// How much a pattern says: its characters but * and ?.
std::ptrdiff_t literal_characters(std::string_view pattern);

/// Per output its own recording interval, where a pattern gives one: that of the pattern that says most. A pattern that fits no
/// recorded output is an error.
std::vector<std::optional<Rational>> select_intervals(
    const CoupledSystem& system, const std::vector<Index>& recorded,
    const std::vector<std::pair<Said<std::string>, Said<Rational>>>& rules, ProblemList& problems);

/// The outputs that fit the patterns, each once, in the order of the patterns. "left.position" also means all
/// components of a vector port. A pattern that fits nothing is an error.
std::vector<Index> select_outputs(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                  ProblemList& problems);

/// The same for plain names, where there is no frozen system.
std::vector<Index> select_outputs(const std::vector<std::string>& outputs,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<Said<std::string>>& patterns, ProblemList& problems);

/// The inputs that fit the patterns, likewise. Texts are not recorded: `*` passes over them, a name is an error.
std::vector<Index> select_inputs(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                 ProblemList& problems);
std::vector<Index> select_inputs(const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs, const std::vector<bool>& is_text,
                                 const std::vector<Said<std::string>>& patterns, ProblemList& problems);

/// The bonds whose names fit the patterns, in their own order. A pattern that fits none is an error.
std::vector<Index> select_bonds(const CoupledSystem& system, const std::vector<Said<std::string>>& patterns,
                                ProblemList& problems);

}  // namespace ergon
