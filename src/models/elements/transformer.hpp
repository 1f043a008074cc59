#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A transformer whose ratio r is a signal, between an end a that sends its effort and an end b that sends its flow:
///   e_b = r·e_a,  f_a = r·f_b
/// Whatever r is, e_b·f_b = e_a·f_a: no power is stored or lost. With the flow of a coil in place of e_a it is a gyrator.
class ModulatedTransformer final : public Element, public Differentiable {
 public:
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override {
    y[effort_out] = u[ratio] * u[effort];
    y[flow_out] = u[ratio] * u[flow];
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  enum Input { effort, flow, ratio, inputs };
  enum Output { effort_out, flow_out };
};

ElementInfo transformer_element();

}  // namespace ergon
