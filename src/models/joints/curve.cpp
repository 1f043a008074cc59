#include "ergon/models/joints/curve.hpp"

#include <algorithm>
#include <cassert>

namespace ergon {

Curve Curve::polynomial(std::vector<double> coefficients) {
  Curve curve;
  curve.coefficients_ = std::move(coefficients);
  return curve;
}

Curve Curve::table(std::vector<double> x, std::vector<double> y) {
  assert(x.size() >= 2 && x.size() == y.size());
  Curve curve;
  curve.x_ = std::move(x);
  curve.y_ = std::move(y);
  curve.areas_.assign(curve.x_.size(), 0.0);
  for (std::size_t i = 1; i < curve.x_.size(); ++i) {
    curve.areas_[i] =
        curve.areas_[i - 1] + 0.5 * (curve.y_[i] + curve.y_[i - 1]) * (curve.x_[i] - curve.x_[i - 1]);
  }
  curve.area_0_ = curve.area(0.0);
  return curve;
}

/// The segment of the table that counts at x: from point i to i + 1.
std::size_t Curve::segment(double x) const {
  const auto after = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
  return std::clamp<std::size_t>(after, 1, x_.size() - 1) - 1;
}

double Curve::value(double x) const {
  if (x_.empty()) {
    double sum = 0.0;
    for (std::size_t i = coefficients_.size(); i-- > 0;) sum = (sum + coefficients_[i]) * x;
    return sum;
  }
  const std::size_t i = segment(x);
  return y_[i] + (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]) * (x - x_[i]);
}

double Curve::slope(double x) const {
  if (x_.empty()) {
    double sum = 0.0;
    for (std::size_t i = coefficients_.size(); i-- > 0;)
      sum = sum * x + static_cast<double>(i + 1) * coefficients_[i];
    return sum;
  }
  const std::size_t i = segment(x);
  return (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]);
}

double Curve::polynomial_integral(double x) const {
  double sum = 0.0;
  for (std::size_t i = coefficients_.size(); i-- > 0;)
    sum = (sum + coefficients_[i] / static_cast<double>(i + 2)) * x;
  return sum * x;
}

double Curve::area(double x) const {
  const std::size_t i = segment(x);
  return areas_[i] + 0.5 * (y_[i] + value(x)) * (x - x_[i]);
}

}  // namespace ergon
