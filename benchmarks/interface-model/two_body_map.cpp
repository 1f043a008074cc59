#include "benchmarks/interface-model/two_body_map.hpp"

#include "benchmarks/reference/dense_functions.hpp"

namespace ergon::bench {
namespace {

constexpr int size = 7;
using State = Eigen::Matrix<double, size, 1>;  // x₁, v₁, x₂, v₂, force on the slow body, x₁ and v₁ before
using Map = Eigen::Matrix<double, size, size>;

/// One macro step; both sides by semi-implicit Euler.
State macro_step(const TwoBodies& b, const std::string& predictor, int n, const State& z) {
  const double x1 = z[0], v1 = z[1], force = z[4];
  const double H = n * b.h_s;
  const double free_force = -b.k1_N_m * x1 - b.c1_Ns_m * v1;
  double x2 = z[2], v2 = z[3];
  double s = x1, w = v1;
  for (int j = 0; j < n; ++j) {
    if (predictor == "linear") {
      s = x1 + j * b.h_s * (x1 - z[5]) / H;
      w = v1 + j * b.h_s * (v1 - z[6]) / H;
    }
    const double pull = b.kc_N_m * (x2 - s) + b.cc_Ns_m * (v2 - w);
    v2 += b.h_s * (-b.k2_N_m * x2 - b.c2_Ns_m * v2 - pull) / b.m2_kg;
    x2 += b.h_s * v2;
    if (predictor == "interface-model") {
      // m (w⁺ − w)/h = f + k (x₂ − s − h w⁺) + c (v₂ − w⁺)
      w = (b.m1_kg * w / b.h_s + free_force + b.kc_N_m * (x2 - s) + b.cc_Ns_m * v2) /
          (b.m1_kg / b.h_s + b.h_s * b.kc_N_m + b.cc_Ns_m);
      s += b.h_s * w;
    }
  }
  const double v1_end = v1 + H * (free_force + force) / b.m1_kg;
  State next;
  next << x1 + H * v1_end, v1_end, x2, v2, b.kc_N_m * (x2 - s) + b.cc_Ns_m * (v2 - w), x1, v1;
  return next;
}

}  // namespace

double spectral_radius(const TwoBodies& bodies, const std::string& predictor, int n) {
  Map map;
  for (int i = 0; i < size; ++i) map.col(i) = macro_step(bodies, predictor, n, State::Unit(i));
  return numerics::spectral_radius(map);
}

}  // namespace ergon::bench
