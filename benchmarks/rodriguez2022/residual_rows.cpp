#include "benchmarks/rodriguez2022/residual_rows.hpp"

#include <cmath>

namespace ergon::bench {

void add_correction_settings(const ResidualRun& run, Case& settings) {
  const ResidualCorrection& correction = run.correction;
  const bool corrected = correction.method != ResidualMethod::none;
  settings.emplace_back("method", corrected ? "residual-power" : "none");
  if (corrected) {
    settings.emplace_back("variant", name_of(correction.method));
    const auto add = [&](const char* key, const std::optional<double>& value) {
      if (value) {
        settings.emplace_back(key, *value);
      } else {
        settings.emplace_back(key, "auto");
      }
    };
    add("mu", correction.mu);
    add("nu", correction.takes_numbers() ? std::optional(correction.nu) : std::nullopt);
    add("limit", correction.takes_numbers() ? std::optional(correction.limit) : std::nullopt);
  }
  settings.emplace_back("feedthrough", run.feedthrough);
}

void add_error_rows(const Case& settings, const ResidualErrors& errors, const ResidualKnown& known,
                    std::vector<Row>& rows) {
  rows.push_back({settings, "max_energy_error_relative", "", {}, known.max_energy, errors.max_energy});
  rows.push_back(
      {settings, "final_energy_ratio", "", {}, known.final_energy_ratio, errors.final_energy_ratio});
  rows.push_back({settings, "rms_x_error_relative", "", {}, known.rms_x, errors.rms_x});
}

VelocityProducts velocity_products(const ReferenceMotion& motion) {
  const std::size_t n = motion.masses;
  double mixed = 0.0;
  double pushing = 0.0;
  double pushed = 0.0;
  for (std::size_t j = 0; j < motion.points(); ++j) {
    const double vn = motion.v_m_s[j * n + n - 1];
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double vi = motion.v_m_s[j * n + i];
      mixed += vi * vn;
      pushing += vi * vi;
      pushed += vn * vn;
    }
  }
  return {mixed / std::sqrt(pushing * pushed), (pushed - mixed) / pushed};
}

}  // namespace ergon::bench
