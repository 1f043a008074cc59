#include "ergon/numerics/box_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

using Index = Eigen::Index;

/// Rounding of a solve, relative to the sizes of the problem.
constexpr double rounding = 1e-11;

double held(RowState state, double lo, double up) {
  return state == RowState::lower ? lo : up;
}

/// A start that can be: nothing is held at infinity.
void make_possible(const BoxLcp::Problem& p, std::vector<RowState>& states) {
  for (Index i = 0; i < p.q.size(); ++i) {
    RowState& state = states[static_cast<std::size_t>(i)];
    if (p.lo[i] == p.up[i]) {
      state = RowState::lower;
    } else if (state != RowState::active && !std::isfinite(held(state, p.lo[i], p.up[i]))) {
      state = RowState::active;
    }
  }
}

/// The largest size that an unknown and a rate have where nothing but its own row acts on it.
struct Scales {
  explicit Scales(const BoxLcp::Problem& p) {
    for (Index i = 0; i < p.q.size(); ++i) {
      rate = std::max(rate, std::abs(p.q[i]));
      if (p.W(i, i) > 0.0) unknown = std::max(unknown, std::abs(p.q[i]) / p.W(i, i));
    }
  }
  double unknown = 0.0;
  double rate = 0.0;
};

}  // namespace

double natural_residual(Eigen::Ref<const Eigen::VectorXd> x, Eigen::Ref<const Eigen::VectorXd> w,
                        Eigen::Ref<const Eigen::VectorXd> lo, Eigen::Ref<const Eigen::VectorXd> up) {
  double residual = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double off = std::abs(x[i] - std::clamp(x[i] - w[i], lo[i], up[i]));
    if (!(off <= residual)) residual = off;  // NaN shows
  }
  return residual;
}

void BoxLcp::reserve(Index rows) {
  if (factor_.rows() >= rows) return;
  factor_.resize(rows, rows);
  reduced_.resize(rows);
  w_.resize(rows);
  q_.resize(rows);
  kept_.resize(rows);
  active_.reserve(static_cast<std::size_t>(rows));
  wanted_.reserve(static_cast<std::size_t>(rows));
  factorised_ = false;
}

BoxLcp::Result BoxLcp::solve(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x,
                             std::vector<RowState>& states) {
  const Index n = problem.q.size();
  Result result;
  reserve(n);
  states.resize(static_cast<std::size_t>(n), RowState::active);
  make_possible(problem, states);
  wanted_.assign(states.begin(), states.end());
  // A singular set of active rows ends the pivoting without W + δI; its start is that of the problem.
  bool solved = pivot(problem, 0.0, x, states, result.pivots);
  if (!solved) {
    states.assign(wanted_.begin(), wanted_.end());
    result.method = Method::proximal;
    solved = proximal(problem, x, states, result.pivots);
  }
  if (!solved) {
    result.method = Method::gauss_seidel;
    sweep(problem, x, states);
  }
  result.residual = measure(problem, x);
  constexpr double acceptable = 1e-8;
  result.converged = result.residual <= acceptable;
  return result;
}

/// W_αα + δI = L Lᵀ; false where it is singular.
bool BoxLcp::factorise(const Problem& problem, double shift, const std::vector<RowState>& states) {
  const Index n = problem.q.size();
  bool same = factorised_ && shift == factorised_shift_;
  std::size_t count = 0;
  for (Index i = 0; i < n; ++i) {
    if (states[static_cast<std::size_t>(i)] != RowState::active) continue;
    if (same && (count >= active_.size() || active_[count] != i)) same = false;
    ++count;
  }
  if (same && count == active_.size()) return true;
  active_.clear();
  for (Index i = 0; i < n; ++i)
    if (states[static_cast<std::size_t>(i)] == RowState::active) active_.push_back(i);
  factorised_ = false;
  const auto m = static_cast<Index>(active_.size());
  for (Index b = 0; b < m; ++b) {
    const Index j = active_[static_cast<std::size_t>(b)];
    for (Index a = b; a < m; ++a) factor_(a, b) = problem.W(active_[static_cast<std::size_t>(a)], j);
    factor_(b, b) += shift;
  }
  constexpr double singular = 1e-12;
  for (Index j = 0; j < m; ++j) {
    const Index below = m - j - 1;
    const double diagonal =
        problem.W(active_[static_cast<std::size_t>(j)], active_[static_cast<std::size_t>(j)]);
    const double pivot = factor_(j, j);
    if (!(pivot > singular * diagonal)) return false;
    const double root = std::sqrt(pivot);
    factor_(j, j) = root;
    factor_.col(j).segment(j + 1, below) /= root;
    for (Index k = j + 1; k < m; ++k)
      factor_.col(k).segment(k, m - k) -= factor_(k, j) * factor_.col(j).segment(k, m - k);
  }
  factorised_ = true;
  factorised_shift_ = shift;
  return true;
}

/// x of the active rows, with the others at their bounds, and w of all.
void BoxLcp::solve_active(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x,
                          const std::vector<RowState>& states) {
  const Index n = problem.q.size();
  const auto m = static_cast<Index>(active_.size());
  auto w = w_.head(n);
  w = q_.head(n);
  for (Index i = 0; i < n; ++i) {
    const RowState state = states[static_cast<std::size_t>(i)];
    if (state == RowState::active) continue;
    x[i] = held(state, problem.lo[i], problem.up[i]);
    if (x[i] != 0.0) w += problem.W.col(i) * x[i];
  }
  for (Index a = 0; a < m; ++a) reduced_[a] = -w[active_[static_cast<std::size_t>(a)]];
  for (Index j = 0; j < m; ++j) {
    reduced_[j] /= factor_(j, j);
    reduced_.segment(j + 1, m - j - 1) -= reduced_[j] * factor_.col(j).segment(j + 1, m - j - 1);
  }
  for (Index j = m; j-- > 0;) {
    const double known = factor_.col(j).segment(j + 1, m - j - 1).dot(reduced_.segment(j + 1, m - j - 1));
    reduced_[j] = (reduced_[j] - known) / factor_(j, j);
  }
  for (Index a = 0; a < m; ++a) {
    const Index i = active_[static_cast<std::size_t>(a)];
    x[i] = reduced_[a];
    if (x[i] != 0.0) w += problem.W.col(i) * x[i];
  }
}

/// Of (W + shift·I, q − shift·x): the shift is 0 or that of a proximal step.
bool BoxLcp::pivot(const Problem& problem, double shift, Eigen::Ref<Eigen::VectorXd> x,
                   std::vector<RowState>& states, int& rounds) {
  const Index n = problem.q.size();
  q_.head(n) = problem.q;
  if (shift > 0.0) q_.head(n) -= shift * x;
  const Scales scales(problem);
  const double slack_w = rounding * scales.rate;
  const double slack_x = rounding * scales.unknown;

  const auto right_state = [&](Index i) {
    const RowState state = states[static_cast<std::size_t>(i)];
    if (state == RowState::active) {
      if (x[i] < problem.lo[i] - slack_x) return RowState::lower;
      if (x[i] > problem.up[i] + slack_x) return RowState::upper;
      return state;
    }
    if (problem.lo[i] == problem.up[i]) return state;
    const double w = w_[i] + shift * x[i];
    const bool wrong = state == RowState::lower ? w < -slack_w : w > slack_w;
    return wrong ? RowState::active : state;
  };

  constexpr int patience = 5;
  const int most_rounds = 50 + 2 * static_cast<int>(n);
  int left = patience;
  Index fewest = n + 1;
  for (int round = 0; round < most_rounds; ++round) {
    ++rounds;
    if (!factorise(problem, shift, states)) return false;
    solve_active(problem, x, states);
    Index wrong = 0;
    Index last = -1;
    for (Index i = 0; i < n; ++i) {
      if (right_state(i) == states[static_cast<std::size_t>(i)]) continue;
      ++wrong;
      last = i;
    }
    if (wrong == 0) return x.allFinite();
    if (wrong < fewest) {
      fewest = wrong;
      left = patience;
    } else {
      --left;
    }
    // Rows are judged by x and w, which do not change here: all at once, or the last one alone.
    for (Index i = left >= 0 ? 0 : last; i <= last; ++i) states[static_cast<std::size_t>(i)] = right_state(i);
  }
  return false;
}

bool BoxLcp::proximal(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x, std::vector<RowState>& states,
                      int& rounds) {
  const Index n = problem.q.size();
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) x[i] = 0.0;
    x[i] = std::clamp(x[i], problem.lo[i], problem.up[i]);
  }
  // Large at first: then pivoting is quick, and each step starts near the solution of the next.
  const double largest = problem.W.diagonal().maxCoeff();
  const double unit = largest > 0.0 ? largest : 1.0;
  double shift = 0.1 * unit;
  double smallest_shift = 1e-6 * unit;
  constexpr int most_steps = 100;
  constexpr double good = 1e-11;
  for (int step = 0; step < most_steps; ++step) {
    kept_.head(n) = x;
    if (!pivot(problem, shift, x, states, rounds)) {
      // Too near to singular for the pivots to end: back, and not so near again.
      if (shift >= unit) return false;
      x = kept_.head(n);
      smallest_shift = shift = 10.0 * shift;
      continue;
    }
    if (measure(problem, x) <= good) return true;
    shift = std::max(0.3 * shift, smallest_shift);
  }
  constexpr double acceptable = 1e-8;
  return measure(problem, x) <= acceptable;
}

/// Projected Gauss–Seidel.
void BoxLcp::sweep(const Problem& problem, Eigen::Ref<Eigen::VectorXd> x, std::vector<RowState>& states) {
  const Index n = problem.q.size();
  for (Index i = 0; i < n; ++i)
    x[i] = std::isfinite(x[i]) ? std::clamp(x[i], problem.lo[i], problem.up[i]) : 0.0;
  constexpr int most_sweeps = 2000;
  constexpr double good = 1e-10;
  for (int k = 0; k < most_sweeps; ++k) {
    for (Index i = 0; i < n; ++i) {
      const double diagonal = problem.W(i, i);
      if (!(diagonal > 0.0)) continue;
      const double w = problem.W.col(i).dot(x) + problem.q[i];
      x[i] = std::clamp(x[i] - w / diagonal, problem.lo[i], problem.up[i]);
    }
    constexpr int look_every = 20;
    if (k % look_every == 0 && measure(problem, x) <= good) break;
  }
  for (Index i = 0; i < n; ++i) {
    states[static_cast<std::size_t>(i)] = x[i] <= problem.lo[i]   ? RowState::lower
                                          : x[i] >= problem.up[i] ? RowState::upper
                                                                  : RowState::active;
  }
}

/// With every row scaled to a diagonal of 1, so that neither units nor masses count.
double BoxLcp::measure(const Problem& problem, Eigen::Ref<const Eigen::VectorXd> x) {
  const Index n = problem.q.size();
  auto w = w_.head(n);
  w = problem.q;
  for (Index i = 0; i < n; ++i)
    if (x[i] != 0.0) w += problem.W.col(i) * x[i];
  double residual = 0.0;
  double size = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double root = problem.W(i, i) > 0.0 ? std::sqrt(problem.W(i, i)) : 1.0;
    const double moved = std::clamp(x[i] * root - w[i] / root, problem.lo[i] * root, problem.up[i] * root);
    const double off = std::abs(x[i] * root - moved);
    if (!(off <= residual)) residual = off;  // NaN shows
    size = std::max(size, std::abs(problem.q[i]) / root);
  }
  return size > 0.0 ? residual / size : residual;
}

}  // namespace ergon
