#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/plan/exchange_program.hpp"

namespace ergon {

/// Integers and texts of one stage or of its inputs.
struct DiscreteValues {
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
};

/// The index-based program that brings integers and texts from the samples of source stages to the inputs of one stage. They
/// are held: the newest sample counts, whatever the degree of extrapolation.
class ERGON_API DiscreteExchange {
 public:
  struct IntegerTerm {
    std::uint32_t stage = 0;
    std::uint32_t source = 0;
    std::int64_t gain = 1;
    std::int64_t offset = 0;
  };
  /// slot ← Σ gain·source + offset
  void add_integer(std::uint32_t slot, const std::vector<IntegerTerm>& terms);
  /// slot ← source
  void add_text(std::uint32_t slot, std::uint32_t stage, std::uint32_t source);

  /// Writes the inputs that are connected, from the samples of tick `k` or the newest before it. Returns the slot of an
  /// integer that does not fit into 64 bits; nothing where all do.
  [[nodiscard]] std::optional<std::uint32_t> build(const SampleRings& rings, Tick k,
                                                   DiscreteValues& inputs) const;
  /// … from the newest samples, even of a later time.
  [[nodiscard]] std::optional<std::uint32_t> build_newest(const SampleRings& rings,
                                                          DiscreteValues& inputs) const {
    if (integers_.empty() && texts_.empty()) return std::nullopt;  // as nearly everywhere
    return build_all_newest(rings, inputs);
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> build_all_newest(const SampleRings& rings,
                                                              DiscreteValues& inputs) const;
  template <class AgeOf>
  std::optional<std::uint32_t> build_with(const SampleRings& rings, AgeOf&& age_of,
                                          DiscreteValues& inputs) const;

  struct IntegerInput {
    std::uint32_t slot;
    std::uint32_t first_term;
    std::uint32_t terms;
  };
  struct TextInput {
    std::uint32_t slot;
    std::uint32_t stage;
    std::uint32_t source;
  };
  std::vector<IntegerInput> integers_;
  std::vector<IntegerTerm> terms_;
  std::vector<TextInput> texts_;
};

}  // namespace ergon
