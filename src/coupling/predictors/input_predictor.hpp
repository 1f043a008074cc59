#pragma once

#include <optional>
#include <span>

#include "ergon/core/api.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/failure.hpp"

namespace ergon {

/// The step of a stage that inputs are produced for.
struct PredictedStep {
  Tick start = 0;
  Tick end = 0;
  double end_s = 0.0;
  double length_s = 0.0;
};

/// Produces inputs of the members of one stage from samples of the past: all inputs that one way of predicting fits, so that
/// no virtual call is made per input (docs/theory/predictors.md). In each step of the stage, in this order:
///   arrived   the samples that the step starts from are there; nobody has stepped from them yet
///   degree, write   the inputs over the step, as polynomials in τ
///   settle    all inputs are there: those that depend on what the step will do with the others
///   close     the step is over: the inputs at its end, with which the outputs are evaluated
/// What it remembers goes through `archive`. A new one is a file of its own and a line in the registry.
class ERGON_API InputPredictor {
 public:
  /// `stage`: whose inputs it produces.
  explicit InputPredictor(Index stage) : stage_(stage) {}
  InputPredictor(const InputPredictor&) = delete;
  InputPredictor& operator=(const InputPredictor&) = delete;
  virtual ~InputPredictor() = default;

  [[nodiscard]] Index stage() const { return stage_; }

  /// Back to t₀: nothing has been seen.
  virtual void restart() {}
  virtual std::optional<Failure> arrived(const PredictedStep& /*step*/) { return std::nullopt; }
  /// Of the polynomials that start at tick `k`.
  virtual int degree(Tick /*k*/) { return 0; }
  /// Writes them, one plane per power of τ up to `degree`, which is that of the whole stage and not less than its own. Those
  /// before it in the registry have written; terms of sums are added up when all have.
  virtual void write(Tick /*k*/, int /*degree*/, double* /*coefficients*/) {}
  /// `coefficients`: as they were written, sums and corrections included.
  virtual std::optional<Failure> settle(const PredictedStep& /*step*/, int /*degree*/,
                                        double* /*coefficients*/) {
    return std::nullopt;
  }
  /// `inputs`, one per slot: as applied at the end of the step, until a predictor says better.
  virtual std::optional<Failure> close(const PredictedStep& /*step*/, std::span<double> /*inputs*/) {
    return std::nullopt;
  }
  virtual void archive(Archive& /*archive*/) {}

 private:
  Index stage_;
};

}  // namespace ergon
