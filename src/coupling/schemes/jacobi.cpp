#include <map>

#include "ergon/coupling/schemes/explicit_stepper.hpp"
#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {
namespace {

/// All stages at a point start from the same samples; what they compute is visible when the end of their step is reached.
class JacobiStepper final : public ExplicitStepper {
 public:
  using ExplicitStepper::ExplicitStepper;

 private:
  std::optional<Failure> start_steps() override {
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      if (state_.stage(s).next() != state_.now()) continue;
      state_.begin_step(s);
      if (auto failure = execute(s)) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> arrive(Tick arrival) override {
    for (Index s = 0; s < plan_.stepping_stages(); ++s) {
      StageState& stage = state_.stage(s);
      if (stage.next() == arrival) stage.samples().commit(arrival);
    }
    return std::nullopt;
  }
};

class JacobiScheme final : public Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "jacobi"; }
  [[nodiscard]] std::string_view help() const override {
    return "all subsystems step in parallel from samples of the past";
  }
  [[nodiscard]] SchemeLayout layout(const SchemeRequest& request, ProblemList& /*problems*/) const override {
    SchemeLayout layout;
    layout.scheme = name();
    layout.groups = groups_by_period(request);
    return layout;
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                      ProblemList& /*problems*/) const override {
    return std::make_unique<JacobiStepper>(context);
  }
};

}  // namespace

std::vector<StageGroup> groups_by_period(const SchemeRequest& request) {
  std::map<Tick, StageGroup> by_period;
  for (Index n = 0; n < request.system.nodes.size(); ++n) {
    const Node& node = request.system.nodes[n];
    if (node.description->algebraic) continue;
    const Tick period = request.grid.ticks(node.step_s);
    StageGroup& group = by_period[period];
    group.period = period;
    group.nodes.push_back(n);
  }
  std::vector<StageGroup> groups;
  for (auto& [period, group] : by_period) groups.push_back(std::move(group));
  return groups;
}

const Scheme& jacobi_scheme() {
  static const JacobiScheme scheme;
  return scheme;
}

}  // namespace ergon
