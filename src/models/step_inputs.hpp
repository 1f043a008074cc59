#pragma once

#include <cstddef>
#include <limits>

#include "ergon/core/input_view.hpp"

namespace ergon {

/// The inputs of one step as an integrator looks at them: held as they are at its start, or along their polynomials.
class StepInputs {
 public:
  /// `scratch`: for twice `count` numbers.
  StepInputs(const InputView& view, std::size_t count, bool held, double* scratch)
      : view_(view), count_(count), held_(held), u_(scratch) {}

  /// Valid until the next time that is asked for.
  [[nodiscard]] const double* at(double tau) const {
    if (held_) return view_.coefficients;
    move_to(tau);
    return u_;
  }
  /// Their rates of change at τ; null where they are held.
  [[nodiscard]] const double* rates_at(double tau) const {
    if (held_) return nullptr;
    move_to(tau);
    return u_ + count_;
  }

 private:
  void move_to(double tau) const {
    if (tau == tau_) return;
    tau_ = tau;
    for (std::size_t i = 0; i < count_; ++i) {
      u_[i] = view_(i, tau);
      u_[count_ + i] = view_.rate(i, tau);
    }
  }

  const InputView& view_;
  std::size_t count_;
  bool held_;
  double* u_;
  mutable double tau_ = std::numeric_limits<double>::quiet_NaN();  // equal to no time
};

}  // namespace ergon
