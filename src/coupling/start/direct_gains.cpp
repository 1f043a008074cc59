#include "ergon/coupling/start/direct_gains.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

/// Of the size of an input: enough for six digits where outputs are read off as they are …
constexpr double change_when_set = 1e-5;
/// … and more where an integrator with its tolerances is in between.
constexpr double change_when_stepped = 1e-3;
/// Of a communication step, where the subsystem takes any length.
constexpr double part_of_step = 1.0 / 16.0;

/// One column of the matrix per input.
class Probe {
 public:
  Probe(const Node& node, std::span<const Index> outputs, std::span<const Index> inputs, double t_s,
        std::span<const double> u)
      : node_(node),
        outputs_(outputs),
        inputs_(inputs),
        t_s_(t_s),
        u_(u.begin(), u.end()),
        y_(node.output_count) {
    gains_.gain.assign(outputs.size() * inputs.size(), 0.0);
    gains_.spread = gains_.gain;
  }

  void by_setting() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const double change = change_of(inputs_[i], change_when_set);
      std::vector<double> moved = u_;
      moved[inputs_[i]] = u_[inputs_[i]] + change;
      const std::vector<double> above = evaluated(moved);
      moved[inputs_[i]] = u_[inputs_[i]] - change;
      const std::vector<double> below = evaluated(moved);
      for (std::size_t o = 0; o < outputs_.size(); ++o) at(o, i) = (above[o] - below[o]) / (2.0 * change);
    }
  }

  void by_jacobian(const Differentiable& knows) {
    std::vector<double> jacobian(node_.output_counts.reals * node_.input_count);
    knows.output_jacobian(t_s_, u_.data(), jacobian.data());
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        at(o, i) = jacobian[outputs_[o] * node_.input_count + inputs_[i]];
    }
  }

  void by_derivatives(const DirectionalDerivatives& knows) {
    const std::vector<double> state_change(knows.state_count(), 0.0);
    std::vector<double> rate_change(knows.state_count());
    std::vector<double> input_change(node_.input_count, 0.0);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      input_change[inputs_[i]] = 1.0;
      knows.directional_derivative(t_s_, u_.data(), state_change.data(), input_change.data(),
                                   rate_change.data(), y_.data());
      input_change[inputs_[i]] = 0.0;
      for (std::size_t o = 0; o < outputs_.size(); ++o) at(o, i) = y_[outputs_[o]];
    }
  }

  /// False: it cannot take the steps.
  bool by_stepping(Rewindable& rewindable) {
    const auto slot = rewindable.make_slot();
    rewindable.save(*slot);
    const auto answers = [&](const std::vector<double>& u, int steps, std::vector<double>& y) {
      bool done = false;
      try {
        done = stepped(u, steps, y);
      } catch (...) {
        done = false;
      }
      blaming(node_.name, t_s_, [&] { rewindable.restore(*slot); });
      return done;
    };
    constexpr int most = 3;
    std::vector<double> above[most];
    std::vector<double> below[most];
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const double change = change_of(inputs_[i], change_when_stepped);
      for (int steps = 1; steps <= most; ++steps) {
        std::vector<double> moved = u_;
        moved[inputs_[i]] = u_[inputs_[i]] + change;
        if (!answers(moved, steps, above[steps - 1])) return false;
        moved[inputs_[i]] = u_[inputs_[i]] - change;
        if (!answers(moved, steps, below[steps - 1])) return false;
      }
      for (std::size_t o = 0; o < outputs_.size(); ++o) {
        double after[most];
        for (int s = 0; s < most; ++s) after[s] = (above[s][o] - below[s][o]) / (2.0 * change);
        at(o, i) = 3.0 * after[0] - 3.0 * after[1] + after[2];
        gains_.spread[o * inputs_.size() + i] = std::abs(after[0] - at(o, i));
      }
    }
    return true;
  }

  /// Outputs as they were.
  void put_back() { live(node_)->outputs(t_s_, u_.data(), y_.data()); }
  [[nodiscard]] DirectGains gains() && { return std::move(gains_); }

 private:
  double& at(std::size_t output, std::size_t input) { return gains_.gain[output * inputs_.size() + input]; }
  [[nodiscard]] double change_of(Index input, double part) const {
    return part * std::max(1.0, std::abs(u_[input]));
  }
  [[nodiscard]] std::vector<double> picked() const {
    std::vector<double> values;
    for (const Index o : outputs_) values.push_back(y_[o]);
    return values;
  }
  std::vector<double> evaluated(const std::vector<double>& u) {
    live(node_)->outputs(t_s_, u.data(), y_.data());
    return picked();
  }
  bool stepped(const std::vector<double>& u, int steps, std::vector<double>& y) {
    const Description& d = *node_.description;
    const bool given = d.fixed_step || d.internal_step_s > 0.0;
    const double h_s = node_.step_s.value() * (given ? 1.0 : part_of_step);
    const InputView view{u.data(), u.size(), 0};
    for (int s = 0; s < steps; ++s) {
      if (!live(node_)->step(t_s_ + s * h_s, h_s, view).ok) return false;
    }
    live(node_)->outputs(t_s_ + steps * h_s, u.data(), y_.data());
    y = picked();
    return true;
  }

  const Node& node_;
  std::span<const Index> outputs_;
  std::span<const Index> inputs_;
  double t_s_;
  std::vector<double> u_;
  std::vector<double> y_;
  DirectGains gains_;
};

}  // namespace

std::optional<DirectGains> probe_direct_gains(const Node& node, std::span<const Index> outputs,
                                              std::span<const Index> inputs, double t_s,
                                              std::span<const double> u, TrialSteps steps) {
  Probe probe(node, outputs, inputs, t_s, u);
  Subsystem& subsystem = *live(node);
  if (node.description->reevaluates_outputs) {
    bool read = true;
    try {
      probe.by_setting();
    } catch (...) {
      read = false;
    }
    blaming(node.name, t_s, [&] { probe.put_back(); });
    return read ? std::optional(std::move(probe).gains()) : std::nullopt;
  }
  try {
    if (const Differentiable* jacobian = subsystem.differentiable()) {
      probe.by_jacobian(*jacobian);
      return std::move(probe).gains();
    }
    if (const DirectionalDerivatives* derivatives = subsystem.directional_derivatives()) {
      probe.by_derivatives(*derivatives);
      return std::move(probe).gains();
    }
    Rewindable* rewindable = steps == TrialSteps::allowed ? subsystem.rewindable() : nullptr;
    if (rewindable != nullptr && probe.by_stepping(*rewindable)) return std::move(probe).gains();
  } catch (const SubsystemFailure&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ergon
