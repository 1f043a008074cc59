// Interface models of motion-driven actuators [peiret2019, (22), solved for the efforts]: a drive gives the motion and feels what it takes of the
// machine. Against the equation of motion of both in one coordinate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/run/simulation.hpp"
#include "support/machine_building.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

const std::filesystem::path led_boom = std::filesystem::path(ERGON_SOURCE_DIR) / "examples" / "led-boom.toml";

/// examples/led-boom.toml as one body: a boom (J about its pivot, weight at its middle) whose jack has mass, spring and damper of the
/// drive along it. φ: angle of the boom, s(φ): length of the jack.
///   (J + m s′²) φ̈ + m s′ s″ φ̇² = −G cos φ − s′ (k (s − s₀) + c s′ φ̇)
class OneBody {
 public:
  /// s at the times i·interval.
  static std::vector<double> lengths(double mass_kg, double interval_s, std::size_t count) {
    const OneBody body{mass_kg};
    std::vector<double> result;
    std::array<double, 2> z{};
    const int inner = static_cast<int>(std::lround(interval_s / 5e-5));
    const double h = interval_s / inner;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(geometry(z[0])[0]);
      for (int k = 0; k < inner; ++k) {
        const auto add = [&](const std::array<double, 2>& rate, double by) {
          return std::array<double, 2>{z[0] + by * rate[0], z[1] + by * rate[1]};
        };
        const auto k1 = body.rates(z), k2 = body.rates(add(k1, 0.5 * h)), k3 = body.rates(add(k2, 0.5 * h)),
                   k4 = body.rates(add(k3, h));
        for (std::size_t j = 0; j < 2; ++j) z[j] += h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]);
      }
    }
    return result;
  }

 private:
  explicit OneBody(double mass_kg) : mass(mass_kg) {}
  /// s, s′, s″ of a jack from (¼, −1) to the boom at ¼.
  static std::array<double, 3> geometry(double phi) {
    constexpr double r = 0.25;
    const double x = r * std::cos(phi) - r, z = r * std::sin(phi) + 1.0;
    const double s = std::hypot(x, z);
    const double dx = -r * std::sin(phi), dz = r * std::cos(phi);
    const double first = (x * dx + z * dz) / s;
    const double second =
        (dx * dx + dz * dz - x * r * std::cos(phi) - z * r * std::sin(phi) - first * first) / s;
    return {s, first, second};
  }
  [[nodiscard]] std::array<double, 2> rates(const std::array<double, 2>& z) const {
    constexpr double J = 0.84 + 10.0 * 0.25, k = 2e4, c = 200.0, rest = 1.03;
    const auto [s, first, second] = geometry(z[0]);
    const double torque = -10.0 * 9.81 * 0.5 * std::cos(z[0]) -
                          first * (k * (s - rest) + c * first * z[1] + mass * second * z[1] * z[1]);
    return {z[1], torque / (J + mass * first * first)};
  }
  double mass;
};

/// Positions of the drive every 8 ms for 2 s; nothing where the run ends early or flies off.
std::optional<std::vector<double>> course(const std::vector<std::string>& settings) {
  Simulation simulation(led_boom, settings);
  const Index position = simulation.output("drive.position");
  std::vector<double> positions;
  bool bounded = true;
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    const double periods = record.time_s() / 8e-3;
    if (std::abs(periods - std::round(periods)) < 1e-6) positions.push_back(record.output(position));
    bounded = bounded && std::abs(record.output(position) - 1.0) < 0.2;
  });
  if (failure || !bounded) return std::nullopt;
  return positions;
}

/// Of the drive, with its steps a twentieth of those of the boom.
double largest_error(double step_s, const std::vector<double>& exact) {
  const auto got =
      course({fmt::format("boom.step_size={}", step_s), fmt::format("drive.step_size={}", step_s / 20.0)});
  if (!got || got->size() != exact.size()) return std::nan("");
  double largest = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) largest = std::max(largest, std::abs((*got)[i] - exact[i]));
  return largest;
}

// What lags is λ̃, and the drive is integrated by semi-implicit Euler: first order in the steps of both.
TEST(LedInterface, ConvergesToTheMotionOfOneBody) {
  const std::vector<double> exact = OneBody::lengths(2.0, 8e-3, 251);
  const double swing = *std::max_element(exact.begin(), exact.end()) - 1.0;
  ASSERT_GT(swing, 0.03);
  std::vector<double> errors;
  for (const double step_s : {16e-3, 8e-3, 4e-3, 2e-3, 1e-3}) errors.push_back(largest_error(step_s, exact));
  EXPECT_LT(errors.front(), 0.1 * swing);
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    const double order = std::log2(errors[i] / errors[i + 1]);
    EXPECT_GT(order, 0.8) << errors[i] << " and " << errors[i + 1];
    EXPECT_LT(order, 1.6) << errors[i] << " and " << errors[i + 1];
  }
}

// At the jack the boom is 53 kg against 2 kg of the drive. An effort that lags behind the flow has a gain of −53/2 from step to step:
// no step is small enough.
TEST(LedInterface, IsStableWhereHeldEffortsAreNot) {
  for (const char* step : {"32e-3", "16e-3", "4e-3"}) {
    EXPECT_TRUE(course({std::string("boom.step_size=") + step})) << step;
  }
  for (const char* word : {"hold", "linear"}) {
    for (const char* step : {"4e-3", "1e-3", "2e-4"}) {
      EXPECT_FALSE(
          course({std::string("boom.step_size=") + step, std::string("bond.jack.extrapolation=") + word}))
          << word << ' ' << step;
    }
  }
}

/// Two links with a jack each: the first one led by a light drive, or pushed by the spring and damper of that drive; the second one pushed.
std::vector<std::array<double, 2>> two_links(bool led, double step_s) {
  using namespace testing_machines;
  MachineDescription machine;
  machine.bodies = {block("first", 10.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0}),
                    block("second", 4.0, {1.0, 0.1, 0.1}, {1.5, 0.0, 0.0})};
  machine.joints = {joint("pivot", JointType::revolute, ground_name, "first", Eigen::Vector3d::Zero()),
                    joint("elbow", JointType::revolute, "first", "second", {1.0, 0.0, 0.0})};
  machine.actuators = {{"one",
                        ground_name,
                        "first",
                        {0.25, 0.0, -1.0},
                        {0.25, 0.0, 0.0},
                        led ? ActuatorInput::motion : ActuatorInput::force},
                       {"two", "first", "second", {0.6, 0.0, -0.5}, {1.3, 0.0, 0.0}}};
  const double second_length = std::hypot(0.7, 0.5);
  SimulationOptions options;
  options.stop_time_s = Rational(1, 1);
  const Rational step(static_cast<std::int64_t>(std::lround(step_s * 1e6)), 1000000), fast(1, 5000);
  const auto build = [=] {
    ProblemList problems;
    auto ready = make_ready(machine, problems);
    SystemGraph graph;
    graph.add("machine",
              std::make_unique<NonsmoothMachine>(NonsmoothMachine::Setting{ready->machine, ready->state, {}}),
              step);
    const auto bond = [&](const std::string& name, const BondEnd& a, const BondEnd& b, double gain) {
      BondSpec spec;
      spec.name = name;
      spec.a = a;
      spec.b = b;
      spec.predictor = "interface-model";
      spec.feedthrough = FeedthroughMode::stale;
      spec.effort_gain = {gain};
      graph.bond(spec);
    };
    // A spring and a damper of no mass worth speaking of: its motion is not looked at.
    const auto pusher = [&](const std::string& name, const std::string& actuator, double k, double c,
                            double rest) {
      graph.add(name,
                testing_models::make_model("oscillator.force_output", {{"m", 1e9}, {"kc", k}, {"cc", c}},
                                           {{"x", rest}}),
                fast);
      bond(name, {{name + ".force"}, {name + ".velocity_in"}, {name + ".position_in"}},
           {{"machine." + actuator + "_force"},
            {"machine." + actuator + "_rate"},
            {"machine." + actuator + "_length"}},
           1.0);
    };
    if (led) {
      graph.add("drive",
                testing_models::make_model(
                    "oscillator.mass", {{"m", 0.05}, {"k", 4e4}, {"c", 2e3}, {"x_rest", 1.03}}, {{"x", 1.0}}),
                fast);
      bond("one", {{"machine.one_force"}, {"machine.one_rate_in"}, {"machine.one_length_in"}},
           {{"drive.force"}, {"drive.velocity"}, {"drive.position"}}, -1.0);
    } else {
      pusher("drive", "one", 4e4, 2e3, 1.03);
    }
    pusher("brace", "two", 2e4, 5e2, second_length + 0.02);
    return graph;
  };
  Simulation simulation(build, options);
  const Index one = simulation.output("machine.one_length"), two = simulation.output("machine.two_length");
  std::vector<std::array<double, 2>> lengths;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    const double periods = record.time_s() / 8e-3;
    if (std::abs(periods - std::round(periods)) < 1e-6)
      lengths.push_back({record.output(one), record.output(two)});
  }));
  return lengths;
}

// A drive of 50 g that leads is the spring and damper that push: the same motion from either side, beside a second actuator that is pushed.
TEST(LedInterface, SharesAMachineWithActuatorsThatArePushed) {
  const auto reference = two_links(false, 2e-4);
  const auto distance = [&](double step_s) {
    const auto got = two_links(true, step_s);
    EXPECT_EQ(got.size(), reference.size());
    std::array<double, 2> largest{};
    for (std::size_t i = 0; i < got.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k)
        largest[k] = std::max(largest[k], std::abs(got[i][k] - reference[i][k]));
    return largest;
  };
  std::array<double, 2> swing{};
  for (const auto& lengths : reference)
    for (std::size_t k = 0; k < 2; ++k) swing[k] = std::max(swing[k], std::abs(lengths[k] - reference[0][k]));
  EXPECT_GT(swing[0], 0.01);
  EXPECT_GT(swing[1], 0.01);
  const auto coarse = distance(4e-3), fine = distance(1e-3);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LT(coarse[k], 0.2 * swing[k]) << k;
    EXPECT_LT(fine[k], 0.4 * coarse[k]) << k;
  }
}

// What cannot be is said before the start.
TEST(LedInterface, ADriveWithLargerStepsIsRefused) {
  try {
    Simulation simulation(led_boom, {"drive.step_size=3e-3"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'drive', whose flow is integrated with it"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ergon
