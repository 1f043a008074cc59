#include "ergon/coupling/step_control/windows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace ergon {
namespace {

/// Where a system is spread over parts, the largest error of all counts in each of them.
class LargestError final : public ErrorEstimator {
 public:
  LargestError(std::unique_ptr<ErrorEstimator> own, Decisions& decisions)
      : own_(std::move(own)), decisions_(decisions) {}
  void start(const StepRecord& at_start) override { own_->start(at_start); }
  [[nodiscard]] double measure(const StepRecord& at_end) const override {
    return decisions_.largest(own_->measure(at_end));
  }
  void accept(const StepRecord& at_end) override { own_->accept(at_end); }
  void archive(Archive& archive) override { own_->archive(archive); }

 private:
  std::unique_ptr<ErrorEstimator> own_;
  Decisions& decisions_;
};

std::unique_ptr<ErrorEstimator> decided_by_all(std::unique_ptr<ErrorEstimator> own, Decisions* decisions) {
  if (decisions == nullptr) return own;
  return std::make_unique<LargestError>(std::move(own), *decisions);
}

constexpr std::size_t looks = 4;
constexpr Tick least_windows_ahead = 20;
constexpr Tick most_windows_ahead = 500;

bool samples_start(const Node& node) {
  return !node.description->algebraic && node.description->samples_input == InputSampling::start;
}

/// Both ends see what is at the start of a step, and the effort belongs to the motion at its end: the books of the bond are even,
/// whatever the integrators do.
bool is_blind(const CouplingPlan& plan, const PowerBond& bond) {
  const CoupledSystem& system = plan.system();
  const Node& sender = system.nodes[bond.effort_node];
  const Node& receiver = system.nodes[bond.flow_node];
  if (!samples_start(receiver) || plan.has_stale_efforts(bond)) return false;
  if (sender.description->algebraic) return true;
  return samples_start(sender) && sender.step_s == receiver.step_s;
}

/// What a method cannot see it would take for zero, and windows would grow without end.
void check_sight(const WindowSetting& setting, const StepControlMethod& method, ProblemList& problems) {
  using Needs = StepControlMethod::Needs;
  const CouplingPlan& plan = setting.plan;
  const CoupledSystem& system = plan.system();
  const StepControlOptions& wanted = *plan.options().step_control;
  std::vector<std::string> at_start;
  std::size_t followers = 0;
  for (const Node& node : system.nodes) {
    if (node.description->algebraic) continue;
    bool reads = false;
    for (Index i = node.first_input; i < node.first_input + node.input_count; ++i)
      reads = reads || (system.links[i] && system.inputs[i].type == PortType::real);
    if (!reads) continue;
    if (samples_start(node))
      at_start.push_back(node.name);
    else
      ++followers;
  }
  if (at_start.empty()) return;
  const bool all_blind = method.needs == Needs::bonds &&
                         std::all_of(system.bonds.begin(), system.bonds.end(),
                                     [&](const PowerBond& bond) { return is_blind(plan, bond); });
  const std::string names = fmt::format("{}", fmt::join(at_start, "', '"));
  if ((method.needs == Needs::predictor && followers == 0) || all_blind) {
    problems.error(wanted.where,
                   fmt::format("Step control '{}' would see an error of 0 at any step: '{}' look at their "
                               "inputs at the start of a step only.",
                               wanted.method, names),
                   "Give them an integrator that follows its inputs (\"rk4\", \"newmark\", \"cvode-adams\"), "
                   "or use method = \"richardson\", or fixed steps.");
    return;
  }
  problems.warning(
      wanted.where,
      fmt::format("Steps vary, but '{}' look at their inputs at the start of a step only, as explicit and "
                  "semi-implicit Euler do: of first order, and the latter conserves energy with fixed steps "
                  "alone. Fixed steps of equal error are usually far cheaper.",
                  names),
      "Give them integrator = \"rk4\" or \"cvode-adams\", or leave the steps fixed.");
}

}  // namespace

std::unique_ptr<WindowControl> WindowControl::make(const WindowSetting& setting, ProblemList& problems) {
  const CouplingPlan& plan = setting.plan;
  const CoupledSystem& system = plan.system();
  const CouplingOptions& options = plan.options();
  if (!options.step_control) return nullptr;
  const StepControlOptions& wanted = *options.step_control;
  const StepControlMethod* method = find_step_control(wanted.method);
  if (method == nullptr) {
    std::vector<std::string> names;
    for (const StepControlMethod& m : step_control_methods()) names.emplace_back(m.name);
    problems.error(wanted.where, fmt::format("There is no step control '{}'.", wanted.method),
                   did_you_mean(wanted.method, names));
    return nullptr;
  }
  using Needs = StepControlMethod::Needs;
  if (method->needs == Needs::predictor && !setting.scheme.predicts_and_corrects()) {
    problems.error(wanted.where,
                   fmt::format("Step control '{}' compares predictor and corrector, which scheme '{}' does "
                               "not have.",
                               wanted.method, setting.scheme.name()),
                   "Use scheme = \"semi-implicit\", or method = \"richardson\".");
    return nullptr;
  }
  if (method->needs == Needs::whole_step && !setting.can_rewind) {
    problems.error(wanted.where,
                   fmt::format("Step control '{}' takes every step twice, but not all subsystems can roll "
                               "back.",
                               wanted.method),
                   "Use method = \"interface-power\".");
    return nullptr;
  }
  if (method->needs == Needs::bonds && system.bonds.empty()) {
    problems.error(
        wanted.where, fmt::format("Step control '{}' needs a power bond to look at.", wanted.method),
        "Describe the coupling by a [[bond]]; where both sides only exchange their motion, a bond that "
        "names the effort of one side is enough.");
    return nullptr;
  }
  if (method->needs == Needs::bonds && plan.layout().sequential &&
      std::any_of(setting.bonds.begin(), setting.bonds.end(),
                  [](const BondRecord& bond) { return !bond.has_imbalance; })) {
    problems.warning(
        wanted.where,
        "Step control uses the interface power of bonds whose ends have no energy accounts, which is "
        "not a reliable measure in a Gauss-Seidel sweep.",
        "Use scheme = \"jacobi\".");
  }
  if (!setting.can_rewind) {
    problems.note(wanted.where,
                  "Not all subsystems can roll back: no step is repeated, only the next one is adapted.");
  }
  const Tick longest = plan.longest_period();
  const TimeGrid& grid = plan.grid();
  check_sight(setting, *method, problems);
  if (problems.has_errors()) return nullptr;
  // The error of one window is of order k + 2 where efforts and flows are inter- or extrapolated with degree k.
  int degree = options.degree;
  const auto limit_degree = [&](Index input) {
    if (plan.layout().knows_the_end || !system.links[input]) return;
    degree = std::min(degree, plan.degree(input));
  };
  if (method->needs == Needs::bonds) {
    for (const PowerBond& bond : system.bonds) {
      for (const Index input : bond.effort_node_inputs) limit_degree(input);
    }
  } else {
    for (Index input = 0; input < system.inputs.size(); ++input) limit_degree(input);
  }
  const double most = wanted.max_factor * static_cast<double>(wanted.subdivisions);
  const double whole_run = static_cast<double>(grid.end()) / static_cast<double>(longest) *
                           static_cast<double>(wanted.subdivisions);
  const bool halves = method->needs == Needs::whole_step;
  const EstimatorContext context{system, degree, grid.duration_s(grid.end())};
  return std::unique_ptr<WindowControl>(new WindowControl(
      plan, setting.can_rewind,
      StepControl(wanted, decided_by_all(method->make(wanted, context), setting.decisions),
                  method->per_second ? degree + 1 : degree + 2,
                  std::max<Tick>(1, static_cast<Tick>(std::min(most, whole_run))), halves)));
}

WindowControl::WindowControl(const CouplingPlan& plan, bool rewinds, StepControl control)
    : plan_(plan),
      rewinds_(rewinds),
      smallest_(std::max<Tick>(1, plan.longest_period() / plan.options().step_control->subdivisions)),
      control_(std::move(control)) {
  if (control_.halves()) rough_outputs_.resize(plan.system().outputs.size());
}

void WindowControl::start(const StepRecord& at_start) {
  control_.start(at_start);
}

std::optional<Failure> WindowControl::advance(Repeatable& run, Tick horizon) {
  const Tick begin = run.state().now();
  const Tick end = std::min(horizon, plan_.grid().end());
  run.state().set_repeats_discarded(rewinds_);
  run.state().set_horizon(end);
  if (rewinds_) run.keep();
  control_.limit((end - begin + smallest_ - 1) / smallest_);
  bool has_looked = false;
  while (true) {
    const Tick factor = control_.factor();
    auto failure = control_.halves() ? take_whole_and_halves(run, factor) : take(run, factor);
    if (!failure && rewinds_ && !has_looked && control_.leaves_rest(run.record())) {
      has_looked = true;
      run.set_back();
      look_ahead(run);
      continue;
    }
    if (failure) {
      if (!rewinds_) return failure;
      if (!control_.retry_after_failure()) {
        // The shortest window is left: a step that is discarded even there is taken in pieces.
        if (!failure->discarded || !run.state().repeats_discarded()) return failure;
        run.state().set_repeats_discarded(false);
      }
    } else if (control_.judge(run.record(), plan_.grid().duration_s(run.state().now() - begin), rewinds_)) {
      run.state().set_horizon(plan_.grid().end());
      return std::nullopt;
    }
    run.set_back();
  }
}

/// The window as a whole first, to compare with, then in two halves, which stay.
std::optional<Failure> WindowControl::take_whole_and_halves(Repeatable& run, Tick factor) {
  if (auto failure = take(run, factor)) return failure;
  for (Index o = 0; o < rough_outputs_.size(); ++o) rough_outputs_[o] = run.record().output(o);
  const Tick end = run.state().now();
  run.set_back();
  if (auto failure = take(run, factor / 2)) return failure;
  if (run.state().now() < end) return take(run, factor / 2);
  return std::nullopt;
}

/// How large things become: a fiftieth of the run, but some steps at least and not too many, by steps of the nominal length and of half of it.
/// What both agree in is believed; of a coupling that is not stable with such steps, the quarters of that time in which it does not show yet.
void WindowControl::look_ahead(Repeatable& run) {
  const Tick nominal = std::max<Tick>(2, control_.nominal());
  const Tick windows = std::clamp<Tick>(plan_.grid().end() / (nominal * smallest_) / 50, least_windows_ahead,
                                        most_windows_ahead);
  const std::size_t width = plan_.system().outputs.size();
  std::array<std::vector<double>, 2> seen;  // by quarters
  std::size_t quarters = looks;
  for (Tick part = 1; part <= 2; ++part) {
    std::vector<double> largest(width, 0.0);
    std::vector<double>& of_part = seen[static_cast<std::size_t>(part - 1)];
    for (Tick w = 0; w < windows * part && run.state().now() < run.state().horizon(); ++w) {
      if (take(run, nominal / part)) break;
      for (Index o = 0; o < width; ++o) largest[o] = std::max(largest[o], std::abs(run.record().output(o)));
      if ((w + 1) * static_cast<Tick>(looks) % (windows * part) == 0)
        of_part.insert(of_part.end(), largest.begin(), largest.end());
    }
    quarters = std::min(quarters, of_part.size() / std::max<std::size_t>(1, width));
    run.set_back();
  }
  for (std::size_t q = 0; q < quarters; ++q) {
    const auto of_quarter = [&](const std::vector<double>& all) {
      return std::span(all).subspan(q * width, width);
    };
    if (!control_.foresee(of_quarter(seen[0]), of_quarter(seen[1]))) return;
  }
}

/// One step of all, of `factor` smallest steps.
std::optional<Failure> WindowControl::take(Repeatable& run, Tick factor) {
  run.state().scale_steps(factor, plan_.options().step_control->subdivisions);
  do {
    if (auto failure = run.advance_point()) return failure;
  } while (!run.state().all_arrived());
  return std::nullopt;
}

}  // namespace ergon
