#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/reference/linear_solution.hpp"

namespace ergon::bench {

/// The same numbers on every platform.
class Random {
 public:
  Random(std::string_view family, unsigned seed);
  double uniform(double low, double high);
  double log_uniform(double low, double high);
  double sign() { return uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    const auto i = static_cast<std::size_t>(uniform(0.0, static_cast<double>(values.size())));
    return *(values.begin() + static_cast<std::ptrdiff_t>(std::min(i, values.size() - 1)));
  }

 private:
  std::mt19937_64 generator_;
};

/// Masses in a row, each on a spring to the ground and coupled to the next one; a sine may push at the first.
struct Network {
  struct Mass {
    double m = 1.0;
    double k = 0.0;
    double c = 0.0;
    double rest = 0.0;     ///< of the spring to the ground
    double force_N = 0.0;  ///< constant
    double x = 0.0;
    double v = 0.0;
  };
  struct Spring {
    double k = 0.0;
    double c = 0.0;
    double rest = 0.0;  ///< x_i − x_(i+1) at which it is relaxed
  };
  struct Drive {
    double amplitude_N = 0.0;
    double omega = 1.0;
    double phase = 0.0;
  };
  std::vector<Mass> masses;
  std::vector<Spring> springs;  ///< one less
  Drive drive;

  /// Of the fastest and slowest motion, roughly: √(k/m).
  [[nodiscard]] double fastest() const;
  [[nodiscard]] double slowest() const;
  /// [x…, v…, 1, sin, cos]
  [[nodiscard]] numerics::LinearSolution exact() const;
};

/// Who holds the coupling springs.
enum class Arrangement {
  force_displacement,  ///< the mass before, which gives the force; bonds
  element,             ///< elements between, which are evaluated with the outputs of their ends
  element_at_receiver,
  plain,          ///< gains and sums, by connections: no bond
  partly_bonded,  ///< the first spring as in force_displacement, the others plain
};

/// How a network is simulated.
struct NetworkSetup {
  Arrangement arrangement = Arrangement::force_displacement;
  double H_s = 1e-3;
  long steps = 1000;
  std::vector<int> step_ratio{};  ///< step of each mass over H; none: 1
  double drive_step_s = 0.0;      ///< 0: it says none
  std::string feedthrough = "stale";
  std::string extrapolation = "hold";
  std::string integrator = "semi-implicit-euler";
  std::string scheme = "jacobi";
  std::string correction{};    ///< as in TOML, of all bonds
  std::string step_control{};  ///< the table, as in TOML
};
[[nodiscard]] std::string scenario_text(const Network& network, const NetworkSetup& setup);
/// A decimal that is exact in a scenario file, to three digits.
[[nodiscard]] double rounded(double value);

}  // namespace ergon::bench
