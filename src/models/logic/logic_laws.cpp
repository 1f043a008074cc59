#include "ergon/models/logic/logic_laws.hpp"

#include <cmath>
#include <stdexcept>

namespace ergon {
namespace {

Port law_port(const char* name, PortType type, const char* description) {
  Port made{name, {}, 1, description};
  made.type = type;
  return made;
}

/// out = a where `on` is true, else b
class Switch final : public Element, public DiscretePorts {
 public:
  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = {law_port("a", PortType::real, "what is given while on"),
                          law_port("b", PortType::real, "what is given while off"),
                          law_port("on", PortType::boolean, "which of both")};
    description.outputs = {law_port("out", PortType::real, "a or b")};
    description.feedthrough = {{0, 0}, {0, 1}, {0, 2}};
    description.algebraic = true;
    return description;
  }
  void evaluate(const double* u, double* y) const override { y[0] = on_ ? u[0] : u[1]; }
  DiscretePorts* discrete_ports() override { return this; }
  void set_discrete_inputs(const DiscreteInputs& u) override { on_ = u.integers[0] != 0; }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& /*y*/) override {}

 private:
  bool on_ = false;
};

/// A law from one real to something of the integer kind.
class FromReal : public Element, public DiscretePorts {
 public:
  void evaluate(const double* /*u*/, double* /*y*/) const final {}
  DiscretePorts* discrete_ports() final { return this; }
  void set_discrete_inputs(const DiscreteInputs& /*u*/) final {}

 protected:
  static Description described(PortType type, const char* what) {
    Description description;
    description.inputs = {law_port("in", PortType::real, "any signal")};
    description.outputs = {law_port("out", type, what)};
    description.feedthrough = {{0, 0}};
    description.algebraic = true;
    return description;
  }
};

class Compare final : public FromReal {
 public:
  explicit Compare(double threshold) : threshold_(threshold) {}
  [[nodiscard]] Description describe() const override {
    return described(PortType::boolean, "in >= threshold");
  }
  void discrete_outputs(double /*t*/, const double* u, const DiscreteOutputs& y) override {
    y.integers[0] = u[0] >= threshold_ ? 1 : 0;
  }

 private:
  double threshold_;
};

class Round final : public FromReal {
 public:
  explicit Round(double (*to_whole)(double)) : to_whole_(to_whole) {}
  [[nodiscard]] Description describe() const override {
    return described(PortType::integer, "in as a whole number");
  }
  void discrete_outputs(double /*t*/, const double* u, const DiscreteOutputs& y) override {
    const double whole = to_whole_(u[0]);
    constexpr double beyond = 9223372036854775808.0;  // 2⁶³
    if (!(whole >= -beyond && whole < beyond)) throw std::range_error("its input does not fit into 64 bits");
    y.integers[0] = static_cast<std::int64_t>(whole);
  }

 private:
  double (*to_whole_)(double);
};

double nearest(double value) {
  return std::round(value);
}
double below(double value) {
  return std::floor(value);
}
double above(double value) {
  return std::ceil(value);
}

}  // namespace

ElementInfo switch_element() {
  ElementInfo info;
  info.name = "switch";
  info.summary = "out = a while on is true, else b";
  info.make = [](const ParameterSet& /*given*/, ProblemList& /*problems*/) {
    return std::make_unique<Switch>();
  };
  return info;
}

ElementInfo compare_element() {
  ElementInfo info;
  info.name = "compare";
  info.summary = "true where in >= threshold";
  info.parameters = {{"threshold", "", 0.0, "from which value on it is true"}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    return std::make_unique<Compare>(given.number("threshold"));
  };
  info.examples = {{"at a half", {{"threshold", {0.5, {}}}}}};
  return info;
}

ElementInfo round_element() {
  ElementInfo info;
  info.name = "round";
  info.summary = "a real as an integer";
  info.parameters = {{"to", "", "nearest", "which whole number", {"nearest", "below", "above"}}};
  info.make = [](const ParameterSet& given, ProblemList& /*problems*/) {
    const std::string& to = given.text("to");
    return std::make_unique<Round>(to == "below" ? below : to == "above" ? above : nearest);
  };
  info.examples = {{"down", {{"to", {"below", {}}}}}};
  return info;
}

}  // namespace ergon
