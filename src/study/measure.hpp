#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/output_record.hpp"

namespace ergon::study {

/// A figure of a run, as a user writes it: `peak = max(load.position)`. Functions of a formula of outputs (docs/studies.md):
///   max min range mean rms integral initial final     of the values at all points; means and integrals by the trapezoidal rule
///   value(x, t=3)          at a time, between points by a straight line
///   first(x > 1)           the first time at which a condition holds; last(…) the last one, duration(…) for how long
///   settling(x, band=0.02) the time from which on x stays within this part of |final − initial| around its final value
///   overshoot(x)           how far x goes beyond its final value, over |final − initial|
struct ERGON_API Measure {
  std::string name;
  std::string text;      ///< as written
  std::string function;  ///< max
  std::string formula;   ///< outputs replaced by symbols: s0 - s1
  std::vector<std::string> outputs;
  double argument = 0.0;  ///< t or band

  /// "name=function(…)", or "function(…)" alone, which is its own name. Throws InputError; `where` is said in it.
  static Measure parse(const std::string& text, const std::string& where);
};

/// The measures of one run: is shown every point, and has a number per measure at the end.
class ERGON_API MeasureSet {
 public:
  /// Throws InputError where the system does not have an output.
  MeasureSet(std::span<const Measure> measures, const CoupledSystem& system);
  ~MeasureSet();
  MeasureSet(MeasureSet&&) noexcept;
  MeasureSet& operator=(MeasureSet&&) = delete;

  void inspect(double time_s, const OutputRecord& record);
  /// NaN where a measure has none: a time that was not reached, a condition that never held.
  [[nodiscard]] std::vector<double> values() const;

 private:
  struct State;
  std::vector<std::unique_ptr<State>> states_;
};

}  // namespace ergon::study
