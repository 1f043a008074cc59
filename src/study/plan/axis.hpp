#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon::study {

/// One setting that differs from run to run, and the values that it takes (docs/studies.md):
///   right.m=0.01,0.1,1            these values; texts, too: coupling.scheme=jacobi,gauss-seidel
///   …=lin(0,1,11), log(1e-4,1,9)  evenly spaced values; where values are drawn: any between the ends
///   …=uniform(a,b), loguniform(a,b), normal(mean,deviation), lognormal(mean,deviation of ln x)
///   …=csv(FILE,COLUMN)            the samples of a file
/// Lists and samples that are drawn from are equally likely.
struct ERGON_API Axis {
  enum class Kind { list, lin, log, uniform, loguniform, normal, lognormal };
  std::string setting;  ///< its path, as --set has it
  Kind kind = Kind::list;
  std::vector<std::string> values;  ///< of a list
  double a = 0.0, b = 0.0;          ///< ends, or mean and deviation
  std::size_t count = 0;            ///< of evenly spaced values

  /// "path=values". Throws InputError, which says `where`.
  static Axis parse(const std::string& text, const std::string& where);
  [[nodiscard]] bool has_values() const {
    return kind == Kind::list || kind == Kind::lin || kind == Kind::log;
  }
  /// How many values there are; 0 of a distribution.
  [[nodiscard]] std::size_t size() const { return kind == Kind::list ? values.size() : count; }
  /// A value by its number.
  [[nodiscard]] std::string value(std::size_t number) const;
  /// The value that is greater than a share `u` of all, 0 < u < 1.
  [[nodiscard]] std::string quantile(double u) const;
};

/// Φ⁻¹, to about the last digit.
[[nodiscard]] ERGON_API double normal_quantile(double u);

}  // namespace ergon::study
