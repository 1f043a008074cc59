#include "ergon/numerics/mlcp.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

BoxMlcp::Result BoxMlcp::solve(const Problem& p, Eigen::Ref<Eigen::VectorXd> x_b,
                               Eigen::Ref<Eigen::VectorXd> x_c, std::vector<RowState>& states) {
  const Index m = bilateral_.size();
  const Index n = p.b_c.size();
  Result result;
  result.left_out = bilateral_.factorize(p.H_bb);
  if (half_.rows() != m || half_.cols() < n + 1) half_.resize(m, n + 1);
  if (q_.size() < n) {
    W_.resize(n, n);
    q_.resize(n);
  }
  if (column_.size() < m) column_.resize(m);
  auto column = column_.head(m);
  for (Index j = 0; j < n; ++j) {
    column = p.H_cb.row(j).transpose();
    bilateral_.half_solve(column.data(), half_.col(j).data());
  }
  bilateral_.half_solve(p.b_b.data(), half_.col(n).data());

  auto W = W_.topLeftCorner(n, n);
  auto q = q_.head(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) W(i, j) = W(j, i) = p.H_cc(i, j) - half_.col(i).dot(half_.col(j));
    q[j] = p.b_c[j] - half_.col(j).dot(half_.col(n));
  }
  box_.matrix_changed();
  result.box = box_.solve({W, q, p.lo, p.up}, x_c, states);

  auto z = half_.col(n);
  for (Index j = 0; j < n; ++j)
    if (x_c[j] != 0.0) z += half_.col(j) * x_c[j];
  bilateral_.finish_solve(z.data(), x_b.data());
  x_b = -x_b;

  // Of the bilateral rows nothing but rounding is left, or what no solution can undo: dependent rows that contradict each other.
  result.residual = 0.0;
  column = p.b_b;
  for (Index j = 0; j < n; ++j)
    if (x_c[j] != 0.0) column += p.H_cb.row(j).transpose() * x_c[j];
  bilateral_.add_product(p.H_bb, x_b.data(), column.data());
  for (Index i = 0; i < m; ++i)
    if (!(std::abs(column[i]) <= result.residual)) result.residual = std::abs(column[i]);
  for (Index j = 0; j < n; ++j) {
    const double w = p.H_cb.row(j).dot(x_b) + p.H_cc.col(j).dot(x_c) + p.b_c[j];
    const double off = std::abs(x_c[j] - std::clamp(x_c[j] - w, p.lo[j], p.up[j]));
    if (!(off <= result.residual)) result.residual = off;
  }
  constexpr double acceptable = 1e-8;
  double size = 0.0;
  if (m > 0) size = std::max(size, p.b_b.cwiseAbs().maxCoeff());
  if (n > 0) size = std::max(size, p.b_c.cwiseAbs().maxCoeff());
  result.converged = result.residual <= acceptable * std::max(1.0, size);
  return result;
}

}  // namespace ergon
