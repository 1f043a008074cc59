#include "ergon/models/sources/waveforms.hpp"

#include <fmt/format.h>

#include <cmath>
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
    problems.error(request.where, fmt::format("'{}': '{}' is no unit.", request.name, text),
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

}  // namespace ergon
