#pragma once

#include <span>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/stage.hpp"

namespace ergon {

/// Where a flat input or output lives.
struct SlotAddress {
  std::uint32_t stage = 0;
  std::uint32_t offset = 0;
};

/// Reads the samples of a bond's coupling variables, in SI units; efforts times the bond's scale, so that effort × flow
/// is power.
class BondTaps {
 public:
  BondTaps(const PowerBond& bond, const std::vector<SlotAddress>& outputs);

  [[nodiscard]] std::size_t size() const { return efforts_.size(); }
  [[nodiscard]] double effort(const std::vector<Stage>& stages, Tick k, std::size_t i) const {
    return sample(stages, k, efforts_[i]);
  }
  /// Flow and displacement of component `i` at tick `k`, from those of the point `H_s` before, which are replaced. Where
  /// only one of them is exchanged, the other is its difference or its mean over the step. Returns the displacement over
  /// the step. H_s = 0: the first point.
  double move(const std::vector<Stage>& stages, Tick k, double H_s, std::size_t i, double& flow,
              double& displacement) const;

 private:
  struct Tap {
    SlotAddress output;
    double to_SI = 1.0;
    bool exists = true;
  };
  [[nodiscard]] static double sample(const std::vector<Stage>& stages, Tick k, const Tap& tap) {
    return stages[tap.output.stage].samples.sample_at(k)[tap.output.offset] * tap.to_SI;
  }
  std::vector<Tap> efforts_;
  std::vector<Tap> flows_;
  std::vector<Tap> displacements_;
};

}  // namespace ergon
