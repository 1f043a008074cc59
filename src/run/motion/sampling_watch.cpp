#include "ergon/run/motion/sampling_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {

void SamplingWatch::begin(const Engine& engine) {
  engine_ = &engine;
  pairs_.clear();
  const CoupledSystem& system = engine.system();
  // With step control nobody has points of its own.
  const bool controlled = engine.record().step_control() != nullptr;
  for (const auto& link : system.links) {
    if (!link || controlled) continue;
    const Index receiver = system.inputs[link->input].node;
    for (const LinkTerm& term : link->terms) {
      const SignalName& name = system.outputs[term.output];
      const Tick sender_ticks = engine.period(name.node);
      const Tick receiver_ticks = engine.period(receiver);
      if (name.type != PortType::real || system.nodes[name.node].description->is_signal) continue;
      if (sender_ticks <= 0 || receiver_ticks <= sender_ticks) continue;
      const bool is_known = std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
        return p.output == term.output && p.receiver == receiver;
      });
      if (!is_known) pairs_.push_back({term.output, receiver, sender_ticks, receiver_ticks});
    }
  }
  sums_.assign(pairs_.size(), {});
}

void SamplingWatch::inspect(const StepRecord& record) {
  const Tick now = record.tick();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    if (now % pair.sender_ticks != 0) continue;
    Sums& s = sums_[i];
    const double y = record.output(pair.output);
    s.count += 1.0;
    const double off = y - s.mean;
    s.mean += off / s.count;
    s.squares += off * (y - s.mean);
    s.size = std::max(s.size, std::abs(y));
    const Tick since = now % pair.receiver_ticks;
    const bool is_sample = since == 0;
    const auto tau = static_cast<double>(is_sample ? pair.receiver_ticks : since);
    if (now > 0) {
      const double d = y - s.at_sample;
      s.d_tau += d * tau;
      s.d_squared += d * d;
      s.tau_squared += tau * tau;
      // The line ends in this sample: slope d/τ.
      if (is_sample) {
        const double slope = d / tau;
        s.left_out += std::max(0.0, s.d_squared - 2.0 * slope * s.d_tau + slope * slope * s.tau_squared);
      }
    }
    if (!is_sample) continue;
    s.at_sample = y;
    s.d_tau = s.d_squared = s.tau_squared = 0.0;
  }
}

std::vector<VerdictReason> SamplingWatch::reasons() const {
  namespace limits = motion_limits;
  std::vector<VerdictReason> result;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Sums& s = sums_[i];
    const double rms = s.count > 0.0 ? std::sqrt(s.squares / s.count) : 0.0;
    if (!(rms > limits::round_off * s.size)) continue;
    const double left_out = std::sqrt(s.left_out / s.squares);
    if (!(left_out > limits::aliased_source)) continue;
    const std::string& receiver = engine_->system().nodes[pairs_[i].receiver].name;
    VerdictReason reason;
    reason.kind = ReasonKind::source_sampling;
    reason.says = left_out > limits::lost_signal ? VerdictValue::unreliable : VerdictValue::doubtful;
    reason.what = fmt::format(
        "'{}' samples '{}' too rarely: its samples leave out {:.0f} % of the signal (root mean "
        "square), at all step sizes that were tried",
        receiver, engine_->system().outputs[pairs_[i].output].text, std::min(100.0, 100.0 * left_out));
    reason.subsystems = {receiver};
    reason.from_s = engine_->grid().time_s(0);
    reason.to_s = engine_->record().time_s();
    reason.ratio = left_out;
    result.push_back(std::move(reason));
  }
  return result;
}

void SamplingWatch::archive(Archive& archive) {
  archive.section("sampling");
  archive(std::span(sums_));
}

void widen_bars(const std::vector<VerdictReason>& lost_signals, Motion& motion) {
  for (const VerdictReason& reason : lost_signals) {
    for (VariableMotion& variable : motion.variables) {
      if (variable.name.rfind(reason.subsystems.front() + ".", 0) != 0 || !variable.ratio) continue;
      variable.largest_error = std::max(variable.largest_error, 2.0 * variable.half_range);
      variable.ratio = std::max(*variable.ratio, 2.0);
    }
  }
}

}  // namespace ergon
