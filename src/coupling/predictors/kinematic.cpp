#include <algorithm>

#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {
namespace {

/// A displacement and its rate that are predicted together from the newest sample of their source. The difference of the flow
/// is taken between the samples that two steps of the receiver started from, or two samples of the source where that is slower.
struct Motion {
  std::uint32_t displacement_slot = 0;
  std::uint32_t flow_slot = 0;
  Index source_stage = 0;
  std::uint32_t displacement_source = 0;
  std::uint32_t flow_source = 0;
  double displacement_gain = 1.0;
  double displacement_offset = 0.0;
  double flow_gain = 1.0;
  double flow_to_rate = 1.0;  ///< from the receiver's unit of flow to its unit of displacement per second
};

/// For the evaluation of outputs at the end of a step (FeedthroughMode::predict):
///   x̂ = x + Hẋ + ½H²a,  ẋ̂ = ẋ + Ha,  a = backward difference of ẋ (0 before there are two samples),
/// H from the newest sample to the end of the step (docs/theory/feedthrough.md).
class Kinematic final : public InputPredictor {
 public:
  Kinematic(Index stage, std::vector<Motion> motions, const PredictorRequest& request)
      : InputPredictor(stage),
        grid_(request.plan.grid()),
        rings_(request.state.rings()),
        motions_(std::move(motions)),
        memories_(motions_.size()) {}

  void restart() override {
    for (Memory& memory : memories_) memory.samples = 0;
  }

  std::optional<Failure> close(const PredictedStep& step, std::span<double> inputs) override {
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const Motion& p = motions_[i];
      Memory& memory = memories_[i];
      const SampleRing& ring = *rings_[p.source_stage];
      const double x = p.displacement_gain * ring.sample(0)[p.displacement_source] + p.displacement_offset;
      const double v = p.flow_gain * ring.sample(0)[p.flow_source];
      if (memory.samples == 0 || ring.tick(0) != memory.tick) {
        memory.previous_tick = memory.tick;
        memory.previous_flow = memory.flow;
        memory.tick = ring.tick(0);
        memory.samples = std::min<std::int64_t>(memory.samples + 1, 2);
      }
      memory.flow = v;
      const double a = memory.samples < 2 ? 0.0
                                          : (v - memory.previous_flow) /
                                                grid_.duration_s(memory.tick - memory.previous_tick);
      const double H = grid_.duration_s(step.end - memory.tick);
      inputs[p.displacement_slot] = x + H * (v * p.flow_to_rate) + 0.5 * H * H * (a * p.flow_to_rate);
      inputs[p.flow_slot] = v + H * a;
    }
    return std::nullopt;
  }

  void archive(Archive& archive) override { archive(std::span(memories_)); }

 private:
  struct Memory {
    std::int64_t samples = 0;  ///< seen so far: 2 are needed for a difference
    Tick tick = 0;
    Tick previous_tick = 0;
    double flow = 0.0;
    double previous_flow = 0.0;
  };

  const TimeGrid& grid_;
  const SampleRings& rings_;
  std::vector<Motion> motions_;
  std::vector<Memory> memories_;
};

Motion motion_of(const CouplingPlan& plan, Index displacement_input) {
  const CoupledSystem& system = plan.system();
  const auto unit = [&](Index input) -> const Unit& {
    const SignalName& signal = system.inputs[input];
    return system.nodes[signal.node].description->inputs[signal.port].unit;
  };
  // A motion has one source: one term each, and both from the same subsystem.
  const Index flow_input = system.links[displacement_input]->kinematic_partner;
  const LinkTerm& x = system.links[displacement_input]->terms.front();
  const LinkTerm& v = system.links[flow_input]->terms.front();
  Motion p;
  p.displacement_slot = plan.input(displacement_input).offset;
  p.flow_slot = plan.input(flow_input).offset;
  p.source_stage = plan.output(x.output).stage;
  p.displacement_source = plan.output(x.output).offset;
  p.flow_source = plan.output(v.output).offset;
  p.displacement_gain = x.gain;
  p.displacement_offset = x.offset;
  p.flow_gain = v.gain;
  p.flow_to_rate = rate_factor(unit(flow_input), unit(displacement_input));
  return p;
}

}  // namespace

/// A flow is predicted together with its displacement, where that is predicted at all, as long as the second-order law of motion
/// is as good as the extrapolation. Beyond, each is predicted with the degree that it is extrapolated with.
std::vector<std::unique_ptr<InputPredictor>> make_kinematic(const PredictorRequest& request) {
  std::vector<std::unique_ptr<InputPredictor>> made;
  const CouplingPlan& plan = request.plan;
  for (Index s = 0; s < plan.stepping_stages(); ++s) {
    std::vector<Motion> motions;
    for (const Index input : plan.stage(s).predicted_inputs) {
      const Index partner = plan.system().links[input]->kinematic_partner;
      if (partner == Link::no_partner || plan.degree(partner) >= 2 || request.predicted_at_end[input])
        continue;
      motions.push_back(motion_of(plan, input));
      request.predicted_at_end[input] = request.predicted_at_end[partner] = true;
    }
    if (!motions.empty()) made.push_back(std::make_unique<Kinematic>(s, std::move(motions), request));
  }
  return made;
}

}  // namespace ergon
