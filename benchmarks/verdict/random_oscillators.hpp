#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/lim2021/oscillator_reference.hpp"
#include "ergon/verdict/verdict_monitor.hpp"

namespace ergon::bench {

/// m in [0.1, 10] kg, k in [10, 1000] N/m and |v| in [30, 300] m/s, all log-uniform; odd seeds with dampers of 0.1 N s/m.
/// The same on every platform.
TwoMassOscillator random_oscillator(unsigned seed);

/// Its masses, springs, dampers and start as settings of f-s.toml of this folder.
std::vector<std::string> settings_of(const TwoMassOscillator& data);

enum class Integration { semi_implicit_euler, accurate };

/// How one of them is simulated.
struct OscillatorSetup {
  unsigned seed = 1;
  double H_s = 1e-3;   ///< communication step of the left mass
  int rate_ratio = 1;  ///< its step over that of the right mass
  std::string feedthrough = "stale";
  std::string extrapolation = "hold";
  Integration integration = Integration::semi_implicit_euler;
  std::string scheme = "jacobi";
};

/// Every step size and feed-through mode, at one rate with both kinds of integration; a quarter of the seeds also at a
/// rate ratio of 10.
std::vector<OscillatorSetup> oscillator_setups(unsigned seed);

struct JudgedRun {
  double true_error =
      0.0;  ///< max over t of |E(t) − E_exact(t)| / E(0), with simultaneous positions and velocities
  VerdictValue by_accounts = VerdictValue::not_monitored;
  double by_accounts_ratio = 0.0;                    ///< the error as the accounts tell it
  VerdictValue blind = VerdictValue::not_monitored;  ///< the same run, as if nobody kept energy accounts
  double blind_ratio = 0.0;  ///< energy of the interface power over what the bond passed on
};

/// `scenario`: f-s.toml of this folder.
JudgedRun judge_run(const std::filesystem::path& scenario, const OscillatorSetup& setup);

}  // namespace ergon::bench
