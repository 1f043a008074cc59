#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ergon/core/capabilities.hpp"
#include "ergon/numerics/function_ref.hpp"

namespace ergon {

/// What efforts at several inputs of a model meet at once (see TakesEfforts). With flows w = D(q) v and v̇ = a(q, v, u):
///   ẇ = D a + Ḋv = G λ + ẇ₀,   M̃ = G⁻¹,   λ̃ = M̃ ẇ₀                              [peiret2019, (5)–(7)]
/// G: what each effort adds to D a; ẇ₀: the rest, at the present state. A semi-implicit Euler step of length h that keeps λ
/// leads to w⁺ = D v⁺ + h Ḋv, which is M̃ (w⁺ − w)/h = λ̃ + λ.
class NativeInterface {
 public:
  /// A pure function of inputs and state z = [q, v].
  using Function = numerics::FunctionRef<void(const double* u, const double* z, double* out)>;
  /// The model at its present state.
  struct View {
    Function rates;    ///< ż
    Function outputs;  ///< y
    const double* u;
    const double* z;
  };
  struct Sizes {
    std::size_t inputs = 0;
    std::size_t positions = 0;
    std::size_t velocities = 0;
    std::size_t outputs = 0;
  };

  NativeInterface(const Sizes& sizes, std::span<const InterfacePort> ports);
  ~NativeInterface();
  /// False where a port is motion-driven, where some flow is not in proportion to velocities, or where efforts cannot move the flows each in
  /// its own way.
  bool fits(const View& model);
  /// M̃ (row-major) and λ̃.
  void evaluate(const View& model, double* mass, double* force);

 private:
  /// G and ẇ₀.
  void linearise(const View& model);
  /// What the flows are with the velocities that lie behind the positions in `rates`.
  void flows_with(const View& model, const std::vector<double>& rates);

  Sizes sizes_;
  std::vector<std::size_t> efforts_;
  std::vector<std::size_t> flows_;
  bool motion_driven_ = false;  ///< some port is
  std::vector<double> u_;
  std::vector<double> still_;  ///< inputs that do not change
  std::vector<double> z_;
  std::vector<double> rates_;
  std::vector<double> other_rates_;
  std::vector<double> y_;
  std::vector<double> scratch_;
  struct Algebra;
  std::unique_ptr<Algebra> algebra_;
};

}  // namespace ergon
