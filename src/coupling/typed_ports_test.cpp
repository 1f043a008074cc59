// Integers, booleans, enumerations and texts between subsystems.

#include <gtest/gtest.h>

#include <limits>

#include "support/coupled_subsystems.hpp"

namespace ergon {
namespace {

using testing::milliseconds;
using testing::Simulation;

Port typed(const char* name, PortType type) {
  Port port{name, {}, 1, "", 0.0, true};
  port.type = type;
  if (type == PortType::enumeration) port.items = {{"low", 0}, {"high", 5}};
  return port;
}

/// Tells its number of steps as a real, an integer and a text.
class Ticker final : public testing::Rewinding, public DiscretePorts {
 public:
  explicit Ticker(std::int64_t first = 0) : first_(first) { state_ = {0.0}; }
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {typed("u", PortType::real)};
    d.outputs = {typed("text", PortType::text), typed("real", PortType::real),
                 typed("integer", PortType::integer), typed("odd", PortType::boolean)};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    state_ = {0.0};
    return {};
  }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override {
    state_[0] += 1.0;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = state_[0]; }
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    // Beyond the largest number it begins anew, as counters in other programs do.
    y.integers[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(first_) +
                                              static_cast<std::uint64_t>(std::llround(state_[0])));
    y.integers[1] = std::llround(state_[0]) % 2;
    y.texts[0] = std::to_string(std::llround(state_[0]));
  }

 private:
  std::int64_t first_;
};

/// Says at once, and at its next step, what it hears; complains where real, integer and text differ.
class Listener final : public testing::Rewinding, public DiscretePorts {
 public:
  Listener() { state_ = {0.0}; }
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {typed("integer", PortType::integer), typed("text", PortType::text),
                typed("real", PortType::real)};
    d.outputs = {typed("echo", PortType::integer), typed("said", PortType::text),
                 typed("real_echo", PortType::real), typed("stepped_with", PortType::real)};
    d.feedthrough = {{0, 0}, {1, 1}, {2, 2}};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& u) override {
    if (u.start(0) != static_cast<double>(integer_) || text_ != std::to_string(integer_))
      return {false, "real, integer and text differ"};
    state_[0] = static_cast<double>(integer_);
    return {};
  }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = u[0];
    y[1] = state_[0];
  }
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override {
    integer_ = u.integers[0];
    text_ = u.texts[0];
  }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    y.integers[0] = integer_;
    y.texts[0] = text_;
  }

 private:
  std::int64_t integer_ = 0;
  std::string text_ = "0";
};

std::int64_t integer(const Simulation& sim, const std::string& name) {
  return sim.engine->record().integer_output(sim.system->find_output(name).value());
}
std::string text(const Simulation& sim, const std::string& name) {
  return sim.engine->record().text_output(sim.system->find_output(name).value());
}

void connect(Simulation& sim, std::vector<std::string> from, const std::string& to, double gain = 1.0,
             double offset = 0.0) {
  ConnectionSpec spec;
  spec.from = std::move(from);
  spec.to = to;
  spec.gain = gain;
  spec.offset = offset;
  sim.graph.connect(std::move(spec));
}

/// A ticker and a listener of these steps.
void pair(Simulation& sim, int ticker_ms, int listener_ms) {
  sim.graph.add("ticker", std::make_unique<Ticker>(), milliseconds(ticker_ms));
  sim.graph.add("listener", std::make_unique<Listener>(), milliseconds(listener_ms));
  for (const char* port : {"real", "integer", "text"})
    sim.connect(std::string("ticker.") + port, std::string("listener.") + port);
  sim.graph.set_input_start("listener.text", {std::string("0")});
}

// What a real that is held is subject to, they are: in every scheme, order and ratio of steps, at steps and at points.
TEST(TypedPorts, BecomeVisibleWithTheRealsOfTheirSubsystem) {
  struct Case {
    const char* scheme;
    std::vector<std::string> order;
    int ticker_ms;
    int listener_ms;
  };
  const std::vector<Case> cases = {{"jacobi", {}, 10, 10},
                                   {"jacobi", {}, 10, 30},
                                   {"jacobi", {}, 30, 10},
                                   {"gauss-seidel", {"ticker", "listener"}, 10, 10},
                                   {"gauss-seidel", {"listener", "ticker"}, 10, 10},
                                   {"gauss-seidel", {"ticker", "listener"}, 10, 30},
                                   {"gauss-seidel", {"listener", "ticker"}, 30, 10},
                                   {"semi-implicit", {}, 10, 10}};
  for (const Case& c : cases) {
    for (const unsigned threads : {1U, 4U}) {
      SCOPED_TRACE(std::string(c.scheme) + " " + std::to_string(c.ticker_ms) + " " +
                   std::to_string(c.listener_ms));
      Simulation sim;
      sim.options.scheme = c.scheme;
      sim.options.order = c.order;
      sim.options.threads = threads;
      sim.options.implicit.accept_unstable = true;
      // An implicit scheme solves for reals, and holds the rest over the step.
      const bool solves = std::string(c.scheme) == "semi-implicit";
      if (solves) {
        sim.graph.add("ticker", std::make_unique<Ticker>(), milliseconds(10));
        sim.graph.add("listener", std::make_unique<Listener>(), milliseconds(10));
        connect(sim, {"ticker.integer"}, "listener.integer");
        connect(sim, {"ticker.text"}, "listener.text");
        connect(sim, {"ticker.integer"}, "listener.real");
        sim.graph.set_input_start("listener.text", {std::string("0")});
      } else {
        pair(sim, c.ticker_ms, c.listener_ms);
      }
      sim.start("0.3");
      do {
        EXPECT_EQ(static_cast<double>(integer(sim, "listener.echo")), sim.output("listener.real_echo"));
        EXPECT_EQ(text(sim, "listener.said"), std::to_string(integer(sim, "listener.echo")));
      } while (sim.advance());
      EXPECT_EQ(sim.output("ticker.real"), 300.0 / c.ticker_ms);
      EXPECT_EQ(integer(sim, "listener.echo"), 300 / c.ticker_ms);
      if (solves) {
        EXPECT_EQ(sim.output("listener.stepped_with"), 29.0);
      }
    }
  }
}

TEST(TypedPorts, SumsAndGainsOfIntegersAreExact) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  Simulation sim;
  sim.graph.add("a", std::make_unique<Ticker>(large), milliseconds(10));
  sim.graph.add("b", std::make_unique<Ticker>(1), milliseconds(10));
  sim.graph.add("l", std::make_unique<Listener>(), milliseconds(10));
  connect(sim, {"a.integer", "b.integer"}, "l.integer", 3.0, -4.0);
  sim.start("0.01");
  EXPECT_EQ(integer(sim, "l.echo"), 3 * large + 3 * 1 - 4);
}

TEST(TypedPorts, IntegersAndBooleansAddToReals) {
  Simulation sim;
  sim.options.degree = 2;  // the real is extrapolated, the others are held
  sim.graph.add("t", std::make_unique<Ticker>(5), milliseconds(10));
  sim.graph.add("l", std::make_unique<Listener>(), milliseconds(10));
  sim.graph.set_input_start("l.text", {std::string("0")});
  connect(sim, {"t.real", "t.integer", "t.odd"}, "l.real", 0.5, 0.25);
  sim.start("0.1");
  EXPECT_EQ(sim.output("l.real_echo"), 0.5 * 0.0 + 0.5 * 5.0 + 0.5 * 0.0 + 0.25);
}

TEST(TypedPorts, AnIntegerThatDoesNotFitIsAFailure) {
  for (const char* scheme : {"jacobi", "gauss-seidel", "semi-implicit"}) {
    Simulation sim;
    sim.options.scheme = scheme;
    sim.graph.add("a", std::make_unique<Ticker>(std::numeric_limits<std::int64_t>::max() - 2),
                  milliseconds(10));
    sim.graph.add("b", std::make_unique<Ticker>(), milliseconds(10));
    class Hears final : public testing::Rewinding, public DiscretePorts {
     public:
      [[nodiscard]] Description describe() const override {
        Description d;
        d.inputs = {typed("n", PortType::integer)};
        d.outputs = {typed("y", PortType::real)};
        return d;
      }
      StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
      StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
      void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = 0.0; }
      DiscretePorts* discrete_ports() override { return this; }
      void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
      void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& /*y*/) override {}
    };
    sim.graph.add("c", std::make_unique<Hears>(), milliseconds(10));
    connect(sim, {"a.integer", "b.integer"}, "c.n");
    sim.start("0.1");
    std::optional<Failure> failure;
    while (!failure && !sim.engine->done()) failure = sim.engine->advance();
    ASSERT_TRUE(failure) << scheme;
    EXPECT_EQ(failure->subsystem, "c");
    EXPECT_EQ(failure->port, "n");
    EXPECT_NE(failure->what.find("64 bits"), std::string::npos);
    EXPECT_NEAR(failure->time_s, 0.02, 0.011);
  }
}

/// A law: above = in >= 3.
class Above final : public Element, public DiscretePorts {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {typed("in", PortType::real)};
    d.outputs = {typed("above", PortType::boolean)};
    return d;
  }
  void evaluate(const double* /*u*/, double* /*y*/) const override {}
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double /*t*/, const double* u, const DiscreteOutputs& y) override {
    y.integers[0] = u[0] >= 3.0 ? 1 : 0;
  }
};
/// A law: out = on ? a : −a.
class Flip final : public Element, public DiscretePorts {
 public:
  [[nodiscard]] Description describe() const override {
    Description d;
    d.inputs = {typed("on", PortType::boolean), typed("a", PortType::real)};
    d.outputs = {typed("out", PortType::real)};
    return d;
  }
  void evaluate(const double* u, double* y) const override { y[0] = on_ ? u[0] : -u[0]; }
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override { on_ = u.integers[0] != 0; }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& /*y*/) override {}

 private:
  bool on_ = false;
};

TEST(TypedPorts, LawsFeedThroughFromTypeToTypeAtOneInstant) {
  for (const char* scheme : {"jacobi", "gauss-seidel", "semi-implicit"}) {
    Simulation sim;
    sim.options.scheme = scheme;
    sim.graph.add("ticker", std::make_unique<Ticker>(), milliseconds(10));
    sim.graph.add_element("b_above", std::make_unique<Above>());
    sim.graph.add_element("a_flip", std::make_unique<Flip>());
    sim.connect("ticker.real", "b_above.in");
    sim.connect("ticker.real", "a_flip.a");
    sim.connect("b_above.above", "a_flip.on");
    sim.start("0.1");
    do {
      const double k = sim.output("ticker.real");
      EXPECT_EQ(sim.output("a_flip.out"), k >= 3.0 ? k : -k) << scheme << k;
      EXPECT_EQ(sim.output("b_above.above"), k >= 3.0 ? 1.0 : 0.0) << scheme << k;
    } while (sim.advance());
    EXPECT_EQ(sim.output("a_flip.out"), 10.0);
  }
}

/// Gives an integer value of its choice.
class Liar final : public testing::Rewinding, public DiscretePorts {
 public:
  Liar(PortType type, std::int64_t value) : type_(type), value_(value) { state_ = {0.0}; }
  [[nodiscard]] Description describe() const override {
    Description d;
    d.outputs = {typed("y", type_)};
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override {
    state_[0] += 1.0;
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* /*y*/) override {}
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) override {}
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    y.integers[0] = state_[0] >= 2.0 ? value_ : 0;
  }

 private:
  PortType type_;
  std::int64_t value_;
};

TEST(TypedPorts, ABooleanOrAnItemThatCannotBeIsAFailure) {
  for (const char* scheme : {"jacobi", "gauss-seidel", "semi-implicit"}) {
    for (const PortType type : {PortType::boolean, PortType::enumeration, PortType::integer}) {
      Simulation sim;
      sim.options.scheme = scheme;
      sim.graph.add("liar", std::make_unique<Liar>(type, 3), milliseconds(10));
      sim.start("0.1");
      std::optional<Failure> failure;
      while (!failure && !sim.engine->done()) failure = sim.engine->advance();
      EXPECT_EQ(failure.has_value(), type != PortType::integer) << scheme;
      if (failure) {
        EXPECT_EQ(failure->subsystem, "liar");
        EXPECT_EQ(failure->time_s, 0.02);
      }
    }
  }
}

TEST(TypedPorts, AStartValueMustBeWhatArrives) {
  const auto refused = [](const char* port, const TypedValue& value) {
    Simulation sim;
    pair(sim, 10, 10);
    sim.graph.set_input_start(port, {value});
    EXPECT_TRUE(sim.build("0.1"));
    static_cast<void>(sim.engine->initialize(sim.problems));
    return sim.problems.has_errors();
  };
  EXPECT_FALSE(refused("listener.integer", std::int64_t{0}));
  EXPECT_TRUE(refused("listener.integer", std::int64_t{1}));
  EXPECT_TRUE(refused("listener.text", std::string("1")));
}

TEST(TypedPorts, ALoopThroughSomethingThatIsNoRealIsRefused) {
  Simulation sim;
  sim.graph.add("ticker", std::make_unique<Ticker>(), milliseconds(10));
  sim.graph.add_element("above", std::make_unique<Above>());
  sim.graph.add_element("flip", std::make_unique<Flip>());
  sim.connect("flip.out", "above.in");
  sim.connect("ticker.real", "flip.a");
  sim.connect("above.above", "flip.on");
  ASSERT_TRUE(sim.build("0.1"));
  static_cast<void>(sim.engine->initialize(sim.problems));
  ASSERT_TRUE(sim.problems.has_errors());
  EXPECT_NE(sim.problems.all().back().what.find("not a real"), std::string::npos);
}

}  // namespace
}  // namespace ergon
