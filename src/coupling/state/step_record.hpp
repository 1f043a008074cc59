#pragma once

#include "ergon/core/api.hpp"
#include "ergon/core/time_grid.hpp"
#include "ergon/coupling/state/bond_record.hpp"
#include "ergon/coupling/state/energy_record.hpp"
#include "ergon/coupling/state/failure.hpp"
#include "ergon/coupling/state/output_record.hpp"
#include "ergon/coupling/state/run_record.hpp"

namespace ergon {

/// One communication point, as everything downstream (monitors, recorder, summary) sees it: read-only. Who reads a part of it takes
/// that part.
class ERGON_API StepRecord : public OutputRecord,
                             public BondsRecord,
                             public EnergiesRecord,
                             public ControlRecord {
 public:
  [[nodiscard]] virtual Tick tick() const = 0;
  [[nodiscard]] virtual double time_s() const = 0;
};

}  // namespace ergon
