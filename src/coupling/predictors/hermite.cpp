#include <cmath>
#include <map>

#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {
namespace {

constexpr int hermite_degree = 3;

/// A displacement and its velocity that arrive together; gains as in LinkTerm.
struct HermitePair {
  std::uint32_t displacement_slot = 0;
  std::uint32_t velocity_slot = 0;
  std::size_t stage = 0;
  std::uint32_t displacement_source = 0;
  std::uint32_t velocity_source = 0;
  double displacement_gain = 1.0;
  double displacement_offset = 0.0;
  double velocity_gain = 1.0;
  double velocity_offset = 0.0;
  /// From the receiver's unit of velocity to its unit of displacement per second.
  double velocity_to_rate = 1.0;
};

/// Where the samples at the start and at the end of a step are known, a displacement and its velocity follow one cubic:
///   x̃(τ) through (x₀, v₀) and (x₁, v₁),   ṽ = dx̃/dτ
class Hermite final : public InputPredictor {
 public:
  Hermite(Index stage, std::vector<HermitePair> pairs, const PredictorRequest& request)
      : InputPredictor(stage), plan_(request.plan), state_(request.state), pairs_(std::move(pairs)) {
    request.state.stage(stage).reserve_degree(hermite_degree);
  }

  int degree(Tick k) override {
    if (state_.stage(stage()).degree_cap() < hermite_degree) return 0;
    for (const HermitePair& pair : pairs_) {
      if (interpolates(pair, k)) return hermite_degree;
    }
    return 0;
  }
  void write(Tick k, int degree, double* coefficients) override {
    if (degree < hermite_degree) return;
    for (const HermitePair& pair : pairs_) {
      if (interpolates(pair, k)) write(pair, k, coefficients);
    }
  }

 private:
  [[nodiscard]] const SampleRing& samples(const HermitePair& pair) const {
    return *state_.rings()[pair.stage];
  }
  [[nodiscard]] bool interpolates(const HermitePair& pair, Tick k) const {
    const SampleRing& ring = samples(pair);
    return ring.count() > 1 && ring.tick(0) > k && ring.tick(1) == k;
  }
  void write(const HermitePair& pair, Tick k, double* coefficients) const {
    const SampleRing& ring = samples(pair);
    const std::size_t stride = plan_.stage(stage()).slots;
    const double H = plan_.grid().duration_s(ring.tick(0) - k);
    const auto displacement = [&](std::size_t age) {
      return pair.displacement_gain * ring.sample(age)[pair.displacement_source] + pair.displacement_offset;
    };
    const auto rate = [&](std::size_t age) {
      return pair.velocity_to_rate *
             (pair.velocity_gain * ring.sample(age)[pair.velocity_source] + pair.velocity_offset);
    };
    const double x0 = displacement(1);
    const double v0 = rate(1);
    const double v1 = rate(0);
    const double mean = (displacement(0) - x0) / H;
    const double c[] = {x0, v0, (3.0 * mean - 2.0 * v0 - v1) / H, (v0 + v1 - 2.0 * mean) / (H * H)};
    for (std::size_t d = 0; d <= hermite_degree; ++d) {
      coefficients[d * stride + pair.displacement_slot] = c[d];
      coefficients[d * stride + pair.velocity_slot] =
          d < hermite_degree ? static_cast<double>(d + 1) * c[d + 1] / pair.velocity_to_rate : 0.0;
    }
  }

  const CouplingPlan& plan_;
  CouplingState& state_;
  std::vector<HermitePair> pairs_;
};

/// The pair that inputs `x` and `v` of one subsystem are, where they get an output and its rate from one other subsystem.
std::optional<HermitePair> pair_of(const CouplingPlan& plan, const Node& node, Index x, Index v) {
  const CoupledSystem& system = plan.system();
  const auto single_term = [&](Index input) -> const LinkTerm* {
    const auto& link = system.links[input];
    return link && link->terms.size() == 1 && !link->terms.front().differentiate ? &link->terms.front()
                                                                                 : nullptr;
  };
  const LinkTerm* rate = single_term(v);
  const LinkTerm* value = single_term(x);
  if (rate == nullptr || value == nullptr) return std::nullopt;
  const SignalName& rate_output = system.outputs[rate->output];
  const SignalName& output = system.outputs[value->output];
  const Node& source = system.nodes[rate_output.node];
  const std::string& of = source.description->outputs[rate_output.port].rate_of;
  if (of.empty() || output.node != rate_output.node || output.element != rate_output.element ||
      source.description->outputs[output.port].name != of) {
    return std::nullopt;
  }
  HermitePair pair{plan.input(x).offset,
                   plan.input(v).offset,
                   plan.output(value->output).stage,
                   plan.output(value->output).offset,
                   plan.output(rate->output).offset,
                   value->gain,
                   value->offset,
                   rate->gain,
                   rate->offset,
                   rate_factor(node.description->inputs[system.inputs[v].port].unit,
                               node.description->inputs[system.inputs[x].port].unit)};
  // What arrives must still be a value and its rate: gains may have made something else of them.
  const double gain_of_rate = value->gain * rate_factor(source.description->outputs[rate_output.port].unit,
                                                        source.description->outputs[output.port].unit);
  const double told = pair.velocity_to_rate * rate->gain;
  if (rate->offset != 0.0 || !(std::abs(told - gain_of_rate) <= 1e-12 * std::abs(gain_of_rate)))
    return std::nullopt;
  return pair;
}

}  // namespace

std::vector<std::unique_ptr<InputPredictor>> make_hermite(const PredictorRequest& request) {
  std::vector<std::unique_ptr<InputPredictor>> made;
  const CouplingPlan& plan = request.plan;
  if (!plan.layout().pairs_rates) return made;
  std::map<Index, std::vector<HermitePair>> pairs;  // by stage
  for (const Node& node : plan.system().nodes) {
    if (node.description->algebraic) continue;
    const Index end = node.first_input + node.input_counts.reals;
    for (Index v = node.first_input; v < end; ++v) {
      for (Index x = node.first_input; x < end; ++x) {
        const auto pair = pair_of(plan, node, x, v);
        if (!pair) continue;
        request.producer[x] = request.producer[v] = hermite_predictor;
        pairs[plan.input(x).stage].push_back(*pair);
      }
    }
  }
  for (auto& [stage, of_stage] : pairs)
    made.push_back(std::make_unique<Hermite>(stage, std::move(of_stage), request));
  return made;
}

}  // namespace ergon
