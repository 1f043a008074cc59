#include "benchmarks/framework/convergence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "benchmarks/framework/run_changes.hpp"
#include "ergon/numerics/first_order.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/signal/extrapolation.hpp"

namespace ergon::bench {

void SampledTrajectory::operator()(double t_s, std::span<double> values) const {
  const double place = t_s / step_s_;
  const auto index = static_cast<std::size_t>(std::lround(place));
  if (index >= samples_.size() || std::abs(place - static_cast<double>(index)) > 1e-6) {
    throw std::logic_error(fmt::format("the reference has no sample at {} s", t_s));
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = samples_[index][i];
}

SampledTrajectory integrate_monolithic(const Rates& rates, std::vector<double> z0, double duration_s,
                                       double step_s, int keep_every) {
  const auto steps = static_cast<long>(std::lround(duration_s / step_s));
  std::vector<double> scratch(numerics::first_order_scratch_size(z0.size()));
  std::vector<std::vector<double>> samples = {z0};
  for (long n = 0; n < steps; ++n) {
    numerics::rk4_step(rates, z0.size(), static_cast<double>(n) * step_s, step_s, z0.data(), scratch);
    if ((n + 1) % keep_every == 0) samples.push_back(z0);
  }
  return {keep_every * step_s, std::move(samples)};
}

ComparedRun compare(const std::filesystem::path& scenario, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& outputs, const Trajectory& reference,
                    const PointHook& at_point) {
  Simulation simulation(scenario, with_changes(scenario, overrides));
  std::vector<Index> indices;
  for (const std::string& output : outputs) indices.push_back(simulation.output(output));
  std::vector<Index> also;
  for (const std::string& output : at_point.also) also.push_back(simulation.output(output));
  std::vector<double> exact(outputs.size());
  std::vector<double> errors(outputs.size());
  std::vector<double> sizes(outputs.size());
  ComparedRun run;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    reference(record.time_s(), exact);
    run.last.resize(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      run.last[i] = record.output(indices[i]);
      errors[i] = std::max(errors[i], std::abs(run.last[i] - exact[i]));
      sizes[i] = std::max(sizes[i], std::abs(exact[i]));
    }
    if (at_point.see) {
      std::vector<double> seen = run.last;
      for (const Index index : also) seen.push_back(record.output(index));
      at_point.see(record.time_s(), seen);
    }
    if (run.first.empty()) {
      run.first = run.last;
    } else {
      ++run.steps;
    }
  });
  if (failure)
    throw std::runtime_error(
        fmt::format("{} at {} s: {}", failure->subsystem, failure->time_s, failure->what));
  for (std::size_t i = 0; i < errors.size(); ++i) {
    run.max_error = std::max(run.max_error, errors[i]);
    if (sizes[i] > 0.0) run.max_relative_error = std::max(run.max_relative_error, errors[i] / sizes[i]);
  }
  if (const ImplicitRecord* implicit = simulation.engine().record().implicit_steps()) {
    run.integrations_per_step =
        static_cast<double>(implicit->integrations) / static_cast<double>(implicit->steps);
  }
  return run;
}

std::vector<std::string> scheme_settings(const std::string& scheme, int k, double H_s) {
  const bool is_explicit = scheme == "explicit";
  std::vector<std::string> settings = {fmt::format("simulation.step_size={}", H_s),
                                       fmt::format("coupling.scheme={}", is_explicit ? "jacobi" : scheme)};
  if (is_explicit) {
    settings.push_back(fmt::format("coupling.extrapolation={}", extrapolation_name(k)));
    settings.push_back(fmt::format("coupling.starter={}", k > 0 ? "repeat" : "none"));
  } else {
    settings.push_back(fmt::format("coupling.degree={}", k));
  }
  return settings;
}

}  // namespace ergon::bench
