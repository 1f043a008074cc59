#include <algorithm>

#include "ergon/core/flat_state.hpp"
#include "ergon/models/control/sample_clock.hpp"
#include "ergon/models/equations/linear_system.hpp"

namespace ergon {
namespace {

/// x₊ = A x + B u, y = C x + D u                                                                  [rodriguez2022, (1)]
/// x₊ is known where u is sampled, and holds from the next instant on. At an instant y follows the inputs that the caller has; in
/// between it has those that were sampled.
class SampledLinear final : public Subsystem,
                            public FlatState,
                            public Differentiable,
                            public StateDerivative {
 public:
  SampledLinear(LinearSystem linear, double sample_time_s)
      : s_(std::move(linear)),
        clock_(sample_time_s),
        n_(s_.A.rows),
        m_(s_.B.columns),
        row_(2 * n_ + m_),
        next_(n_) {
    reset();
  }

  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = s_.inputs;
    description.outputs = s_.outputs;
    std::size_t row = 0;
    for (std::size_t o = 0; o < s_.outputs.size(); row += s_.outputs[o].size, ++o) {
      std::size_t column = 0;
      for (std::size_t i = 0; i < s_.inputs.size(); column += s_.inputs[i].size, ++i) {
        bool depends = false;
        for (std::size_t r = 0; r < s_.outputs[o].size; ++r) {
          for (std::size_t c = 0; c < s_.inputs[i].size; ++c)
            depends = depends || s_.D.at(row + r, column + c) != 0.0;
        }
        if (depends) description.feedthrough.push_back({o, i});
      }
    }
    return description;
  }
  StepStatus initialize(const Experiment& experiment) override {
    clock_.start(experiment.start_s);
    reset();
    return {};
  }
  StepStatus step(double t, double h, const InputView& u) override {
    if (!clock_.can_step(h)) return {false, SampleClock::too_many};
    clock_.for_instants(t, h, [&](double tau) {
      for (std::size_t i = 0; i < m_; ++i) held()[i] = u(i, tau);
      std::copy_n(after(), n_, now());
      for (std::size_t r = 0; r < n_; ++r)
        next_[r] = product(s_.A.row(r), now(), n_) + product(s_.B.row(r), held(), m_);
      std::copy_n(next_.begin(), n_, after());
    });
    return {};
  }
  void outputs(double t, const double* u, double* y) override {
    const bool instant = clock_.is_instant(t);
    const double* x = instant ? after() : now();
    const double* input = instant ? u : held();
    for (std::size_t r = 0; r < s_.C.rows; ++r)
      y[r] = product(s_.C.row(r), x, n_) + product(s_.D.row(r), input, m_);
  }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }
  void output_jacobian(double t, const double* /*u*/, double* jacobian) const override {
    std::fill_n(jacobian, s_.C.rows * m_, 0.0);
    if (clock_.is_instant(t)) std::copy(s_.D.values.begin(), s_.D.values.end(), jacobian);
  }
  // It changes in jumps: nothing to solve for.
  [[nodiscard]] std::vector<std::string> state_names() const override { return {}; }
  void states(double* /*z*/) const override {}
  void set_states(const double* /*z*/) override {}
  bool derivative(double /*t*/, const double* /*u*/, double* /*z_dot*/) const override { return true; }

 private:
  static double product(const double* row, const double* x, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += row[i] * x[i];
    return sum;
  }
  // [x, x₊, sampled u]
  double* now() { return row_.data(); }
  double* after() { return row_.data() + n_; }
  double* held() { return row_.data() + 2 * n_; }
  void reset() {
    std::fill(row_.begin(), row_.end(), 0.0);
    std::copy(s_.start.begin(), s_.start.end(), now());
    std::copy(s_.start.begin(), s_.start.end(), after());
  }
  [[nodiscard]] std::size_t row_size() const override { return row_.size(); }
  void write_row(std::span<double> row) const override { std::copy(row_.begin(), row_.end(), row.begin()); }
  void read_row(std::span<const double> row) override { std::copy(row.begin(), row.end(), row_.begin()); }

  LinearSystem s_;
  SampleClock clock_;
  std::size_t n_, m_;
  std::vector<double> row_;
  std::vector<double> next_;
};

}  // namespace

std::unique_ptr<Subsystem> make_sampled_linear(LinearSystem linear, double sample_time_s) {
  return std::make_unique<SampledLinear>(std::move(linear), sample_time_s);
}

}  // namespace ergon
