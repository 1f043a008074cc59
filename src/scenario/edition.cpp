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
};

}  // namespace

std::span<const Edition> editions() {
  return all_editions;
}

const Edition& newest_edition() {
  return all_editions.back();
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
