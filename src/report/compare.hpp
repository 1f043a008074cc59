#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/report/run_folder.hpp"

namespace ergon::report {

struct CompareOptions {
  std::optional<double> tolerance;       ///< relative to the largest |value| of the reference
  double absolute_tolerance = 0.0;       ///< added to it, in the unit of the variable
  std::vector<std::string> variables{};  ///< patterns with * and ?; none: all
  std::vector<std::string> renamed{};    ///< "theirs=ours": columns of the reference under other names
};

/// How far one variable of a run is from the same of the reference.
struct VariableError {
  std::string name;
  std::string unit;
  double max_error = 0.0;  ///< largest |difference|; NaN: one of both is not a number
  double rms_error = 0.0;
  double at_s = 0.0;   ///< where it is largest
  double scale = 0.0;  ///< largest |value| of the reference
  std::size_t points = 0;
  std::optional<bool> within{};  ///< the tolerance, where there is one
  [[nodiscard]] double relative() const { return scale > 0.0 ? max_error / scale : max_error; }
};

struct RunErrors {
  std::string run;
  std::vector<VariableError> variables;
  std::vector<std::string> missing;   ///< variables of the reference that the run does not have
  std::vector<std::string> remarks;   ///< what else keeps it from agreeing, as sentences
  [[nodiscard]] bool within() const;  ///< every variable is, none is missing, nothing is remarked
};

struct Comparison {
  std::string reference;
  std::optional<double> tolerance;
  std::vector<RunErrors> runs;
  /// Columns of the reference that are called otherwise there: by the names that the runs have.
  std::map<std::string, std::string> renamed{};
};

/// The difference of two lists of samples, over the time that both have. It is taken at the points of the one with fewer of
/// them; the other is interpolated linearly, texts and whole numbers are held.
[[nodiscard]] VariableError error_of(const Samples& run, const Samples& reference, bool held);

/// Compares each run with the reference. Throws InputError where they share no variable.
[[nodiscard]] Comparison compare(std::span<const RunFolder> runs, const RunFolder& reference,
                                 const CompareOptions& options);

[[nodiscard]] Json to_json(const Comparison& comparison);

}  // namespace ergon::report
