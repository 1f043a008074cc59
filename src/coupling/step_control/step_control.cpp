#include "ergon/coupling/step_control/step_control.hpp"

#include <algorithm>
#include <cmath>

#include "ergon/core/open_registry.hpp"
#include "ergon/coupling/step_control/register_step_control.hpp"

namespace ergon {
namespace {

constexpr double safety = 0.9;
constexpr double integral_gain = 0.7;
constexpr double proportional_gain = 0.4;
constexpr double most_growth = 2.0;
constexpr double most_shrinkage = 0.2;
/// Below this an error is as good as none: its power would only be a large number.
constexpr double negligible_ratio = 1e-6;

std::vector<StepControlMethod> own_step_controls() {
  return {
      {"interface-power", "keeps the energy that bonds invent below a fraction of what they exchange",
       StepControlMethod::Needs::bonds, false, make_interface_power_estimator},
      {"milne", "implicit schemes: by the difference of predictor and corrector",
       StepControlMethod::Needs::predictor, true, make_milne_estimator},
      {"richardson", "explicit schemes: by the difference of one step and two half ones",
       StepControlMethod::Needs::whole_step, true, make_richardson_estimator},
  };
}

OpenRegistry<StepControlMethod>& all_step_controls() {
  static OpenRegistry<StepControlMethod> all("method of step control", own_step_controls());
  return all;
}

}  // namespace

const std::vector<StepControlMethod>& step_control_methods() {
  return all_step_controls().entries();
}

void register_step_control(StepControlMethod method) {
  all_step_controls().add(method, [](const StepControlMethod& known) { return known.name; });
}

const StepControlMethod* find_step_control(std::string_view name) {
  for (const StepControlMethod& method : step_control_methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

StepControl::StepControl(const StepControlOptions& options, std::unique_ptr<ErrorEstimator> estimator,
                         int order, Tick most, bool halves)
    : estimator_(std::move(estimator)),
      exponent_(1.0 / order),
      least_(halves ? 2 : 1),
      most_(std::max(most, least_)),
      nominal_(std::clamp(options.subdivisions, least_, most_)),
      factor_(nominal_) {}

void StepControl::start(const StepRecord& at_start) {
  factor_ = nominal_;
  previous_ratio_ = 1.0;
  just_rejected_ = false;
  record_ = {};
  estimator_->start(at_start);
}

void StepControl::shrink(double by) {
  factor_ = std::max(least_, static_cast<Tick>(static_cast<double>(factor_) * by));
  just_rejected_ = true;
  ++record_.rejected;
}

bool StepControl::retry_after_failure() {
  if (factor_ <= least_) return false;
  shrink(most_shrinkage);
  return true;
}

bool StepControl::judge(const StepRecord& at_end, double length_s, bool may_repeat) {
  const double ratio = std::max(estimator_->measure(at_end), negligible_ratio);
  const bool too_large = !(ratio <= 1.0);  // NaN is too large
  if (too_large && may_repeat && factor_ > least_) {
    const double by = std::isfinite(ratio) ? safety * std::pow(ratio, -exponent_) : most_shrinkage;
    shrink(std::clamp(by, most_shrinkage, safety));
    return false;
  }
  estimator_->accept(at_end);
  ++record_.accepted;
  if (too_large) ++record_.forced;
  record_.step_s = length_s;
  record_.error = ratio;
  record_.shortest_s = record_.accepted == 1 ? length_s : std::min(record_.shortest_s, length_s);
  record_.longest_s = std::max(record_.longest_s, length_s);

  double by = safety * std::pow(ratio, -integral_gain * exponent_) *
              std::pow(previous_ratio_, proportional_gain * exponent_);
  if (!std::isfinite(by)) by = most_shrinkage;
  by = std::clamp(by, most_shrinkage, just_rejected_ ? 1.0 : most_growth);
  previous_ratio_ = ratio;
  just_rejected_ = false;
  const double next = std::round(static_cast<double>(factor_) * by);
  // A window of one smallest step must be able to grow.
  const Tick before = factor_;
  factor_ = std::clamp(static_cast<Tick>(next), least_, most_);
  if (by > 1.2 && factor() <= before) factor_ = std::min(before + least_, most_);
  return true;
}

void StepControl::archive(Archive& archive) {
  archive.section("step control");
  archive(factor_);
  archive(previous_ratio_);
  archive(just_rejected_);
  archive(record_);
  estimator_->archive(archive);
}

}  // namespace ergon
