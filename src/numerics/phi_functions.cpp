#include "ergon/numerics/phi_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ergon::numerics {
namespace {

/// Of the polynomial for the highest φ_p; that for the exponential then has the degree m = 16 + p ≥ 17.
constexpr int degree = 16;
/// θ_17 [almohy2011, Sect. 3]: with c_j the coefficients of ln(e^{−x} T_17(x)), the largest θ with Σ|c_j| θ^{j−1} ≤ 2⁻⁵³. With
/// m = 18 and more, the sums Σ|c_j| θ^{j−k} for k = 1 … p of the bordered matrix allow 1.09 and more.
constexpr double largest_size = 0.9305;

/// 1/n! for n below 40.
constexpr std::array<double, 40> inverse_factorial = [] {
  std::array<double, 40> values{};
  long double factorial = 1.0L;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0) factorial *= static_cast<long double>(n);
    values[n] = static_cast<double>(1.0L / factorial);
  }
  return values;
}();
constexpr int most_functions = static_cast<int>(inverse_factorial.size()) - degree - 1;

double over_factorial(int n) {
  return inverse_factorial[static_cast<std::size_t>(n)];
}

/// Column by column: Eigen's product of large matrices allocates.
void multiply(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::MatrixXd& out) {
  for (Eigen::Index j = 0; j < b.cols(); ++j) out.col(j).noalias() = a * b.col(j);
}

}  // namespace

Eigen::MatrixXd& PhiFunctions::argument(Eigen::Index size) {
  for (Eigen::MatrixXd* matrix : {&z_, &z2_, &z3_, &z4_, &product_}) matrix->resize(size, size);
  sums_.resize(size);
  next_sums_.resize(size);
  return z_;
}

void PhiFunctions::compute(int highest) {
  if (highest < 1 || highest > most_functions) throw std::invalid_argument("φ_1 to φ_23 only");
  phi_.resize(static_cast<std::size_t>(highest) + 1);
  for (Eigen::MatrixXd& matrix : phi_) matrix.resize(z_.rows(), z_.cols());
  if (!z_.allFinite()) {
    for (Eigen::MatrixXd& matrix : phi_) matrix.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  choose_scaling();
  evaluate_polynomials();
  for (int i = 0; i < squarings_; ++i) square();
}

/// The smallest s with α(Z)/2^s ≤ θ, where α = min over p of max(‖|Z|^p‖^{1/p}, ‖|Z|^{p+1}‖^{1/(p+1)}) in the 1-norm bounds the
/// terms of all series whose first exponent is at least p(p − 1) [almohy2011, Sect. 3]: here 17. For springs, with velocities
/// far larger than positions, and for masses without, it is far smaller than ‖Z‖. With |Z| it bounds the rounding errors
/// of the polynomials, too, and costs products with vectors only.
void PhiFunctions::choose_scaling() {
  squarings_ = 0;
  if (z_.size() == 0) return;
  sums_.setOnes();
  double alpha = std::numeric_limits<double>::infinity();
  double root = alpha;
  for (int power = 1; power <= 5; ++power) {
    next_sums_.noalias() = z_.cwiseAbs().transpose() * sums_;
    sums_.swap(next_sums_);
    const double next_root = std::pow(sums_.maxCoeff(), 1.0 / power);
    if (power == 1) alpha = next_root;
    if (power > 2) alpha = std::min(alpha, std::max(root, next_root));
    root = next_root;
  }
  int exponent = 0;
  std::frexp(alpha / largest_size, &exponent);
  squarings_ = std::max(0, exponent);
  z_ *= std::ldexp(1.0, -squarings_);
}

/// φ_p by Horner's rule in Z⁴, the others by φ_k = 1/k! + Z φ_{k+1}: then all are parts of one polynomial.
void PhiFunctions::evaluate_polynomials() {
  const int highest = static_cast<int>(phi_.size()) - 1;
  multiply(z_, z_, z2_);
  multiply(z2_, z_, z3_);
  multiply(z2_, z2_, z4_);
  Eigen::MatrixXd& phi = phi_.back();
  const auto add_block = [&](int first) {
    phi += over_factorial(first + 1 + highest) * z_ + over_factorial(first + 2 + highest) * z2_ +
           over_factorial(first + 3 + highest) * z3_;
    phi.diagonal().array() += over_factorial(first + highest);
  };
  phi = over_factorial(degree + highest) * z4_;
  add_block(degree - 4);
  for (int first = degree - 8; first >= 0; first -= 4) {
    multiply(phi, z4_, product_);
    phi.swap(product_);
    add_block(first);
  }
  for (int k = highest - 1; k >= 0; --k) {
    Eigen::MatrixXd& next = phi_[static_cast<std::size_t>(k)];
    multiply(z_, phi_[static_cast<std::size_t>(k) + 1], next);
    next.diagonal().array() += over_factorial(k);
  }
}

/// φ_k(2Z) = 2^{−k} (φ_0(Z) φ_k(Z) + Σ_{j=1}^k φ_j(Z)/(k − j)!), φ_0(2Z) = φ_0(Z)²: the square of the bordered exponential.
void PhiFunctions::square() {
  for (int k = static_cast<int>(phi_.size()) - 1; k >= 0; --k) {
    Eigen::MatrixXd& phi = phi_[static_cast<std::size_t>(k)];
    multiply(phi_.front(), phi, product_);
    for (int j = 1; j <= k; ++j) product_ += over_factorial(k - j) * phi_[static_cast<std::size_t>(j)];
    phi = std::ldexp(1.0, -k) * product_;
  }
}

}  // namespace ergon::numerics
