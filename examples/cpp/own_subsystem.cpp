// A subsystem with everything that a foreign simulator may bring along (docs/own-subsystem.md): ports of several types, a step
// that ends early at an event, a parameter that changes during the run, and a state that can be saved.
//
//   [ clock ] --tick--> [ tank ]   opens its valve with every tick, and closes it when it is full
#include <cstdio>
#include <cstring>
#include <memory>

#include "ergon/run/simulation.hpp"

namespace {

using ergon::Port;
using ergon::PortType;
using ergon::Rational;
using ergon::Unit;

Port typed(const char* name, PortType type, const char* description) {
  Port port{name, {}, 1, description};
  port.type = type;
  return port;
}

/// level' = inflow while the valve is open; a litre fits. It is emptied when the valve opens.
class Tank final : public ergon::Subsystem,
                   public ergon::DiscretePorts,
                   public ergon::Tunable,
                   public ergon::Rewindable,
                   public ergon::Serializable {
 public:
  // ── Ports: reals go through step and outputs, all others through DiscretePorts ──
  [[nodiscard]] ergon::Description describe() const override {
    ergon::Description description;
    description.inputs = {typed("open", PortType::boolean, "becomes true: empty it and fill it again")};
    description.outputs = {Port{"level", Unit::of("l"), 1, "how much is in it"},
                           typed("full", PortType::boolean, "it is full, the valve closed"),
                           typed("fillings", PortType::integer, "how often it was filled"),
                           typed("status", PortType::text, "in words")};
    return description;
  }
  ergon::DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const ergon::DiscreteInputs& u) override { open_ = u.integers[0] != 0; }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_.level_l; }
  void discrete_outputs(double /*t*/, const double* /*u*/, const ergon::DiscreteOutputs& y) override {
    y.integers[0] = state_.filling ? 0 : 1;
    y.integers[1] = state_.fillings;
    y.texts[0] = state_.filling ? "filling" : "full";
  }

  // ── Steps ──
  ergon::StepStatus initialize(const ergon::Experiment& /*experiment*/) override {
    state_ = {};
    return {};
  }
  ergon::StepStatus step(double t, double h, const ergon::InputView& /*u*/) override {
    if (open_ && !state_.was_open) {
      state_.level_l = 0.0;
      state_.filling = true;
    }
    state_.was_open = open_;
    if (!state_.filling) return {};
    const double left_s = (capacity_l - state_.level_l) / inflow_l_s_;
    if (left_s > h) {
      state_.level_l += h * inflow_l_s_;
      return {};
    }
    // Full within this step: it ends here, and the engine steps the rest at once.
    state_.level_l = capacity_l;
    state_.filling = false;
    ++state_.fillings;
    if (left_s == h) return {};
    reached_s_ = t + left_s;
    return {ergon::StepOutcome::ended_early, "it is full"};
  }
  [[nodiscard]] double time_reached() const override { return reached_s_; }

  // ── A parameter that may change at communication points ──
  ergon::Tunable* tunable() override { return this; }
  [[nodiscard]] std::vector<ergon::TunableParameter> tunable_parameters() const override {
    return {{"inflow", Unit::of("l/s"), "of the open valve"}};
  }
  [[nodiscard]] ergon::TypedValue parameter(std::size_t /*number*/) const override { return inflow_l_s_; }
  [[nodiscard]] std::string set_parameter(std::size_t /*number*/, const ergon::TypedValue& value) override {
    if (!(std::get<double>(value) > 0.0)) return "must be positive";
    inflow_l_s_ = std::get<double>(value);
    return {};
  }

  // ── Saving: slots for this instance, bytes for others ──
  ergon::Rewindable* rewindable() override { return this; }
  [[nodiscard]] const ergon::Serializable* serializable() const override { return this; }
  [[nodiscard]] std::unique_ptr<ergon::StateSlot> make_slot() const override {
    return std::make_unique<Slot>();
  }
  void save(ergon::StateSlot& slot) const override { static_cast<Slot&>(slot).state = state_; }
  void restore(const ergon::StateSlot& slot) override { state_ = static_cast<const Slot&>(slot).state; }
  void serialize(const ergon::StateSlot& slot, std::vector<std::byte>& bytes) const override {
    bytes.resize(sizeof(State));
    std::memcpy(bytes.data(), &static_cast<const Slot&>(slot).state, sizeof(State));
  }
  bool deserialize(std::span<const std::byte> bytes, ergon::StateSlot& slot) const override {
    if (bytes.size() != sizeof(State)) return false;
    std::memcpy(&static_cast<Slot&>(slot).state, bytes.data(), sizeof(State));
    return true;
  }

 private:
  static constexpr double capacity_l = 1.0;
  struct State {
    double level_l = 0.0;
    std::int64_t fillings = 0;
    bool filling = false;
    bool was_open = false;
  };
  struct Slot final : ergon::StateSlot {
    State state;
  };
  State state_;
  bool open_ = false;
  double inflow_l_s_ = 2.0;
  double reached_s_ = 0.0;
};

ergon::SystemGraph clock_and_tank() {
  const Rational step(1, 10);  // s
  ergon::SystemGraph graph;
  graph.add("clock", ergon::make_native("logic.clock", {{"period_s", 2.0}}), step);
  graph.add("tank", std::make_unique<Tank>(), step);
  ergon::ConnectionSpec tick;
  tick.from = {"clock.tick"};
  tick.to = "tank.open";
  graph.connect(tick);
  return graph;
}

}  // namespace

int main() {
  try {
    ergon::SimulationOptions options;
    options.stop_time_s = Rational(6, 1);
    options.coupling.changes = {{3.0, "tank.inflow", 0.8, {}}};  // from 3 s on
    ergon::Simulation simulation(clock_and_tank, options);
    const ergon::RunOutcome& outcome = simulation.run();
    if (outcome.failure) {
      std::fprintf(stderr, "%s at %g s: %s\n", outcome.failure->subsystem.c_str(), outcome.failure->time_s,
                   outcome.failure->what.c_str());
      return 1;
    }
    std::printf("t = %g s: filled %lld times, %s, %.2f l\n", outcome.reached_time_s,
                static_cast<long long>(simulation.integer("tank.fillings")),
                simulation.text("tank.status").c_str(), simulation.value("tank.level"));
    for (const ergon::ParameterChanged& change : simulation.summary().parameter_changes)
      std::printf("%s changed at %g s\n", change.parameter.c_str(), change.time_s);
    return simulation.integer("tank.fillings") == 3 ? 0 : 1;
  } catch (const ergon::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
