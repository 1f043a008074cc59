// Examples of a thermostat and of an emergency brake against monolithic solutions (everyday_systems.hpp), written down here without a
// line of the models.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "golden/everyday_systems.hpp"

namespace ergon::bench {
namespace {

// The relay looks at a thermometer that is 60 s late, every 10 s: between its looks the monolithic system has a constant heat.
TEST(EverydaySystems, TheThermostatIsTheMonolithicOne) {
  // radiator, room and wall in K, heat of the boiler in W
  std::vector<Numbers<4>> exact = {{293.15, 289.15, 285.15, 2500.0}};
  for (int k = 0; k <= 1080; ++k) {
    Numbers<4>& now = exact.back();
    const double late_K = k < 6 ? 289.15 : exact[static_cast<std::size_t>(k) - 6][1];
    if (late_K <= 293.15) now[3] = 2500.0;
    if (late_K >= 294.15) now[3] = 0.0;
    if (k == 1080) break;
    const auto rates = [&](double t, const Numbers<4>& z) {
      const double draught = 30.0 * (z[0] - z[1]);
      const double glow = 0.9 * 5.670374419e-8 * 1.5 * (std::pow(z[0], 4) - std::pow(z[2], 4));
      const double plaster = 150.0 * (z[1] - z[2]);
      const double outside = 4.0 * 20.0 * (z[2] - (278.15 - 5.0 * (10.0 * k + t) / 10800.0));
      return Numbers<4>{(z[3] - draught - glow) / 2e4, (draught - plaster) / 4e5,
                        (glow + plaster - outside) / 4e6, 0.0};
    };
    exact.push_back(monolithic<4>(now, rates, 10.0, 1, 20).back());
  }
  int switched = 0;
  for (std::size_t k = 1; k < exact.size(); ++k) switched += exact[k][3] != exact[k - 1][3] ? 1 : 0;
  EXPECT_GE(switched, 6) << "the relay works";
  expect_agreement<4>("thermostat", exact, 10.0,
                      {{"radiator.temperature", [](const Numbers<4>& z) { return z[0]; }},
                       {"room.temperature", [](const Numbers<4>& z) { return z[1]; }},
                       {"wall.temperature", [](const Numbers<4>& z) { return z[2]; }}});
}

// Dry friction as a spring and a damper in series with a slider that yields at the capacity: slips, sticks, and holds the swinging wheel.
TEST(EverydaySystems, TheEmergencyBrakeIsTheMonolithicOne) {
  // rotor φ, ω; wheel φ, ω; twist of the brake
  const auto brake = [](double t, const Numbers<5>& z) {
    const double capacity = 40.0 * std::clamp((t - 0.5) / 0.05, 0.0, 1.0);
    const double rate = std::clamp(z[1], (-capacity - 2e4 * z[4]) / 20.0, (capacity - 2e4 * z[4]) / 20.0);
    return std::pair(rate, 2e4 * z[4] + 20.0 * rate);
  };
  const auto rates = [&](double t, const Numbers<5>& z) {
    const auto [twist_rate, torque] = brake(t, z);
    const double shaft = 400.0 * (z[0] - z[2]) + 0.15 * (z[1] - z[3]);
    const double motor = t < 0.5 ? 1.5 : 0.0;
    return Numbers<5>{z[1], (motor - 0.01 * z[1] - shaft - torque) / 0.05, z[3],
                      (shaft - 0.005 * z[3]) / 0.08, twist_rate};
  };
  const auto exact = monolithic<5>({0, 100, 0, 100, 0}, rates, 2e-3, 1000, 400);
  EXPECT_LT(std::abs(exact.back()[1]), 0.1) << "the rotor is held";
  double swing_rad_s = 0.0;
  for (std::size_t i = 600; i < exact.size(); ++i) swing_rad_s = std::max(swing_rad_s, std::abs(exact[i][3]));
  EXPECT_GT(swing_rad_s, 1.0) << "the wheel swings on";
  expect_agreement<5>(
      "emergency-brake", exact, 2e-3,
      {{"rotor.angle", [](const Numbers<5>& z) { return z[0]; }},
       {"rotor.angular_velocity", [](const Numbers<5>& z) { return z[1]; }},
       {"wheel.angle", [](const Numbers<5>& z) { return z[2]; }},
       {"wheel.angular_velocity", [](const Numbers<5>& z) { return z[3]; }},
       {"shaft.torque_j", [](const Numbers<5>& z) { return 400.0 * (z[0] - z[2]) + 0.15 * (z[1] - z[3]); }}});
}

}  // namespace
}  // namespace ergon::bench
