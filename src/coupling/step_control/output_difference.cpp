#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "ergon/core/unit_kinds.hpp"
#include "ergon/coupling/step_control/step_control.hpp"

namespace ergon {
namespace {

/// Of the largest output of the same dimension: what is smaller is measured by this.
constexpr double relative_floor = 1e-3;
/// What grows so much within a window had been at rest.
constexpr double growth_from_rest = 2.0;
/// How far two trials may differ that look how large things become.
constexpr double most_doubt = 0.3;

/// A length, an angle, or how fast they change; a voltage.
bool is_motion(const Unit& unit) {
  static const std::array kinds = {Unit::of("m"), Unit::of("m/s"), Unit::of("rad"), Unit::of("rad/s"),
                                   Unit::of("V")};
  return !unit.is_unspecified() && std::any_of(kinds.begin(), kinds.end(), [&](const Unit& kind) {
    return kind.names_angle == unit.names_angle && kind.same_dimension(unit);
  });
}

/// The error of a window from two solutions of different accuracy.
///   r = max over outputs of  φ |y − y_rough| / (atol + rtol·S) · T/H
/// Outputs: what somebody reads or is motion, but no residuals. S: the largest value of the output so far (of all components of a vector),
/// or that has been foreseen, at least 1e-3 of that of any output of the same dimension, H: length of the window, T: of the run. The
/// errors of windows add up: each may have its share of the run's tolerance, in proportion to its length. φ tells how
/// much of the difference is the error of the better solution.
/// What leaves rest as t^p has errors of window in proportion to itself, whatever the window: against its own size so far no step is
/// small enough. How large it becomes is looked up ahead.
class OutputDifferenceEstimator final : public ErrorEstimator {
 public:
  OutputDifferenceEstimator(const StepControlOptions& options, const EstimatorContext& context,
                            double share_of_difference)
      : share_(share_of_difference),
        rtol_(options.rtol),
        atol_(options.atol),
        duration_s_(context.duration_s) {
    const CoupledSystem& system = context.system;
    std::vector<bool> read(system.outputs.size(), false);
    for (const auto& link : system.links) {
      if (!link) continue;
      for (const LinkTerm& term : link->terms) read[term.output] = true;
    }
    UnitKinds kinds;
    const auto judge = [&](auto&& is_judged) {
      for (const Node& node : system.nodes) {
        if (node.description->algebraic) continue;
        for (Index p = 0; p < node.description->outputs.size(); ++p) {
          const Port& port = node.description->outputs[p];
          const Index first = node.port_outputs[p];
          // What feeds through follows from the rest; what is not a real has no small error.
          if (port.size == 0 || port.type != PortType::real || system.output_level[first] != 0) continue;
          const auto begin = read.begin() + static_cast<std::ptrdiff_t>(first);
          const auto end = begin + static_cast<std::ptrdiff_t>(port.size);
          if (is_judged(port, std::find(begin, end, true) != end))
            ports_.push_back({first, first + port.size, kinds.of(port.unit)});
        }
      }
    };
    judge([](const Port& port, bool is_read) {
      return is_read || (is_motion(port.unit) && port.role != PortRole::diagnostic);
    });
    if (ports_.empty()) judge([](const Port&, bool) { return true; });
    sizes_.resize(ports_.size());
    kind_sizes_.resize(kinds.count());
  }

  void start(const StepRecord& at_start) override {
    std::fill(sizes_.begin(), sizes_.end(), 0.0);
    std::fill(kind_sizes_.begin(), kind_sizes_.end(), 0.0);
    accept(at_start);
  }

  [[nodiscard]] double measure(const StepRecord& at_end) const override {
    const auto tolerated = [this](double size) { return atol_ + rtol_ * size; };
    return share_ * largest_ratio(at_end, tolerated) * duration_s_ / (at_end.time_s() - time_s_);
  }

  void accept(const StepRecord& at_end) override {
    learn(at_end);
    time_s_ = at_end.time_s();
  }

  [[nodiscard]] bool leaves_rest(const StepRecord& at_end) const override {
    if (!(measure(at_end) > 1.0)) return false;
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      const double known = std::max(sizes_[p], relative_floor * kind_sizes_[ports_[p].kind]);
      if (size_at(at_end, p) > growth_from_rest * known) return true;
    }
    return false;
  }

  bool foresee(std::span<const double> coarse, std::span<const double> fine) override {
    const auto largest_of = [](std::span<const double> sizes, const Range& port) {
      return *std::max_element(sizes.begin() + static_cast<std::ptrdiff_t>(port.first),
                               sizes.begin() + static_cast<std::ptrdiff_t>(port.last));
    };
    std::vector<double> of_kind(kind_sizes_);
    for (const Range& port : ports_)
      of_kind[port.kind] = std::max(of_kind[port.kind], largest_of(fine, port));
    for (const Range& port : ports_) {
      const double size = largest_of(fine, port);
      const double floor = relative_floor * of_kind[port.kind];
      if (!(std::abs(largest_of(coarse, port) - size) <= most_doubt * std::max(size, floor))) return false;
    }
    for (std::size_t p = 0; p < ports_.size(); ++p)
      sizes_[p] = std::max(sizes_[p], largest_of(fine, ports_[p]));
    kind_sizes_ = of_kind;
    return true;
  }

  void archive(Archive& archive) override {
    archive(time_s_);
    archive(std::span(sizes_));
    archive(std::span(kind_sizes_));
  }

 private:
  struct Range {
    Index first;
    Index last;
    std::size_t kind;  ///< of quantity: ports of one dimension share a floor
  };
  /// |y − y_rough| over what `tolerated` makes of the size, of the output where it is largest.
  template <class Tolerated>
  [[nodiscard]] double largest_ratio(const StepRecord& record, Tolerated&& tolerated) const {
    double largest = 0.0;
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      double difference = 0.0;
      for (Index o = ports_[p].first; o < ports_[p].last; ++o) {
        const double d = std::abs(record.output(o) - record.rough_output(o));
        if (!(d <= difference)) difference = d;  // NaN stays
      }
      if (difference == 0.0) continue;
      // A mass that happens to stay at rest moves by rounding: it is not measured by that.
      const double size = std::max(size_at(record, p), relative_floor * kind_sizes_[ports_[p].kind]);
      const double ratio = difference / tolerated(size);
      if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
  }
  void learn(const StepRecord& record) {
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      sizes_[p] = size_at(record, p);
      double& largest = kind_sizes_[ports_[p].kind];
      largest = std::max(largest, sizes_[p]);
    }
  }
  [[nodiscard]] double size_at(const StepRecord& record, std::size_t port) const {
    double size = sizes_[port];
    for (Index o = ports_[port].first; o < ports_[port].last; ++o) {
      size = std::max(size, std::abs(record.output(o)));
    }
    return size;
  }

  double share_;
  double rtol_;
  double atol_;
  double duration_s_;
  double time_s_ = 0.0;
  std::vector<Range> ports_;
  std::vector<double> sizes_;
  std::vector<double> kind_sizes_;
};

}  // namespace

/// Constants of the predictor and the corrector, which are an Adams–Bashforth and an Adams–Moulton formula for what a
/// coupling variable adds to a velocity [schweizer2014, hairer1993]: ½ and −½, 5/12 and −1/12, 3/8 and −1/24.
std::unique_ptr<ErrorEstimator> make_milne_estimator(const StepControlOptions& options,
                                                     const EstimatorContext& context) {
  constexpr double share[] = {1.0 / 2.0, 1.0 / 6.0, 1.0 / 10.0};
  const int degree = std::min(context.degree, 2);
  return std::make_unique<OutputDifferenceEstimator>(options, context, share[degree]);
}

/// A window of H has the error c·H^(k+2), two halves 2c·(H/2)^(k+2): the difference is 2^(k+1) − 1 times the latter.
std::unique_ptr<ErrorEstimator> make_richardson_estimator(const StepControlOptions& options,
                                                          const EstimatorContext& context) {
  return std::make_unique<OutputDifferenceEstimator>(options, context,
                                                     1.0 / (std::exp2(context.degree + 1) - 1.0));
}

}  // namespace ergon
