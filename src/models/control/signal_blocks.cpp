#include "ergon/models/control/signal_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/core/flat_state.hpp"
#include "ergon/models/control/sample_clock.hpp"

namespace ergon {
namespace {

/// One signal in, one out; a state of numbers that changes in jumps, so that a static equilibrium has nothing to solve for.
class SignalBlock : public Subsystem, public FlatState, public StateDerivative {
 public:
  SignalBlock(std::vector<double> start, bool feedthrough, InputSampling sampling)
      : start_(std::move(start)), row_(start_), feedthrough_(feedthrough), sampling_(sampling) {}

  [[nodiscard]] Description describe() const final {
    Description description;
    description.inputs = {{"in", {}, 1, "any signal"}};
    description.outputs = {{"out", {}, 1, "the signal after the block"}};
    if (feedthrough_) description.feedthrough = {{0, 0}};
    description.samples_input = sampling_;
    return description;
  }
  StepStatus initialize(const Experiment& experiment) override {
    start_s_ = experiment.start_s;
    row_ = start_;
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) final {
    if (!std::isfinite(u(0, 0.0)) || !std::isfinite(u(0, h)))
      return {false, "its input is not a finite number"};
    return advance(t, h, u);
  }
  Rewindable* rewindable() final { return this; }
  [[nodiscard]] const Serializable* serializable() const final { return this; }
  StateDerivative* state_derivative() final { return this; }
  [[nodiscard]] std::vector<std::string> state_names() const final { return {}; }
  void states(double* /*z*/) const final {}
  void set_states(const double* /*z*/) final {}
  bool derivative(double /*t*/, const double* /*u*/, double* /*z_dot*/) const final { return true; }

 protected:
  virtual StepStatus advance(double t, double h, const InputView& u) = 0;
  [[nodiscard]] std::vector<double>& row() { return row_; }
  [[nodiscard]] const std::vector<double>& row() const { return row_; }
  [[nodiscard]] double start_s() const { return start_s_; }

 private:
  [[nodiscard]] std::size_t row_size() const final { return row_.size(); }
  void write_row(std::span<double> row) const final { std::copy(row_.begin(), row_.end(), row.begin()); }
  void read_row(std::span<const double> row) final { std::copy(row.begin(), row.end(), row_.begin()); }

  std::vector<double> start_;
  std::vector<double> row_;
  bool feedthrough_;
  InputSampling sampling_;
  double start_s_ = 0.0;
};

class RateLimit final : public SignalBlock {
 public:
  RateLimit(double rise, double fall, double start)
      : SignalBlock({start}, false, InputSampling::continuous), rise_(rise), fall_(fall) {}
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = row()[0]; }

 private:
  StepStatus advance(double /*t*/, double h, const InputView& u) override {
    const double before = row()[0];
    row()[0] = std::clamp(u(0, h), before - fall_ * h, before + rise_ * h);
    return {};
  }
  double rise_, fall_;
};

/// State: [out, number of samples, times …, values …], the newest sample last.
class Delay final : public SignalBlock {
 public:
  Delay(double delay_s, double initial, std::size_t samples)
      : SignalBlock(first_row(initial, samples), false, InputSampling::continuous),
        delay_s_(delay_s),
        initial_(initial),
        capacity_(samples) {}
  void outputs(double /*t*/, const double* /*u*/, double* y) override { y[0] = row()[0]; }

 private:
  static std::vector<double> first_row(double initial, std::size_t samples) {
    std::vector<double> row(2 + 2 * samples, 0.0);
    row[0] = initial;
    return row;
  }
  double* times() { return row().data() + 2; }
  double* values() { return times() + capacity_; }

  StepStatus advance(double t, double h, const InputView& u) override {
    auto count = static_cast<std::size_t>(row()[1]);
    const double wanted = t + h - delay_s_;
    // Samples before the last one at or before the time that is wanted are never asked again.
    std::size_t first = 0;
    while (first + 1 < count && times()[first + 1] <= wanted) ++first;
    if (count - first >= capacity_) return {false, "more samples than fit into its delay: raise 'samples'"};
    std::copy(times() + first, times() + count, times());
    std::copy(values() + first, values() + count, values());
    count -= first;
    times()[count] = t;
    values()[count] = u(0, 0.0);
    row()[1] = static_cast<double>(count + 1);
    row()[0] = wanted >= t ? u(0, wanted - t) : delayed(wanted, count + 1);
    return {};
  }
  double delayed(double wanted, std::size_t count) {
    if (wanted < times()[0]) return initial_;
    std::size_t after = 1;
    while (after < count && times()[after] <= wanted) ++after;
    if (after == count) return values()[count - 1];
    const double length = times()[after] - times()[after - 1];
    const double share = length > 0.0 ? (wanted - times()[after - 1]) / length : 1.0;
    return values()[after - 1] + share * (values()[after] - values()[after - 1]);
  }

  double delay_s_, initial_;
  std::size_t capacity_;
};

class Hysteresis final : public SignalBlock, public Differentiable {
 public:
  Hysteresis(double on_at, double off_at, double low, double high, bool on)
      : SignalBlock({on ? 1.0 : 0.0}, true, InputSampling::start),
        on_at_(on_at),
        off_at_(off_at),
        low_(low),
        high_(high) {}
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double /*t*/, const double* /*u*/, double* jacobian) const override {
    jacobian[0] = 0.0;
  }
  void outputs(double /*t*/, const double* u, double* y) override {
    y[0] = std::isnan(u[0]) ? u[0] : is_on(u[0]) ? high_ : low_;
  }

 private:
  [[nodiscard]] bool is_on(double in) const { return in >= on_at_ || (in > off_at_ && row()[0] != 0.0); }
  StepStatus advance(double /*t*/, double /*h*/, const InputView& u) override {
    row()[0] = is_on(u.start(0)) ? 1.0 : 0.0;
    return {};
  }
  double on_at_, off_at_, low_, high_;
};

class SampleHold final : public SignalBlock, public Differentiable {
 public:
  SampleHold(double sample_time_s, double start)
      : SignalBlock({start}, true, InputSampling::continuous), clock_(sample_time_s) {}
  StepStatus initialize(const Experiment& experiment) override {
    clock_.start(experiment.start_s);
    return SignalBlock::initialize(experiment);
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double t, const double* /*u*/, double* jacobian) const override {
    jacobian[0] = clock_.is_instant(t) ? 1.0 : 0.0;
  }
  void outputs(double t, const double* u, double* y) override {
    y[0] = clock_.is_instant(t) ? u[0] : row()[0];
  }

 private:
  StepStatus advance(double t, double h, const InputView& u) override {
    if (!clock_.can_step(h)) return {false, SampleClock::too_many};
    clock_.for_instants(t, h, [&](double tau) { row()[0] = u(0, tau); });
    return {};
  }
  SampleClock clock_;
};

}  // namespace

ModelInfo rate_limit_model() {
  ModelInfo info;
  info.name = "control.rate_limit";
  info.summary = "out follows in, no faster than its rates";
  info.parameters = {{"rise", "1/s", 1.0, "fastest rate upwards", {}, 0.0, true},
                     {"fall", "1/s", 1.0, "fastest rate downwards", {}, 0.0, true},
                     {"initial", "", 0.0, "value at the start"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& /*problems*/) {
    return std::make_unique<RateLimit>(request.parameters.number("rise"), request.parameters.number("fall"),
                                       request.parameters.number("initial"));
  };
  info.examples = {{"fast", {{"rise", {500.0, {}}}, {"fall", {800.0, {}}}}}};
  return info;
}

ModelInfo delay_model() {
  ModelInfo info;
  info.name = "control.delay";
  info.summary = "out is in, some time ago";
  info.parameters = {{"delay", "s", 0.1, "by how much", {}, 0.0},
                     {"initial", "", 0.0, "value until the first one has passed"},
                     {"samples",
                      "",
                      0.0,
                      "maximum number of stored samples; 0: enough for its communication step",
                      {},
                      0.0}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const double samples = request.parameters.number("samples");
    constexpr double max_samples = 1e7;
    if (samples != std::floor(samples) || samples > max_samples) {
      problems.error(request.where, fmt::format("'{}': samples = {}.", request.name, samples),
                     fmt::format("Give a whole number up to {}.", max_samples));
      return nullptr;
    }
    const double delay_s = request.parameters.number("delay");
    // Check runs and step control take shorter steps.
    constexpr double spare = 16.0;
    constexpr double without_step = 4096.0;
    double kept = samples;
    if (kept == 0.0 && request.communication_step_s)
      kept = std::min(max_samples, spare * (1.0 + std::ceil(delay_s / *request.communication_step_s)));
    if (kept == 0.0) kept = without_step;
    return std::make_unique<Delay>(delay_s, request.parameters.number("initial"),
                                   static_cast<std::size_t>(kept));
  };
  info.examples = {{"short", {{"delay", {1e-3, {}}}, {"samples", {20.0, {}}}}}};
  return info;
}

ModelInfo hysteresis_model() {
  ModelInfo info;
  info.name = "control.hysteresis";
  info.summary = "a relay with two thresholds";
  info.parameters = {{"on_at", "", 0.5, "from here on out = high"},
                     {"off_at", "", -0.5, "from here down out = low"},
                     {"low", "", 0.0, "output while off"},
                     {"high", "", 1.0, "output while on"},
                     {"starts_on", "", false, "state at the start"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const ParameterSet& given = request.parameters;
    if (given.number("off_at") > given.number("on_at")) {
      problems.error(request.where, fmt::format("'{}': off_at is above on_at.", request.name),
                     "Let off_at <= on_at.");
      return nullptr;
    }
    return std::make_unique<Hysteresis>(given.number("on_at"), given.number("off_at"), given.number("low"),
                                        given.number("high"), given.flag("starts_on"));
  };
  info.examples = {
      {"narrow",
       {{"on_at", {-0.7, {}}}, {"off_at", {-0.8, {}}}, {"low", {-2.0, {}}}, {"starts_on", {true, {}}}}}};
  return info;
}

ModelInfo sample_hold_model() {
  ModelInfo info;
  info.name = "control.sample_hold";
  info.summary = "samples its input, and holds it until the next sample";
  info.parameters = {{"sample_time", "s", 0.005, "from one sample to the next", {}, 0.0, true},
                     {"initial", "", 0.0, "value before the first sample"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& /*problems*/) {
    return std::make_unique<SampleHold>(request.parameters.number("sample_time"),
                                        request.parameters.number("initial"));
  };
  info.examples = {{"fast", {{"sample_time", {1e-3, {}}}}}};
  return info;
}

}  // namespace ergon
