#include "ergon/models/sources/waveforms.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "ergon/core/rational.hpp"
#include "ergon/models/sources/source.hpp"
#include "ergon/models/tunable_numbers.hpp"

namespace ergon {
namespace {

/// A source made of a function of time, with numbers that may change during a run where it names some.
template <typename Waveform>
class WaveformSource final : public Source, public TunableNumbers {
 public:
  WaveformSource(Unit unit, Waveform waveform) : Source(std::move(unit)), waveform_(waveform) {
    const auto add = [this](const char* name, double& number) { tune(name, "", "as the parameter", number); };
    if constexpr (requires { waveform_.tune(add); }) waveform_.tune(add);
  }
  [[nodiscard]] double value(double t) const override { return waveform_(t); }
  Tunable* tunable() override { return tunable_parameters().empty() ? nullptr : this; }

 private:
  Waveform waveform_;
};

struct Constant {
  double value;
  double operator()(double /*t*/) const { return value; }
  template <typename Add>
  void tune(Add add) {
    add("value", value);
  }
};

struct Sine {
  double amplitude;
  double omega;
  double phase;
  double offset;
  double operator()(double t) const { return offset + amplitude * std::sin(omega * t + phase); }
  template <typename Add>
  void tune(Add add) {
    add("amplitude", amplitude);
    add("offset", offset);
  }
};

/// Random numbers by their place in the row: whoever asks for a time again, or for an earlier one, gets the same.
struct Noise {
  double mean;
  double deviation;
  double sample_time_s;
  std::uint64_t seed;
  bool normal;

  double operator()(double t) const {
    constexpr double slack = 1e-6;  // of an interval: times are rounded
    const auto interval = static_cast<std::int64_t>(std::floor(t / sample_time_s + slack));
    const double first = fraction(2 * static_cast<std::uint64_t>(interval));
    if (!normal) return mean + deviation * std::numbers::sqrt3 * (2.0 * first - 1.0);
    // Box and Muller: two fractions in (0, 1) give a normal number.
    const double second = fraction(2 * static_cast<std::uint64_t>(interval) + 1);
    return mean + deviation * std::sqrt(-2.0 * std::log(first)) * std::cos(2.0 * std::numbers::pi * second);
  }

 private:
  /// In (0, 1), by the finalizer of SplitMix64 on a counter.
  [[nodiscard]] double fraction(std::uint64_t count) const {
    std::uint64_t bits = mixed(mixed(seed) + count * 0x9E3779B97F4A7C15ULL);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
  }
  static std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31U);
  }
};

/// `read` turns the parameters into a function of time.
template <typename Read>
ModelInfo source(std::string name, std::string summary, std::vector<ParameterInfo> parameters, Read read,
                 std::vector<Example> examples) {
  parameters.push_back(unit_parameter());
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = std::move(parameters);
  info.integrated = false;
  info.is_signal = true;
  info.make = [read](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    auto unit = unit_of_source(request, problems);
    if (!unit) return nullptr;
    auto waveform = read(request.parameters);
    return std::make_unique<WaveformSource<decltype(waveform)>>(std::move(*unit), waveform);
  };
  info.examples = std::move(examples);
  return info;
}

}  // namespace

ParameterInfo unit_parameter() {
  return {"unit", "", "", "unit of the signal; empty: fits every input"};
}

std::optional<Unit> unit_of_source(const ModelRequest& request, ProblemList& problems) {
  const std::string& text = request.parameters.text("unit");
  if (text.empty()) return Unit{};
  auto unit = Unit::parse(text);
  if (!unit) {
    problems.error(request.where, fmt::format("'{}': '{}' is not a unit.", request.name, text),
                   "Write it as \"N\", \"m/s\", \"kg*m^2\", \"rad/s\", or leave it out.");
  }
  return unit;
}

ModelInfo constant_source() {
  return source("source.constant", "a constant", {{"value", "", 0.0, "the constant"}},
                [](const ParameterSet& p) { return Constant{p.number("value")}; },
                {{"two and a half newtons", {{"value", {2.5, {}}}, {"unit", {"N", {}}}}}});
}

ModelInfo step_source() {
  return source("source.step", "jumps from one value to another",
                {{"time_s", "s", 0.0, "time of the jump; the new value holds from this time on"},
                 {"before", "", 0.0, "value before"},
                 {"after", "", 1.0, "value after"}},
                [](const ParameterSet& p) {
                  return [at = p.number("time_s"), before = p.number("before"),
                          after = p.number("after")](double t) { return t < at ? before : after; };
                },
                {{"down", {{"time_s", {0.5, {}}}, {"before", {3.0, {}}}, {"after", {-1.0, {}}}}}});
}

ModelInfo ramp_source() {
  return source(
      "source.ramp", "goes from one value to another in a straight line",
      {{"start_s", "s", 0.0, "time at which the ramp begins"},
       {"duration_s", "s", 1.0, "how long it takes", {}, 0.0, true},
       {"before", "", 0.0, "value before"},
       {"after", "", 1.0, "value after"}},
      [](const ParameterSet& p) {
        return [start = p.number("start_s"), duration = p.number("duration_s"),
                end = sum_as_written(p.number("start_s"), p.number("duration_s")),
                before = p.number("before"), after = p.number("after")](double t) {
          if (t <= start) return before;
          if (t >= end) return after;
          return before + (after - before) * ((t - start) / duration);
        };
      },
      {{"down",
        {{"start_s", {0.25, {}}}, {"duration_s", {0.5, {}}}, {"before", {3.0, {}}}, {"after", {-1.0, {}}}}}});
}

ModelInfo sine_source() {
  return source("source.sine", "offset + amplitude * sin(2 pi frequency t + phase)",
                {{"amplitude", "", 1.0, "amplitude"},
                 {"frequency_Hz", "Hz", 1.0, "frequency"},
                 {"phase_rad", "rad", 0.0, "phase at t = 0"},
                 {"offset", "", 0.0, "mean value"}},
                [](const ParameterSet& p) {
                  return Sine{p.number("amplitude"), 2.0 * std::numbers::pi * p.number("frequency_Hz"),
                              p.number("phase_rad"), p.number("offset")};
                },
                {{"shifted",
                  {{"amplitude", {2.0, {}}},
                   {"frequency_Hz", {0.5, {}}},
                   {"phase_rad", {0.3, {}}},
                   {"offset", {1.0, {}}}}}});
}

ModelInfo noise_source() {
  return source("source.noise", "random numbers, held for sample_time each",
                {{"mean", "", 0.0, "mean value"},
                 {"standard_deviation", "", 1.0, "standard deviation", {}, 0.0},
                 {"sample_time", "s", 0.01, "how long each number holds", {}, 0.0, true},
                 {"seed", "", 1.0, "a number; the same one gives the same noise"},
                 {"distribution", "", "normal", "of the numbers", {"normal", "uniform"}}},
                [](const ParameterSet& p) {
                  return Noise{p.number("mean"), p.number("standard_deviation"), p.number("sample_time"),
                               std::bit_cast<std::uint64_t>(p.number("seed")),
                               p.text("distribution") == "normal"};
                },
                {{"uniform", {{"mean", {2.0, {}}}, {"seed", {7.0, {}}}, {"distribution", {"uniform", {}}}}}});
}

}  // namespace ergon
