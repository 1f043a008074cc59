#include "ergon/models/cable/cable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/numerics/symmetric_eigenvalues.hpp"

namespace ergon {
namespace {

double area_m2(const CableParameters& p) {
  return M_PI * p.radius_m * p.radius_m;
}

AncfElement element_of(const CableParameters& p) {
  const double second_moment_m4 = 0.25 * M_PI * std::pow(p.radius_m, 4);
  return {p.length_m / static_cast<double>(p.elements), p.youngs_modulus_Pa * area_m2(p),
          p.youngs_modulus_Pa * second_moment_m4};
}

/// Element matrices of one component, added up over the cable.
Eigen::MatrixXd assembled(const Eigen::Matrix4d& element, Eigen::Index elements) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(2 * (elements + 1), 2 * (elements + 1));
  for (Eigen::Index k = 0; k < elements; ++k) sum.block<4, 4>(2 * k, 2 * k) += element;
  return sum;
}

/// Without the rows of the ends' positions. Free rows keep their order; the slope at B is the last.
template <typename From, typename To>
void copy_free_rows(const From& all, To& free) {
  const Eigen::Index last = free.rows() - 1;
  free.topRows(last) = all.middleRows(1, last);
  free.row(last) = all.row(last + 2);
}

Eigen::MatrixXd free_block(const Eigen::MatrixXd& all) {
  Eigen::MatrixXd rows(all.rows() - 2, all.cols());
  copy_free_rows(all, rows);
  Eigen::MatrixXd columns(rows.cols() - 2, rows.rows());
  copy_free_rows(Eigen::MatrixXd(rows.transpose()), columns);
  return columns.transpose();
}

}  // namespace

Cable::Cable(const CableParameters& parameters) : p_(parameters), element_(element_of(parameters)) {
  const double element_length = p_.length_m / static_cast<double>(p_.elements);
  const double mass_per_length = p_.density_kg_m3 * area_m2(p_);
  const Eigen::Matrix4d element_mass = mass_per_length * AncfElement::mass_per_density(element_length);
  const Eigen::MatrixXd M = assembled(element_mass, p_.elements);
  mass_ = M.sparseView();
  free_mass_.compute(Eigen::SparseMatrix<double>(free_block(M).sparseView()));
  free_.resize(rows() - 2, 3);
  column_a_.resize(rows() - 2);
  column_b_.resize(rows() - 2);
  copy_free_rows(M.col(row_a()), column_a_);
  copy_free_rows(M.col(row_b()), column_b_);
  weights_ = Eigen::VectorXd::Zero(rows());
  for (Eigen::Index k = 0; k < p_.elements; ++k)
    weights_.segment<4>(2 * k) += mass_per_length * AncfElement::load_per_length(element_length);
  find_highest_frequency(element_mass);
}

/// For many elements the highest frequency is that of a short piece: more than 20 need not be looked at. NaN where the section is so
/// degenerate that masses or stiffnesses underflow or overflow.
void Cable::find_highest_frequency(const Eigen::Matrix4d& element_mass) {
  const Eigen::Index n = std::min<Eigen::Index>(p_.elements, 20);
  const Eigen::MatrixXd M = free_block(assembled(element_mass, n));
  for (const Eigen::Matrix4d& stiffness : {element_.stiffness_along(), element_.stiffness_across()}) {
    const Eigen::VectorXd squares = numerics::symmetric_eigenvalues(free_block(assembled(stiffness, n)), M);
    if (!squares.allFinite()) {
      highest_frequency_rad_s_ = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    highest_frequency_rad_s_ =
        std::max(highest_frequency_rad_s_, std::sqrt(std::max(0.0, squares.maxCoeff())));
  }
}

Cable::Nodes Cable::straight(const Eigen::Vector3d& a, const Eigen::Vector3d& b) const {
  Nodes q(rows(), 3);
  for (Eigen::Index k = 0; k <= p_.elements; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(p_.elements);
    q.row(2 * k) = (a + share * (b - a)).transpose();
    q.row(2 * k + 1) = (b - a).transpose() / p_.length_m;
  }
  return q;
}

void Cable::forces(const Nodes& q, Nodes& Q) const {
  Q.noalias() = weights_ * p_.gravity_m_s2.transpose();
  for (Eigen::Index k = 0; k < p_.elements; ++k) {
    const AncfElement::Coordinates e = q.middleRows<4>(2 * k);
    AncfElement::Coordinates f = Q.middleRows<4>(2 * k);
    element_.subtract_strain_forces(e, f);
    Q.middleRows<4>(2 * k) = f;
  }
}

void Cable::accelerations(const Nodes& Q, const Ends& given, Nodes& a) const {
  copy_free_rows(Q, free_);
  free_.noalias() -= column_a_ * given.a;
  free_.noalias() -= column_b_ * given.b;
  const Eigen::Index last = free_.rows() - 1;
  a.topRows(last + 1) = free_mass_.solve(free_);  // into place below, from the end
  a.row(last + 2) = a.row(last);
  for (Eigen::Index i = last; i > 0; --i) a.row(i) = a.row(i - 1);
  a.row(row_a()) = given.a;
  a.row(row_b()) = given.b;
}

Cable::Ends Cable::reactions(const Nodes& Q, const Nodes& a) const {
  Ends forces;
  forces.a = -Q.row(row_a());
  forces.b = -Q.row(row_b());
  for (Eigen::SparseMatrix<double>::InnerIterator m(mass_, row_a()); m; ++m)
    forces.a += m.value() * a.row(m.row());
  for (Eigen::SparseMatrix<double>::InnerIterator m(mass_, row_b()); m; ++m)
    forces.b += m.value() * a.row(m.row());
  return forces;
}

double Cable::kinetic_energy_J(const Nodes& v) const {
  double twice = 0.0;
  for (int j = 0; j < mass_.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator m(mass_, j); m; ++m)
      twice += m.value() * v.row(m.row()).dot(v.row(j));
  }
  return 0.5 * twice;
}

Momentum Cable::momentum(const Nodes& v) const {
  const Eigen::RowVector3d sum = weights_.transpose() * v;
  return {p_.density_kg_m3 * area_m2(p_) * p_.length_m, {sum[0], sum[1], sum[2]}};
}

double Cable::strain_energy_J(const Nodes& q) const {
  double energy = 0.0;
  for (Eigen::Index k = 0; k < p_.elements; ++k) energy += element_.strain_energy_J(q.middleRows<4>(2 * k));
  return energy;
}

double Cable::potential_energy_J(const Nodes& q) const {
  return strain_energy_J(q) - (weights_.transpose() * q).dot(p_.gravity_m_s2.transpose());
}

}  // namespace ergon
