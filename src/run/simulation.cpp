#include "ergon/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>
#include <variant>

#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/run/function_observer.hpp"
#include "ergon/run/motion/motion_checker.hpp"
#include "ergon/run/record/run_files.hpp"
#include "ergon/run/summary/summary_observer.hpp"
#include "ergon/run/summary/verdict_observer.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/build/build_graph.hpp"
#include "ergon/scenario/build/other_steps.hpp"
#include "ergon/scenario/build/output_selection.hpp"

namespace ergon {
namespace {

/// What a system is built from, as often as it is asked for.
struct GraphBlueprint {
  std::function<SystemGraph()> build;
  SimulationOptions options;
  Rational step_factor{1, 1};  ///< of all communication steps
};
using Blueprint = std::variant<Scenario, GraphBlueprint>;

std::optional<BuiltScenario> build(const Scenario& scenario, ProblemList& problems) {
  return build_graph(scenario, problems);
}

std::optional<BuiltScenario> build(const GraphBlueprint& blueprint, ProblemList& problems) {
  const SimulationOptions& options = blueprint.options;
  SystemGraph graph = blueprint.build();
  auto system = graph.freeze(problems);
  if (!system) return std::nullopt;
  for (Node& node : system->nodes) node.step_s = node.step_s * blueprint.step_factor;
  const auto said = [](const std::vector<std::string>& patterns) {
    std::vector<Said<std::string>> list;
    for (const std::string& pattern : patterns) list.push_back({pattern, {}});
    return list;
  };
  std::vector<Index> recorded = select_outputs(*system, said(options.recorded), problems);
  std::vector<Index> recorded_bonds = select_bonds(*system, said(options.recorded_bonds), problems);
  RunTimes times{options.start_time_s, options.stop_time_s, std::nullopt, {}};
  if (options.output_interval_s) times.output_interval_s = {*options.output_interval_s, {}};
  if (!(options.start_time_s < options.stop_time_s)) {
    problems.error({}, "The run ends before it starts.", "Give a stop_time_s after start_time_s.");
  }
  if (options.output_interval_s && !options.output_interval_s->is_positive()) {
    problems.error({}, "The output interval is not positive.", "Give an output_interval_s > 0, or none.");
  }
  if (problems.has_errors()) return std::nullopt;
  auto built = on_a_clock(std::move(system), options.coupling, times, std::move(recorded), problems);
  if (built) built->recorded_bonds = std::move(recorded_bonds);
  return built;
}

OnUnreliable on_unreliable(const Blueprint& blueprint) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) return scenario->simulation.on_unreliable;
  return std::get<GraphBlueprint>(blueprint).options.on_unreliable;
}

std::optional<MotionCheck> said_check(const Blueprint& blueprint) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) return scenario->simulation.check;
  const MotionCheck check = std::get<GraphBlueprint>(blueprint).options.check;
  return check == MotionCheck::off ? std::nullopt : std::optional(check);
}

/// Of a companion: on one thread, unwatched.
Blueprint with_other_steps(const Blueprint& blueprint, const Rational& factor) {
  if (const auto* scenario = std::get_if<Scenario>(&blueprint)) {
    Scenario other = with_other_steps(*scenario, factor);
    other.simulation.threads = 1;
    other.simulation.on_unreliable = OnUnreliable::carry_on;
    other.simulation.check = MotionCheck::off;
    return other;
  }
  GraphBlueprint other = std::get<GraphBlueprint>(blueprint);
  other.step_factor = factor;
  other.options.coupling.threads = 1;
  other.options.on_unreliable = OnUnreliable::carry_on;
  other.options.check = MotionCheck::off;
  return other;
}

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

class Simulation::Impl {
 public:
  Impl(std::shared_ptr<const Blueprint> blueprint, ProblemList found)
      : blueprint_(std::move(blueprint)), problems_(std::move(found)) {
    built_ = std::visit([&](const auto& b) { return build(b, problems_); }, *blueprint_);
    if (problems_.has_errors() || !built_) throw InputError(problems_);
    try {
      engine_ = std::make_unique<Engine>(*built_->system, built_->grid, built_->coupling, problems_);
    } catch (const std::bad_alloc&) {
      refuse_for_memory(*built_);
    }
    if (problems_.has_errors()) throw InputError(problems_);
    if (built_->output_interval_s) gate_ = IntervalGate::seconds(*built_->output_interval_s, built_->grid);
    summary_observer_.emplace(*built_->system);
    verdict_observer_.emplace(VerdictOptions{.sequential = engine_->is_sequential(),
                                             .watch = on_unreliable(*blueprint_) == OnUnreliable::stop,
                                             .degree = built_->coupling.degree});
    observers_ = {&*summary_observer_, &*verdict_observer_};
    if (const auto check = said_check(*blueprint_)) check_motion(*check);
  }

  void check_motion(MotionCheck check) {
    refuse_late("checks");
    if (checker_ || check == MotionCheck::off) return;
    checker_.emplace(*built_->system, built_->recorded, check,
                     [blueprint = blueprint_](const Rational& factor, Observer& observer,
                                              const StopRequest& stop_requested) {
                       return run_companion(*blueprint, factor, observer, stop_requested);
                     });
    observers_.push_back(&checker_->observer());
  }

  const std::optional<Failure>& start() {
    if (!started_) {
      started_ = true;
      try {
        start_failure_ = engine_->initialize(problems_);
      } catch (const std::bad_alloc&) {
        refuse_for_memory(*built_);
      }
    }
    if (problems_.has_errors()) throw InputError(problems_);
    return start_failure_;
  }

  void write_to(const std::filesystem::path& directory) {
    refuse_late("files");
    start();
    const auto* scenario = std::get_if<Scenario>(&*blueprint_);
    files_ = std::make_unique<RunFiles>(directory, *engine_, *built_, gate_, scenario);
    observers_.insert(observers_.begin(), files_->observers().begin(), files_->observers().end());
  }

  void observe(Observer& observer) {
    refuse_late("observers");
    observers_.push_back(&observer);
  }
  void observe(std::function<void(const StepRecord&)> at_point) {
    own_observers_.push_back(std::make_unique<FunctionObserver>(std::move(at_point)));
    observe(*own_observers_.back());
  }

  bool advance() {
    get_under_way();
    if (summary_) return false;
    if (auto failure = next_point()) {
      end(RunStatus::failed, std::move(failure));
      return false;
    }
    inspect();
    return true;
  }

  void run(const StopRequest& stop_requested) {
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

  void set_parameter(const std::string& parameter, const TypedValue& value) {
    get_under_way();
    engine_->set_parameter(parameter, value);
    if (checker_) checker_->forgo("parameters were changed while it ran");
  }

  void save(SimulationSnapshot& snapshot) {
    get_under_way();
    if (summary_) throw std::logic_error("the run is over: there is nothing to go on with");
    engine_->save(snapshot.engine());
    Archive archive = Archive::writing(snapshot.observers());
    archive_observers(archive);
  }
  void restore(const SimulationSnapshot& snapshot) {
    get_under_way();
    engine_->restore(snapshot.engine());
    Archive archive = Archive::reading(snapshot.observers());
    archive_observers(archive);
    summary_.reset();
    outcome_ = {};
    write_errors_.clear();
  }
  [[nodiscard]] SimulationSnapshot make_snapshot() const {
    for (const Node& node : built_->system->nodes) {
      if (!node.description->algebraic && node.subsystem->rewindable() == nullptr)
        throw ArchiveError(fmt::format("'{}' cannot be set back", node.name));
    }
    return SimulationSnapshot(engine_->make_snapshot());
  }

  [[nodiscard]] double expected_file_bytes() const {
    constexpr double bytes_per_value = 19.0;  // 17 digits at most, a point, a comma
    const auto bonds = static_cast<double>(built_->recorded_bonds.size());
    constexpr double columns_per_bond = 7.0;
    const double columns = static_cast<double>(built_->recorded.size()) + columns_per_bond * bonds + 2.0;
    double rows = expected_points(*engine_);
    if (built_->output_interval_s) {
      const TimeGrid& grid = engine_->grid();
      rows = std::min(
          rows, static_cast<double>(grid.end()) * grid.tick_s().value() / built_->output_interval_s->value());
    }
    return rows * columns * bytes_per_value;
  }

  const Summary& summary() const {
    if (!summary_) throw std::logic_error("the run is not over yet");
    return *summary_;
  }

  std::shared_ptr<const Blueprint> blueprint_;
  ProblemList problems_;
  std::optional<BuiltScenario> built_;
  std::unique_ptr<Engine> engine_;
  RunOutcome outcome_;
  std::vector<std::string> write_errors_;
  std::optional<Summary> summary_;  ///< once the run is over

 private:
  /// The same system at other steps; what goes wrong with it is its report's alone.
  static CompanionReport run_companion(const Blueprint& blueprint, const Rational& factor, Observer& observer,
                                       const StopRequest& stop_requested) {
    const auto begin = std::chrono::steady_clock::now();
    CompanionReport report;
    report.step_factor = factor.value();
    try {
      Impl companion(std::make_shared<const Blueprint>(with_other_steps(blueprint, factor)), ProblemList{});
      companion.observe(observer);
      companion.run(stop_requested);
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

  /// Some methods take their memory when they first need it.
  [[nodiscard]] std::optional<Failure> next_point() {
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

  void refuse_late(const char* what) const {
    if (under_way_) throw std::logic_error(fmt::format("{} are to be named before the first step", what));
  }

  /// Shows the observers t₀.
  void get_under_way() {
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

  void archive_observers(Archive& archive) {
    for (Observer* o : observers_) {
      archive.section("observer");
      o->archive(archive);
    }
    archive.section("end");
  }

  void inspect() {
    try {
      for (Observer* o : observers_) o->inspect(engine_->record());
    } catch (const SubsystemFailure& thrown) {  // of an account that is read here
      return end(RunStatus::failed, thrown.failure());
    }
    if (engine_->done()) end(RunStatus::finished, std::nullopt);
  }

  [[nodiscard]] std::optional<StopReason> reason_to_stop(const StopRequest& stop_requested) const {
    auto reason = stop_requested ? stop_requested() : std::nullopt;
    if (!reason && verdict_observer_->unreliable_so_far()) reason = StopReason::unreliable;
    return reason;
  }

  void end(RunStatus status, std::optional<Failure> failure) {
    outcome_ = {status, std::move(failure), engine_->record().time_s()};
    for (Observer* o : observers_) {
      try {
        o->end(outcome_.failure);
      } catch (const SubsystemFailure& thrown) {
        if (!outcome_.failure) outcome_ = {RunStatus::failed, thrown.failure(), outcome_.reached_time_s};
      }
    }
    Summary summary = summary_observer_->summary(outcome_);
    Verdict by_books = verdict_observer_->verdict(outcome_);
    if (checker_) {
      summary.motion =
          checker_->finish(outcome_, by_books.value == VerdictValue::unreliable, stop_requested_);
    } else {
      summary.motion.why_not = "nobody asked for it";
    }
    summary.verdict = whole_verdict(std::move(by_books), summary.motion);
    summary.verdict->advice = advice_for(*summary.verdict, summary.motion, *engine_);
    // The motion is known at the end only: what was to stop for it has come too far.
    if (status == RunStatus::finished && on_unreliable(*blueprint_) == OnUnreliable::stop &&
        summary.verdict->value == VerdictValue::unreliable)
      summary.status = outcome_.status = RunStatus::stopped;
    summary.ergon_version = version();
    const auto changes = engine_->parameter_changes();
    summary.parameter_changes.assign(changes.begin(), changes.end());
    for (const Problem& problem : problems_.all()) {
      if (problem.severity == Severity::warning) summary.warnings.push_back(to_string(problem));
    }
    if (files_) write_errors_ = files_->finish(summary);
    summary_ = std::move(summary);
  }

  IntervalGate gate_;
  std::optional<SummaryObserver> summary_observer_;
  std::optional<VerdictObserver> verdict_observer_;
  std::optional<MotionChecker> checker_;
  StopRequest stop_requested_;
  std::unique_ptr<RunFiles> files_;
  std::vector<std::unique_ptr<Observer>> own_observers_;
  std::vector<Observer*> observers_;
  bool started_ = false;
  bool under_way_ = false;
  std::optional<Failure> start_failure_;
};

namespace {

ScenarioOverrides only(const std::vector<std::string>& settings) {
  ScenarioOverrides overrides;
  overrides.settings = settings;
  return overrides;
}

}  // namespace

Simulation::Simulation(const std::filesystem::path& scenario, const std::vector<std::string>& settings)
    : Simulation(scenario, only(settings)) {}

Simulation::Simulation(const std::filesystem::path& scenario, const ScenarioOverrides& overrides,
                       const ModelSources& sources) {
  ProblemList problems;
  Scenario loaded = load_scenario(scenario.string(), overrides, problems, sources);
  impl_ = std::make_unique<Impl>(std::make_shared<const Blueprint>(std::move(loaded)), std::move(problems));
}

Simulation::Simulation(std::function<SystemGraph()> build, SimulationOptions options)
    : impl_(std::make_unique<Impl>(
          std::make_shared<const Blueprint>(GraphBlueprint{std::move(build), std::move(options)}),
          ProblemList{})) {}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Simulation Simulation::another() const {
  return Simulation(std::make_unique<Impl>(impl_->blueprint_, ProblemList{}));
}

const ProblemList& Simulation::problems() const {
  return impl_->problems_;
}

void Simulation::refuse_warnings() const {
  ProblemList as_errors;
  for (const Problem& p : problems().all()) {
    if (p.severity == Severity::warning) as_errors.error(p.where, p.what, p.remedy);
  }
  if (as_errors.has_errors()) throw InputError(as_errors);
}

const CoupledSystem& Simulation::system() const {
  return *impl_->built_->system;
}
const Engine& Simulation::engine() const {
  return *impl_->engine_;
}
Engine& Simulation::engine() {
  return *impl_->engine_;
}

Index Simulation::output(const std::string& name) const {
  if (const auto index = system().find_output(name)) return *index;
  std::vector<std::string> names;
  for (const SignalName& output : system().outputs) names.push_back(output.text);
  throw InputError({}, fmt::format("There is no output '{}'.", name), did_you_mean(name, names));
}

void Simulation::observe(Observer& observer) {
  impl_->observe(observer);
}
void Simulation::observe(std::function<void(const StepRecord&)> at_point) {
  impl_->observe(std::move(at_point));
}
void Simulation::check_motion(MotionCheck unless_said) {
  if (!said_check(*impl_->blueprint_)) impl_->check_motion(unless_said);
}
void Simulation::write_to(const std::filesystem::path& directory) {
  impl_->write_to(directory);
}

const std::optional<Failure>& Simulation::start() {
  return impl_->start();
}
bool Simulation::advance() {
  return impl_->advance();
}
const RunOutcome& Simulation::run(const StopRequest& stop_requested) {
  impl_->run(stop_requested);
  return impl_->outcome_;
}
std::optional<Failure> Simulation::for_each_point(std::function<void(const StepRecord&)> at_point) {
  observe(std::move(at_point));
  return run().failure;
}

SimulationSnapshot Simulation::save() {
  SimulationSnapshot snapshot = impl_->make_snapshot();
  impl_->save(snapshot);
  return snapshot;
}
void Simulation::save(SimulationSnapshot& snapshot) {
  impl_->save(snapshot);
}
void Simulation::restore(const SimulationSnapshot& snapshot) {
  impl_->restore(snapshot);
}
std::vector<std::byte> Simulation::to_bytes(const SimulationSnapshot& snapshot) const {
  return joined_bytes(engine().to_bytes(snapshot.engine()), snapshot.observers());
}
SimulationSnapshot Simulation::from_bytes(std::span<const std::byte> bytes) const {
  SimulationBytes parts = split_bytes(bytes);
  SimulationSnapshot snapshot = impl_->make_snapshot();
  engine().from_bytes(parts.engine, snapshot.engine());
  snapshot.observers() = std::move(parts.observers);
  return snapshot;
}

const StepRecord& Simulation::record() const {
  return impl_->engine_->record();
}
double Simulation::value(const std::string& name) const {
  return record().output(output(name));
}
std::int64_t Simulation::integer(const std::string& name) const {
  return record().integer_output(output(name));
}
const std::string& Simulation::text(const std::string& name) const {
  return record().text_output(output(name));
}
void Simulation::set_parameter(const std::string& parameter, const TypedValue& value) {
  impl_->set_parameter(parameter, value);
}
double Simulation::expected_file_bytes() const {
  return impl_->expected_file_bytes();
}
bool Simulation::over() const {
  return impl_->summary_.has_value();
}

const RunOutcome& Simulation::outcome() const {
  static_cast<void>(impl_->summary());
  return impl_->outcome_;
}
const Summary& Simulation::summary() const {
  return impl_->summary();
}
const Verdict& Simulation::verdict() const {
  return *impl_->summary().verdict;
}
const Motion& Simulation::motion() const {
  return impl_->summary().motion;
}
const std::vector<std::string>& Simulation::write_errors() const {
  return impl_->write_errors_;
}

}  // namespace ergon
