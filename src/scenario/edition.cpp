#include "ergon/scenario/edition.hpp"

#include <array>

#include "ergon/models/nonsmooth/machine_description.hpp"

namespace ergon {
namespace {

/// The next edition is a copy of the last one with what changes; docs/compatibility.md and CHANGELOG.md say what that is and why.
constexpr std::array all_editions = {
    Edition{.name = "2026.1",
            .scheme = "jacobi",
            .extrapolation = "hold",
            .feedthrough = std::nullopt,
            .starter = Starter::none,
            .update = "finite-difference",
            .correction = "none",
            .accuracy = 0.05,
            .friction_law = FrictionLaw::cone,
            .turning = TurningRule::mean},
    // By measurement (docs/adr/0096-defaults-by-measurement.md); not yet what a scenario gets that names none.
    Edition{.name = "2027.1",
            .scheme = "jacobi",
            .extrapolation = "auto-quadratic",
            .feedthrough = std::nullopt,
            .starter = Starter::none,
            .update = "broyden",
            .correction = "none",
            .accuracy = 0.05,
            .friction_law = FrictionLaw::cone,
            .turning = TurningRule::mean},
};
constexpr std::size_t in_force = 0;

}  // namespace

std::span<const Edition> editions() {
  return all_editions;
}

const Edition& newest_edition() {
  return all_editions[in_force];
}

const Edition* find_edition(std::string_view name) {
  for (const Edition& edition : all_editions) {
    if (edition.name == name) return &edition;
  }
  return nullptr;
}

std::vector<std::string> edition_names() {
  std::vector<std::string> names;
  for (const Edition& edition : all_editions) names.emplace_back(edition.name);
  return names;
}

}  // namespace ergon
