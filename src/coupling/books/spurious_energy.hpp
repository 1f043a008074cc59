#pragma once

#include <array>
#include <cmath>

#include "ergon/coupling/books/time_windows.hpp"

namespace ergon {

/// How much energy that should not be there is still there.
///   L   energy created since t₀: what is stored and was dissipated, but never came in
///   ε   the part of it that has not been dissipated again:  dε = dL − ε dW/E,  W what dampers took
/// Dampers do not know spurious energy from other, so they take of it in proportion: the share dW/E of the stored energy
/// E. Without losses ε = L. The honest energy E − ε is the scale.
/// Supposes energies that are counted from rest and from unloaded springs; a large constant in E makes it lenient.
class SpuriousEnergy {
 public:
  void sample(double stored_J, double dissipated_J, double created_J, std::size_t window);
  void widen() { TimeWindows::merge_pairs<Cell>(windows_); }

  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] bool finite() const { return finite_; }
  [[nodiscard]] double scale_J() const { return scale_J_; }
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
  double stored_J_ = 0.0;
  double dissipated_J_ = 0.0;
  double created_J_ = 0.0;
  double spurious_J_ = 0.0;
  double scale_J_ = 0.0;
  double largest_J_ = 0.0;
};

}  // namespace ergon
