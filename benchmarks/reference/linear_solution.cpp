#include "benchmarks/reference/linear_solution.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <unsupported/Eigen/MatrixFunctions>
#include <utility>
#include <vector>

namespace ergon::numerics {

namespace {

using Real = long double;
using Complex = std::complex<Real>;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;
using ComplexVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;

/// Bounds the buffers of a value; the mode sum is for small systems anyway.
constexpr std::size_t largest_diagonalised = 32;

/// Powers of two d with D^-1 A D of rows and columns of like norm [parlett1969]. A mechanical A mixes 1 with
/// k/m; unbalanced, its eigenvectors look worse conditioned than they are. Eigen does not balance by itself.
Vector balancing_scale(Matrix a) {
  const Eigen::Index n = a.rows();
  Vector d = Vector::Ones(n);
  bool changed = true;
  for (int sweep = 0; changed && sweep < 100; ++sweep) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Real column = a.col(i).cwiseAbs().sum() - std::abs(a(i, i));
      const Real row = a.row(i).cwiseAbs().sum() - std::abs(a(i, i));
      if (column == 0 || row == 0) continue;
      const Real factor = std::exp2(std::round(0.5L * std::log2(row / column)));
      if (column * factor + row / factor >= 0.95L * (column + row)) continue;
      changed = true;
      a.col(i) *= factor;
      a.row(i) /= factor;
      d[i] *= factor;
    }
  }
  return d;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

struct LinearSolution::Impl {
  /// One term exp(lambda tau) * vector; of a conjugate pair only one is kept, doubled.
  struct Mode {
    Complex eigenvalue;
    std::vector<Complex> vector;
  };

  Matrix a;
  Vector z0;
  double t0 = 0.0;
  bool is_diagonalised = false;
  std::vector<Mode> modes;

  void diagonalise() {
    const Eigen::Index n = a.rows();
    if (n > static_cast<Eigen::Index>(largest_diagonalised)) return;
    const Vector d = balancing_scale(a);
    const Matrix balanced = d.cwiseInverse().asDiagonal() * a * d.asDiagonal();
    const Eigen::EigenSolver<Matrix> solver(balanced);
    if (solver.info() != Eigen::Success) return;
    const ComplexMatrix v = solver.eigenvectors();  // columns of length 1
    const ComplexVector& lambda = solver.eigenvalues();
    const Eigen::FullPivLU<ComplexMatrix> factors(v);
    if (!factors.isInvertible()) return;

    // The error of a value is about eps * condition(V); 1e5 leaves it below a double's rounding. Near a
    // defective A the condition is beyond 1e9, so the bound is not critical.
    const Real condition = v.norm() * factors.inverse().norm();
    const Real residual = (balanced.cast<Complex>() * v - v * lambda.asDiagonal()).norm();
    constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
    if (!(condition < 1e5L) || !(residual <= 100 * epsilon * static_cast<Real>(n) * balanced.norm())) return;

    const Vector z_balanced = d.cwiseInverse().asDiagonal() * z0;
    const ComplexVector coefficients = factors.solve(z_balanced.cast<Complex>());
    for (Eigen::Index j = 0; j < n; ++j) {
      // Eigen gives the eigenvalues of a real matrix as exact conjugate pairs, the positive imaginary part
      // first.
      if (lambda[j].imag() < 0) continue;
      const Real count = lambda[j].imag() > 0 ? 2 : 1;
      Mode mode{lambda[j], {}};
      for (Eigen::Index i = 0; i < n; ++i) mode.vector.push_back(count * d[i] * v(i, j) * coefficients[j]);
      modes.push_back(std::move(mode));
    }
    is_diagonalised = true;
  }
};

LinearSolution::LinearSolution(std::span<const double> a_row_major, std::span<const double> z0, double t0)
    : impl_(std::make_unique<Impl>()) {
  const std::size_t n = z0.size();
  if (n == 0 || a_row_major.size() != n * n)
    throw std::invalid_argument("A must be square, of the size of z0");
  if (!all_finite(a_row_major) || !all_finite(z0)) throw std::invalid_argument("A and z0 must be finite");
  const auto rows = static_cast<Eigen::Index>(n);
  impl_->a.resize(rows, rows);
  impl_->z0.resize(rows);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    impl_->z0[row] = z0[i];
    for (std::size_t j = 0; j < n; ++j) impl_->a(row, static_cast<Eigen::Index>(j)) = a_row_major[i * n + j];
  }
  impl_->t0 = t0;
  impl_->diagonalise();
}

LinearSolution::~LinearSolution() = default;
LinearSolution::LinearSolution(LinearSolution&&) noexcept = default;
LinearSolution& LinearSolution::operator=(LinearSolution&&) noexcept = default;

void LinearSolution::at(double t, std::span<double> z) const {
  const Impl& impl = *impl_;
  assert(z.size() == size());
  const Real tau = static_cast<Real>(t) - static_cast<Real>(impl.t0);
  if (!impl.is_diagonalised) {
    const Vector value = (impl.a * tau).exp() * impl.z0;
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = static_cast<double>(value[static_cast<Eigen::Index>(i)]);
    return;
  }
  // Modes may cancel to a large part, so each component is summed up in long double.
  std::array<Real, largest_diagonalised> cosine;
  std::array<Real, largest_diagonalised> sine;
  const std::size_t count = impl.modes.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Complex eigenvalue = impl.modes[k].eigenvalue;
    const Real growth = std::exp(eigenvalue.real() * tau);
    cosine[k] = growth * std::cos(eigenvalue.imag() * tau);
    sine[k] = growth * std::sin(eigenvalue.imag() * tau);
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    Real sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Complex entry = impl.modes[k].vector[i];
      sum += entry.real() * cosine[k] - entry.imag() * sine[k];
    }
    z[i] = static_cast<double>(sum);
  }
}

std::size_t LinearSolution::size() const {
  return static_cast<std::size_t>(impl_->z0.size());
}

bool LinearSolution::is_diagonalised() const {
  return impl_->is_diagonalised;
}

}  // namespace ergon::numerics
