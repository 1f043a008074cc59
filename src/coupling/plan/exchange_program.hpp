#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/signal/extrapolation.hpp"
#include "ergon/signal/sample_ring.hpp"

namespace ergon {

/// The samples of every stage.
using SampleRings = std::vector<const SampleRing*>;

/// Extrapolation weights of an ExchangeProgram: computed once per block, and again only when the sample times relative to
/// the step have changed. A cache: it holds nothing that the sample times do not tell.
class ExchangeWeights {
 private:
  friend class ExchangeProgram;
  struct OfBlock {
    std::array<Tick, max_extrapolation_samples> offsets{};
    std::size_t samples = 0;
    PolynomialWeights weights;
  };
  std::vector<OfBlock> blocks_;
};

/// The index-based program that turns samples of source stages into the input polynomials of one stage.
/// Slots are the stage's inputs, followed by one slot for every term of a sum. A block (source stage × degree) is a list of
/// index pairs.
class ERGON_API ExchangeProgram {
 public:
  struct Copy {
    std::uint32_t slot;
    std::uint32_t source;
  };
  struct Scaled {
    std::uint32_t slot;
    std::uint32_t source;
    double gain;
    double offset;
  };
  struct Sum {
    std::uint32_t slot;
    std::uint32_t first_term;
    std::uint32_t terms;
  };

  /// Adds  slot ← gain·output + offset  (or the rate of the output).
  void add(std::uint32_t slot, std::size_t stage, std::uint32_t source, int degree, const LinkTerm& term);
  /// … where the output is an integer, `source` its place among them: it is held, whatever the degree.
  void add_integer(std::uint32_t slot, std::size_t stage, std::uint32_t source, const LinkTerm& term);
  void add_sum(Sum sum) { sums_.push_back(sum); }
  [[nodiscard]] bool empty() const { return blocks_.empty() && integers_.empty(); }
  [[nodiscard]] int max_degree() const;
  /// Of the stages it reads, samples there are of the one with the fewest.
  [[nodiscard]] std::size_t shortest_history(const SampleRings& rings) const;
  /// All is of degree 0, and there are no rates: the newest samples count, whatever their times are.
  [[nodiscard]] bool holds() const { return holds_; }
  /// The program as single copies, slot ← output of a stage, where it has nothing but those: no gains, rates, sums or integers.
  struct PlainCopy {
    std::uint32_t slot;
    std::uint32_t source;
    std::size_t stage;
  };
  [[nodiscard]] std::optional<std::vector<PlainCopy>> plain_copies() const;
  /// … those copies alone whose outputs are marked, of a program that has nothing else.
  [[nodiscard]] ExchangeProgram copies_of(const std::vector<bool>& outputs) const;

  /// Computes the weights of the polynomials that start at tick `k`; returns the largest degree (≤ cap).
  int update(const SampleRings& rings, const TimeGrid& grid, Tick k, int cap, ExchangeWeights& weights) const;
  /// Writes the polynomials into `coefficients` ((degree cap + 1) planes of `stride`), zeros up to `degree`.
  void write(const SampleRings& rings, int cap, const ExchangeWeights& weights, int degree,
             double* coefficients, std::size_t stride) const;
  /// Adds up the terms of sums, in planes up to `degree`.
  void add_up(int degree, double* coefficients, std::size_t stride) const;
  /// All of it; returns the degree.
  int build(const SampleRings& rings, const TimeGrid& grid, Tick k, int cap, ExchangeWeights& weights,
            double* coefficients, std::size_t stride) const;

  /// The inputs from the samples of tick `k` (or the newest before it) alone, nothing extrapolated.
  void copy_samples(const SampleRings& rings, const TimeGrid& grid, Tick k, double* values) const;

 private:
  struct Block {
    std::size_t stage = 0;
    int degree = 0;
    bool differentiate = false;
    std::vector<Copy> copies;
    std::vector<Scaled> scaled;
  };
  using Weights = ExchangeWeights::OfBlock;
  struct FromInteger {
    Scaled term;
    std::size_t stage;
  };

  static void update(Weights& weights, const Block& block, const SampleRing& ring, const TimeGrid& grid,
                     Tick k);
  static int apply(const Block& block, const Weights& weights, const SampleRing& ring, int cap,
                   double* coefficients, std::size_t stride);

  /// All of it where samples are held: whatever their times are, the newest counts.
  void hold(const SampleRings& rings, double* values) const;

  std::vector<Block> blocks_;
  bool holds_ = true;
  std::vector<FromInteger> integers_;
  std::vector<Sum> sums_;
};

}  // namespace ergon
