#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/reference/convergence.hpp"

namespace ergon::bench {

/// Values of some outputs at a time.
using Trajectory = std::function<void(double t_s, std::span<double> values)>;

/// A solution on points of equal distance; asked for at these points.
class SampledTrajectory {
 public:
  SampledTrajectory(double step_s, std::vector<std::vector<double>> samples)
      : step_s_(step_s), samples_(std::move(samples)) {}
  void operator()(double t_s, std::span<double> values) const;

 private:
  double step_s_;
  std::vector<std::vector<double>> samples_;
};

/// ż = f(t, z) by the classical Runge–Kutta method, from t = 0: a monolithic solution that shares no code with models,
/// joints and engine.
using Rates = std::function<void(double t_s, const double* z, double* z_dot)>;
SampledTrajectory integrate_monolithic(const Rates& rates, std::vector<double> z0, double duration_s,
                                       double step_s, int keep_every);

/// A scenario with overrides, against a reference.
struct ComparedRun {
  double max_error = 0.0;           ///< largest |y − reference| over all outputs and communication points
  double max_relative_error = 0.0;  ///< the same, each output relative to the largest value of its reference
  double integrations_per_step = 0.0;  ///< of all subsystems together; 0 for explicit schemes
  std::uint64_t steps = 0;             ///< communication steps
  std::vector<double> first;           ///< outputs at the start
  std::vector<double> last;            ///< outputs at the end
};
/// Sees the compared outputs at a point, and behind them some that are not compared.
struct PointHook {
  std::vector<std::string> also{};
  std::function<void(double t_s, std::span<const double> values)> see{};
};
ComparedRun compare(const std::filesystem::path& scenario, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& outputs, const Trajectory& reference,
                    const PointHook& at_point = {});

/// Overrides for step size, scheme and degree. An explicit run extrapolates with degree k and repeats its first steps until its
/// history is as accurate as the scheme.
std::vector<std::string> scheme_settings(const std::string& scheme, int k, double H_s);

}  // namespace ergon::bench
