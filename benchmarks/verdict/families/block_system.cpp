#include "benchmarks/verdict/families/block_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace ergon::bench {
namespace {

class LinearSubsystem final : public Subsystem {
 public:
  explicit LinearSubsystem(Block block)
      : b_(std::move(block)), x_(b_.x0), y_(b_.outputs.size(), 0.0), rate_(x_.size()), trial_(x_.size()) {}

  [[nodiscard]] Description describe() const override {
    Description d;
    const auto port = [](const Block::Signal& s) {
      return Port{s.name, s.unit.empty() ? Unit{} : Unit::of(s.unit), 1, ""};
    };
    for (const Block::Signal& s : b_.inputs) d.inputs.push_back(port(s));
    for (const Block::Signal& s : b_.outputs) d.outputs.push_back(port(s));
    if (b_.method == Block::Method::fixed_inner) d.internal_step_s = d.solver_step_s = b_.inner_step_s;
    if (b_.method == Block::Method::euler || x_.empty()) d.samples_input = InputSampling::start;
    return d;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double h, const InputView& u) override {
    if (x_.empty()) {
      for (std::size_t i = 0; i < y_.size(); ++i) {
        y_[i] = 0.0;
        for (std::size_t j = 0; j < b_.inputs.size(); ++j)
          y_[i] += b_.B[i * b_.inputs.size() + j] * u.start(j);
      }
      return {};
    }
    clock_ = 1.0 + b_.first_order_per_s * h + b_.second_order_per_s2 * h * h;
    constexpr int accurate_steps = 16;
    if (b_.method == Block::Method::trapezoid) {
      trapezoid(h, u);
    } else if (b_.method == Block::Method::accurate) {
      for (int i = 0; i < accurate_steps; ++i) runge_kutta(i * h / accurate_steps, h / accurate_steps, u);
    } else {
      const double wanted = b_.method == Block::Method::euler ? h : b_.inner_step_s;
      const auto count = std::max(1L, std::lround(h / wanted));
      const double own = h / static_cast<double>(count);
      for (long i = 0; i < count; ++i) {
        rates(x_, static_cast<double>(i) * own, u, rate_);
        for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += own * rate_[k];
      }
    }
    return {};
  }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    const std::vector<double>& from = x_.empty() ? y_ : x_;
    std::copy_n(from.begin(), b_.outputs.size(), y);
  }

 private:
  void rates(const std::vector<double>& x, double tau, const InputView& u, std::vector<double>& rate) const {
    const std::size_t n = x.size();
    const std::size_t m = b_.inputs.size();
    for (std::size_t i = 0; i < n; ++i) {
      rate[i] = 0.0;
      for (std::size_t j = 0; j < n; ++j) rate[i] += b_.A[i * n + j] * x[j];
      for (std::size_t j = 0; j < m; ++j) rate[i] += b_.B[i * m + j] * u(j, tau);
      rate[i] *= clock_;
    }
  }
  /// (1 − hA/2) x₁ = x₀ + h/2 (ẋ₀ + B u₁)
  void trapezoid(double h, const InputView& u) {
    const std::size_t n = x_.size();
    const std::size_t m = b_.inputs.size();
    rates(x_, 0.0, u, rate_);
    std::vector<double> M(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] += 0.5 * h * rate_[i];
      for (std::size_t j = 0; j < m; ++j) x_[i] += 0.5 * h * b_.B[i * m + j] * u(j, h);
      for (std::size_t j = 0; j < n; ++j) M[i * n + j] = (i == j ? 1.0 : 0.0) - 0.5 * h * b_.A[i * n + j];
    }
    // Elimination without pivots: the diagonal dominates where A is stable and small, or of first order.
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = k + 1; i < n; ++i) {
        const double factor = M[i * n + k] / M[k * n + k];
        for (std::size_t j = k; j < n; ++j) M[i * n + j] -= factor * M[k * n + j];
        x_[i] -= factor * x_[k];
      }
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) x_[i] -= M[i * n + j] * x_[j];
      x_[i] /= M[i * n + i];
    }
  }
  void runge_kutta(double tau, double h, const InputView& u) {
    const std::vector<double> from = x_;
    constexpr double parts[] = {0.0, 0.5, 0.5, 1.0};
    constexpr double weights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    trial_ = from;
    for (int stage = 0; stage < 4; ++stage) {
      if (stage > 0) {
        for (std::size_t k = 0; k < x_.size(); ++k) trial_[k] = from[k] + parts[stage] * h * rate_[k];
      }
      rates(trial_, tau + parts[stage] * h, u, rate_);
      for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += weights[stage] * h * rate_[k];
    }
  }

  Block b_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> rate_;
  std::vector<double> trial_;
  double clock_ = 1.0;
};

std::string block_of(const std::string& port) {
  return port.substr(0, port.find('.'));
}

std::size_t place_of(const std::vector<Block::Signal>& signals, const std::string& port) {
  const std::string name = port.substr(port.find('.') + 1);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (signals[i].name == name) return i;
  }
  throw std::invalid_argument("there is no " + port);
}

}  // namespace

Rational decimal(double value) {
  return Rational::parse(fmt::format("{:.12g}", value)).value();
}

SystemGraph BlockSystem::graph() const {
  SystemGraph graph;
  for (const Block& block : blocks)
    graph.add(block.name, std::make_unique<LinearSubsystem>(block), decimal(block.step_s));
  for (const BlockLink& link : links) {
    ConnectionSpec spec;
    spec.from = {link.from};
    spec.to = link.to;
    spec.gain = link.gain;
    graph.connect(spec);
  }
  return graph;
}

std::vector<std::string> BlockSystem::sampled() const {
  std::vector<std::string> names;
  for (const Block& block : blocks) {
    if (block.sampled) names.push_back(block.name);
  }
  return names;
}

BlockSystem BlockSystem::finer(int n) const {
  BlockSystem other = *this;
  for (Block& block : other.blocks) {
    if (!block.sampled) block.step_s /= n;
    block.method = Block::Method::accurate;
    block.first_order_per_s = block.second_order_per_s2 = 0.0;
  }
  return other;
}

std::size_t BlockSystem::state(const std::string& output) const {
  std::size_t first = 0;
  for (const Block& block : blocks) {
    if (block.name == block_of(output)) return first + place_of(block.outputs, output);
    first += block.states();
  }
  throw std::invalid_argument("there is no " + output);
}

numerics::LinearSolution BlockSystem::exact() const {
  std::size_t n = 0;
  for (const Block& block : blocks) n += block.states();
  std::vector<double> A(n * n, 0.0);
  std::vector<double> x0;
  std::size_t first = 0;
  for (const Block& block : blocks) {
    const std::size_t own = block.states();
    for (std::size_t i = 0; i < own; ++i) {
      for (std::size_t j = 0; j < own; ++j) A[(first + i) * n + first + j] += block.A[i * own + j];
      for (const BlockLink& link : links) {
        if (block_of(link.to) != block.name) continue;
        const std::size_t input = place_of(block.inputs, link.to);
        A[(first + i) * n + state(link.from)] += block.B[i * block.inputs.size() + input] * link.gain;
      }
    }
    x0.insert(x0.end(), block.x0.begin(), block.x0.end());
    first += own;
  }
  return {A, x0};
}

}  // namespace ergon::bench
