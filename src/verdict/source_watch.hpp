#pragma once

#include <string>
#include <vector>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/step_record.hpp"

namespace ergon {

/// How well the samples of sources render their signals. A source knows its future: it has neither inputs nor states, so it can be
/// asked for its value at any time. At the middle m between two communication points its value s(m) is compared
///   with what its receivers were given then, held or carried on along a line, where their steps are shorter than its own;
///   with the mean of its samples before and after, where it is sampled in each of their steps.
/// Judged is the root mean square of the difference over that of s about its mean.
class SourceWatch {
 public:
  /// `degree`: of the extrapolation of inputs that do not say their own.
  SourceWatch(const CoupledSystem& system, int degree);

  /// Every communication point, in order, t₀ included.
  void inspect(const StepRecord& record);

  [[nodiscard]] std::size_t size() const { return sources_.size(); }
  [[nodiscard]] const std::string& name(std::size_t source) const { return sources_[source].name; }
  [[nodiscard]] double ratio(std::size_t source) const;

  void archive(Archive& archive);

 private:
  struct Source {
    std::string name;
    Subsystem* subsystem = nullptr;
    Index first_output = 0;
    std::size_t output = 0;  ///< of the subsystem
    std::size_t outputs = 0;
    double step_s = 0.0;
    bool held = false;  ///< receivers take several steps with one sample
    int degree = 0;
    bool tunable = false;  ///< its signal may become another one at a communication point
  };
  struct State {
    double sample = 0.0;  ///< newest one
    double sample_time_s = 0.0;
    double slope = 0.0;
    double value = 0.0;  ///< at the last point
    double error2 = 0.0;
    double sum = 0.0;
    double square = 0.0;
  };
  double value(const Source& source, double t_s);

  std::vector<Source> sources_;
  std::vector<State> states_;
  std::vector<double> scratch_;
  bool started_ = false;
  double start_time_s_ = 0.0;
  double time_s_ = 0.0;
};

}  // namespace ergon
