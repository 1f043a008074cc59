// Everyday systems of examples/ against monolithic solutions (everyday_systems.hpp): each is written down here as one set of ordinary
// differential equations, without a line of the models but the profile of the road, which has a test of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "ergon/models/mechanics/road.hpp"
#include "ergon/run/simulation.hpp"
#include "golden/everyday_systems.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::bench {
namespace {

/// Straight lines between points, going on beyond them.
double between(const std::vector<std::pair<double, double>>& points, double x) {
  std::size_t i = 1;
  while (i + 1 < points.size() && x > points[i].first) ++i;
  const auto [x0, y0] = points[i - 1];
  const auto [x1, y1] = points[i];
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}
TEST(EverydaySystems, TheQuarterCarIsTheMonolithicOne) {
  const RoadProfile road(RoadProfile::Parameters{});  // class C, seed 1, run-up 5 m
  const auto strut_N = [](double compression, double rate) {
    return between({{-0.05, -1500}, {0, 0}, {0.15, 3200}, {0.2, 4475}, {0.25, 6000}, {0.28, 9000}},
                   compression) +
           between({{-1.5, -2700}, {-0.3, -700}, {0, 0}, {0.3, 350}, {1.5, 1300}}, rate);
  };
  const auto tyre_N = [&](double t, const Numbers<4>& z) {
    const auto [height, slope] = road.at(20.0 * t);
    const double deflection = height - z[2] + 0.3;
    return deflection > 0 ? std::max(0.0, 2e5 * deflection + 50 * (20.0 * slope - z[3])) : 0.0;
  };
  // body x, v; wheel x, v
  const auto rates = [&](double t, const Numbers<4>& z) {
    const double strut = strut_N(z[2] - z[0] + 0.5, z[3] - z[1]);
    return Numbers<4>{z[1], strut / 400 - 9.81, z[3], (tyre_N(t, z) - strut) / 40 - 9.81};
  };
  // At rest the tyre carries both weights, the strut that of the body, which its table has between 0.15 and 0.2 m.
  const double wheel_m = 0.3 - 440 * 9.81 / 2e5;
  const double body_m = wheel_m + 0.5 - (0.15 + 0.05 * (400 * 9.81 - 3200) / (4475 - 3200));
  const auto exact = monolithic<4>({body_m, 0, wheel_m, 0}, rates, 5e-3, 2000, 50);
  expect_agreement<4>(
      "quarter-car", exact, 5e-3,
      {{"body.position", [](const Numbers<4>& z) { return z[0]; }},
       {"body.velocity", [](const Numbers<4>& z) { return z[1]; }},
       {"body.acceleration",
        [&](const Numbers<4>& z) { return strut_N(z[2] - z[0] + 0.5, z[3] - z[1]) / 400 - 9.81; }},
       {"wheel.position", [](const Numbers<4>& z) { return z[2]; }},
       {"strut.compression", [](const Numbers<4>& z) { return z[2] - z[0] + 0.5; }}});
}

TEST(EverydaySystems, TheMotorWithItsGearAndLoadIsTheMonolithicOne) {
  // motor φ, ω, I; wheel φ, ω; battery: charge drawn, pair voltage; controller: integral, filtered error
  const auto wanted_duty = [](const Numbers<9>& z) {
    const double error = 20.0 - z[4];
    return 0.15 * error + z[7] + 2e-3 * (error - z[8]) / 0.02;
  };
  const auto duty = [&](const Numbers<9>& z) { return std::clamp(wanted_duty(z), -1.0, 1.0); };
  const auto battery_V = [&](const Numbers<9>& z) {
    const double soc = 0.8 - z[5] / 18000.0;
    return between({{0, 44}, {0.1, 47}, {0.9, 50}, {1, 53}}, soc) - 0.05 * duty(z) * z[2] - z[6];
  };
  const auto rates = [&](double t, const Numbers<9>& z) {
    const double twist = z[0] - 6 * z[3], twist_rate = z[1] - 6 * z[4];
    const double pressed = std::max(0.0, std::abs(twist) - 1e-3);
    const double mesh =
        std::copysign(400 * pressed, twist) + std::min(1.0, pressed / 2e-3) * 0.6 * twist_rate;
    const double on_wheel = 6 * mesh - 0.08 * std::abs(6 * mesh) * std::clamp(z[4], -1.0, 1.0);
    const double current = duty(z) * z[2];
    return Numbers<9>{z[1],
                      (0.25 * z[2] - 1e-4 * z[1] - mesh) / 2e-3,
                      (duty(z) * battery_V(z) - 0.4 * z[2] - 0.25 * z[1]) / 2e-3,
                      z[4],
                      (on_wheel - 0.02 * z[4] + (t >= 1.0 ? -15.0 : 0.0)) / 0.5,
                      current,
                      (current - z[6] / 0.03) / 20.0,
                      0.5 * (20.0 - z[4]) + (duty(z) - wanted_duty(z)) / 0.1,
                      (20.0 - z[4] - z[8]) / 0.02};
  };
  const auto exact = monolithic<9>({}, rates, 2e-3, 1000, 200);
  expect_agreement<9>(
      "motor-gear-load", exact, 2e-3,
      {{"wheel.angular_velocity", [](const Numbers<9>& z) { return z[4]; }},
       {"wheel.angle", [](const Numbers<9>& z) { return z[3]; }},
       {"motor.angular_velocity", [](const Numbers<9>& z) { return z[1]; }},
       {"motor.current", [](const Numbers<9>& z) { return z[2]; }},
       {"controller.out", duty},
       {"battery.voltage", battery_V},
       {"battery.state_of_charge", [](const Numbers<9>& z) { return 0.8 - z[5] / 18000.0; }}});
}

TEST(EverydaySystems, TheBatteryWithItsHeaterIsTheMonolithicOne) {
  // current, block T, plate T, charge drawn, pair voltage
  const auto resistance = [](double T) { return 4.0 * (1.0 + 4e-4 * (T - 293.15)); };
  const auto battery_V = [](const Numbers<5>& z) {
    return between({{0, 9}, {0.1, 11.4}, {0.9, 12.6}, {1, 13.4}}, 0.9 - z[3] / 7200.0) - 0.1 * z[0] - z[4];
  };
  const auto rates = [&](double /*t*/, const Numbers<5>& z) {
    const double heat = resistance(z[1]) * z[0] * z[0];
    const double contact = 1.5 * (z[1] - z[2]);
    const double air = 0.24 * (z[1] - 293.15);
    const double glow = 0.8 * 5.670374419e-8 * 0.02 * (std::pow(z[1], 4) - std::pow(293.15, 4));
    return Numbers<5>{(battery_V(z) - resistance(z[1]) * z[0]) / 0.2, (heat - contact - air - glow) / 150.0,
                      contact / 80.0, z[0], (z[0] - z[4] / 0.05) / 400.0};
  };
  const auto exact = monolithic<5>({0, 293.15, 293.15, 0, 0}, rates, 1.0, 600, 200);
  expect_agreement<5>("battery-heater", exact, 1.0,
                      {{"block.temperature", [](const Numbers<5>& z) { return z[1]; }},
                       {"plate.temperature", [](const Numbers<5>& z) { return z[2]; }},
                       {"heater.current", [](const Numbers<5>& z) { return z[0]; }},
                       {"battery.voltage", battery_V},
                       {"battery.state_of_charge", [](const Numbers<5>& z) { return 0.9 - z[3] / 7200.0; }}});
}

/// Of both examples of the boom, which have other names for its outputs. An actuator that is an element has no balance of its group: its
/// bonds are judged one by one.
void expect_the_boom(const std::string& example, const std::string& length, const std::string& angle,
                     bool has_balance) {
  constexpr double area = 2e-3, pump = 1e7, tank = 1e5, weight_Nm = 200 * 9.81 * 1.5,
                   inertia = 150 + 200 * 1.5 * 1.5;
  constexpr double a = 6.53e-10, b = -1.19e-18;
  // The cylinder reaches from (0.8, −1.2) to a point at 1 m of the boom.
  struct Jack {
    double length, lever;  // lever: of its force about the pivot, which is also dlength/dangle
  };
  const auto jack = [](double of_boom) {
    const double x = std::cos(of_boom) - 0.8, y = std::sin(of_boom) + 1.2;
    const double reach = std::hypot(x, y);
    return Jack{reach, (std::cos(of_boom) * y - std::sin(of_boom) * x) / reach};
  };
  // The root, with the cubic in place of it below 1000 Pa that the cylinder documents.
  const auto flow = [](double difference) {
    const double x = difference / 1e3;
    if (difference <= 0) return 0.0;
    return 1e-5 * 0.67 * std::sqrt(2.0 / 850.0) *
           (x >= 1 ? std::sqrt(difference) : std::sqrt(1e3) * (5 * x * x - 3 * x * x * x) / 2);
  };
  // At rest: no flow, and the force carries the weight. p1, p2 are shares of the pump's pressure that follow from the spool.
  const double hold_N = weight_Nm / jack(0).lever;
  double low = 0, high = 0.5;
  Numbers<2> at_rest{};
  for (int i = 0; i < 200; ++i) {
    const double spool = 0.5 * (low + high), to = spool * spool, from = (1 - spool) * (1 - spool);
    at_rest = {(to * pump + from * tank) / (to + from), (from * pump + to * tank) / (to + from)};
    (area * (at_rest[1] - at_rest[0]) > hold_N ? low : high) = spool;
  }
  const double mean = low;
  const auto spool = [&](double t) {
    const double envelope = std::min({1.0, t / 0.5, std::max(0.0, (3.0 - t) / 0.5)});
    return std::clamp(mean * (1 + 0.3 * envelope * std::sin(M_PI * t)), 0.0, 1.0);
  };
  // angle, rate, p1, p2
  const auto rates = [&](double t, const Numbers<4>& z) {
    const Jack at = jack(z[0]);
    const double speed = at.lever * z[1], open = spool(t);
    const auto bulk = [&](double p) { return (1 + a * p + b * p * p) / (a + 2 * b * p); };
    const double volume1 = area * (0.4 + 1.25 - at.length), volume2 = area * (0.4 + at.length - 1.25);
    const double Q1 = open * flow(pump - z[2]) - (1 - open) * flow(z[2] - tank);
    const double Q2 = (1 - open) * flow(pump - z[3]) - open * flow(z[3] - tank);
    const double force = area * (z[3] - z[2]) - 5e3 * speed;
    return Numbers<4>{z[1], (force * at.lever - weight_Nm * std::cos(z[0])) / inertia,
                      bulk(z[2]) / volume1 * (Q1 + area * speed), bulk(z[3]) / volume2 * (Q2 - area * speed)};
  };
  const auto exact = monolithic<4>({0, 0, at_rest[0], at_rest[1]}, rates, 1e-2, 300, 400);
  expect_agreement<4>(example, exact, 1e-2,
                      {{length, [&](const Numbers<4>& z) { return jack(z[0]).length; }},
                       {angle, [](const Numbers<4>& z) { return z[0]; }},
                       {"cylinder.pressure_1", [](const Numbers<4>& z) { return z[2]; }},
                       {"cylinder.pressure_2", [](const Numbers<4>& z) { return z[3]; }}},
                      has_balance);
}

TEST(EverydaySystems, TheBoomOnItsCylinderIsTheMonolithicOne) {
  expect_the_boom("boom-cylinder", "boom.cylinder_length", "boom.pivot_angle", true);
}

TEST(EverydaySystems, TheBoomOfBodiesOnItsCylinderIsTheMonolithicOne) {
  expect_the_boom("boom-of-bodies", "jack.length", "boom.angle", false);
}

TEST(EverydaySystems, ThePumpCircuitIsTheMonolithicOne) {
  constexpr double D = 2e-6, head = 1000 * 9.80665 / 0.05;  // head: pressure per volume of a tank
  constexpr double section = M_PI * 0.03 * 0.03 / 4;
  const auto gas_Pa = [](double volume) { return 1.5e6 * std::pow(2e-3 / (2e-3 - volume), 1.4) - 101325; };
  // motor ω, I; volumes of tank, basin, accumulator; flow of the pipe
  const auto rates = [&](double /*t*/, const Numbers<6>& z) {
    const double tank = head * z[2], basin = head * z[3], gas = gas_Pa(z[4]);
    const double pumped = D * z[0] - 2e-12 * (gas - tank);
    const double over = gas - basin;
    const double valve = 5e-6 * 0.62 * std::sqrt(2.0 / 1000) * over / std::pow(over * over + 1e4, 0.25);
    const double speed = z[5] / section;
    const double friction = 128e-3 * 2.0 / (M_PI * std::pow(0.03, 4)) * z[5] +
                            0.03 * 2.0 / 0.03 * 1000 / 2 * std::abs(speed) * speed;
    return Numbers<6>{(0.2 * z[1] - 1e-3 * z[0] - D * (gas - tank) - 1e-3 * z[0]) / 5e-3,
                      (24 - 0.5 * z[1] - 0.2 * z[0]) / 0.02,
                      z[5] - pumped,
                      valve - z[5],
                      pumped - valve,
                      (basin - tank - friction) / (1000 * 2.0 / section)};
  };
  const auto exact = monolithic<6>({0, 0, 0.02, 0.02, 2e-4, 0}, rates, 0.05, 400, 100);
  expect_agreement<6>("pump-circuit", exact, 0.05,
                      {{"motor.angular_velocity", [](const Numbers<6>& z) { return z[0]; }},
                       {"motor.current", [](const Numbers<6>& z) { return z[1]; }},
                       {"tank.level", [](const Numbers<6>& z) { return z[2] / 0.05; }},
                       {"basin.volume", [](const Numbers<6>& z) { return z[3]; }},
                       {"accumulator.pressure", [&](const Numbers<6>& z) { return gas_Pa(z[4]); }},
                       {"pipe.volume_flow_j", [](const Numbers<6>& z) { return z[5]; }}});
}

// With Coulomb's law itself, slipping in one direction only, and one inertia from the moment when both turn alike: no spring. Engine and
// car differ from it by the elastic twist of the clutch, a few milliradians.
TEST(EverydaySystems, TheClutchIsCoulombs) {
  double engine = 200, car = 0, stuck_at = 0;
  constexpr double h = 1e-6;
  std::vector<Numbers<2>> exact = {{engine, car}};
  for (int i = 0; i < 3000000; ++i) {
    if (stuck_at == 0) {
      const double M = std::min(250.0, 250.0 * (i + 0.5) * h);
      engine += h * (100 - M) / 0.2;
      car += h * (M - 0.2 * car) / 2.0;
      if (engine <= car) stuck_at = i * h;
    } else {
      car += h * (100 - 0.2 * car) / 2.2;
      engine = car;
    }
    if ((i + 1) % 5000 == 0) exact.push_back({engine, car});
  }
  EXPECT_GT(stuck_at, 0.8);
  EXPECT_LT(stuck_at, 2.0);
  expect_agreement<2>("clutch-launch", exact, 5e-3,
                      {{"engine.angular_velocity", [](const Numbers<2>& z) { return z[0]; }},
                       {"car.angular_velocity", [](const Numbers<2>& z) { return z[1]; }}});
}

/// Two masses, each on a spring to the ground, with a spring and damper between them; `left` and `right` say what they are made of.
std::vector<std::vector<double>> motion_of_two_masses(const std::string& left, const std::string& right) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "masses.toml";
  std::ofstream(file)
      << "simulation = { stop_time = 2.0, step_size = 1e-3 }\ncoupling = { extrapolation = \"linear\" }\n"
      << "[[subsystem]]\nname = \"left\"\nintegrator = { method = \"rk4\" }\n"
      << left << "\n[[subsystem]]\nname = \"right\"\nintegrator = { method = \"rk4\" }\n"
      << right
      << "\n[[element]]\nname = \"spring\"\nlaw = \"spring-damper\"\nends = [\"left\", \"right\"]\n"
         "parameters = { k = 100.0, c = 0.2 }\n";
  Simulation simulation(file);
  const std::vector<Index> outputs = {simulation.output("left.position"), simulation.output("left.velocity"),
                                      simulation.output("right.position"),
                                      simulation.output("right.velocity")};
  std::vector<std::vector<double>> rows;
  EXPECT_FALSE(simulation.for_each_point([&](const StepRecord& record) {
    std::vector<double>& row = rows.emplace_back();
    for (const Index output : outputs) row.push_back(record.output(output));
  }));
  return rows;
}

// The same two masses coupled by the same element, as native models, as formulas and as matrices: the orders of operations differ,
// nothing else. What 2000 steps of 53 bits leave of amplitudes of 0.1 m and 1.7 m/s.
TEST(EverydaySystems, TwoMassesMoveAlikeAsNativeModelsFormulasAndMatrices) {
  const auto native = [](double m, double k, double c, double x) {
    return fmt::format(
        "model = \"oscillator.mass\"\nparameters = {{ m = {}, k = {}, c = {} }}\ninitial = {{ x = {} }}\n", m,
        k, c, x);
  };
  const auto formulas = [](double m, double k, double c, double x) {
    return fmt::format(
        "model = \"equations.expression\"\nparameters = {{ m = {}, k = {}, c = {}, equations = \"\"\"\ninput "
        "force [N]\n"
        "parameter m [kg] = 1, k [N/m] = 1, c [N*s/m] = 0\nstate x [m] = 0, x' = 0\nm*x'' = force - k*x - "
        "c*x'\n"
        "output position = x, velocity = x'\n\"\"\" }}\ninitial = {{ x = {} }}\n",
        m, k, c, x);
  };
  const auto matrices = [](double m, double k, double c, double x) {
    return fmt::format(
        "model = \"equations.mechanical\"\nparameters = {{ M = [[{}]], K = [[{}]], C = [[{}]] }}\ninitial = "
        "{{ x = [{}] }}\n",
        m, k, c, x);
  };
  const auto expected = motion_of_two_masses(native(1.0, 10.0, 0.1, 0.1), native(1.5, 1000.0, 0.3, -0.05));
  ASSERT_EQ(expected.size(), 2001U);
  const auto by_formulas =
      motion_of_two_masses(formulas(1.0, 10.0, 0.1, 0.1), formulas(1.5, 1000.0, 0.3, -0.05));
  const auto by_matrices =
      motion_of_two_masses(matrices(1.0, 10.0, 0.1, 0.1), matrices(1.5, 1000.0, 0.3, -0.05));
  ASSERT_EQ(by_formulas.size(), expected.size());
  ASSERT_EQ(by_matrices.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      const double tolerance = c % 2 == 0 ? 1e-14 : 1e-13;
      ASSERT_NEAR(by_formulas[i][c], expected[i][c], tolerance) << i << " " << c;
      ASSERT_NEAR(by_matrices[i][c], expected[i][c], tolerance) << i << " " << c;
    }
  }
  EXPECT_GT(std::abs(expected[1000][0] - expected[0][0]), 0.001) << "they move";
}

// In steady state by phasors: (R + iωL)·i + Bl·v = 1 V and (c + i(ωm − k/ω))·v = Bl·i.
TEST(EverydaySystems, TheLoudspeakerMovesAsItsPhasorsSay) {
  Simulation simulation(everyday_examples / "moving-coil.toml");
  double largest_m = 0.0;
  simulation.start();
  while (simulation.advance()) {
    if (simulation.record().time_s() > 0.16)
      largest_m = std::max(largest_m, std::abs(simulation.value("cone.position")));
  }
  using Complex = std::complex<double>;
  const double omega = 2.0 * std::numbers::pi * 50.0;
  const Complex coil(6.0, omega * 0.5e-3);
  const Complex cone(1.5, omega * 0.015 - 2000.0 / omega);
  const double exact_m = std::abs(6.0 / (coil * cone + 36.0)) / omega;
  EXPECT_NEAR(largest_m, exact_m, 1e-4 * exact_m);
}

}  // namespace
}  // namespace ergon::bench
