#include "ergon/coupling/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/correctors/corrections.hpp"
#include "ergon/coupling/ledger/energy_ledger.hpp"
#include "ergon/coupling/point_record.hpp"
#include "ergon/coupling/predictors/input_predictors.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/start/probe_bonds.hpp"
#include "ergon/coupling/start/start.hpp"
#include "ergon/coupling/state/foreign_limits.hpp"
#include "ergon/coupling/state/parameter_changes.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/coupling/step_control/windows.hpp"

namespace ergon {
namespace {

const Scheme* scheme_named(const std::string& name, ProblemList& problems) {
  const Scheme* scheme = find_scheme(name);
  if (scheme != nullptr) return scheme;
  std::vector<std::string> names;
  for (const Scheme* s : schemes()) names.emplace_back(s->name());
  problems.error({}, fmt::format("There is no scheme '{}'.", name), did_you_mean(name, names));
  return &jacobi_scheme();  // so that other problems are found, too
}

/// Threads are of use where several members step at the same time.
std::unique_ptr<ThreadPool> make_pool(const CouplingPlan& plan, ProblemList& problems) {
  std::size_t most = 0;
  std::size_t overlapped_stages = 0;
  std::size_t overlapped_members = 0;
  for (const StagePlan& stage : plan.stepping()) {
    if (stage.is_overlapped) {
      ++overlapped_stages;
      overlapped_members += stage.members.size();
    } else {
      most = std::max(most, stage.members.size());
    }
  }
  const auto wanted =
      static_cast<unsigned>(std::min<std::size_t>(plan.options().threads, most + overlapped_members));
  if (wanted < 2) return nullptr;
  auto pool = std::make_unique<ThreadPool>(wanted, overlapped_stages);
  if (pool->size() < wanted) {
    problems.warning(
        {}, fmt::format("Using {} of {} requested threads: the system refused more.", pool->size(), wanted),
        "Give fewer threads, or raise the limits of memory and processes.");
  }
  return pool;
}

/// What needs more of the subsystems of other parts than their outputs.
void check_parts(const CouplingPlan& plan, const Parts& parts, ProblemList& problems) {
  if (parts.outputs == nullptr) return;
  const auto refuse = [&](const char* what, const char* remedy) {
    problems.error({}, fmt::format("{} in a run of several parts.", what), remedy);
  };
  if (plan.layout().knows_the_end)
    refuse("An implicit scheme cannot be used", "Use scheme = \"jacobi\" or \"gauss-seidel\".");
  if (plan.options().equilibrium)
    refuse("A static equilibrium cannot be found", "Give initial values instead of [initialization].");
}

/// All that decides which numbers the engine's bytes hold and what they mean. How long the run is and how accurate it is to be
/// may change on the way.
std::string settings_of(const CouplingPlan& plan, const InputPredictors& predictors) {
  const CouplingOptions& options = plan.options();
  const TimeGrid& grid = plan.grid();
  std::string text = fmt::format("{} {} {} {}/{}", plan.layout().scheme, options.degree, grid.time_s(0),
                                 grid.tick_s().numerator(), grid.tick_s().denominator());
  for (const StagePlan& stage : plan.stages()) {
    text += fmt::format(" |{}", stage.period);
    for (const Member& m : stage.members) text += fmt::format(" {}", m.node);
  }
  for (Index i = 0; i < plan.system().inputs.size(); ++i) {
    text += fmt::format(" {}{}{}", plan.degree(i), static_cast<int>(plan.feedthrough_mode(i)),
                        predictors.producer(i));
    if (plan.system().inputs[i].type != PortType::real) text += name_of(plan.system().inputs[i].type);
  }
  for (const CorrectionRequest& correction : options.corrections) {
    text += fmt::format(" {} {}", correction.bond, correction.method);
    for (const auto& [key, setting] : correction.settings)
      text += std::visit([&name = key](const auto& value) { return fmt::format(" {}={}", name, value); },
                         setting.value);
  }
  if (plan.layout().knows_the_end) text += " " + options.implicit.update;
  if (options.step_control)
    text += fmt::format(" {} {}", options.step_control->method, options.step_control->subdivisions);
  return text;
}

}  // namespace

/// Plan, state, stepper, ledger, corrections and step control, put together. What is here is their order.
class Engine::Impl final : public Repeatable, public TrialRun {
 public:
  /// Nothing where `problems` tell why.
  static std::unique_ptr<Impl> make(CoupledSystem& system, const TimeGrid& grid,
                                    const CouplingOptions& options, const Parts& parts,
                                    ProblemList& problems) {
    const Scheme& scheme = *scheme_named(options.scheme, problems);
    auto plan = std::make_unique<CouplingPlan>(system, grid, options,
                                               scheme.layout({system, grid, options}, problems), problems);
    if (problems.has_errors()) return nullptr;
    auto state = std::make_unique<CouplingState>(*plan);
    auto predictors = std::make_unique<InputPredictors>(*plan, *state, problems);
    if (problems.has_errors()) return nullptr;
    auto pool = make_pool(*plan, problems);
    check_parts(*plan, parts, problems);
    if (parts.outputs != nullptr) parts.outputs->prepare(*plan);
    auto stepper = scheme.make_stepper({*plan, *state, *predictors, pool.get(), parts}, problems);
    if (problems.has_errors()) return nullptr;
    auto ledger = std::make_unique<EnergyLedger>(*plan, *stepper);
    auto corrections = std::make_unique<Corrections>(*plan, *ledger, *state, problems);
    if (problems.has_errors()) return nullptr;
    check_foreign_limits(*plan, problems);
    auto changes = std::make_unique<ParameterChanges>(*plan, problems);
    if (problems.has_errors()) return nullptr;
    auto windows = WindowControl::make(
        {*plan, scheme, ledger->records(), can_rewind(system), parts.decisions}, problems);
    if (problems.has_errors()) return nullptr;
    return std::unique_ptr<Impl>(new Impl(system, scheme, std::move(plan), std::move(state),
                                          std::move(predictors), std::move(pool), std::move(stepper),
                                          std::move(ledger), std::move(corrections), std::move(changes),
                                          std::move(windows), parts));
  }

  std::optional<Failure> initialize(ProblemList& problems, const StartStates* saved) {
    return as_failure([&] {
      static_cast<void>(stepper_->finish_pending());  // of a run before
      return initialize_all(problems, saved);
    });
  }
  std::optional<Failure> initialize_all(ProblemList& problems, const StartStates* saved) {
    changes_->restart();
    if (auto failure = decided(Start(system_, *plan_, scheme_, *state_, parts_, problems, saved).run(*this)))
      return failure;
    if (problems.has_errors()) return std::nullopt;
    stepper_->restart();
    open_books();
    direct_gains_ = probe_bonds(system_, record_, plan_->layout().sequential);
    corrections_->set_gains(
        direct_gains_, [this](Index bond) { return probe_bond(system_, bond, record_); }, problems);
    if (problems.has_errors()) return std::nullopt;
    if (windows_) windows_->start(record_);
    // An FMU of which a state is kept is told that it may be set back: only who repeats windows keeps one.
    if (windows_ && can_rewind()) before_window_.emplace(system_);
    return std::nullopt;
  }

  std::optional<Failure> advance() {
    return as_failure([&]() -> std::optional<Failure> {
      if (!changes_->empty()) {
        if (auto failure = changes_->apply(*state_)) return failure;
      }
      if (!windows_) return advance_point();
      return windows_->advance(*this, changes_->next(plan_->grid().end()));
    });
  }
  void set_parameter(const std::string& parameter, const TypedValue& value) {
    ProblemList problems;
    changes_->add({record_.time_s(), parameter, value, {}}, state_->now(), problems);
    if (problems.has_errors()) throw InputError(problems);
  }
  [[nodiscard]] std::span<const ParameterChanged> parameter_changes() const { return changes_->log(); }

  std::optional<Failure> finish_pending() override { return stepper_->finish_pending(); }

  std::optional<Failure> advance_point() override {
    if (auto failure = stepper_->advance()) {
      static_cast<void>(stepper_->finish_pending());  // nothing goes on after a failure
      return failure;
    }
    const Point point(*plan_, *state_);
    ledger_->update(point, corrections_->in_force());
    if (!corrections_->empty()) {
      corrections_->answer(point, *ledger_, *state_);
      ledger_->note(corrections_->notes());
    }
    return std::nullopt;
  }

  void open_books() override {
    predictors_->restart();
    const Point point(*plan_, *state_);
    ledger_->start(point);
    corrections_->start(point, *ledger_, *state_);
    ledger_->note(corrections_->notes());
  }

  // ── Saving and setting back ──
  [[nodiscard]] bool can_rewind() const { return can_rewind(system_); }
  [[nodiscard]] static bool can_rewind(const CoupledSystem& system) {
    return std::all_of(system.nodes.begin(), system.nodes.end(), [](const Node& node) {
      return node.description->algebraic || live(node)->rewindable() != nullptr;
    });
  }
  /// What later steps depend on.
  void archive_solution(Archive& archive) {
    state_->archive(archive);
    predictors_->archive(archive);
    stepper_->archive(archive);
    ledger_->archive(archive);
    corrections_->archive(archive);
  }
  /// … and how the run got here.
  void archive_all(Archive& archive) {
    archive_solution(archive);
    state_->archive_totals(archive);
    stepper_->archive_totals(archive);
    changes_->archive(archive);
    if (windows_) windows_->archive(archive);
  }
  void keep() override {
    Archive archive = Archive::writing(before_window_->engine());
    archive_solution(archive);
    before_window_->save_subsystems(system_, record_.time_s());
  }
  void set_back() override {
    Archive archive = Archive::reading(before_window_->engine());
    archive_solution(archive);
    before_window_->restore_subsystems(system_, record_.time_s());
  }
  void save(Snapshot& snapshot) {
    if (const auto failure = stepper_->finish_pending()) throw SubsystemFailure(*failure);
    Archive archive = Archive::writing(snapshot.engine());
    archive_all(archive);
    snapshot.save_subsystems(system_, record_.time_s());
  }
  void restore(const Snapshot& snapshot) {
    static_cast<void>(stepper_->finish_pending());
    Archive archive = Archive::reading(snapshot.engine());
    archive_all(archive);
    snapshot.restore_subsystems(system_, record_.time_s());
  }

  [[nodiscard]] CouplingState& state() override { return *state_; }
  [[nodiscard]] const StepRecord& record() const override { return record_; }
  [[nodiscard]] std::span<const BondRecord> bonds() const { return ledger_->records(); }
  [[nodiscard]] const CouplingPlan& plan() const { return *plan_; }
  [[nodiscard]] const InputPredictors& predictors() const { return *predictors_; }
  [[nodiscard]] CoupledSystem& system() const { return system_; }
  [[nodiscard]] Stepper& stepper() { return *stepper_; }
  [[nodiscard]] bool last_step_clamped() const { return state_->clamped(); }
  [[nodiscard]] bool done() const { return state_->now() >= plan_->grid().end(); }

 private:
  /// The same in all parts.
  [[nodiscard]] std::optional<Failure> decided(std::optional<Failure> failure) const {
    return parts_.decisions == nullptr ? failure : parts_.decisions->failure(std::move(failure));
  }
  /// What a subsystem threw deep inside is its failure, at the last good point where it does not know better.
  template <class Work>
  std::optional<Failure> as_failure(Work&& work) {
    try {
      return work();
    } catch (const SubsystemFailure& thrown) {
      static_cast<void>(stepper_->finish_pending());
      return decided(thrown.failure());
    }
  }

  Impl(CoupledSystem& system, const Scheme& scheme, std::unique_ptr<CouplingPlan> plan,
       std::unique_ptr<CouplingState> state, std::unique_ptr<InputPredictors> predictors,
       std::unique_ptr<ThreadPool> pool, std::unique_ptr<Stepper> stepper,
       std::unique_ptr<EnergyLedger> ledger, std::unique_ptr<Corrections> corrections,
       std::unique_ptr<ParameterChanges> changes, std::unique_ptr<WindowControl> windows, const Parts& parts)
      : system_(system),
        scheme_(scheme),
        plan_(std::move(plan)),
        state_(std::move(state)),
        predictors_(std::move(predictors)),
        pool_(std::move(pool)),
        stepper_(std::move(stepper)),
        ledger_(std::move(ledger)),
        corrections_(std::move(corrections)),
        changes_(std::move(changes)),
        windows_(std::move(windows)),
        parts_(parts),
        record_(*plan_, *state_, *stepper_, *ledger_, windows_.get(), direct_gains_) {}

  CoupledSystem& system_;
  const Scheme& scheme_;
  // They know each other by address.
  std::unique_ptr<CouplingPlan> plan_;
  std::unique_ptr<CouplingState> state_;
  std::unique_ptr<InputPredictors> predictors_;
  std::unique_ptr<ThreadPool> pool_;  ///< nothing: one thread
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<EnergyLedger> ledger_;
  std::unique_ptr<Corrections> corrections_;
  std::unique_ptr<ParameterChanges> changes_;
  std::unique_ptr<WindowControl> windows_;  ///< nothing: fixed steps
  Parts parts_;
  std::vector<std::optional<BondGains>> direct_gains_;  ///< per bond, probed at t₀
  PointRecord record_;
  std::optional<Snapshot> before_window_;
};

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

std::unique_ptr<Engine> Engine::make(CoupledSystem& system, const TimeGrid& grid,
                                     const CouplingOptions& options, ProblemList& problems,
                                     const Parts& parts) {
  auto impl = Impl::make(system, grid, options, parts, problems);
  if (!impl) return nullptr;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

std::optional<Failure> Engine::initialize(ProblemList& problems, const StartStates* saved) {
  return impl_->initialize(problems, saved);
}
std::optional<Failure> Engine::advance() {
  return impl_->advance();
}
void Engine::set_parameter(const std::string& parameter, const TypedValue& value) {
  impl_->set_parameter(parameter, value);
}
std::span<const ParameterChanged> Engine::parameter_changes() const {
  return impl_->parameter_changes();
}
bool Engine::done() const {
  return impl_->done();
}
bool Engine::can_rewind() const {
  return impl_->can_rewind();
}
Snapshot Engine::make_snapshot() const {
  return Snapshot(impl_->system());
}
void Engine::save(Snapshot& snapshot) {
  impl_->save(snapshot);
}
void Engine::restore(const Snapshot& snapshot) {
  impl_->restore(snapshot);
}
std::vector<std::byte> Engine::to_bytes(const Snapshot& snapshot) const {
  return snapshot.to_bytes(impl_->system(), settings_of(impl_->plan(), impl_->predictors()));
}
void Engine::from_bytes(std::span<const std::byte> bytes, Snapshot& snapshot) const {
  snapshot.from_bytes(impl_->system(), settings_of(impl_->plan(), impl_->predictors()), bytes);
}
const StepRecord& Engine::record() const {
  return impl_->record();
}
const TimeGrid& Engine::grid() const {
  return impl_->plan().grid();
}
const CoupledSystem& Engine::system() const {
  return impl_->system();
}
Tick Engine::period(Index node) const {
  return impl_->plan().period(node);
}
bool Engine::last_step_clamped() const {
  return impl_->last_step_clamped();
}
FeedthroughMode Engine::feedthrough_mode(Index input) const {
  return impl_->plan().feedthrough_mode(input);
}
bool Engine::is_sequential() const {
  return impl_->plan().layout().sequential;
}

std::vector<double> Engine::interface_jacobian(Tick length) {
  Snapshot present = make_snapshot();
  save(present);
  auto jacobian = impl_->stepper().interface_jacobian(length);
  restore(present);
  return jacobian;
}

std::vector<bool> Engine::corrected_bonds() const {
  std::vector<bool> corrected;
  for (const BondRecord& bond : impl_->bonds()) corrected.push_back(bond.corrected);
  return corrected;
}

std::vector<bool> Engine::bonds_with_stale_efforts() const {
  std::vector<bool> stale;
  for (const PowerBond& bond : system().bonds)
    stale.push_back(!bond.observed_only && impl_->plan().has_stale_efforts(bond));
  return stale;
}

NodeCost Engine::cost(Index node) const {
  static_cast<void>(impl_->stepper().finish_pending());  // those who step measure it
  const CouplingPlan& plan = impl_->plan();
  const SlotAddress place = plan.first_input_of(node);
  const std::vector<Member>& members = plan.stage(place.stage).members;
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.node == node; });
  return impl_->stepper().cost(place.stage, static_cast<std::size_t>(member - members.begin()));
}

}  // namespace ergon
