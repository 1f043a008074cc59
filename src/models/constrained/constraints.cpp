#include "ergon/models/constrained/constraints.hpp"

namespace ergon {
namespace {

double component(const Arrow& arrow, const Eigen::VectorXd& q, Eigen::Index i) {
  return arrow.to.at(q, i) - arrow.from.at(q, i);
}

double component_rate(const Arrow& arrow, const Eigen::VectorXd& v, Eigen::Index i) {
  return arrow.to.rate(v, i) - arrow.from.rate(v, i);
}

/// Adds a derivative with respect to the arrow's component i to the columns of its two ends.
void add_to_ends(const Arrow& arrow, Eigen::Index i, double derivative, Eigen::Index row,
                 Eigen::MatrixXd& J) {
  if (arrow.to.moves()) J(row, arrow.to.first() + i) += derivative;
  if (arrow.from.moves()) J(row, arrow.from.first() + i) -= derivative;
}

void add_pair(const VectorOf& x, const VectorOf& y, Eigen::Index i, double value, Eigen::MatrixXd& K) {
  if (x.moves() && y.moves()) K(x.first() + i, y.first() + i) += value;
}

}  // namespace

void ConstraintSet::constant_length(const Arrow& a, double length_m) {
  products_.push_back({a, a, 0.5, 0.5 * length_m * length_m, rows_});
  ++rows_;
}

void ConstraintSet::unit_vector(const VectorOf& u) {
  constant_length({u}, 1.0);
}

void ConstraintSet::perpendicular(const Arrow& a, const Arrow& b) {
  products_.push_back({a, b, 1.0, 0.0, rows_});
  ++rows_;
}

void ConstraintSet::coincidence(const VectorOf& p, const VectorOf& r) {
  differences_.push_back({p, r, rows_});
  rows_ += dimension_;
}

void ConstraintSet::values(const Eigen::VectorXd& q, Eigen::VectorXd& phi) const {
  for (const Product& c : products_) {
    double dot = 0.0;
    for (Eigen::Index i = 0; i < dimension_; ++i) dot += component(c.a, q, i) * component(c.b, q, i);
    phi[c.row] = c.scale * dot - c.value;
  }
  for (const Difference& c : differences_) {
    for (Eigen::Index i = 0; i < dimension_; ++i) phi[c.row + i] = c.p.at(q, i) - c.r.at(q, i);
  }
}

void ConstraintSet::jacobian(const Eigen::VectorXd& q, Eigen::MatrixXd& J) const {
  J.setZero();
  for (const Product& c : products_) {
    for (Eigen::Index i = 0; i < dimension_; ++i) {
      add_to_ends(c.a, i, c.scale * component(c.b, q, i), c.row, J);
      add_to_ends(c.b, i, c.scale * component(c.a, q, i), c.row, J);
    }
  }
  for (const Difference& c : differences_) {
    for (Eigen::Index i = 0; i < dimension_; ++i) add_to_ends({c.p, c.r}, i, 1.0, c.row + i, J);
  }
}

void ConstraintSet::velocity_terms(const Eigen::VectorXd& v, Eigen::VectorXd& terms) const {
  terms.setZero();
  for (const Product& c : products_) {
    double dot = 0.0;
    for (Eigen::Index i = 0; i < dimension_; ++i)
      dot += component_rate(c.a, v, i) * component_rate(c.b, v, i);
    terms[c.row] = 2.0 * c.scale * dot;
  }
}

void ConstraintSet::add_curvature(const Eigen::VectorXd& sigma, Eigen::MatrixXd& K) const {
  for (const Product& c : products_) {
    const double s = c.scale * sigma[c.row];
    for (Eigen::Index i = 0; i < dimension_; ++i) {
      for (const auto& [x, y] : {std::pair{&c.a, &c.b}, std::pair{&c.b, &c.a}}) {
        add_pair(x->to, y->to, i, s, K);
        add_pair(x->from, y->from, i, s, K);
        add_pair(x->to, y->from, i, -s, K);
        add_pair(x->from, y->to, i, -s, K);
      }
    }
  }
}

}  // namespace ergon
