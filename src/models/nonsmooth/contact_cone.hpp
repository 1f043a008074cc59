#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "ergon/models/nonsmooth/machine_description.hpp"
#include "ergon/numerics/box_lcp.hpp"

namespace ergon {

/// One column s of the slope G = Σ s sᵀ of all contact laws: it belongs to one contact.
struct SlopeColumn {
  std::size_t contact = 0;
  double at[3] = {};  ///< normal, two tangents
};

/// W₀ = A M̂⁻¹ Aᵀ: how contacts move under impulses at contacts, three rows for each (normal, two tangents), where M̂⁻¹ contains the
/// response of the joints. What a Newton step needs of it, in whatever form it is.
class ContactOperator {
 public:
  using Input = const Eigen::Ref<const Eigen::VectorXd>&;
  using Output = Eigen::Ref<Eigen::VectorXd>;
  virtual ~ContactOperator() = default;
  /// u = W₀ y
  virtual void apply(Input y, Output u) = 0;
  /// (I + G W₀) dy = −ρ,   du = W₀ dy;   false where that cannot be solved.
  virtual bool direction(std::span<const SlopeColumn> slope, Input rho, Output dy, Output du) = 0;
};

/// Contacts with friction at the end of a step, as impulses x and velocities u = W₀x + q of the points of contact:
///   normal    0 ≤ x_n ⟂ u_n + C_n x_n ≥ 0
///   tangents  |x_t| ≤ μ x_n,  u_t + C_t x_t is 0, or points against x_t, which is then on the cone       (`cone`)
///             |x_k| ≤ μ x_n for each of the two by itself                                               (`box`)
/// Since every row has a compliance, this says what impulse belongs to a velocity,
///   x_n(u) = max(0, −u_n/C_n),   x_t(u) = −u_t/C_t, drawn back to the disc of radius s = μ x_n,
/// and with s held it is what makes ½(v − v₀)ᵀM̂(v − v₀) + Σφ(u) smallest, −x = ∂φ/∂u: strictly convex. That is solved by Newton's
/// method with an exact line search, as [castro2022] do, but in y with v = v₀ + M̂⁻¹Aᵀy, which ends in y = x(u): stiff contacts
/// then cost no digits. The radii follow from the normal impulses just found, until the whole law holds to the tolerance.
///
/// Friction that sticks with a small C_t has narrow kinks, between which Newton's method may go to and fro. Where it does, tangents get
/// a compliance δ more, about the impulses ŷ of the round before: x_t(u) = (δŷ − u_t)/(C_t + δ), drawn back. Rounds of this proximal
/// point method end where the law without δ holds.
class ConeSolver {
 public:
  struct Contact {
    double compliance[3] = {};
    double diagonal[3] = {};  ///< of W₀ + C, to measure by
    double friction = 0.0;
    /// Of x_n: those of a row of a joint are its own.
    double lower = 0.0, upper = std::numeric_limits<double>::infinity();
    /// What is not a number stays so: it must show.
    [[nodiscard]] double bounded(double x) const {
      return std::isnan(x) ? x : std::min(upper, std::max(lower, x));
    }
  };
  struct Options {
    FrictionLaw law = FrictionLaw::cone;
    double tolerance = 1e-6;      ///< of the natural residual, relative to the largest impulse or rate
    int max_radii = 60;           ///< how often radii are set
    bool radii_are_held = false;  ///< those of the start are used
  };
  struct Result {
    bool converged = false;
    double residual = 0.0;  ///< natural, of the whole law; with held radii of that
    int iterations = 0;     ///< of Newton's method
    int radii = 1;          ///< how often radii were set
  };

  void reserve(std::size_t contacts);
  /// `y` is the start, and the impulses found, which are in the cones; q in rows without friction is not read.
  Result solve(std::span<const Contact> contacts, ContactOperator::Input q, ContactOperator& W0,
               const Options& options, ContactOperator::Output y);
  /// Of the last solve: between its bounds or not. A contact that slides holds neither tangent.
  [[nodiscard]] RowState state(std::size_t contact, std::size_t row) const;

 private:
  using Index = Eigen::Index;
  /// x of one contact at velocities `u`.
  void impulse(std::size_t contact, const double* u, double* x) const;
  [[nodiscard]] double softness(std::size_t contact) const;
  void set_radii(double weight);
  void collect_slope();
  /// (δŷ − u)/(C + δ) of both tangents, and whether that is within the radius.
  bool unbounded(std::size_t contact, const double* u, double* t) const;
  /// Natural residual with these radii and δ, or of the whole law.
  [[nodiscard]] double residual(bool whole) const;
  /// ℓ'(α) of the convex function along the Newton direction.
  [[nodiscard]] double slope_along(double alpha) const;
  [[nodiscard]] double line_search() const;
  bool newton_step(ContactOperator& W0);
  void refresh(ContactOperator& W0);

  std::span<const Contact> contacts_;
  FrictionLaw law_ = FrictionLaw::cone;
  Index n_ = 0;
  Eigen::VectorXd q_, y_, u_, rho_, dy_, du_, centre_, radius_;
  double softness_ = 0.0;  ///< δ over the diagonal of W₀ + C
  std::vector<SlopeColumn> slope_;
};

}  // namespace ergon
