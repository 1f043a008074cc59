#include <fmt/format.h>

#include <cmath>

#include "ergon/models/cable/cable_subsystem.hpp"
#include "ergon/models/integrator_options.hpp"
#include "ergon/models/vector_parameter.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;

const std::vector<std::string>& cable_integrators() {
  static const std::vector<std::string> methods = {"semi-implicit-euler"};
  return methods;
}

/// Mass matrices are assembled dense, once, before the start: with 400 elements 5 MB, with 10 000 it would be 3 GB.
constexpr double max_elements = 400.0;

/// A whole number of elements, else reported.
std::optional<Eigen::Index> read_elements(const ModelRequest& request, ProblemList& problems) {
  const double elements = request.parameters.number("elements");
  if (elements == std::floor(elements) && elements <= max_elements)
    return static_cast<Eigen::Index>(elements);
  problems.error(
      request.where, fmt::format("'{}': 'elements' is {}.", request.name, elements),
      fmt::format("Give a whole number from 1 to {}: matrices are dense before the start, so that more "
                  "would need too much memory.",
                  max_elements));
  return std::nullopt;
}

/// The relaxed length: as told, else the distance of the ends. A straight cable cannot be longer than that.
std::optional<double> read_length(const ModelRequest& request, double distance_m, ProblemList& problems) {
  if (!(distance_m > 0.0)) {
    problems.error(request.where, fmt::format("'{}': its ends 'a' and 'b' are one point.", request.name),
                   "Give two points: the cable starts straight between them.");
    return std::nullopt;
  }
  const double length = request.parameters.number("length");
  if (length == 0.0) return distance_m;
  constexpr double rounding = 1e-9;
  if (length <= distance_m * (1.0 + rounding)) return length;
  problems.error(
      request.where,
      fmt::format("'{}': 'length' is {} m, but its ends are {} m apart.", request.name, length, distance_m),
      "It starts straight, so it cannot be longer than that: move the ends apart, or shorten it.");
  return std::nullopt;
}

std::unique_ptr<Subsystem> make_cable(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, cable_integrators(), problems);
  const auto a = read_vector(request, request.parameters, "a", 3, problems);
  const auto b = read_vector(request, request.parameters, "b", 3, problems);
  const auto gravity = read_vector(request, request.parameters, "gravity", 3, problems);
  const auto elements = read_elements(request, problems);
  if (!integration || !a || !b || !gravity || !elements) return nullptr;
  const auto length = read_length(request, (*b - *a).norm(), problems);
  if (!length) return nullptr;
  CableSetting setting;
  setting.cable.length_m = *length;
  setting.cable.radius_m = request.parameters.number("radius");
  setting.cable.density_kg_m3 = request.parameters.number("density");
  setting.cable.youngs_modulus_Pa = request.parameters.number("E");
  setting.cable.gravity_m_s2 = *gravity;
  setting.cable.elements = *elements;
  setting.a_m = *a;
  setting.b_m = *b;
  setting.drives_b = request.parameters.text("driven") == "both";
  setting.step_s = integration->step_s;
  auto subsystem = std::make_unique<CableSubsystem>(setting);
  const double omega_rad_s = subsystem->cable().highest_frequency_rad_s();
  if (!(std::isfinite(omega_rad_s) && omega_rad_s > 0.0)) {
    problems.error(
        request.where,
        fmt::format("'{}': its highest natural frequency is not a positive number: with 'radius' = {} "
                    "m, 'density' = {} kg/m3 and 'E' = {} Pa numbers are too small or too large.",
                    request.name, setting.cable.radius_m, setting.cable.density_kg_m3,
                    setting.cable.youngs_modulus_Pa),
        "Give the section and material of a cable, in SI units.");
    return nullptr;
  }
  const auto step_s = request.longest_internal_step_s();
  if (step_s && !(*step_s * omega_rad_s < 2.0)) {
    problems.error(request.where,
                   fmt::format("'{}': an internal step of {} s is above the stability limit of {:.3g} s.",
                               request.name, *step_s, 2.0 / omega_rad_s),
                   "Take a smaller step or fewer elements; a cable that is stretched needs less still.");
    return nullptr;
  }
  return subsystem;
}

}  // namespace

ModelInfo cable_model() {
  ModelInfo info;
  info.name = "cable.ancf";
  info.summary = "flexible cable of ANCF elements, stretched and bent; motion of its ends in, forces out";
  info.parameters = {
      {"a", "m", List{0.0, 0.0, 0.0}, "where end A is at the start"},
      {"b", "m", List{10.0, 0.0, 0.0}, "where end B is at the start"},
      {"length", "m", 0.0, "relaxed length; 0: the distance of the ends at the start", {}, 0.0},
      {"radius", "m", 0.01, "of its circular section", {}, 0.0, true},
      {"density", "kg/m3", 1000.0, "of its material", {}, 0.0, true},
      {"E", "Pa", 1e6, "Young's modulus", {}, 0.0, true},
      {"elements", "", 5.0, "number of elements, 400 at most", {}, 1.0},
      {"gravity", "m/s2", List{0.0, -9.81, 0.0}, "world coordinates"},
      {"driven",
       "",
       std::string("a"),
       "ends whose motion is prescribed by inputs; the other one is fixed",
       {"a", "both"}},
  };
  info.make = make_cable;
  info.integrators = cable_integrators();
  info.has_prescribed_paths = true;
  info.examples = {{"one element, both ends driven",
                    {{"elements", {1.0, {}}}, {"driven", {std::string("both"), {}}}, {"length", {9.0, {}}}}},
                   {"nine elements",
                    {{"elements", {9.0, {}}},
                     {"b", {List{20.0, 10.0, -20.0}, {}}},
                     {"density", {7200.0, {}}},
                     {"E", {2e7, {}}}}}};
  return info;
}

}  // namespace ergon
