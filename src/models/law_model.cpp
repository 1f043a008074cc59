#include "ergon/models/law_model.hpp"

#include <algorithm>

#include "ergon/core/flat_state.hpp"

namespace ergon {
namespace {

/// y = law(u) at every time.
class LawSubsystem final : public Subsystem, public NoState {
 public:
  explicit LawSubsystem(std::unique_ptr<Element> law) : law_(std::move(law)) {}

  [[nodiscard]] Description describe() const override {
    Description description = law_->describe();
    description.algebraic = false;
    return description;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* u, double* y) override { law_->evaluate(u, y); }

  DiscretePorts* discrete_ports() override { return law_->discrete_ports(); }
  Tunable* tunable() override { return law_->tunable(); }
  Rewindable* rewindable() override { return this; }
  StateDerivative* state_derivative() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return law_->differentiable(); }

 private:
  std::unique_ptr<Element> law_;
};

ModelInfo model_of(const ElementInfo& law) {
  ModelInfo info;
  info.name = law.name;
  info.summary = law.summary;
  info.parameters = law.parameters;
  info.integrated = false;
  info.make = [make = law.make](const ModelRequest& request,
                                ProblemList& problems) -> std::unique_ptr<Subsystem> {
    auto made = make(request.parameters, problems);
    if (!made) return nullptr;
    return std::make_unique<LawSubsystem>(std::move(made));
  };
  info.examples = law.examples;
  return info;
}

}  // namespace

const std::vector<ModelInfo>& element_models() {
  static const std::vector<ModelInfo> all = [] {
    std::vector<ModelInfo> infos;
    for (const ElementInfo& law : elements()) infos.push_back(model_of(law));
    return infos;
  }();
  return all;
}

const ModelInfo* find_model_or_law(const std::string& name) {
  if (const ModelInfo* model = find_model(name)) return model;
  const auto found = std::find_if(element_models().begin(), element_models().end(),
                                  [&](const ModelInfo& info) { return info.name == name; });
  return found == element_models().end() ? nullptr : &*found;
}

}  // namespace ergon
