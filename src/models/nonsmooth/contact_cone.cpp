#include "ergon/models/nonsmooth/contact_cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergon {
namespace {

/// Draws two numbers back to a disc or a square.
void draw_back(FrictionLaw law, double radius, double* t) {
  if (law == FrictionLaw::box) {
    for (std::size_t k = 0; k < 2; ++k) t[k] = std::clamp(t[k], -radius, radius);
    return;
  }
  const double size = std::hypot(t[0], t[1]);
  if (size <= radius) return;
  for (std::size_t k = 0; k < 2; ++k) t[k] *= radius / size;
}

}  // namespace

void ConeSolver::reserve(std::size_t contacts) {
  if (static_cast<std::size_t>(radius_.size()) >= contacts) return;
  const auto capacity = static_cast<Index>(contacts + contacts / 2);
  for (Eigen::VectorXd* vector : {&q_, &y_, &u_, &rho_, &dy_, &du_, &centre_}) vector->resize(3 * capacity);
  radius_.resize(capacity);
  slope_.reserve(static_cast<std::size_t>(3 * capacity));
}

double ConeSolver::softness(std::size_t contact) const {
  return softness_ * 0.5 * (contacts_[contact].diagonal[1] + contacts_[contact].diagonal[2]);
}

bool ConeSolver::unbounded(std::size_t contact, const double* u, double* t) const {
  const double delta = softness(contact);
  const double* centre = centre_.data() + 3 * contact;
  for (std::size_t k = 1; k < 3; ++k)
    t[k - 1] = (delta * centre[k] - u[k]) / (contacts_[contact].compliance[k] + delta);
  return std::hypot(t[0], t[1]) <= radius_[static_cast<Index>(contact)];
}

void ConeSolver::impulse(std::size_t contact, const double* u, double* x) const {
  x[0] = contacts_[contact].bounded(-u[0] / contacts_[contact].compliance[0]);
  x[1] = x[2] = 0.0;
  if (!(contacts_[contact].friction > 0.0)) return;
  unbounded(contact, u, x + 1);
  draw_back(law_, radius_[static_cast<Index>(contact)], x + 1);
}

void ConeSolver::set_radii(double weight) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto i = static_cast<Index>(c);
    const double wanted = contacts_[c].friction * std::max(0.0, y_[3 * i]);
    radius_[i] += weight * (wanted - radius_[i]);
  }
}

/// −∂x/∂u. A tangential impulse on the disc follows its direction t alone: s/|t| (1 − t tᵀ/|t|²)/(C + δ).
void ConeSolver::collect_slope() {
  slope_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& of = contacts_[c];
    const double* u = u_.data() + 3 * c;
    const double normal = -u[0] / of.compliance[0];
    if (normal > of.lower && normal < of.upper)
      slope_.push_back({c, {1.0 / std::sqrt(of.compliance[0]), 0.0, 0.0}});
    const double radius = radius_[static_cast<Index>(c)];
    if (!(of.friction > 0.0) || !(radius > 0.0)) continue;
    double t[2];
    const bool sticks = unbounded(c, u, t);
    if (law_ == FrictionLaw::cone && !sticks) {
      const double size = std::hypot(t[0], t[1]);
      const double root = std::sqrt(radius / (size * (of.compliance[1] + softness(c)))) / size;
      slope_.push_back({c, {0.0, -root * t[1], root * t[0]}});
      continue;
    }
    for (std::size_t k = 1; k < 3; ++k) {
      if (law_ == FrictionLaw::box && !(std::abs(t[k - 1]) < radius)) continue;
      SlopeColumn column{c, {}};
      column.at[k] = 1.0 / std::sqrt(of.compliance[k] + softness(c));
      slope_.push_back(column);
    }
  }
}

/// maxᵢ |x − drawn back(x − w/D)|√D over the largest |q|/√D or |x|√D: neither units nor masses count.
double ConeSolver::residual(bool whole) const {
  double worst = 0.0;
  double size = 0.0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& of = contacts_[c];
    const auto i = static_cast<Index>(3 * c);
    const std::size_t rows = of.friction > 0.0 ? 3 : 1;
    double moved[3] = {};
    for (std::size_t k = 0; k < rows; ++k) {
      const auto r = i + static_cast<Index>(k);
      // One scale for both tangents: the cone knows no directions.
      const double D = k == 0 ? of.diagonal[0] : 0.5 * (of.diagonal[1] + of.diagonal[2]);
      const double pull = whole || k == 0 ? 0.0 : softness(c) * (y_[r] - centre_[r]);
      moved[k] = y_[r] - (u_[r] + of.compliance[k] * y_[r] + pull) / D;
      size = std::max({size, std::abs(q_[r]) / std::sqrt(D), std::abs(y_[r]) * std::sqrt(D)});
    }
    moved[0] = of.bounded(moved[0]);
    const double radius = whole ? of.friction * std::max(0.0, y_[i]) : radius_[static_cast<Index>(c)];
    draw_back(law_, radius, moved + 1);
    for (std::size_t k = 0; k < rows; ++k) {
      const double off = std::abs(y_[i + static_cast<Index>(k)] - moved[k]) * std::sqrt(of.diagonal[k]);
      if (!(off <= worst) && !std::isnan(worst)) worst = off;  // NaN shows, and stays
    }
  }
  return size > 0.0 ? worst / size : worst;
}

double ConeSolver::slope_along(double alpha) const {
  double sum = 0.0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto i = static_cast<Index>(3 * c);
    double u[3], x[3];
    for (Index k = 0; k < 3; ++k) u[k] = u_[i + k] + alpha * du_[i + k];
    impulse(c, u, x);
    for (Index k = 0; k < 3; ++k) sum += (y_[i + k] + alpha * dy_[i + k] - x[k]) * du_[i + k];
  }
  return sum;
}

/// The root of ℓ', which grows: the whole step, unless it goes too far. By the rule of false position (Illinois).
double ConeSolver::line_search() const {
  double low = 0.0, high = 1.0;
  double at_low = slope_along(low), at_high = slope_along(high);
  constexpr double steep = 0.1;
  const double good = steep * std::abs(at_low);
  if (!(at_low < 0.0) || at_high <= good) return 1.0;
  constexpr int most = 50;
  double alpha = 1.0;
  for (int i = 0; i < most; ++i) {
    alpha = low + (high - low) * at_low / (at_low - at_high);
    // A kink near one end would draw it nearer by little each time.
    if (i % 4 == 3) alpha = 0.5 * (low + high);
    const double at = slope_along(alpha);
    if (std::abs(at) <= good) break;
    if (at < 0.0) {
      low = alpha;
      at_low = at;
      at_high *= 0.5;
    } else {
      high = alpha;
      at_high = at;
      at_low *= 0.5;
    }
  }
  return alpha;
}

void ConeSolver::refresh(ContactOperator& W0) {
  W0.apply(y_.head(n_), u_.head(n_));
  u_.head(n_) += q_.head(n_);
}

bool ConeSolver::newton_step(ContactOperator& W0) {
  collect_slope();
  for (std::size_t c = 0; c < contacts_.size(); ++c) impulse(c, u_.data() + 3 * c, rho_.data() + 3 * c);
  rho_.head(n_) = y_.head(n_) - rho_.head(n_);
  if (!W0.direction(slope_, rho_.head(n_), dy_.head(n_), du_.head(n_))) return false;
  y_.head(n_) += line_search() * dy_.head(n_);
  refresh(W0);
  return true;
}

ConeSolver::Result ConeSolver::solve(std::span<const Contact> contacts, ContactOperator::Input q,
                                     ContactOperator& W0, const Options& options, ContactOperator::Output y) {
  contacts_ = contacts;
  law_ = options.law;
  reserve(contacts.size());
  n_ = static_cast<Index>(3 * contacts.size());
  q_.head(n_) = q;
  y_.head(n_) = y;
  softness_ = 0.0;
  centre_.head(n_) = y_.head(n_);
  radius_.head(static_cast<Index>(contacts.size())).setZero();
  set_radii(1.0);
  refresh(W0);

  Result result;
  constexpr int most_iterations = 400;
  constexpr int patience = 4;   // Newton steps without δ, and in a round
  constexpr double soft = 0.1;  // δ at first, of the diagonal
  constexpr double softest = 1.0;
  constexpr double much_better =
      0.1;  // a round ends where its law is solved this much better than the whole law
  constexpr double rounding = 1e-12;
  int in_round = 0;
  double last_round = std::numeric_limits<double>::infinity();
  while (true) {
    const double whole = options.radii_are_held && softness_ == 0.0 ? residual(false) : residual(true);
    const double held = residual(false);
    const bool good = whole <= options.tolerance;
    // Beyond the tolerance as long as it costs little.
    if (whole <= rounding || (good && !(whole <= 0.1 * result.residual) && result.converged)) {
      result.converged = true;
      result.residual = whole;
      break;
    }
    result.residual = whole;
    result.converged = good;
    if (result.iterations >= most_iterations || !std::isfinite(whole)) break;
    if (held <= much_better * whole) {
      if (!options.radii_are_held) {
        if (result.radii >= options.max_radii) break;
        ++result.radii;
        set_radii(whole > last_round ? 0.5 : 1.0);
      }
      if (softness_ > 0.0 && whole > 0.3 * last_round) softness_ *= 0.3;
      centre_.head(n_) = y_.head(n_);
      last_round = whole;
      in_round = 0;
    } else if (++in_round > patience) {
      softness_ = softness_ == 0.0 ? soft : std::min(softest, 3.0 * softness_);
      centre_.head(n_) = y_.head(n_);
      in_round = 0;
    }
    if (!newton_step(W0)) break;
    ++result.iterations;
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    double* x = y_.data() + 3 * c;
    x[0] = contacts[c].bounded(x[0]);
    const double radius =
        options.radii_are_held ? radius_[static_cast<Index>(c)] : contacts[c].friction * x[0];
    draw_back(law_, radius, x + 1);
  }
  y = y_.head(n_);
  return result;
}

/// By the impulse that a rate would be taken off from: a contact that creeps with less than C_t|x| sticks, however small C_t is.
RowState ConeSolver::state(std::size_t contact, std::size_t row) const {
  const Contact& of = contacts_[contact];
  const double* x = y_.data() + 3 * contact;
  const double* u = u_.data() + 3 * contact;
  if (row == 0)
    return !(x[0] > of.lower) ? RowState::lower : x[0] < of.upper ? RowState::active : RowState::upper;
  const double D = 0.5 * (of.diagonal[1] + of.diagonal[2]);
  double t[2];
  for (std::size_t k = 1; k < 3; ++k) t[k - 1] = x[k] - (u[k] + of.compliance[k] * x[k]) / D;
  const double radius = radius_[static_cast<Index>(contact)];
  const double size = law_ == FrictionLaw::cone ? std::hypot(t[0], t[1]) : std::abs(t[row - 1]);
  if (radius > 0.0 && size <= radius) return RowState::active;
  return x[row] < 0.0 ? RowState::lower : RowState::upper;
}

}  // namespace ergon
