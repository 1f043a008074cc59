#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/models/tunable_numbers.hpp"

namespace ergon {

/// out = gain · in + offset
class Gain final : public Element, public Differentiable, public TunableNumbers {
 public:
  Gain(double gain, double offset) : gain_(gain), offset_(offset) {
    tune("gain", "", "factor", gain_);
    tune("offset", "", "what is added", offset_);
  }
  Tunable* tunable() override { return this; }
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override { y[0] = gain_ * u[0] + offset_; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const override {
    jacobian[0] = gain_;
  }

 private:
  double gain_;
  double offset_;
};

/// out = in1 + in2 + …, added from left to right
class Sum final : public Element, public Differentiable {
 public:
  explicit Sum(std::size_t inputs) : inputs_(inputs) {}
  [[nodiscard]] Description describe() const override;
  void evaluate(const double* u, double* y) const override;
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* u, double* jacobian) const override;

 private:
  std::size_t inputs_;
};

ElementInfo gain_element();
ElementInfo sum_element();

}  // namespace ergon
