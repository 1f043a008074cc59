#include "ergon/core/open_registry.hpp"
#include "ergon/coupling/correctors/register_corrector.hpp"

namespace ergon {

namespace {

std::vector<CorrectorInfo> own_correctors() {
  return {
      residual_power_corrector(),
      energy_leak_corrector(),
      passivity_corrector(),
      nepce_corrector(),
  };
}

OpenRegistry<CorrectorInfo>& all_correctors() {
  static OpenRegistry<CorrectorInfo> all("corrector", own_correctors());
  return all;
}

}  // namespace

const std::vector<CorrectorInfo>& correctors() {
  return all_correctors().entries();
}

void register_corrector(CorrectorInfo info) {
  all_correctors().add(std::move(info), [](const CorrectorInfo& known) { return known.name; });
}

}  // namespace ergon
