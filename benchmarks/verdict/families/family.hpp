#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/verdict/families/block_system.hpp"
#include "benchmarks/verdict/families/network.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon::bench {

/// One run and what it should have been.
struct FamilyCase {
  std::string scenario;              ///< TOML; empty: `blocks`
  std::vector<std::string> outputs;  ///< what is compared, and recorded
  double common_step_s = 0.0;        ///< all outputs are new at its multiples; 0: at every point
  std::optional<Network> exact{};    ///< outputs are the positions of its masses
  bool between = false;              ///< of the masses: what is between them, not where they are
  std::string reference{};           ///< else: the same system, much finer
  std::optional<BlockSystem> blocks{};
  int blocks_finer = 0;  ///< their reference: steps of 1/n, accurate inside; 0: the matrix exponential
  std::vector<std::string>
      also{};                ///< recorded, so that the verdict is about them, but too idle to be compared
  bool every_point = false;  ///< compared at all of them, not at 800
};

/// What is expected of the verdict.
enum class FamilyKind {
  ordinary,
  misleading,    ///< made to mislead
  solver_inside  ///< whose errors no check run can see: never reliable above 5 %
};

/// Random systems of one kind.
struct Family {
  std::string name;
  std::function<FamilyCase(Random&)> make;
  FamilyKind kind = FamilyKind::ordinary;
};
const std::vector<Family>& families();
/// Those of them whose reference is a much finer run.
std::vector<Family> more_families();
/// What is looked at besides positions: heat, currents, pressures, rotation; idle nodes, short hits, digital control, solvers inside.
std::vector<Family> other_quantities();

struct FamilyRun {
  std::string family;
  FamilyKind kind = FamilyKind::ordinary;
  unsigned seed = 0;
  double error = 0.0;            ///< largest error over half the range, over all outputs
  double amplitude_error = 0.0;  ///< of the ranges in eighths of the time
  VerdictValue checked = VerdictValue::not_monitored;    ///< with `auto`
  VerdictValue unchecked = VerdictValue::not_monitored;  ///< with `off`
  VerdictValue motion = VerdictValue::not_monitored;     ///< by check runs alone
  bool energy_stays = false;  ///< an energy that is wrong is so at smaller steps, too
  std::size_t check_runs = 0;
  double check_steps = 0.0;            ///< of all of them, over those of the run
  std::optional<double> ratio_double;  ///< bars of check runs at larger and at smaller steps
  std::optional<double> ratio_half;
  std::string why;  ///< first reason of the books
  /// Per output whose error is more than round-off: its largest error bar over its largest error.
  std::vector<double> bar_over_error;
};
FamilyRun judge_family_run(const Family& family, unsigned seed);

/// A wrong run, and the same one after its advice was typed.
struct AdvisedRun {
  std::string family;
  unsigned seed = 0;
  double error = 0.0;
  std::string advice;
  std::vector<std::string> typed;  ///< settings, as after --set
  double error_then = 0.0;         ///< infinite where nothing could be typed
};
/// Nothing where the run is not wrong by more than 5 %, or is no scenario.
[[nodiscard]] std::optional<AdvisedRun> follow_advice(const Family& family, unsigned seed);
/// What "(--set a=b --step-size 1e-3)" in an advice types, as settings.
[[nodiscard]] std::vector<std::string> typed_by(const std::string& advice);

}  // namespace ergon::bench
