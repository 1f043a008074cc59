#pragma once

#include <vector>

namespace ergon {

/// A scalar law given by its user: a polynomial without constant term, a₁x + a₂x² + …, or straight lines between points,
/// going on beyond the first and the last.
class Curve {
 public:
  static Curve polynomial(std::vector<double> coefficients);
  /// `x` increases; as many `y`, at least two.
  static Curve table(std::vector<double> x, std::vector<double> y);
  static Curve linear(double slope) { return polynomial({slope}); }

  [[nodiscard]] double value(double x) const;
  /// d(value)/dx; at a point of a table that of the line to its right.
  [[nodiscard]] double slope(double x) const;
  /// value(x)/x of a curve through 0, for x ≥ 0: at 0 the slope.
  [[nodiscard]] double value_over(double x) const { return x > 0.0 ? value(x) / x : slope(0.0); }
  /// ∫ value from 0 to x.
  [[nodiscard]] double integral(double x) const {
    return x_.empty() ? polynomial_integral(x) : area(x) - area_0_;
  }

 private:
  Curve() = default;
  [[nodiscard]] std::size_t segment(double x) const;
  [[nodiscard]] double polynomial_integral(double x) const;
  /// ∫ value from the first point of the table to x.
  [[nodiscard]] double area(double x) const;

  std::vector<double> coefficients_{};
  std::vector<double> x_{}, y_{};
  std::vector<double> areas_{};  ///< from the first point to each point
  double area_0_ = 0.0;
};

/// λ = −f(δ) − g(δ̇): what a joint does to one scalar measure of its displacement.
struct ScalarLaw {
  Curve spring = Curve::linear(0.0);
  Curve damper = Curve::linear(0.0);
  [[nodiscard]] double force(double delta, double rate) const {
    return -spring.value(delta) - damper.value(rate);
  }
  /// Change of the force with a change of δ and δ̇.
  [[nodiscard]] double force_change(double delta, double rate, double d_delta, double d_rate) const {
    return -spring.slope(delta) * d_delta - damper.slope(rate) * d_rate;
  }
};

}  // namespace ergon
