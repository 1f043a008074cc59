#pragma once

#include <vector>

#include "ergon/coupling/state/point.hpp"

namespace ergon {

/// Reads the samples of a bond's coupling variables, in SI units; efforts times the bond's scale, so that effort × flow
/// is power.
class BondTaps {
 public:
  BondTaps(const PowerBond& bond, const CouplingPlan& plan);

  [[nodiscard]] std::size_t size() const { return efforts_.size(); }
  [[nodiscard]] double effort(const Point& point, std::size_t i) const { return sample(point, efforts_[i]); }
  /// Flow and displacement of component `i`, from those of the point `H_s` before, which are replaced. Where
  /// only one of them is exchanged, the other is its difference or its mean over the step. Returns the displacement over
  /// the step. H_s = 0: the first point.
  double move(const Point& point, double H_s, std::size_t i, double& flow, double& displacement) const;

 private:
  struct Tap {
    SlotAddress output;
    double to_SI = 1.0;
    bool exists = true;
  };
  [[nodiscard]] static double sample(const Point& point, const Tap& tap) {
    return point.sample(tap.output) * tap.to_SI;
  }
  std::vector<Tap> efforts_;
  std::vector<Tap> flows_;
  std::vector<Tap> displacements_;
};

}  // namespace ergon
