#pragma once

#include <cmath>
#include <limits>

#include "ergon/core/expression/term_graph.hpp"

namespace ergon::expression {

/// 1 or 0; NaN where one side is NaN.
[[gnu::always_inline]] inline double condition(bool holds, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return holds ? 1.0 : 0.0;
}

/// One operation: here, and nowhere else, is what each computes.
[[gnu::always_inline]] inline double apply(Operation operation, double a, double b, double c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::power:
      return std::pow(a, b);
    case Operation::square_root:
      return std::sqrt(a);
    case Operation::exponential:
      return std::exp(a);
    case Operation::logarithm:
      return std::log(a);
    case Operation::logarithm10:
      return std::log10(a);
    case Operation::sine:
      return std::sin(a);
    case Operation::cosine:
      return std::cos(a);
    case Operation::tangent:
      return std::tan(a);
    case Operation::arc_sine:
      return std::asin(a);
    case Operation::arc_cosine:
      return std::acos(a);
    case Operation::arc_tangent:
      return std::atan(a);
    case Operation::hyperbolic_sine:
      return std::sinh(a);
    case Operation::hyperbolic_cosine:
      return std::cosh(a);
    case Operation::hyperbolic_tangent:
      return std::tanh(a);
    case Operation::arc_tangent2:
      return std::atan2(a, b);
    case Operation::minimum:
      return a <= b || std::isnan(a) ? a : b;
    case Operation::maximum:
      return a >= b || std::isnan(a) ? a : b;
    case Operation::absolute:
      return std::abs(a);
    case Operation::sign:
      return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a;
    case Operation::floor:
      return std::floor(a);
    case Operation::less:
      return condition(a < b, a, b);
    case Operation::less_or_equal:
      return condition(a <= b, a, b);
    case Operation::equal:
      return condition(a == b, a, b);
    case Operation::not_equal:
      return condition(a != b, a, b);
    case Operation::both:
      return condition(a != 0.0 && b != 0.0, a, b);
    case Operation::either:
      return condition(a != 0.0 || b != 0.0, a, b);
    case Operation::negation:
      return condition(a == 0.0, a, a);
    case Operation::choose:
      return std::isnan(a) ? a : a != 0.0 ? b : c;
    case Operation::constant:
    case Operation::symbol:
      return a;
  }
  return a;
}

}  // namespace ergon::expression
