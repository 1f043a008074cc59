#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/signal/extrapolation.hpp"
#include "ergon/signal/sample_ring.hpp"

namespace ergon {

/// The index-based program that turns samples of source stages into the input polynomials of one stage.
/// Slots are the stage's inputs, followed by one slot for every term of a sum.
///
/// Extrapolation weights are computed once per block (source stage × degree), and only when the sample times relative
/// to the step have changed; a block then is a list of index pairs.
class Exchange {
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
    double velocity_to_rate =
        1.0;  ///< from the receiver's unit of velocity to its unit of displacement per second
  };

  /// Adds  slot ← gain·output + offset  (or the rate of the output).
  void add(std::uint32_t slot, std::size_t stage, std::uint32_t source, int degree, const LinkTerm& term);
  void add_sum(Sum sum) { sums_.push_back(sum); }
  /// Both were added before; where the samples at the start and at the end of a step are known they follow one cubic,
  ///   x̃(τ) through (x₀, v₀) and (x₁, v₁),   ṽ = dx̃/dτ
  void add_hermite(const HermitePair& pair) { hermite_pairs_.push_back(pair); }
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] int max_degree() const;

  /// Writes the polynomials that start at tick `k` into `coefficients` ((degree cap + 1) planes of `stride`), and
  /// returns their degree (≤ cap). `rings[s]` are the samples of stage s.
  int build(const std::vector<SampleRing*>& rings, const TimeGrid& grid, Tick k, int cap,
            double* coefficients, std::size_t stride);

  /// The inputs from the samples of tick `k` (or the newest before it) alone, nothing extrapolated.
  void copy_samples(const std::vector<SampleRing*>& rings, const TimeGrid& grid, Tick k,
                    double* values) const;

 private:
  struct Block {
    std::size_t stage = 0;
    int degree = 0;
    bool differentiate = false;
    std::vector<Copy> copies;
    std::vector<Scaled> scaled;
    // Cache of the weights: valid while the sample times relative to τ = 0 stay the same.
    std::array<Tick, max_extrapolation_samples> offsets{};
    std::size_t samples = 0;
    PolynomialWeights weights;
  };

  static void update_weights(Block& block, const SampleRing& ring, const TimeGrid& grid, Tick k);
  static int apply(const Block& block, const SampleRing& ring, int cap, double* coefficients,
                   std::size_t stride);

  std::vector<Block> blocks_;
  [[nodiscard]] bool interpolates(const std::vector<SampleRing*>& rings, const HermitePair& pair,
                                  Tick k) const;
  static void apply(const HermitePair& pair, const SampleRing& ring, double H, double* coefficients,
                    std::size_t stride);

  std::vector<Sum> sums_;
  std::vector<HermitePair> hermite_pairs_;
};

}  // namespace ergon
