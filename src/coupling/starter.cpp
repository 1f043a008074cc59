#include <fmt/format.h>

#include "ergon/coupling/engine_impl.hpp"

namespace ergon {
namespace {

/// The first samples of one stage in a trial run.
struct FirstSamples {
  std::vector<Tick> ticks;
  std::vector<std::vector<double>> planes;
};

}  // namespace

/// Fills the history before t₀ so that coupling of degree k starts with order k + 1:
///   repeat k + 1 times:  run the first k steps; pass a polynomial of degree k through the samples of each stage at
///   t₀ … t₀ + kH; its values at t₀ − H … t₀ − kH are the history of the next try; set all subsystems back.
/// Each try makes the samples, and so the history, accurate to one order more.
std::optional<Failure> Engine::Impl::run_starter(ProblemList& problems) {
  int degree = 0;
  for (const Stage& stage : stages) degree = std::max(degree, stage.exchange.max_degree());
  if (degree == 0) return std::nullopt;
  for (const Node& node : system.nodes) {
    if (node.description.algebraic || node.subsystem->rewindable() != nullptr) continue;
    problems.error(node.where, fmt::format("starter = \"repeat\" cannot set '{}' back.", node.name),
                   "Use starter = \"none\", or give an initial_history.");
  }
  Tick longest = 0;
  for (std::size_t s = 0; s < stepping_stages; ++s) longest = std::max(longest, stages[s].period);
  if (longest * degree > grid.end()) {
    problems.error({}, fmt::format("starter = \"repeat\" needs {} steps, but the run is shorter.", degree),
                   "Use starter = \"none\" or a lower degree of extrapolation.");
  }
  if (problems.has_errors()) return std::nullopt;

  std::vector<std::vector<double>> saved(system.nodes.size());
  for (Index n = 0; n < system.nodes.size(); ++n) {
    Rewindable* rewindable = system.nodes[n].subsystem->rewindable();
    if (rewindable == nullptr) continue;
    saved[n].resize(rewindable->state_size());
    rewindable->save(saved[n].data());
  }
  const std::size_t wanted = static_cast<std::size_t>(degree) + 1;
  for (int attempt = 0; attempt <= degree; ++attempt) {
    std::vector<FirstSamples> first(stages.size());
    const auto collect = [&] {
      for (Index s = 0; s < stages.size(); ++s) {
        FirstSamples& f = first[s];
        if (f.ticks.size() == wanted || stages[s].samples.tick(0) != now) continue;
        const double* plane = stages[s].samples.sample(0);
        f.ticks.push_back(now);
        f.planes.emplace_back(plane, plane + stages[s].samples.width());
      }
    };
    collect();
    start_books();
    while (now < longest * degree) {
      if (auto failure = advance_point()) return failure;
      collect();
    }
    for (Index n = 0; n < system.nodes.size(); ++n) {
      if (!saved[n].empty()) system.nodes[n].subsystem->rewindable()->restore(saved[n].data());
    }
    reset_clock();
    if (auto failure = evaluate_everything(problems)) return failure;
    for (Index s = 0; s < stages.size(); ++s) {
      const FirstSamples& f = first[s];
      if (f.ticks.size() < 2) continue;
      const Tick period = f.ticks[1] - f.ticks[0];
      std::vector<double> ghost(stages[s].samples.width());
      for (Tick j = 1; j < static_cast<Tick>(f.ticks.size()); ++j) {
        std::vector<double> times;
        for (const Tick k : f.ticks) times.push_back(grid.duration_s(k + j * period));
        const auto weights = polynomial_weights(times).weight[0];
        std::fill(ghost.begin(), ghost.end(), 0.0);
        for (std::size_t i = 0; i < times.size(); ++i) {
          for (std::size_t v = 0; v < ghost.size(); ++v) ghost[v] += weights[i] * f.planes[i][v];
        }
        stages[s].samples.append_older(-j * period, ghost.data());
      }
    }
  }
  return std::nullopt;
}

}  // namespace ergon
