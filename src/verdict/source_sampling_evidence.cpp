#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/receivers.hpp"
#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_limits.hpp"
#include "ergon/verdict/verdict_words.hpp"

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

/// How well the samples of sources render their signals. A source knows its future: its signal depends on time alone (TimeSignal), so that
/// it can be read at any time. At the middle m between two communication points its value s(m) is compared
///   with what its receivers were given then, held or carried on along a line, where their steps are shorter than its own;
///   with the mean of its samples before and after, where it is sampled in each of their steps.
/// Judged is the root mean square of the difference over that of s about its mean.
class SourceSampling final : public Evidence {
 public:
  explicit SourceSampling(const EvidenceContext& context) {
    const CoupledSystem& system = context.system;
    for (const Node& node : system.nodes) {
      const TimeSignal* signal = node.subsystem ? node.subsystem->time_signal() : nullptr;
      if (signal == nullptr) continue;
      for (std::size_t o = 0; o < node.output_count; ++o) {
        const Index output = node.first_output + o;
        const auto receivers_s = shortest_step_of_receivers(system, output);
        if (!receivers_s) continue;
        Source source;
        source.name = node.name;
        source.signal = signal;
        source.first_output = node.first_output;
        source.output = o;
        source.step_s = node.step_s.value();
        source.held = source.step_s > verdict_limits::longer_step * receivers_s->value();
        source.degree = degree_at_receivers(system, output, context.options.degree);
        sources_.push_back(std::move(source));
        scratch_.resize(std::max(scratch_.size(), node.output_count));
      }
    }
    states_.resize(sources_.size());
  }

  bool start(const ObservedPoint& point) override {
    start_time_s_ = time_s_ = point.time_s;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Source& source = sources_[i];
      State& state = states_[i];
      state.value = value(source, time_s_);
      state.sample_time_s = time_s_;
      state.sample = point.record.output(source.first_output + source.output);
    }
    return !sources_.empty();
  }
  void observe(const ObservedPoint& point) override {
    const double before_s = time_s_;
    time_s_ = point.time_s;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (time_s_ > before_s) compare(sources_[i], states_[i], before_s);
      if (sources_[i].held) take_sample(sources_[i], states_[i], point.record);
    }
  }

  void findings(Findings& findings) const override {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const double left_out = ratio(i);
      if (!(left_out > verdict_limits::doubtful_source)) continue;
      findings.add({.says = VerdictValue::doubtful,
                    .kind = ReasonKind::source_sampling,
                    .subject = i,
                    .ratio = left_out,
                    .limit = verdict_limits::doubtful_source});
    }
  }
  void describe(const Finding& finding, VerdictReason& reason) const override {
    const std::string& name = sources_[finding.subject].name;
    reason.subsystems = {name};
    reason.what = fmt::format("the samples of source '{}' leave out {} of its signal (a smaller step_size)",
                              name, verdict_words::percent(finding.ratio));
  }
  void archive(Archive& archive) override {
    archive(std::span(states_));
    archive(start_time_s_);
    archive(time_s_);
  }

 private:
  struct Source {
    std::string name;
    const TimeSignal* signal = nullptr;
    Index first_output = 0;
    std::size_t output = 0;  ///< of the subsystem
    double step_s = 0.0;
    bool held = false;  ///< receivers take several steps with one sample
    int degree = 0;
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

  double value(const Source& source, double t_s) {
    source.signal->signal(t_s, scratch_.data());
    return scratch_[source.output];
  }
  /// Over the step of the run that begins at `before_s` and ends now.
  void compare(const Source& source, State& state, double before_s) {
    const double dt_s = time_s_ - before_s;
    const double now = value(source, time_s_);
    // Where a parameter changed at the last point, the signal is another one from there on.
    const double again = value(source, before_s);
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
    state.value = now;
  }
  void take_sample(const Source& source, State& state, const StepRecord& record) {
    const double sample = record.output(source.first_output + source.output);
    const double steps = std::floor((time_s_ - start_time_s_) / source.step_s + 1e-9);
    const double sample_time_s = start_time_s_ + steps * source.step_s;
    if (sample_time_s > state.sample_time_s) {
      state.slope = (sample - state.sample) / (sample_time_s - state.sample_time_s);
      state.sample_time_s = sample_time_s;
    }
    state.sample = sample;
  }
  [[nodiscard]] double ratio(std::size_t i) const {
    const State& state = states_[i];
    const double T_s = time_s_ - start_time_s_;
    if (!(T_s > 0.0)) return 0.0;
    const double variance = state.square - state.sum * state.sum / T_s;
    if (!(variance > verdict_limits::constant_signal * state.square)) return 0.0;
    return std::sqrt(state.error2 / variance);
  }

  std::vector<Source> sources_;
  std::vector<State> states_;
  std::vector<double> scratch_;
  double start_time_s_ = 0.0;
  double time_s_ = 0.0;
};

}  // namespace

std::unique_ptr<Evidence> source_sampling_evidence(EvidenceContext& context) {
  return std::make_unique<SourceSampling>(context);
}

}  // namespace ergon
