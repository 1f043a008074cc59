#pragma once

#include <array>
#include <cstdint>
#include <vector>

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
class ExchangeProgram {
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

  /// A displacement and its velocity that arrive together; gains as in LinkTerm.
  struct HermitePair {
    std::uint32_t displacement_slot = 0;
    std::uint32_t velocity_slot = 0;
    std::size_t stage = 0;
    std::uint32_t displacement_source = 0;
    std::uint32_t velocity_source = 0;
    double displacement_gain = 1.0;
    double displacement_offset = 0.0;
    double velocity_gain = 1.0;
    double velocity_offset = 0.0;
    /// From the receiver's unit of velocity to its unit of displacement per second.
    double velocity_to_rate = 1.0;
  };

  /// Adds  slot ← gain·output + offset  (or the rate of the output).
  void add(std::uint32_t slot, std::size_t stage, std::uint32_t source, int degree, const LinkTerm& term);
  void add_sum(Sum sum) { sums_.push_back(sum); }
  /// Both were added before; where the samples at the start and at the end of a step are known they follow one cubic,
  ///   x̃(τ) through (x₀, v₀) and (x₁, v₁),   ṽ = dx̃/dτ
  void add_hermite(const HermitePair& pair) {
    hermite_pairs_.push_back(pair);
    holds_ = false;
  }
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] int max_degree() const;

  /// Writes the polynomials that start at tick `k` into `coefficients` ((degree cap + 1) planes of `stride`), and
  /// returns their degree (≤ cap).
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

  static void update(Weights& weights, const Block& block, const SampleRing& ring, const TimeGrid& grid,
                     Tick k);
  static int apply(const Block& block, const Weights& weights, const SampleRing& ring, int cap,
                   double* coefficients, std::size_t stride);
  [[nodiscard]] static bool interpolates(const SampleRings& rings, const HermitePair& pair, Tick k);
  static void apply(const HermitePair& pair, const SampleRing& ring, double H, double* coefficients,
                    std::size_t stride);

  void hold(const SampleRings& rings, double* values) const;

  bool holds_ = true;  ///< nothing is extrapolated, differentiated or interpolated: inputs are newest samples
  std::vector<Block> blocks_;
  std::vector<Sum> sums_;
  std::vector<HermitePair> hermite_pairs_;
};

}  // namespace ergon
