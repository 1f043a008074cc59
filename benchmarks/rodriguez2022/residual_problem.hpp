#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ergon/models/oscillators/mass_chain.hpp"

namespace ergon::bench {

/// An oscillator of [rodriguez2022]: masses 1 … n−1 hang on the last one by springs and dampers, all hang on the wall.
/// x = 0, v = +100 m/s at the start, −100 m/s for the last mass.
struct ResidualProblem {
  int number = 1;  ///< case of the paper's table
  MassChain::Parameters masses;

  static constexpr double duration_s = 10.0;
  static constexpr double macro_step_s = 1e-3;
  static constexpr double start_speed_m_s = 100.0;

  [[nodiscard]] std::size_t size() const { return masses.mass_kg.size(); }
  [[nodiscard]] bool is_linear() const;
  /// What a scenario needs whose subsystems are m1 … mn, mass n being the receiver.
  [[nodiscard]] std::vector<std::string> overrides() const;
};

[[nodiscard]] ResidualProblem double_oscillator(int number);     ///< Table 1, cases 1 … 8
[[nodiscard]] ResidualProblem multiple_oscillator(int number);   ///< Table 2, cases 1 … 4
[[nodiscard]] ResidualProblem nonlinear_oscillator(int number);  ///< Table 3, cases 1 and 2

/// The true motion at the macro points j · 1 ms.
struct ReferenceMotion {
  std::size_t masses = 0;
  std::vector<double> x_m;  ///< n values per point
  std::vector<double> v_m_s;
  std::vector<double> energy_J;  ///< one value per point

  [[nodiscard]] std::size_t points() const { return energy_J.size(); }
};

/// Linear laws: by the matrix exponential.
[[nodiscard]] ReferenceMotion analytic_motion(const ResidualProblem& problem);
/// Any law: all masses in one subsystem `all` of a scenario with a fine and accurate integrator.
[[nodiscard]] ReferenceMotion monolithic_motion(const ResidualProblem& problem,
                                                const std::filesystem::path& scenario);

}  // namespace ergon::bench
