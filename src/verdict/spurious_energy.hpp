#pragma once

#include <array>
#include <cmath>

#include "ergon/core/api.hpp"
#include "ergon/verdict/time_windows.hpp"

namespace ergon {

/// The books of a group at one instant, all in J.
struct EnergySample {
  double stored_J = 0.0;
  double kinetic_J = 0.0;     ///< the part of it that is kinetic, seen from what moves along on average
  double dissipated_J = 0.0;  ///< less what sources inside supplied
  double outside_J = 0.0;     ///< work received from outside of the group
  double created_J = 0.0;     ///< what is stored and was dissipated, but never came in
  double magnitude_J = 0.0;   ///< sum of the amounts that these numbers are differences of
};

/// How much energy that should not be there is still there.
///   L   energy created since t₀
///   ε   the part of it that has not been dissipated again:  dε = dL − ε dW/D,  W what dampers took
/// Dampers do not know spurious energy from other, so they take of it in proportion: the share dW/D of the energy D in motion.
/// Without losses ε = L. Where damping is negative, ε grows with everything else.
/// Neither D nor the scale may depend on where potential energies are counted from, on a preload, or on a common velocity:
///   scale = max( peak of T, min( swing of E, swing of E − work from outside ), turnover )
/// with T and E as they would be without ε. T is the kinetic energy; the swing is what a motion without much of it, overdamped
/// or in circuits, moves. A preload by springs drops out of the swing of E, one by a force from outside out of the other.
/// The turnover is what came in, or was stored, and was lost between two samples: books cannot be more exact than that, where
/// much energy passes through a system that stores little.
/// D is the peak of T minus what was lost since; the swing where there is hardly any T.
class ERGON_API SpuriousEnergy {
 public:
  void sample(const EnergySample& sample, std::size_t window);
  void widen() { TimeWindows::merge_pairs<Cell>(windows_); }

  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] bool finite() const { return finite_; }
  [[nodiscard]] double scale_J() const { return scale_J_; }
  /// The last sample has the largest |ε| so far.
  [[nodiscard]] bool at_peak() const { return at_peak_; }
  /// The largest |ε|, with its sign.
  [[nodiscard]] double largest_J() const { return largest_J_; }
  /// |ε| over the scale; infinite where nothing honest was ever stored.
  [[nodiscard]] double ratio() const;

  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// The windows from the first to the last in which |ε| exceeded `limit` × scale, as long as energy was still being created
  /// (or destroyed): what is wrong after that is a consequence.
  [[nodiscard]] Span above(double limit) const;

 private:
  struct Cell {
    double spurious_J = 0.0;  ///< largest absolute value
    double created_J = 0.0;   ///< Σ |ΔL|
    void merge(const Cell& other) {
      spurious_J = std::fmax(spurious_J, other.spurious_J);
      created_J += other.created_J;
    }
  };
  std::array<Cell, TimeWindows::capacity> windows_{};
  std::size_t samples_ = 0;
  bool finite_ = true;
  bool at_peak_ = false;
  /// Least and most of something.
  struct Swing {
    double least_J = 0.0;
    double most_J = 0.0;
    void update(double value_J, bool first) {
      least_J = first ? value_J : std::fmin(least_J, value_J);
      most_J = first ? value_J : std::fmax(most_J, value_J);
    }
    [[nodiscard]] double size_J() const { return most_J - least_J; }
  };
  [[nodiscard]] double swing_J() const { return std::fmin(stored_.size_J(), without_input_.size_J()); }

  Swing stored_;         ///< E − ε
  Swing without_input_;  ///< E − work from outside − ε
  double in_motion_J_ = 0.0;
  double given_J_ = 0.0;    ///< −W since that grew last
  double kinetic_J_ = 0.0;  ///< peak of T − ε
  double turnover_J_ = 0.0;
  double stored_J_ = 0.0;  ///< E − ε of the last sample
  double outside_J_ = 0.0;
  double dissipated_J_ = 0.0;
  double created_J_ = 0.0;
  double spurious_J_ = 0.0;
  double scale_J_ = 0.0;
  double largest_J_ = 0.0;
};

}  // namespace ergon
