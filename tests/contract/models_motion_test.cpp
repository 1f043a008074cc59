// Outputs that belong together, for every model of the registry: the difference quotient of a position is its velocity, and an
// initial value that is an output comes out at t₀ under its own name. No parameter and no initial value is 0 here, since a
// term with a factor of 0 may have any sign.

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "contract/models_support.hpp"
#include "support/named_ports.hpp"

namespace ergon::contract {
namespace {

/// Different numbers that are not 0 and not far from it.
class SmallNumbers {
 public:
  double next() { return 0.1 + 0.03 * ++count_; }

 private:
  int count_ = 0;
};

/// The value with every 0 replaced; nothing where there is none.
std::optional<ParameterValue> without_zeros(const ParameterValue& value, SmallNumbers& numbers) {
  if (const double* number = std::get_if<double>(&value)) {
    if (*number == 0.0) return numbers.next();
  } else if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    std::vector<double> filled = *list;
    for (double& entry : filled) entry = entry == 0.0 ? numbers.next() : entry;
    if (filled != *list) return filled;
  }
  return std::nullopt;
}

bool is_made(const ModelInfo& info, const Example& example, const IntegratorOptions& integrator) {
  ProblemList problems;
  return make_model(info.name, example.parameters, example.initial, integrator, problems, "", example.joints,
                    example.machine) != nullptr;
}

/// The example with every parameter and initial value that is 0 set to something else, unless the model refuses it (as a
/// number of ports that is not whole).
Example without_zeros(const ModelInfo& info, Example example, const IntegratorOptions& integrator) {
  SmallNumbers numbers;
  const auto fill = [&](const std::vector<ParameterInfo>& infos, GivenParameters& given) {
    for (const ParameterInfo& parameter : infos) {
      const auto found = given.find(parameter.name);
      const auto value =
          without_zeros(found == given.end() ? parameter.standard : found->second.value, numbers);
      if (!value) continue;
      const GivenParameters before = given;
      given[parameter.name] = {*value, {}};
      if (!is_made(info, example, integrator)) given = before;
    }
  };
  fill(info.parameters, example.parameters);
  fill(info.initial, example.initial);
  return example;
}

/// What the rate of an output is called; empty where the name says nothing of a rate.
std::string rate_name(const std::string& name) {
  static const std::vector<std::pair<std::string, std::string>> endings = {
      {"position", "velocity"}, {"length", "rate"},   {"axes", "axes_rate"}, {"angle", "angular_velocity"},
      {"theta1", "omega1"},     {"theta2", "omega2"}, {"charge", "current"}, {"flux", "voltage"}};
  for (const auto& [ending, rate] : endings) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size()) + rate;
  }
  return "";
}

const Port* find_port(const std::vector<Port>& ports, const std::string& name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

/// Scalars of outputs and of their rates.
std::vector<std::pair<std::size_t, std::size_t>> rates_of(const std::vector<Port>& ports) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Port& port : ports) {
    const Port* rate = find_port(ports, rate_name(port.name));
    if (rate == nullptr) continue;
    EXPECT_EQ(port.size, rate->size) << port.name;
    for (std::size_t i = 0; i < port.size; ++i)
      pairs.emplace_back(offset_of(ports, port.name) + i, offset_of(ports, rate->name) + i);
  }
  return pairs;
}

class ModelMotion : public ::testing::TestWithParam<const ModelInfo*> {
 protected:
  /// Runs `check` on defaults and examples without zeros, under every integrator with fixed steps.
  template <typename Check>
  void on_every_example(Check check) {
    const ModelInfo& info = *GetParam();
    for (const IntegratorInfo& integrator : integrators()) {
      if (!info.takes_integrator(integrator.name) || (integrator.variable_step && info.integrated)) continue;
      for (int index = -1; index < static_cast<int>(info.examples.size()); ++index) {
        SCOPED_TRACE(name_of({&info, index, {.method = integrator.name}}));
        const IntegratorOptions options{.method = integrator.name};
        const Example example = without_zeros(info, example_of(info.examples, index), options);
        ProblemList problems;
        const auto subsystem = make_model(info.name, example.parameters, example.initial, options, problems,
                                          "", example.joints, example.machine);
        ASSERT_NE(subsystem, nullptr) << text_of(problems);
        ASSERT_TRUE(subsystem->initialize({}).ok);
        check(*subsystem, example);
      }
      if (!info.integrated) break;
    }
  }
};

// (x(t + δ) − x(t − δ)) / 2δ is v(t), up to the change of v, to what methods of order 1 leave of a motion that turns, δ·v², and
// to rounding.
TEST_P(ModelMotion, TheDifferenceQuotientOfAPositionIsItsVelocity) {
  constexpr double delta = 1e-6;
  int compared = 0;
  int moving = 0;
  on_every_example([&](Subsystem& subsystem, const Example&) {
    const Description description = subsystem.describe();
    const auto pairs = rates_of(description.outputs);
    if (pairs.empty()) return;
    RandomInputs random(description.inputs, 11);
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(step_held(subsystem, h, random.values()).ok);
    const auto u = random.values();
    std::vector<std::vector<double>> y;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(step_held(subsystem, delta, u).ok);
      y.push_back(outputs(subsystem, u));
    }
    double fastest = 1.0;
    for (const auto& [position, velocity] : pairs) fastest = std::max(fastest, std::abs(y[1][velocity]));
    for (const auto& [position, velocity] : pairs) {
      const double quotient = (y[2][position] - y[0][position]) / (2.0 * delta);
      const double change =
          std::abs(y[1][velocity] - y[0][velocity]) + std::abs(y[2][velocity] - y[1][velocity]);
      const double rounding = 4e-16 * (std::abs(y[1][position]) + 1.0) / delta;
      const double tolerance = 2.0 * change + 10.0 * delta * fastest * fastest + rounding;
      EXPECT_NEAR(quotient, y[1][velocity], tolerance) << "output " << position;
      if (!description.inputs.empty()) ++compared;  // the ground does not move
      if (std::abs(y[1][velocity]) > 20.0 * tolerance) ++moving;
    }
  });
  EXPECT_GE(3 * moving, compared) << "little moves: little is tested";
}

/// Which output an initial value is, where their names differ.
std::string output_of_initial(const std::string& name) {
  static const std::map<std::string, std::string> other_names = {
      {"x", "position"},    {"v", "velocity"},   {"phi", "angle"}, {"omega", "angular_velocity"},
      {"p1", "pressure_1"}, {"p2", "pressure_2"}};
  const auto found = other_names.find(name);
  return found == other_names.end() ? name : found->second;
}

/// What an initial value asks of its output: one number may stand for all, and a quaternion may have any length.
std::vector<double> asked_of_output(const std::string& name, const ParameterValue& value, std::size_t size) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  std::vector<double> asked = list != nullptr ? *list : std::vector<double>{std::get<double>(value)};
  if (asked.size() == 1) asked.resize(size, asked.front());
  if (name != "orientation") return asked;
  double square = 0.0;
  for (const double e : asked) square += e * e;
  for (double& e : asked) e /= std::sqrt(square);
  return asked;
}

TEST_P(ModelMotion, AnInitialValueThatIsAnOutputComesOutAtTheStart) {
  on_every_example([](Subsystem& subsystem, const Example& example) {
    const std::vector<Port> ports = subsystem.describe().outputs;
    const std::vector<double> u = RandomInputs(subsystem.describe().inputs, 12).values();
    const std::vector<double> y = outputs(subsystem, u);
    const auto pinned = example.parameters.find("pinned");
    const bool is_pinned = pinned != example.parameters.end() && std::get<bool>(pinned->second.value);
    for (const ParameterInfo& initial : GetParam()->initial) {
      const Port* port = find_port(ports, output_of_initial(initial.name));
      if (port == nullptr) continue;
      // The centre of a link on a pin is where its angle says.
      if (is_pinned && (initial.name == "position" || initial.name == "velocity")) continue;
      const auto given = example.initial.find(initial.name);
      const ParameterValue& value = given == example.initial.end() ? initial.standard : given->second.value;
      const auto asked = asked_of_output(initial.name, value, port->size);
      ASSERT_EQ(asked.size(), port->size) << initial.name;
      for (std::size_t i = 0; i < asked.size(); ++i)
        EXPECT_NEAR(y[offset_of(ports, port->name) + i], asked[i], 1e-15 * (1.0 + std::abs(asked[i])))
            << initial.name << "[" << i << "]";
    }
  });
}

// That the names above are those of the models: a claim on none would be kept by all.
TEST(ModelMotions, TheModelsThatMoveAreAmongThem) {
  std::set<std::string> moving, starting;
  for (const ModelInfo& info : models()) {
    const auto subsystem =
        make({&info, -1, {.method = info.integrators.empty() ? "rk4" : info.integrators.front()}});
    ASSERT_NE(subsystem, nullptr);
    const std::vector<Port> ports = subsystem->describe().outputs;
    if (!rates_of(ports).empty()) moving.insert(info.name);
    for (const ParameterInfo& initial : info.initial)
      if (find_port(ports, output_of_initial(initial.name)) != nullptr) starting.insert(info.name);
  }
  for (const char* name :
       {"oscillator.mass", "oscillator.displacement_driven", "oscillator.force_output", "oscillator.chain",
        "electric.rlc_series", "electric.rlc_parallel", "multibody.rigid_body", "multibody.planar_link",
        "multibody.planar_crane", "hydraulics.crane"}) {
    EXPECT_TRUE(moving.contains(name)) << name;
    EXPECT_TRUE(starting.contains(name)) << name;
  }
  for (const char* name : {"multibody.pendulum", "multibody.pendulum_force_output", "multibody.rod",
                           "multibody.natural_crane", "multibody.nonsmooth"})
    EXPECT_TRUE(moving.contains(name)) << name;
  for (const char* name :
       {"electric.rc_series", "electric.rc_parallel", "hydraulics.cylinder", "control.velocity"})
    EXPECT_TRUE(starting.contains(name)) << name;
}

// One crane in angles, in natural coordinates and with its cylinder: the actuator starts with the same length and rate in all.
TEST(ModelMotions, TheCranesStartAlikeWithABaseOffTheGround) {
  const Values parameters = {{"l2", 0.7}, {"base", std::vector<double>{0.9, 0.2}}, {"attachment", 0.6}};
  const Values initial = {{"theta1", 0.8}, {"theta2", -1.0}, {"omega1", 1.5}, {"omega2", -2.0}};
  // |attachment · l₁ (cos θ₁, sin θ₁) − base|
  const double x = 0.6 * std::cos(0.8) - 0.9, y = 0.6 * std::sin(0.8) - 0.2;
  const double length = std::hypot(x, y);
  const double rate = 0.6 * 1.5 * (-x * std::sin(0.8) + y * std::cos(0.8)) / length;
  for (const char* name : {"multibody.planar_crane", "multibody.natural_crane", "hydraulics.crane"}) {
    Driven crane(make_model(name, parameters, initial));
    EXPECT_NEAR(crane.number("position"), length, 1e-15) << name;
    EXPECT_NEAR(crane.number("velocity"), rate, 1e-15) << name;
  }
}

std::vector<const ModelInfo*> all_models() {
  std::vector<const ModelInfo*> all;
  for (const ModelInfo& info : models()) all.push_back(&info);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ModelMotion, ::testing::ValuesIn(all_models()), [](const auto& test) {
  std::string name = test.param->name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace ergon::contract
