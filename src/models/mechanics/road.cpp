#include "ergon/models/mechanics/road.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

constexpr double reference_frequency_1_m = 0.1;  // n₀
constexpr double class_A_m3 = 16e-6;
constexpr double max_waves = 100000.0;

/// SplitMix64: the same numbers everywhere, unlike those of the distributions of the standard library.
class PhaseGenerator {
 public:
  explicit PhaseGenerator(std::uint64_t seed) : state_(seed) {}
  /// From 0 to 2π.
  double next_rad() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return 2.0 * std::numbers::pi * static_cast<double>(z >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

std::unique_ptr<Subsystem> make_road(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  RoadProfile::Parameters p;
  const int steps_from_A = given.text("class").front() - 'A';
  p.roughness_m3 =
      given.number("roughness") > 0.0 ? given.number("roughness") : class_A_m3 * std::pow(4.0, steps_from_A);
  p.lowest_1_m = given.number("lowest");
  p.highest_1_m = given.number("highest");
  p.run_up_m = given.number("run_up");
  const double waves = given.number("waves");
  const double seed = given.number("seed");
  bool ok = integration.has_value();
  if (!(p.highest_1_m > p.lowest_1_m)) {
    problems.error(request.where,
                   fmt::format("'{}': highest = {} 1/m is not above lowest = {} 1/m.", request.name,
                               p.highest_1_m, p.lowest_1_m),
                   "Give the band of spatial frequencies in cycles per metre.");
    ok = false;
  }
  if (waves != std::floor(waves) || waves > max_waves || seed != std::floor(seed)) {
    problems.error(request.where, fmt::format("'{}': waves = {} and seed = {}.", request.name, waves, seed),
                   fmt::format("Give whole numbers; at most {} waves.", max_waves));
    ok = false;
  }
  if (!ok) return nullptr;
  p.waves = static_cast<std::size_t>(waves);
  p.seed = static_cast<std::uint64_t>(seed);
  return std::make_unique<NativeSubsystem<Road>>(
      Road(std::make_shared<const RoadProfile>(p), given.number("speed")), *integration,
      std::vector<double>{request.initial.number("distance")});
}

}  // namespace

RoadProfile::RoadProfile(const Parameters& p) : run_up_m_(p.run_up_m) {
  PhaseGenerator phases(p.seed);
  const double growth = std::pow(p.highest_1_m / p.lowest_1_m, 1.0 / static_cast<double>(p.waves));
  double lower = p.lowest_1_m;
  for (std::size_t k = 0; k < p.waves; ++k) {
    const double upper = lower * growth;
    // With n² = lower · upper, G(n) (upper − lower) is the integral of G over the band, exactly.
    const double squared = lower * upper;
    const double power = p.roughness_m3 * reference_frequency_1_m * reference_frequency_1_m / squared;
    waves_.push_back({std::sqrt(2.0 * power * (upper - lower)), 2.0 * std::numbers::pi * std::sqrt(squared),
                      phases.next_rad()});
    lower = upper;
  }
}

RoadProfile::Height RoadProfile::at(double s) const {
  Height height;
  if (run_up_m_ > 0.0 && s <= 0.0) return height;
  for (const Wave& wave : waves_) {
    const double angle = wave.wave_number_rad_m * s + wave.phase_rad;
    height.height_m += wave.amplitude_m * std::cos(angle);
    height.slope -= wave.amplitude_m * wave.wave_number_rad_m * std::sin(angle);
  }
  if (run_up_m_ > 0.0 && s < run_up_m_) {
    const double x = s / run_up_m_;
    const double weight = x * x * x * (10.0 - x * (15.0 - 6.0 * x));
    const double weight_slope = 30.0 * x * x * (1.0 - x) * (1.0 - x) / run_up_m_;
    height.slope = weight * height.slope + weight_slope * height.height_m;
    height.height_m *= weight;
  }
  return height;
}

Description Road::describe() const {
  Description description;
  Port force{"force", Unit::of("N"), 1, "on the road"};
  force.optional = true;
  description.inputs = {force};
  description.outputs = {{"position", Unit::of("m"), 1, "height of the road below the wheel"},
                         {"velocity", Unit::of("m/s"), 1, "its rate, at the speed of the vehicle"},
                         {"distance", Unit::of("m"), 1, "driven"}};
  description.outputs[1].rate_of = "position";
  return description;
}

ModelInfo road_model() {
  ModelInfo info;
  info.name = "vehicle.road";
  info.summary = "random road by class of ISO 8608, driven over with a constant speed";
  info.parameters = {
      {"class", "", "C", "roughness by class", {"A", "B", "C", "D", "E", "F", "G", "H"}},
      {"roughness",
       "m3",
       0.0,
       "spectrum at 0.1 cycles/m, in place of the class; 0: that of the class",
       {},
       0.0},
      {"speed", "m/s", 20.0, "of the vehicle"},
      {"seed", "", 1.0, "of the random phases: another number, another road", {}, 0.0},
      {"waves", "", 200.0, "how many make the road", {}, 1.0},
      {"lowest", "1/m", 0.011, "spatial frequency", {}, 0.0, true},
      {"highest", "1/m", 2.83, "spatial frequency", {}, 0.0, true},
      {"run_up", "m", 5.0, "over which the road grows from level to its full height", {}, 0.0}};
  info.initial = {{"distance", "m", 0.0, "driven at the start"}};
  info.make = make_road;
  info.examples = {{"rough",
                    {{"class", {"E", {}}}, {"speed", {10.0, {}}}, {"seed", {7.0, {}}}, {"waves", {20.0, {}}}},
                    {{"distance", {30.0, {}}}}}};
  return info;
}

}  // namespace ergon
