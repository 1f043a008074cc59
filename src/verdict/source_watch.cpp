#include "ergon/verdict/source_watch.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/core/receivers.hpp"

namespace ergon {
namespace {

int degree_at_receivers(const CoupledSystem& system, Index output, int otherwise) {
  for (const auto& link : system.links) {
    if (!link || !link->degree) continue;
    for (const LinkTerm& term : link->terms) {
      if (term.output == output) return *link->degree;
    }
  }
  return otherwise;
}

constexpr double longer = 1.001;

}  // namespace

SourceWatch::SourceWatch(const CoupledSystem& system, int degree) {
  for (const Node& node : system.nodes) {
    if (!is_source(node)) continue;
    for (std::size_t o = 0; o < node.output_count; ++o) {
      const Index output = node.first_output + o;
      if (system.output_port(output).type != PortType::real) continue;  // held, not sampled
      const auto receivers_s = shortest_step_of_receivers(system, output);
      if (!receivers_s) continue;
      Source source;
      source.name = node.name;
      source.subsystem = node.subsystem.get();
      source.first_output = node.first_output;
      source.output = o;
      source.outputs = node.output_count;
      source.step_s = node.step_s.value();
      source.held = source.step_s > longer * receivers_s->value();
      source.tunable = node.subsystem->tunable() != nullptr;
      source.degree = degree_at_receivers(system, output, degree);
      sources_.push_back(std::move(source));
      scratch_.resize(std::max(scratch_.size(), node.output_count));
    }
  }
  states_.resize(sources_.size());
}

double SourceWatch::value(const Source& source, double t_s) {
  source.subsystem->outputs(t_s, nullptr, scratch_.data());
  return scratch_[source.output];
}

void SourceWatch::inspect(const StepRecord& record) {
  const double before_s = time_s_;
  time_s_ = record.time_s();
  if (!started_) start_time_s_ = time_s_;
  const double dt_s = time_s_ - before_s;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    State& state = states_[i];
    const double now = value(source, time_s_);
    if (started_ && dt_s > 0.0) {
      // Where a parameter changed at the last point, the signal is another one from there on.
      const double again = source.tunable ? value(source, before_s) : state.value;
      if (again != state.value && source.held) state.sample = value(source, state.sample_time_s);
      state.value = again;
      const double middle_s = time_s_ - 0.5 * dt_s;
      const double truth = value(source, middle_s);
      double given = 0.5 * (state.value + now);
      if (source.held)
        given = state.sample + (source.degree > 0 ? state.slope * (middle_s - state.sample_time_s) : 0.0);
      state.error2 += (truth - given) * (truth - given) * dt_s;
      state.sum += truth * dt_s;
      state.square += truth * truth * dt_s;
    }
    state.value = now;
    if (!source.held) continue;
    const double sample = record.output(source.first_output + source.output);
    const double steps = std::floor((time_s_ - start_time_s_) / source.step_s + 1e-9);
    const double sample_time_s = start_time_s_ + steps * source.step_s;
    if (!started_) {
      state.sample_time_s = sample_time_s;
    } else if (sample_time_s > state.sample_time_s) {
      state.slope = (sample - state.sample) / (sample_time_s - state.sample_time_s);
      state.sample_time_s = sample_time_s;
    }
    state.sample = sample;
  }
  started_ = true;
}

double SourceWatch::ratio(std::size_t i) const {
  const State& state = states_[i];
  const double T_s = time_s_ - start_time_s_;
  if (!(T_s > 0.0)) return 0.0;
  const double variance = state.square - state.sum * state.sum / T_s;
  // A constant has none but that of round-off.
  constexpr double round_off = 1e-20;
  if (!(variance > round_off * state.square)) return 0.0;
  return std::sqrt(state.error2 / variance);
}

void SourceWatch::archive(Archive& archive) {
  archive(std::span(states_));
  archive(started_);
  archive(start_time_s_);
  archive(time_s_);
}

}  // namespace ergon
