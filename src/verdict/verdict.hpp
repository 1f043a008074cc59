#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/step_record.hpp"
#include "ergon/verdict/blind_bond.hpp"
#include "ergon/verdict/effort_samples.hpp"
#include "ergon/verdict/energy_group.hpp"
#include "ergon/verdict/power_traces.hpp"
#include "ergon/verdict/source_watch.hpp"

namespace ergon {

/// Whether the results of a run can be trusted. The books alone say `consistent` at best: *reliable* is a run whose motion was
/// checked, too.
enum class VerdictValue { reliable, consistent, doubtful, unreliable, not_monitored };
[[nodiscard]] std::string_view name_of(VerdictValue value);
/// 0 for the best; where nothing tells, that is worse than what is consistent, and better than what is doubtful.
[[nodiscard]] int severity(VerdictValue value);

enum class ReasonKind {
  failure,             ///< the run failed
  not_finite,          ///< an energy or a power overflowed
  energy_balance,      ///< energy that is in the subsystems and should not be there
  bond_imbalance,      ///< (3): what both ends of a bond received does not cancel
  interface_energy,    ///< (2): energy that a bond created, against what it passed on
  blind_bond,          ///< energy that the coupling variables alone tell, with one mass and spring per side
  stale_efforts,       ///< (2) is small, but sees little of what stale efforts create
  growth,              ///< the exchanged power grows, and the interface adds to it
  sudden_change,       ///< the residual of a bond is far above its usual level for a while
  correction_limited,  ///< a correction was cut short for most of the time
  coupling_residual,   ///< implicit schemes: coupling variables and outputs do not agree
  not_monitored,       ///< nothing tells
  unwatched_input,     ///< motion or force of another subsystem arrives by a connection that is no bond
  element_gives,       ///< elements give energy that their laws do not: efforts with the wrong sign
  correction_work,     ///< the work of corrections is a good part of the energy
  too_few_samples,     ///< what is exchanged changes faster than it is sampled
  source_sampling,     ///< samples do not render the signal of a source
  solver_residual,     ///< a subsystem did not solve its steps to its own tolerance
  motion,              ///< the difference to the same system at other steps
};
[[nodiscard]] std::string_view name_of(ReasonKind kind);

struct VerdictReason {
  VerdictValue says = VerdictValue::consistent;  ///< what it alone would mean for the run
  ReasonKind kind = ReasonKind::energy_balance;
  std::string what;                     ///< one sentence
  std::string bond;                     ///< empty: it is about subsystems
  std::vector<std::string> subsystems;  ///< empty: it is about a bond, or the whole run
  bool by_integration = false;          ///< most of it comes from inside the subsystems, not from bonds
  double from_s = 0.0;
  double to_s = 0.0;
  std::optional<double> ratio;  ///< the figure that was judged …
  std::optional<double> limit;  ///< … and the limit that it exceeded, or kept
};

struct Verdict {
  VerdictValue value = VerdictValue::not_monitored;
  std::vector<VerdictReason> reasons;  ///< the worst first; of a run that is right: what was looked at
  VerdictValue energy = VerdictValue::not_monitored;  ///< by the books alone
  VerdictValue motion = VerdictValue::not_monitored;  ///< by companions alone
  std::string advice;                                 ///< one setting to try; empty: none
};

struct VerdictOptions {
  bool sequential = false;       ///< Gauss–Seidel: residual (2) says nothing
  bool ignore_accounts = false;  ///< as if no subsystem kept an energy account (for experiments)
  bool watch = false;            ///< look at it while the run goes on: `unreliable_so_far`
  /// Per bond: its efforts are evaluated with flows of the past. Empty: of none.
  std::vector<bool> stale_bonds{};
  int degree = 0;  ///< of the extrapolation of inputs that do not say their own
};

/// Judges a run by the most truthful evidence there is                             (docs/theory/verdict.md):
///   per group of subsystems joined by bonds: the balance of synchronised energies, where all keep accounts; else
///   per bond: residual (3), where both ends keep accounts; else residual (2), but not under Gauss–Seidel; never (1).
/// Beside that: sudden changes of the residual power, growth, corrections at their limit, failure, overflow.
/// Its memory does not grow with the run, and nothing is allocated between the first point and the verdict.
class VerdictMonitor {
 public:
  explicit VerdictMonitor(const CoupledSystem& system, VerdictOptions options = {});

  /// Every communication point, in order, t₀ included.
  void inspect(const StepRecord& record);
  /// The last point. `energies_hold`: the subsystems are at that point, too.
  void finish(const StepRecord& last_point, bool energies_hold);

  /// With `watch`: the run would be called unreliable, and has been for some time.
  [[nodiscard]] bool unreliable_so_far() const { return alarms_ >= alarms_needed; }
  [[nodiscard]] Verdict verdict(const std::optional<Failure>& failure = std::nullopt) const;

  void archive(Archive& archive);

 private:
  static const int alarms_needed;

  /// Where a bond's evidence comes from.
  enum class Evidence { balance, imbalance, interface, none };
  struct BondState {
    bool stale = false;
    Evidence evidence = Evidence::none;
    double imbalance_at_peak_J = 0.0;  ///< when the energy of its group was most wrong
    double correction_J = 0.0;         ///< largest |work of the correction|
  };
  /// When the trace of a bond was last told what has been created.
  struct Telling {
    bool has_imbalance = false;     ///< from (3): at some points only
    std::int32_t points_until = 0;  ///< until it is told again …
    std::uint32_t last_window = 0;  ///< … in this window
  };
  /// Points of all bonds at which none of them is told anything: they are counted here instead of in every bond.
  struct QuietPoints {
    std::int32_t left = 0;
    std::int32_t passed = 0;  ///< not yet taken off `points_until`
    std::size_t window = 0;   ///< while it is this one
  };
  /// A bond whose evidence is (3).
  struct ImbalanceState {
    Index bond = 0;
    int points_until_sample = 0;
    SpuriousEnergy energy;
  };
  struct BlindState {
    Index bond = 0;
    double last_time_s = 0.0;
    BlindBond books;
  };
  struct GroupState {
    EnergyGroup group;
    bool balanced = false;  ///< its balance is the evidence
    int points_until_sample = 0;
    int misses = 0;
  };
  /// A reason without its words: made while the run goes on, too.
  struct Finding {
    VerdictValue says = VerdictValue::consistent;
    ReasonKind kind = ReasonKind::energy_balance;
    std::size_t subject = 0;  ///< a group, or a bond
    std::size_t first_window = 0;
    std::size_t last_window = TimeWindows::capacity;
    double ratio = 0.0;
    double limit = 0.0;
    double amount = 0.0;
    double scale = 0.0;
  };

  void choose_evidence(const StepRecord& first_point);
  /// What holds for all bonds and groups.
  void note_evidence();
  void learn_bonds(const StepRecord& record);
  /// Takes what was created, where the bond is told of it at this point, H_s after the one before.
  void learn_bond(const StepRecord& record, Index bond, double H_s, std::size_t window);
  void learn_correction(const BondRecord& books, Index bond, double H_s);
  void learn_efforts(const StepRecord& record, std::size_t bonds_at_point);
  void learn_created(const StepRecord& record, Index bond, std::size_t window);
  /// All bonds at once, where all are told from (3) now. False: they are not, and nothing was done.
  bool learn_all_created(const StepRecord& record, std::size_t window);
  /// Takes the quiet points that have passed off the bonds, and finds how many follow.
  void end_quiet_points();
  void find_quiet_points(std::size_t window);
  /// The same of samples of energy.
  void end_quiet_energies();
  void find_quiet_energies();
  void learn_residual(const StepRecord& record);
  void sample_energies(const StepRecord& record, bool at_end);
  void look();

  void assess(std::vector<Finding>& findings) const;
  void assess_spurious(const SpuriousEnergy& spurious, ReasonKind kind, std::size_t subject,
                       std::vector<Finding>& findings) const;
  void assess_blind(const BlindState& blind, std::vector<Finding>& findings) const;
  void assess_interface(std::size_t bond, std::vector<Finding>& findings) const;
  void assess_elements(std::size_t group, std::vector<Finding>& findings) const;
  void assess_correction(std::size_t bond, std::vector<Finding>& findings) const;
  void assess_samples(std::size_t bond, std::vector<Finding>& findings) const;
  void assess_sources(std::vector<Finding>& findings) const;
  void assess_residual(std::vector<Finding>& findings) const;
  void assess_sudden_change(std::size_t bond, std::vector<Finding>& findings) const;
  [[nodiscard]] static VerdictValue value_of(const std::vector<Finding>& findings);

  [[nodiscard]] VerdictReason reason_of(const Finding& finding) const;
  [[nodiscard]] VerdictReason reason_of_failure(const Failure& failure) const;
  [[nodiscard]] VerdictReason reason_of_no_bonds() const;
  /// Names who did it in `reason`, too.
  [[nodiscard]] std::string origin_of(const EnergyGroup& group, double amount_J, VerdictReason& reason) const;
  [[nodiscard]] double time_s(Tick k) const;

  const CoupledSystem& system_;
  VerdictOptions options_;
  std::vector<std::string> unwatched_;  ///< inputs
  std::vector<GroupState> groups_;
  std::vector<BondState> bonds_;
  std::vector<Telling> tellings_;  ///< per bond
  NumberArray told_J_;             ///< (3) per bond, on its way from the books
  QuietPoints quiet_;
  QuietPoints quiet_energies_;     ///< no group and no bond is due to be sampled
  bool explicit_ = false;          ///< no steps of an implicit scheme
  bool all_by_interface_ = false;  ///< no bond has (3)
  bool any_balanced_ = false;      ///< a group is judged by its balance …
  bool any_learns_ = false;        ///< … and has to be told of every point
  PowerTraces traces_;
  std::vector<ImbalanceState> imbalances_;
  std::vector<BlindState> blind_;  ///< where nobody keeps books
  std::vector<std::size_t> group_of_bond_;
  EffortSamples efforts_;                  ///< of all components of all bonds
  std::vector<std::size_t> first_effort_;  ///< per bond, and the end
  SourceWatch sources_;
  TimeWindows windows_;
  bool started_ = false;
  double start_time_s_ = 0.0;
  double last_time_s_ = 0.0;
  Tick last_tick_ = 0;
  int points_until_look_;
  int alarms_ = 0;
  /// Steps of an implicit scheme, and how many of them ended with a residual above a limit.
  struct Residuals {
    std::uint64_t steps = 0;
    std::uint64_t noticed = 0;
    std::uint64_t large = 0;
    double largest = 0.0;
  };
  Residuals residuals_;
  std::vector<Finding> findings_;  ///< of the last look
  mutable std::vector<double> scratch_;
};

}  // namespace ergon
