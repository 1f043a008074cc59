#include <fmt/format.h>

#include <algorithm>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/start/start.hpp"
#include "ergon/coupling/state/snapshot.hpp"

namespace ergon {
namespace {

/// The first samples of one stage in a trial run: what it gave, or what came in at its own points.
struct FirstSamples {
  std::vector<Tick> ticks;
  std::vector<std::vector<double>> planes;
};

/// Continues the polynomial through them to as many times before t₀.
void continue_to_the_past(const FirstSamples& first, const TimeGrid& grid, SampleRing& history) {
  if (first.ticks.size() < 2) return;
  const Tick period = first.ticks[1] - first.ticks[0];
  std::vector<double> ghost(history.width());
  for (Tick j = 1; j < static_cast<Tick>(first.ticks.size()); ++j) {
    std::vector<double> times;
    for (const Tick k : first.ticks) times.push_back(grid.duration_s(k + j * period));
    const auto weights = polynomial_weights(times).weight[0];
    std::fill(ghost.begin(), ghost.end(), 0.0);
    for (std::size_t i = 0; i < times.size(); ++i) {
      for (std::size_t v = 0; v < ghost.size(); ++v) ghost[v] += weights[i] * first.planes[i][v];
    }
    history.append_older(-j * period, ghost.data());
  }
}

}  // namespace

/// Fills the history before t₀ so that coupling of degree k starts with order k + 1:
///   repeat k + 1 times:  run the first k steps of every stage; pass a polynomial of degree k through the samples of each stage at
///   t₀ … t₀ + kH; its values at t₀ − H … t₀ − kH are the history of the next try; set all subsystems back.
/// Each try makes the samples, and so the history, accurate to one order more.
std::optional<Failure> Start::repeat_first_steps(TrialRun& trial) {
  const TimeGrid& grid = plan_.grid();
  const int degree = plan_.max_degree();
  if (degree == 0) return std::nullopt;
  for (const Node& node : system_.nodes) {
    if (node.description->algebraic || live(node)->rewindable() != nullptr) continue;
    problems_.error(node.where, fmt::format("starter = \"repeat\" cannot set '{}' back.", node.name),
                    "Use starter = \"none\", or give an initial_history.");
  }
  // Elements have new samples where all their sources have: their period may be longer than any step.
  Tick longest = plan_.longest_period();
  for (Index s = 0; s < state_.stage_count(); ++s) {
    longest = std::max(longest, plan_.sampling_period(plan_.stage(s)));
  }
  if (longest > grid.end() / degree) {
    problems_.error(
        {},
        fmt::format("starter = \"repeat\" needs {} times {} s, the longest time between two samples of a "
                    "subsystem or element, but the run is shorter.",
                    degree, grid.duration_s(longest)),
        "Use starter = \"none\" or a lower degree of extrapolation.");
  }
  if (problems_.has_errors()) return std::nullopt;

  Snapshot start(system_);
  start.save_subsystems(system_, grid.time_s(0));
  const std::size_t wanted = static_cast<std::size_t>(degree) + 1;
  for (int attempt = 0; attempt <= degree; ++attempt) {
    std::vector<FirstSamples> first(state_.stage_count());
    std::vector<FirstSamples> own(plan_.stepping_stages());
    const auto collect = [&] {
      for (Index s = 0; s < first.size(); ++s) {
        FirstSamples& f = first[s];
        const SampleRing& samples = state_.stage(s).samples();
        if (f.ticks.size() == wanted || samples.tick(0) != state_.now()) continue;
        f.ticks.push_back(state_.now());
        f.planes.emplace_back(samples.sample(0), samples.sample(0) + samples.width());
        if (s >= own.size() || !plan_.stage(s).keeps_own_points()) continue;
        own[s].ticks.push_back(state_.now());
        state_.own_inputs_at(s, state_.now(), own[s].planes.emplace_back(plan_.stage(s).slots).data());
      }
    };
    collect();
    trial.open_books();
    while (state_.now() < longest * degree) {
      if (auto failure = trial.advance_point()) return failure;
      collect();
    }
    if (auto failure = trial.finish_pending()) return failure;
    start.restore_subsystems(system_, grid.time_s(0));
    state_.reset();
    if (auto failure = StartEvaluation(plan_, state_, parts_).evaluate(problems_)) return failure;
    for (Index s = 0; s < first.size(); ++s) {
      continue_to_the_past(first[s], grid, state_.stage(s).samples());
      if (s < own.size() && plan_.stage(s).keeps_own_points())
        continue_to_the_past(own[s], grid, state_.stage(s).own_points().samples);
    }
  }
  return std::nullopt;
}

}  // namespace ergon
