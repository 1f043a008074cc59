#include "ergon/run/simulation.hpp"

#include <fmt/format.h>

#include <utility>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/saved_states.hpp"
#include "ergon/run/simulation_impl.hpp"

namespace ergon {
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

Simulation Simulation::with_steps(const Rational& factor) const {
  return Simulation(std::make_unique<Impl>(
      std::make_shared<const Blueprint>(with_steps_times(*impl_->blueprint_, factor)), ProblemList{}));
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
void Simulation::write_to(const std::filesystem::path& directory, Results results) {
  impl_->write_to(directory, results);
}
std::optional<std::string> Simulation::why_no_checkpoints() {
  return impl_->why_no_checkpoints();
}
void Simulation::keep_checkpoints(CheckpointOptions options) {
  impl_->keep_checkpoints(std::move(options));
}
const std::vector<std::string>& Simulation::checkpoint_errors() const {
  return impl_->checkpoint_errors();
}
void Simulation::require_fits(const Checkpoint& checkpoint) const {
  impl_->require_fits(checkpoint);
}
StartStates Simulation::states_of(const Checkpoint& checkpoint) const {
  impl_->require_fits(checkpoint);
  try {
    StartStates states = states_in(system(), split_bytes(checkpoint.state).engine);
    states.time_s = checkpoint.time_s;
    return states;
  } catch (const ArchiveError& error) {
    throw InputError({}, fmt::format("The state cannot be saved: {}.", error.what()),
                     "Save that of another run.");
  }
}
void Simulation::go_on(const Checkpoint& checkpoint) {
  impl_->go_on(*this, checkpoint);
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
