#include "ergon/models/sources/sine_burst.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ergon/core/rational.hpp"
#include "ergon/models/sources/source.hpp"

namespace ergon {
namespace {

struct Burst {
  double amplitude = 1.0;
  double omega_rad_s = 0.0;
  double phase_rad = 0.0;
  double start_s = 0.0;
  double rise_s = 0.0;
  double end_s = 0.0;
  double fall_s = 0.0;
  double full_from_s = sum_as_written(start_s, rise_s);
  double full_until_s = sum_as_written(end_s, -fall_s);

  /// e(t)
  [[nodiscard]] double envelope(double t) const {
    if (t < start_s || t >= end_s) return 0.0;
    if (t < full_from_s) return (t - start_s) / rise_s;
    if (t >= full_until_s) return (end_s - t) / fall_s;
    return 1.0;
  }
  [[nodiscard]] double factor(double t) const {
    return 1.0 + envelope(t) * amplitude * std::sin(omega_rad_s * t + phase_rad);
  }
};

class SineBurst final : public Source {
 public:
  SineBurst(Unit unit, const Burst& burst, double mean)
      : Source(std::move(unit)), burst_(burst), initial_mean_(mean), mean_(mean) {}

  [[nodiscard]] double value(double t) const override { return mean_ * burst_.factor(t); }
  StepStatus initialize(const Experiment& /*experiment*/) override {
    mean_ = initial_mean_;
    return {};
  }

  [[nodiscard]] std::vector<std::string> state_names() const override { return {"mean"}; }
  void states(double* z) const override { z[0] = mean_; }
  void set_states(const double* z) override { mean_ = z[0]; }
  bool derivative(double /*t*/, const double* /*u*/, double* z_dot) const override {
    z_dot[0] = 0.0;
    return true;
  }

 private:
  [[nodiscard]] std::size_t row_size() const override { return 1; }
  void write_row(std::span<double> row) const override { row[0] = mean_; }
  void read_row(std::span<const double> row) override { mean_ = row[0]; }

  Burst burst_;
  double initial_mean_;
  double mean_;
};

std::unique_ptr<Subsystem> make_sine_burst(const ModelRequest& request, ProblemList& problems) {
  auto unit = unit_of_source(request, problems);
  const ParameterSet& p = request.parameters;
  const Burst burst{p.number("amplitude"), 2.0 * std::numbers::pi * p.number("frequency_Hz"),
                    p.number("phase_rad"), p.number("start_s"),
                    p.number("rise_s"),    p.number("end_s"),
                    p.number("fall_s")};
  if (burst.full_from_s > burst.full_until_s) {
    problems.error(request.where,
                   fmt::format("'{}': the swing begins to end at {} s, before it is in full at {} s.",
                               request.name, burst.full_until_s, burst.full_from_s),
                   "Give a later end_s, or shorter rise_s and fall_s.");
    return nullptr;
  }
  if (!unit) return nullptr;
  return std::make_unique<SineBurst>(std::move(*unit), burst, request.initial.number("mean"));
}

}  // namespace

ModelInfo sine_burst_source() {
  ModelInfo info;
  info.name = "source.sine_burst";
  info.summary = "mean * (1 + envelope(t) * amplitude * sin(2 pi frequency t + phase))";
  info.parameters = {{"amplitude", "", 0.1, "of the swing, as a share of the mean"},
                     {"frequency_Hz", "Hz", 1.0, "frequency"},
                     {"phase_rad", "rad", 0.0, "phase at t = 0"},
                     {"start_s", "s", 0.0, "time at which the swing begins"},
                     {"rise_s", "s", 0.0, "how long it grows", {}, 0.0},
                     {"end_s", "s", 1.0, "time at which it is over"},
                     {"fall_s", "s", 0.0, "how long it fades before that", {}, 0.0},
                     unit_parameter()};
  info.initial = {{"mean", "", 1.0, "value without the swing"}};
  info.integrated = false;
  info.is_signal = true;
  info.make = make_sine_burst;
  info.examples = {{"spool",
                    {{"amplitude", {-0.1, {}}},
                     {"frequency_Hz", {2.0, {}}},
                     {"rise_s", {1.0, {}}},
                     {"end_s", {9.0, {}}},
                     {"fall_s", {1.0, {}}}},
                    {{"mean", {0.45, {}}}}}};
  return info;
}

}  // namespace ergon
