#include "ergon/coupling/state/foreign_step.hpp"

#include <cmath>
#include <vector>

namespace ergon {
namespace {

/// The shortest piece of a discarded step, as a part of it.
constexpr double smallest_piece = 1.0 / 4096.0;
/// Events within one communication step: more are taken for an endless sequence.
constexpr int max_pieces = 65536;

}  // namespace

// u(offset + τ) = Σ_d c_d (offset + τ)^d = Σ_k τ^k Σ_d≥k C(d, k) offset^(d−k) c_d
InputView shifted(const Member& member, const InputView& u, double offset, std::vector<double>& scratch) {
  if (u.degree == 0) return u;
  const std::size_t n = member.input_count;
  const auto planes = static_cast<std::size_t>(u.degree) + 1;
  scratch.assign(planes * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < planes; ++k) {
      double factor = 1.0;  // C(d, k) offset^(d−k)
      for (std::size_t d = k; d < planes; ++d) {
        scratch[k * n + i] += factor * u.coefficients[d * u.stride + i];
        factor *= offset * static_cast<double>(d + 1) / static_cast<double>(d + 1 - k);
      }
    }
  }
  return {scratch.data(), n, u.degree};
}

StepStatus finish_step(const Member& member, double t, double h, const InputView& u, StepStatus status,
                       Discarded discarded) {
  thread_local std::vector<double> scratch;
  Subsystem& subsystem = *member.subsystem;
  const double end = t + h;
  double at = t;        // where its state is
  double target = end;  // of the piece that ended with `status`
  for (int piece = 0; piece < max_pieces; ++piece) {
    const double reached = subsystem.time_reached();
    switch (status.outcome) {
      case StepOutcome::failed:
        return status;
      case StepOutcome::done:
        at = target;
        target = end;
        break;
      case StepOutcome::ended_early:
        if (!(reached > at)) return {false, "it ended a step early without getting any further"};
        if (reached > target) return {false, "it reported a time beyond the end of its step"};
        at = reached;
        target = end;
        break;
      case StepOutcome::discarded:
        if (discarded == Discarded::returned) {
          // Amid the step it cannot be taken for one that has not begun.
          return at == t ? status : StepStatus{StepOutcome::failed, status.reason};
        }
        target = reached > at && reached < target ? reached : at + 0.5 * (target - at);
        if (target - at < smallest_piece * h) return {false, "it discards even the shortest steps"};
        break;
    }
    if (at >= end) return {};
    // Whoever samples at the start of the communication step has seen its inputs: they stay.
    const InputView rest =
        member.samples_start ? InputView{u.coefficients, u.stride, 0} : shifted(member, u, at - t, scratch);
    status = subsystem.step(at, target - at, rest);
  }
  return {false, "its step was interrupted too often"};
}

}  // namespace ergon
