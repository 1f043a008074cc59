#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/coupling/options/parameter_change.hpp"
#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/coupling_state.hpp"
#include "ergon/coupling/state/failure.hpp"

namespace ergon {

/// Parameters, and inputs that nothing feeds, that change during a run: between two steps of their subsystem, at its communication
/// points, and at no other time.
/// What was recorded at such a point stays as it is; all that follows sees the new value: a source, whose output is a function of time
/// and its parameters alone, is evaluated anew at this point, so that the steps which begin here get the new signal.
class ParameterChanges {
 public:
  /// Reports what cannot be changed so. `plan` must outlive it.
  ParameterChanges(const CouplingPlan& plan, ProblemList& problems);

  /// One more, from the present point on. Reports what is wrong with it, and then does nothing.
  void add(const ParameterChange& change, Tick now, ProblemList& problems);
  /// There have been none, and none are to come.
  [[nodiscard]] bool empty() const { return pending_.empty(); }
  /// Makes the changes that are due at this point.
  std::optional<Failure> apply(CouplingState& state);
  /// The next one that is to come, no later than `end`.
  [[nodiscard]] Tick next(Tick end) const;
  /// All values are as they were before the first change.
  void restart();

  [[nodiscard]] std::span<const ParameterChanged> log() const { return log_; }
  /// The log, what is still to come, and the present values of all tunable parameters: reading sets them.
  void archive(Archive& archive);

 private:
  struct Pending {
    Tick due = 0;
    Index node = 0;
    std::size_t number = 0;
    ParameterChange change;
    TypedValue value;  ///< of the alternative that the parameter has; added to it where the change is a bias
    bool done = false;
    TypedValue before{};  ///< once it is done
    std::optional<std::size_t>
        ends{};  ///< the number of a change whose time is over: the value before it returns
    std::size_t id = 0;
    bool is_input = false;  ///< `number` is that of an input of the system
  };
  /// A parameter of a node, or an input of the system that nothing feeds.
  struct Place {
    Index node = 0;
    std::size_t number = 0;
    TunableParameter info;
    bool is_input = false;
  };
  void schedule(const ParameterChange& change, ProblemList& problems);
  [[nodiscard]] Tick tick_at(double time_s) const;
  [[nodiscard]] TypedValue value_to_set(const Pending& change, const TypedValue& before) const;
  [[nodiscard]] TypedValue input_value(Index input, const CouplingState& state) const;
  std::optional<Pending> resolve(const ParameterChange& change, ProblemList& problems) const;
  std::optional<Failure> set(Pending& change, CouplingState& state, double time_s);
  std::optional<Failure> evaluate_source(Index node, CouplingState& state) const;

  const CouplingPlan& plan_;
  std::vector<Place>
      places_;  ///< of all tunable parameters, and behind them of all inputs that nothing feeds
  std::map<std::string, std::size_t> place_of_;
  std::vector<TypedValue> at_start_;
  std::vector<Pending> pending_;  ///< in order of time
  std::size_t scheduled_ = 0;     ///< of which so many are in the options
  std::vector<ParameterChanged> log_;
};

}  // namespace ergon
