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
  std::optional<double> ratio_double;                    ///< bars of both companions
  std::optional<double> ratio_half;
  std::string why;  ///< first reason of the books
  /// Per output whose error is more than round-off: its largest error bar over its largest error.
  std::vector<double> bar_over_error;
};
FamilyRun judge_family_run(const Family& family, unsigned seed);

}  // namespace ergon::bench
