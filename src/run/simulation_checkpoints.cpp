// Checkpoints of a simulation: kept while it runs, and what goes on from one.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "ergon/core/sha256.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/run/simulation_impl.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

std::string sha256_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return sha256(text.str());
}

}  // namespace

std::optional<std::string> Simulation::Impl::why_no_checkpoints() {
  start();
  for (Node& node : built_->system->nodes) {
    if (node.description->algebraic) continue;
    if (node.subsystem->rewindable() == nullptr || node.subsystem->serializable() == nullptr)
      return fmt::format("'{}' cannot save its state", node.name);
  }
  return std::nullopt;
}

void Simulation::Impl::keep_checkpoints(CheckpointOptions options) {
  refuse_late("checkpoints");
  if (!files_) throw std::logic_error("checkpoints are kept beside results: call write_to first");
  if (const auto why_not = why_no_checkpoints())
    throw InputError({}, fmt::format("Checkpoints cannot be kept: {}.", *why_not),
                     "Run it without --checkpoint-at and --checkpoint-every.");
  const TimeGrid& grid = engine_->grid();
  for (const auto& [text, time_s] : options.at_s) {
    const double t = time_s.value();
    if (t > grid.time_s(0) && t <= grid.time_s(grid.end())) continue;
    throw InputError({}, fmt::format("A checkpoint at t = {} s is not within the run.", text),
                     fmt::format("The run goes from {} s to {} s.", grid.time_s(0), grid.time_s(grid.end())));
  }
  checkpoints_ = std::make_unique<CheckpointKeeper>(directory_, std::move(options), grid);
  checkpoint_.emplace(make_snapshot());
  scenario_sha256_ = scenario_sha256();
}

const std::vector<std::string>& Simulation::Impl::checkpoint_errors() const {
  static_cast<void>(summary());
  return checkpoint_errors_;
}

void Simulation::Impl::keep_checkpoint(bool at_end) {
  try {
    save(*checkpoint_);
    Checkpoint checkpoint;
    checkpoint.ergon_version = version();
    checkpoint.tick = engine_->record().tick();
    checkpoint.time_s = engine_->record().time_s();
    checkpoint.at_end = at_end;
    checkpoint.clamped = at_end && engine_->last_step_clamped();
    checkpoint.scenario_sha256 = scenario_sha256_;
    if (const auto* scenario = std::get_if<Scenario>(&*blueprint_)) {
      for (const InputFile& input : scenario->inputs) {
        // What the scenario says has a hash of its own.
        if (input.path != scenario->file) checkpoint.inputs.emplace_back(input.path, input.sha256);
      }
    }
    checkpoint.warnings = warnings_of_start();
    checkpoint.caller = checkpoints_->caller();
    checkpoint.state = joined_bytes(engine_->to_bytes(checkpoint_->engine()), checkpoint_->observers());
    checkpoints_->keep(std::move(checkpoint));
  } catch (const SubsystemFailure& thrown) {
    checkpoint_errors_.push_back(
        fmt::format("no more checkpoints: the state of '{}' cannot be saved at t = {} s: {}",
                    thrown.failure().subsystem, thrown.failure().time_s, thrown.failure().what));
    checkpoints_.reset();
  } catch (const ArchiveError& error) {
    checkpoint_errors_.push_back(fmt::format("no more checkpoints: {}", error.what()));
    checkpoints_.reset();
  }
}

std::string Simulation::Impl::scenario_sha256() const {
  const auto* scenario = std::get_if<Scenario>(&*blueprint_);
  if (scenario == nullptr) return {};
  Scenario but_for_its_end = *scenario;
  but_for_its_end.simulation.stop_time_s = Said<Rational>{};
  but_for_its_end.overrides.clear();
  but_for_its_end.inputs.clear();
  return sha256(resolved_toml(but_for_its_end, {}));
}

std::vector<std::string> Simulation::Impl::warnings_of_start() const {
  if (warnings_of_first_start_) return *warnings_of_first_start_;
  std::vector<std::string> warnings;
  for (const Problem& problem : problems_.all()) {
    if (problem.severity == Severity::warning) warnings.push_back(to_string(problem));
  }
  return warnings;
}

void Simulation::Impl::require_fits(const Checkpoint& checkpoint) const {
  const auto* scenario = std::get_if<Scenario>(&*blueprint_);
  if (checkpoint.scenario_sha256 != scenario_sha256())
    throw InputError({}, "The scenario is not the one of the checkpoint.",
                     "Only the stop time may be another one. Run the scenario from its start.");
  if (scenario != nullptr) {
    for (const auto& [file, sha256_before] : checkpoint.inputs) {
      const auto& read = scenario->files_read;
      if (std::find(read.begin(), read.end(), file) == read.end() || sha256_of_file(file) == sha256_before)
        continue;
      throw InputError({}, fmt::format("'{}' has changed since the checkpoint.", file),
                       "Restore that file, or run the scenario from its start.");
    }
  }
  const TimeGrid& grid = engine_->grid();
  if (checkpoint.tick > grid.end())
    throw InputError({}, fmt::format("The run has come to t = {} s already.", checkpoint.time_s),
                     "Give a later --stop-time.");
  if (checkpoint.clamped && checkpoint.tick < grid.end())
    throw InputError({}, "The last step of the run was shortened to end with it: the run cannot be extended.",
                     "Run the scenario from its start, with another --stop-time.");
}

void Simulation::Impl::go_on(const Simulation& self, const Checkpoint& checkpoint) {
  require_fits(checkpoint);
  const bool is_extended = checkpoint.at_end && checkpoint.tick < engine_->grid().end();
  try {
    SimulationSnapshot snapshot = self.from_bytes(checkpoint.state);
    restore(snapshot);
  } catch (const ArchiveError& error) {
    throw InputError({}, fmt::format("The run cannot go on from its checkpoint: {}.", error.what()),
                     "Run the scenario from its start.");
  }
  warnings_of_first_start_ = checkpoint.warnings;
  if (checker_ && !checker_->fits())
    checker_->forgo(
        fmt::format("the run was extended at t = {} s; run the scenario from its start to have it checked",
                    checkpoint.time_s));
  if (files_ && is_extended) files_->describe();
  if (checkpoints_) {
    checkpoints_->begin_at(checkpoint.tick);
    // Of the scenario as it is now.
    if (is_extended) keep_checkpoint(false);
  }
  if (engine_->done()) end(RunStatus::finished, std::nullopt);
}

}  // namespace ergon
