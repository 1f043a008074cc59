#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/correctors/interface_lag.hpp"
#include "ergon/coupling/options/correction_settings.hpp"

namespace ergon {

/// What happened at one receiver of efforts between two of its points. Subscript 0 the previous point, 1 this one.
/// In SI units; efforts are sums over the bonds of the receiver, of plain samples, times the bonds' `scale`, so that
/// effort × flow is power into the receiver.
struct ReceiverStep {
  double H_s = 0.0;
  std::span<const double> effort0;
  std::span<const double> effort1;
  std::span<const double> flow0;
  std::span<const double> flow1;
  std::span<const double> moved;    ///< displacement of the receiver over the step
  std::span<const double> applied;  ///< correction held over the step
  double lag_energy_J = 0.0;  ///< Σ μᵢ Hᵢ dPᵢ over the bonds                  [rodriguez2022, (11)]
  std::span<const double> lag_effort;    ///< Σ 2μᵢ (e₁ − e₀)ᵢ over the bonds
  std::span<const double> ahead_effort;  ///< Σ (looked ahead/H) (e₁ − e₀)ᵢ over the bonds
  /// Where the corrector asks for gains: what the efforts would be more with the motion of now, over the step to come (see EffortGains).
  std::span<const double> missing_effort;
  double leak_J = 0.0;           ///< this receiver's share of its group's leak   [gonzalez2019, (12)]
  double sender_energy_J = 0.0;  ///< Δstored + dissipated of all that push here, other ports' work apart
};

/// Whether a corrector knows how efforts answer to motion (BondGains), and as of when.
enum class EffortGains { none, start, each_point };

/// Which accounts a corrector reads.
enum class CorrectorNeeds { nothing, group_accounts, sender_accounts };

/// What a corrector may know of its place before the first step, and what it says about itself there.
struct CorrectorPlace {
  std::size_t components = 1;
  double scale = 1.0;              ///< of the bonds: efforts are given to the corrector times this
  std::vector<InterfaceLag> lags;  ///< one per bond
  std::vector<double> mu;        ///< one per bond: set by the corrector that uses ReceiverStep::lag_energy_J
  bool stale = false;            ///< some effort is evaluated with stale flows
  bool sequential = false;       ///< Gauss–Seidel
  int degree = 0;                ///< highest degree with which an effort is extrapolated
  bool sender_accounts = false;  ///< all that push here keep energy accounts
  bool half_step_energies = false;  ///< set by the corrector: energies with velocities of the same instant
  CorrectorNeeds needs = CorrectorNeeds::nothing;  ///< set by the corrector
  EffortGains gains = EffortGains::none;           ///< likewise
};

/// Answers each point of a receiver with the effort to add to its input until the next. It sees nothing but the step;
/// whatever it remembers is in `state`, all zero at t₀, so that a rejected step can be repeated.
class ERGON_API Corrector {
 public:
  Corrector() = default;
  Corrector(const Corrector&) = delete;
  Corrector& operator=(const Corrector&) = delete;
  virtual ~Corrector() = default;
  /// Writes the effort to add; true if a limit cut it short.
  virtual bool correct(const ReceiverStep& step, std::span<double> next) = 0;
  [[nodiscard]] virtual std::span<double> state() { return {}; }
};

struct CorrectorInfo {
  std::string_view name;
  std::string_view help;
  std::vector<CorrectionKey> keys;
  /// May report that the combination harms; nothing: switched off (and said so).
  std::unique_ptr<Corrector> (*make)(CorrectorPlace& place, const CorrectionSettings& settings,
                                     ProblemList& problems) = nullptr;
};

ERGON_API const std::vector<CorrectorInfo>& correctors();
ERGON_API const CorrectorInfo* find_corrector(std::string_view name);
/// Reports an unknown method or key, and a value that its key does not take.
ERGON_API void check_correction(const CorrectionRequest& request, ProblemList& problems);

CorrectorInfo residual_power_corrector();
CorrectorInfo energy_leak_corrector();
CorrectorInfo passivity_corrector();
CorrectorInfo nepce_corrector();

// ── What correctors share ───────────────────────────────────────────────────────────────────────────────────

[[nodiscard]] ERGON_API double dot(std::span<const double> a, std::span<const double> b);
[[nodiscard]] ERGON_API double norm(std::span<const double> a);

/// Upper bounds on a correction: a fraction of an effort, an absolute value, and a rate of change; the tightest wins.
struct ERGON_API CorrectionLimits {
  double relative;    ///< of the effort given to `apply`
  double absolute_N;  ///< in the SI unit of the effort
  double rate_N_s;    ///< change per second, for actuators that cannot jump
  /// Shortens `next` as needed; true if it did.
  [[nodiscard]] bool apply(std::span<const double> effort, std::span<const double> previous, double H_s,
                           std::span<double> next) const;
};

/// For stale efforts. What feed-through makes of an old displacement can only create energy: k H v² per second for a
/// spring k. A correction that gives energy on balance has therefore been misled by its estimate: it may hand back what it
/// took, and no more. `taken_J` is the corrector's memory of that. True if it shortened `next`.
[[nodiscard]] ERGON_API bool give_no_more_than_taken(const ReceiverStep& step, double& taken_J,
                                                     std::span<double> next);

/// Keys `limit`, `limit_absolute` and `rate_limit`.
[[nodiscard]] ERGON_API CorrectionLimits read_limits(const CorrectorPlace& place,
                                                     const CorrectionSettings& settings,
                                                     double default_relative);
[[nodiscard]] ERGON_API CorrectionKey limit_key(std::string_view help, std::vector<std::string_view> words);
[[nodiscard]] ERGON_API CorrectionKey limit_absolute_key();
[[nodiscard]] ERGON_API CorrectionKey rate_limit_key();

}  // namespace ergon
