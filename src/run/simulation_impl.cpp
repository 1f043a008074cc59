#include "ergon/run/simulation_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "ergon/core/companion_scope.hpp"
#include "ergon/core/end_request.hpp"
#include "ergon/core/foreign_code.hpp"
#include "ergon/core/foreign_exit.hpp"
#include "ergon/core/interruption.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/run/function_observer.hpp"
#include "ergon/run/version.hpp"

namespace ergon {
namespace {

/// Points that subsystems reach, counted once where the steps of one are multiples of those of another.
double expected_points(const Engine& engine) {
  std::vector<Tick> periods;
  for (Index node = 0; node < engine.system().nodes.size(); ++node) {
    if (engine.period(node) > 0) periods.push_back(engine.period(node));
  }
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
  const auto end = static_cast<double>(engine.grid().end());
  double points = 1.0;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    const auto divides = [&](Tick shorter) { return periods[i] % shorter == 0; };
    const auto here = periods.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(periods.begin(), here, divides)) points += end / static_cast<double>(periods[i]);
  }
  return std::min(points, end + 1.0);
}

/// Why a system that could be built cannot be coupled.
[[noreturn]] void refuse_for_memory(const BuiltScenario& built) {
  const CoupledSystem& system = *built.system;
  throw InputError(
      {},
      fmt::format("There is not enough memory to couple {} subsystems and elements with {} inputs "
                  "and {} bonds by the scheme '{}'.",
                  system.nodes.size(), system.inputs.size(), system.bonds.size(), built.coupling.scheme),
      "Take an explicit scheme, whose memory grows with the number of inputs and not with its "
      "square, or a smaller system.");
}

}  // namespace

Simulation::Impl::Impl(std::shared_ptr<const Blueprint> blueprint, ProblemList found, Role role)
    : blueprint_(std::move(blueprint)), problems_(std::move(found)), role_(role) {
  built_ = build(*blueprint_, problems_);
  if (problems_.has_errors() || !built_) throw InputError(problems_);
  try {
    engine_ = Engine::make(*built_->system, built_->grid, built_->coupling, problems_);
  } catch (const std::bad_alloc&) {
    refuse_for_memory(*built_);
  }
  if (problems_.has_errors()) throw InputError(problems_);
  if (built_->output_interval_s) gate_ = IntervalGate::seconds(*built_->output_interval_s, built_->grid);
  if (role_ == Role::companion) return;
  summary_observer_.emplace(*built_->system);
  verdict_observer_.emplace(VerdictOptions{.sequential = engine_->is_sequential(),
                                           .watch = on_unreliable(*blueprint_) == OnUnreliable::stop,
                                           .degree = built_->coupling.degree});
  observers_ = {&*summary_observer_, &*verdict_observer_, &sampling_watch_};
  if (const auto check = said_check(*blueprint_)) check_motion(*check);
}

void Simulation::Impl::check_motion(MotionCheck check) {
  refuse_late("checks");
  if (checker_ || check == MotionCheck::off) return;
  auto of_companions = std::make_shared<Blueprint>(*blueprint_);
  const bool isolates = isolate(*of_companions, MotionChecker::had_once(*built_->system));
  checker_.emplace(
      *built_->system, built_->recorded, built_->accuracies, check,
      [blueprint = std::move(of_companions)](const Rational& factor, Observer& observer,
                                             const StopRequest& stop_requested) {
        return run_companion(*blueprint, factor, observer, stop_requested);
      },
      isolates);
  observers_.push_back(&checker_->observer());
}

const std::optional<Failure>& Simulation::Impl::start() {
  if (!started_) {
    started_ = true;
    try {
      const auto saved = start_states(*blueprint_, problems_);
      if (problems_.has_errors()) throw InputError(problems_);
      start_failure_ = engine_->initialize(problems_, saved.get());
    } catch (const std::bad_alloc&) {
      refuse_for_memory(*built_);
    }
  }
  if (problems_.has_errors()) throw InputError(problems_);
  return start_failure_;
}

void Simulation::Impl::write_to(const std::filesystem::path& directory, Results results) {
  refuse_late("files");
  start();
  ForeignCode::call(ForeignCode::at_start);
  const auto* scenario = std::get_if<Scenario>(&*blueprint_);
  files_ = std::make_unique<RunFiles>(directory, results, *engine_, *built_,
                                      RunFilesOptions{gate_, checker_.has_value()}, scenario);
  directory_ = directory;
  observers_.insert(observers_.begin(), files_->observers().begin(), files_->observers().end());
}

void Simulation::Impl::observe(Observer& observer) {
  refuse_late("observers");
  observers_.push_back(&observer);
}

void Simulation::Impl::observe(std::function<void(const StepRecord&)> at_point) {
  own_observers_.push_back(std::make_unique<FunctionObserver>(std::move(at_point)));
  observe(*own_observers_.back());
}

bool Simulation::Impl::advance() {
  get_under_way();
  if (summary_) return false;
  if (auto failure = next_point()) {
    const RunStatus status = failure->what == asked_to_end ? RunStatus::ended : RunStatus::failed;
    end(status, std::move(failure));
    return false;
  }
  inspect();
  if (checkpoints_ && !summary_ && checkpoints_->is_due(engine_->record().tick())) keep_checkpoint(false);
  return true;
}

void Simulation::Impl::run(const StopRequest& stop_requested) {
  stop_requested_ = stop_requested;
  get_under_way();
  while (!summary_) {
    if (const auto reason = reason_to_stop(stop_requested)) {
      end(*reason == StopReason::unreliable ? RunStatus::stopped : RunStatus::interrupted, std::nullopt);
    } else {
      advance();
    }
  }
}

void Simulation::Impl::set_parameter(const std::string& parameter, const TypedValue& value) {
  get_under_way();
  engine_->set_parameter(parameter, value);
  if (checker_) checker_->forgo("parameters were changed while it ran");
}

void Simulation::Impl::save(SimulationSnapshot& snapshot) {
  get_under_way();
  if (summary_) throw std::logic_error("the run is over: there is nothing left to simulate");
  engine_->save(snapshot.engine());
  Archive archive = Archive::writing(snapshot.observers());
  archive_observers(archive);
}

void Simulation::Impl::restore(const SimulationSnapshot& snapshot) {
  get_under_way();
  engine_->restore(snapshot.engine());
  Archive archive = Archive::reading(snapshot.observers());
  archive_observers(archive);
  summary_.reset();
  outcome_ = {};
  write_errors_.clear();
}
SimulationSnapshot Simulation::Impl::make_snapshot() const {
  for (Node& node : built_->system->nodes) {
    if (!node.description->algebraic && node.subsystem->rewindable() == nullptr)
      throw ArchiveError(fmt::format("'{}' cannot roll back", node.name));
  }
  return SimulationSnapshot(engine_->make_snapshot());
}

double Simulation::Impl::expected_file_bytes() const {
  constexpr double bytes_per_value = 19.0;  // 17 digits at most, a point, a comma
  const auto bonds = static_cast<double>(built_->recorded_bonds.size());
  constexpr double columns_per_bond = 7.0;
  const double columns = static_cast<double>(built_->recorded.size() + built_->recorded_inputs.size()) +
                         columns_per_bond * bonds + 2.0;
  double rows = expected_points(*engine_);
  if (built_->output_interval_s) {
    const TimeGrid& grid = engine_->grid();
    rows = std::min(
        rows, static_cast<double>(grid.end()) * grid.tick_s().value() / built_->output_interval_s->value());
  }
  return rows * columns * bytes_per_value;
}

const Summary& Simulation::Impl::summary() const {
  if (!summary_) throw std::logic_error("the run is not over yet");
  return *summary_;
}

CompanionReport Simulation::Impl::run_companion(const Blueprint& blueprint, const Rational& factor,
                                                Observer& observer, const StopRequest& stop_requested) {
  const auto begin = std::chrono::steady_clock::now();
  CompanionReport report;
  report.step_factor = factor.value();
  const CompanionScope scope;
  try {
    Impl companion(std::make_shared<const Blueprint>(with_other_steps(blueprint, factor)), ProblemList{},
                   Role::companion);
    companion.observe(observer);
    // At smaller steps its energies tell whether those of the run are wrong by its steps.
    VerdictObserver energies(
        {.sequential = companion.engine_->is_sequential(), .degree = companion.built_->coupling.degree});
    const bool compares_energies = factor < Rational(1, 1);
    if (compares_energies) companion.observe(energies);
    companion.run(stop_requested);
    if (compares_energies && companion.outcome_.status == RunStatus::finished)
      report.energy_reasons = energies.verdict(companion.outcome_).reasons;
    report.status = companion.outcome_.status;
    report.failure = companion.outcome_.failure;
    report.reached_time_s = companion.outcome_.reached_time_s;
  } catch (const std::exception& error) {
    report.status = RunStatus::failed;
    report.failure = Failure{};
    report.failure->what = error.what();
  }
  report.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

std::optional<Failure> Simulation::Impl::next_point() {
  if (ForeignExit::is_noted()) [[unlikely]] {
    ForeignExit::acknowledge();
    Failure failure;
    failure.subsystem = ForeignExit::who();
    failure.time_s = engine_->record().time_s();
    failure.what = ForeignExit::what();
    return failure;
  }
  try {
    return engine_->advance();
  } catch (const std::bad_alloc&) {
    Failure failure;
    failure.subsystem = built_->coupling.scheme;
    failure.time_s = engine_->record().time_s();
    failure.what =
        fmt::format("there is not enough memory to couple {} inputs by this scheme; take an explicit one",
                    built_->system->inputs.size());
    return failure;
  }
}

Changeable Simulation::Impl::changeable() const {
  Changeable changeable;
  changeable.default_step_s = default_step_s(*blueprint_);
  const CouplingOptions& coupling = built_->coupling;
  if (coupling.step_control) changeable.default_step_s.reset();
  const bool is_explicit = coupling.scheme == "jacobi" || coupling.scheme == "gauss-seidel";
  changeable.holds_inputs = is_explicit && coupling.degree == 0 && coupling.predictor.empty();
  return changeable;
}

void Simulation::Impl::refuse_late(const char* what) const {
  if (under_way_) throw std::logic_error(fmt::format("{} are to be named before the first step", what));
}

void Simulation::Impl::get_under_way() {
  if (under_way_) return;
  start();
  under_way_ = true;
  for (Observer* o : observers_) o->begin(*engine_);
  if (start_failure_) {
    end(RunStatus::failed, start_failure_);
  } else {
    if (checker_) checker_->start();
    inspect();
  }
}

void Simulation::Impl::archive_observers(Archive& archive) {
  for (Observer* o : observers_) {
    archive.section("observer");
    o->archive(archive);
  }
  archive.section("end");
}

void Simulation::Impl::inspect() {
  try {
    for (Observer* o : observers_) o->inspect(engine_->record());
  } catch (const SubsystemFailure& thrown) {  // of an account that is read here
    return end(RunStatus::failed, thrown.failure());
  }
  if (role_ == Role::run) ForeignCode::call(ForeignCode::at_point);
  if (engine_->done()) end(RunStatus::finished, std::nullopt);
}

std::optional<StopReason> Simulation::Impl::reason_to_stop(const StopRequest& stop_requested) const {
  auto reason = stop_requested ? stop_requested() : std::nullopt;
  if (!reason && verdict_observer_ && verdict_observer_->unreliable_so_far()) reason = StopReason::unreliable;
  return reason;
}

void Simulation::Impl::end(RunStatus status, std::optional<Failure> failure) {
  // A call that was given up for a signal fails, but what ended the run is the signal.
  if (status == RunStatus::failed && Interruption::has_abandoned_call()) {
    status = RunStatus::interrupted;
    failure.reset();
  }
  // Before the observers close their files. Where a call was given up, subsystems are not at this point.
  const bool is_whole = status == RunStatus::finished ||
                        (status == RunStatus::interrupted && !Interruption::has_abandoned_call()) ||
                        status == RunStatus::stopped;
  if (checkpoints_ && is_whole) keep_checkpoint(status == RunStatus::finished);
  outcome_ = {status, std::move(failure), engine_->record().time_s()};
  if (role_ == Role::run) ForeignCode::call(ForeignCode::at_end);
  for (Observer* o : observers_) {
    try {
      o->end(outcome_.failure);
    } catch (const SubsystemFailure& thrown) {
      if (!outcome_.failure) outcome_ = {RunStatus::failed, thrown.failure(), outcome_.reached_time_s};
    }
  }
  if (role_ == Role::companion) {
    summary_.emplace();
    return;
  }
  Summary summary = summary_observer_->summary(outcome_);
  Verdict by_accounts = verdict_observer_->verdict(outcome_);
  if (checker_) {
    const auto& reasons = by_accounts.reasons;
    const bool element_gives = std::any_of(reasons.begin(), reasons.end(), [](const VerdictReason& r) {
      return r.kind == ReasonKind::element_gives;
    });
    const bool energy_alarm = by_accounts.value == VerdictValue::unreliable || element_gives;
    summary.motion = checker_->finish(outcome_, energy_alarm, stop_requested_, [this](double part) {
      for (Observer* o : observers_) o->checking(part);
    });
  } else {
    summary.motion.why_not = "not requested";
  }
  summary.verdict = whole_verdict(std::move(by_accounts), summary.motion);
  std::vector<VerdictReason> lost_signals = sampling_watch_.reasons();
  widen_bars(lost_signals, summary.motion);
  for (VerdictReason& reason : lost_signals) {
    if (severity(reason.says) > severity(summary.verdict->value)) summary.verdict->value = reason.says;
    summary.verdict->reasons.push_back(std::move(reason));
  }
  for (const VerdictReason& reason : summary.verdict->reasons) {
    if (reason.kind == ReasonKind::solver_residual) summary.warnings.push_back(reason.what);
  }
  summary.verdict->advice = advice_for(*summary.verdict, summary.motion, *engine_, changeable());
  // The motion is known at the end only: what was to stop for it has come too far.
  if (status == RunStatus::finished && on_unreliable(*blueprint_) == OnUnreliable::stop &&
      summary.verdict->value == VerdictValue::unreliable)
    summary.status = outcome_.status = RunStatus::stopped;
  summary.ergon_version = version();
  const auto changes = engine_->parameter_changes();
  summary.parameter_changes.assign(changes.begin(), changes.end());
  const std::vector<std::string> warnings = warnings_of_start();
  summary.warnings.insert(summary.warnings.end(), warnings.begin(), warnings.end());
  if (checkpoints_) {
    checkpoints_->finish();
    checkpoint_errors_.insert(checkpoint_errors_.end(), checkpoints_->errors().begin(),
                              checkpoints_->errors().end());
    checkpoints_.reset();
  }
  if (files_) write_errors_ = files_->finish(summary);
  summary_ = std::move(summary);
}

}  // namespace ergon
