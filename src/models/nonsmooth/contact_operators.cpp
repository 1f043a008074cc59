#include "ergon/models/nonsmooth/contact_operators.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/models/nonsmooth/contact_solver.hpp"

namespace ergon {

void DenseContacts::prepare(const Eigen::MatrixXd& W, std::span<const ConeSolver::Contact> contacts) {
  W_ = &W;
  contacts_ = contacts;
  const auto n = static_cast<Index>(3 * contacts.size());
  if (image_.size() >= n) return;
  const Index capacity = n + n / 2;
  factor_.resize(capacity, capacity);
  image_.resize(capacity);
  reduced_.resize(capacity);
}

void DenseContacts::apply(Input y, Output u) {
  const Index n = y.size();
  u.setZero();
  for (Index j = 0; j < n; ++j) {
    if (y[j] == 0.0) continue;
    u += y[j] * W_->col(j).head(n);
    u[j] -= contacts_[static_cast<std::size_t>(j / 3)].compliance[j % 3] * y[j];
  }
}

bool DenseContacts::direction(std::span<const SlopeColumn> slope, Input rho, Output dy, Output du) {
  const auto m = static_cast<Index>(slope.size());
  const Index n = rho.size();
  apply(rho, du);
  for (Index b = 0; b < m; ++b) {
    const SlopeColumn& column = slope[static_cast<std::size_t>(b)];
    const auto first = static_cast<Index>(3 * column.contact);
    auto image = image_.head(n);
    image.setZero();
    reduced_[b] = 0.0;
    for (Index k = 0; k < 3; ++k) {
      const double s = column.at[k];
      if (s == 0.0) continue;
      image += s * W_->col(first + k).head(n);
      image[first + k] -= contacts_[column.contact].compliance[k] * s;
      reduced_[b] += s * du[first + k];
    }
    for (Index a = b; a < m; ++a) {
      const SlopeColumn& other = slope[static_cast<std::size_t>(a)];
      const auto at = static_cast<Index>(3 * other.contact);
      factor_(a, b) = other.at[0] * image[at] + other.at[1] * image[at + 1] + other.at[2] * image[at + 2];
    }
    factor_(b, b) += 1.0;
  }
  for (Index j = 0; j < m; ++j) {
    const Index below = m - j - 1;
    if (!(factor_(j, j) > 0.0)) return false;
    const double root = std::sqrt(factor_(j, j));
    factor_(j, j) = root;
    auto column = factor_.col(j).segment(j + 1, below);
    column /= root;
    reduced_[j] /= root;
    reduced_.segment(j + 1, below) -= reduced_[j] * column;
    for (Index k = j + 1; k < m; ++k)
      factor_.col(k).segment(k, m - k) -= factor_(k, j) * factor_.col(j).segment(k, m - k);
  }
  for (Index j = m; j-- > 0;) {
    const Index below = m - j - 1;
    reduced_[j] -= factor_.col(j).segment(j + 1, below).dot(reduced_.segment(j + 1, below));
    reduced_[j] /= factor_(j, j);
  }
  dy = -rho;
  for (Index b = 0; b < m; ++b) {
    const SlopeColumn& column = slope[static_cast<std::size_t>(b)];
    for (Index k = 0; k < 3; ++k)
      dy[static_cast<Index>(3 * column.contact) + k] += column.at[k] * reduced_[b];
  }
  apply(dy, du);
  return true;
}

void BodySpaceContacts::prepare(const Machine& machine, const Kinematics& kinematics,
                                const Bilateral& bilateral, const Island& island, std::vector<Index>& place) {
  bilateral_ = &bilateral;
  contacts_ = island.contacts;
  joined_ = island.joined;
  const bool same_bodies =
      std::equal(bodies_.begin(), bodies_.end(), island.bodies.begin(), island.bodies.end());
  if (!same_bodies) {
    bodies_.assign(island.bodies.begin(), island.bodies.end());
    pairs_.clear();
  }
  mass_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Machine::Body& body = machine.bodies[bodies_[i]];
    const Eigen::Matrix3d& R = kinematics.bodies[bodies_[i]].rotation;
    mass_[i].setZero();
    mass_[i].topLeftCorner<3, 3>().diagonal().setConstant(body.mass_kg);
    mass_[i].bottomRightCorner<3, 3>() = R * body.inertia * R.transpose();
    place[bodies_[i]] = static_cast<Index>(i);
  }
  ends_.clear();
  for (const ContactRows* contact : contacts_) ends_.emplace_back(place[contact->at.a], place[contact->at.b]);
  joints_.clear();
  if (joined_) {
    for (std::size_t r = 0; r < bilateral.size(); ++r) {
      const Row& row = bilateral.rows()[r];
      JointRow joint{r};
      for (std::size_t s = 0; s < row.count; ++s) joint.place[s] = place[row.body[s]];
      if (joint.place[0] >= 0 || joint.place[1] >= 0 || joint.place[2] >= 0) joints_.push_back(joint);
    }
  }
  for (const std::size_t body : bodies_) place[body] = -1;

  // Pairs are added to those before, so that contacts that come and go change the pattern once.
  bool complete = same_bodies && factor_.size() == bodies_.size();
  const auto need = [&](Index a, Index b) {
    if (a < 0 || b < 0 || a == b) return;
    if (complete && factor_.has(static_cast<std::size_t>(a), static_cast<std::size_t>(b))) return;
    complete = false;
    pairs_.emplace_back(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  };
  const auto need_all = [&] {
    for (const auto& [a, b] : ends_) need(a, b);
    for (const JointRow& joint : joints_)
      for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t r = s + 1; r < 3; ++r) need(joint.place[s], joint.place[r]);
  };
  need_all();
  if (!complete) {
    // Anew from what is there now where most of what was is gone. All pairs: some were found among what elimination had filled in.
    if (pairs_.size() > 4 * (contacts_.size() + 3 * joints_.size()) + 16) pairs_.clear();
    need_all();
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    factor_.analyze(bodies_.size(), pairs_);
  }
  const auto width = static_cast<Index>(6 * bodies_.size());
  if (reduced_.size() < width) reduced_.resize(width);
  moved_.resize(static_cast<Index>(6 * machine.bodies.size()));
  joint_impulses_.resize(static_cast<Index>(bilateral.size()));
}

void BodySpaceContacts::apply(Input y, Output u) {
  if (joined_) {
    moved_.setZero();
  } else {
    for (const std::size_t body : bodies_) moved_.segment<6>(static_cast<Index>(6 * body)).setZero();
    moved_.tail<6>().setZero();  // the ground
  }
  const auto rows_of = [](const ContactRows& contact) { return contact.friction > 0.0 ? 3U : 1U; };
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    for (std::size_t k = 0; k < rows_of(*contacts_[c]); ++k)
      contacts_[c]->row[k].push(y[static_cast<Index>(3 * c + k)], moved_);
  if (joined_) {
    bilateral_->rates(moved_, joint_impulses_);
    bilateral_->factor().solve(joint_impulses_.data());
    joint_impulses_ = -joint_impulses_;
    bilateral_->push(joint_impulses_, moved_);
  }
  u.setZero();
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    for (std::size_t k = 0; k < rows_of(*contacts_[c]); ++k)
      u[static_cast<Index>(3 * c + k)] = contacts_[c]->row[k].rate(moved_);
}

/// K += a aᵀ of a row whose parts are of some bodies.
void BodySpaceContacts::add_outer(const Vector6d* parts, const Index* places, std::size_t count) {
  for (std::size_t s = 0; s < count; ++s) {
    if (places[s] < 0) continue;
    factor_.add_diagonal(static_cast<std::size_t>(places[s]), parts[s] * parts[s].transpose());
    for (std::size_t r = s + 1; r < count; ++r)
      if (places[r] >= 0)
        factor_.add(static_cast<std::size_t>(places[s]), static_cast<std::size_t>(places[r]),
                    parts[s] * parts[r].transpose());
  }
}

bool BodySpaceContacts::direction(std::span<const SlopeColumn> slope, Input rho, Output dy, Output du) {
  factor_.set_zero();
  for (std::size_t i = 0; i < bodies_.size(); ++i) factor_.add_diagonal(i, mass_[i]);
  Vector6d parts[3];
  for (const JointRow& joint : joints_) {
    const Row& row = bilateral_->rows()[joint.row];
    const double root = 1.0 / std::sqrt(bilateral_->compliance()[joint.row]);
    for (std::size_t s = 0; s < row.count; ++s) parts[s] = root * row.jacobian[s];
    add_outer(parts, joint.place, row.count);
  }
  for (const SlopeColumn& column : slope) {
    const ContactRows& contact = *contacts_[column.contact];
    const Index places[2] = {ends_[column.contact].first, ends_[column.contact].second};
    for (std::size_t s = 0; s < 2; ++s) {
      parts[s].setZero();
      for (std::size_t k = 0; k < 3; ++k)
        if (column.at[k] != 0.0) parts[s] += column.at[k] * contact.row[k].jacobian[s];
    }
    add_outer(parts, places, 2);
  }
  if (!factor_.factorize()) return false;

  const auto width = static_cast<Index>(6 * bodies_.size());
  auto dv = reduced_.head(width);
  dv.setZero();
  const auto for_parts = [&](auto each) {
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const std::size_t rows = contacts_[c]->friction > 0.0 ? 3 : 1;
      const Index places[2] = {ends_[c].first, ends_[c].second};
      for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t s = 0; s < 2; ++s)
          if (places[s] >= 0)
            each(static_cast<Index>(3 * c + k), contacts_[c]->row[k].jacobian[s], 6 * places[s]);
    }
  };
  for_parts([&](Index row, const Vector6d& part, Index at) { dv.segment<6>(at) -= rho[row] * part; });
  factor_.solve(dv);
  du.setZero();
  for_parts([&](Index row, const Vector6d& part, Index at) { du[row] += part.dot(dv.segment<6>(at)); });
  dy = -rho;
  for (const SlopeColumn& column : slope) {
    const auto first = static_cast<Index>(3 * column.contact);
    double along = 0.0;
    for (Index k = 0; k < 3; ++k) along += column.at[k] * du[first + k];
    for (Index k = 0; k < 3; ++k) dy[first + k] -= column.at[k] * along;
  }
  return true;
}

}  // namespace ergon
