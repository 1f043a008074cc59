#include "ergon/coupling/correctors/corrector.hpp"

namespace ergon {

const std::vector<CorrectorInfo>& correctors() {
  static const std::vector<CorrectorInfo> all = {
      residual_power_corrector(),
      energy_leak_corrector(),
      passivity_corrector(),
      nepce_corrector(),
  };
  return all;
}

}  // namespace ergon
