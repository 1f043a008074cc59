#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/verdict/families/network.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon::bench {

/// One run and what it should have been.
struct FamilyCase {
  std::string scenario;              ///< TOML
  std::vector<std::string> outputs;  ///< positions, angles, voltages: what is compared
  double common_step_s = 0.0;        ///< all outputs are new at its multiples; 0: at every point
  std::optional<Network> exact{};    ///< outputs are the positions of its masses
  bool between = false;              ///< of the masses: what is between them, not where they are
  std::string reference{};           ///< else: the same system, much finer
};

/// Random systems of one kind.
struct Family {
  std::string name;
  std::function<FamilyCase(Random&)> make;
};
const std::vector<Family>& families();
/// Those of them whose reference is a much finer run.
std::vector<Family> more_families();

struct FamilyRun {
  std::string family;
  unsigned seed = 0;
  double error = 0.0;            ///< largest error over half the range, over all outputs
  double amplitude_error = 0.0;  ///< of the ranges in eighths of the time
  VerdictValue checked = VerdictValue::not_monitored;    ///< with `auto`
  VerdictValue unchecked = VerdictValue::not_monitored;  ///< with `off`
  std::optional<double> ratio_double;                    ///< bars of both companions
  std::optional<double> ratio_half;
  std::string why;  ///< first reason of the books
};
FamilyRun judge_family_run(const Family& family, unsigned seed);

}  // namespace ergon::bench
