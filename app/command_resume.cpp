#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/saved_states.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "ergon/run/record/replace_file.hpp"
#include "run_to_end.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

fs::path scenario_in(const fs::path& folder) {
  const fs::path scenario = folder / "scenario.toml";
  std::error_code none;
  if (fs::exists(scenario, none)) return scenario;
  throw InputError({}, fmt::format("There is no '{}'.", scenario.string()),
                   "Name the folder that 'ergon run' has written its results to.");
}

/// Goes on in `folder` from its checkpoint.
int go_on(const fs::path& shown_folder, const FoundCheckpoint& found, RunArguments arguments) {
  const fs::path folder = fs::absolute(shown_folder);
  if (arguments.report) require_pages();
  arguments.scenario = scenario_in(shown_folder).string();
  const LineMender mender(folder, LineMender::result_files());
  Simulation simulation(arguments.scenario, arguments.overrides);
  simulation.start();
  simulation.require_fits(found.checkpoint);
  return run_to_end(simulation, arguments, mender, folder, shown_folder, &found.checkpoint);
}

/// "left.m=3", its value of the type that it looks like.
std::pair<std::string, TypedValue> parameter_of(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError({}, fmt::format("'{}' is not a setting.", setting),
                     "Write --set instance.parameter=value.");
  std::string value = setting.substr(equals + 1);
  const auto as_number = [&](auto number) -> std::optional<TypedValue> {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
    return number;
  };
  std::string name = setting.substr(0, equals);
  if (value == "true" || value == "false") return {std::move(name), value == "true"};
  if (const auto integer = as_number(std::int64_t{0})) return {std::move(name), *integer};
  if (const auto real = as_number(0.0)) return {std::move(name), *real};
  return {std::move(name), std::move(value)};
}

}  // namespace

int resume_command(const ResumeArguments& arguments) {
  const fs::path folder = arguments.folder;
  std::vector<std::string> passed_over;
  const FoundCheckpoint found = newest_checkpoint(folder, passed_over);
  for (const std::string& text : passed_over) emit(stderr, "warning: {}\n", text);
  std::error_code none;
  const bool is_over = found.checkpoint.at_end && fs::exists(folder / "summary.json", none);
  if (is_over && !arguments.run.overrides.stop_time)
    throw InputError({},
                     fmt::format("The run in '{}' has finished at t = {} s: there is nothing to resume.",
                                 folder.string(), found.checkpoint.time_s),
                     "Extend it with --stop-time.");
  if (!arguments.run.quiet) emit("resumed at t = {} s\n", found.checkpoint.time_s);
  return go_on(folder, found, arguments.run);
}

int state_command(const StateArguments& arguments) {
  std::vector<std::string> passed_over;
  const FoundCheckpoint found = arguments.at_s ? checkpoint_at(arguments.folder, *arguments.at_s)
                                               : newest_checkpoint(arguments.folder, passed_over);
  for (const std::string& text : passed_over) emit(stderr, "warning: {}\n", text);
  Simulation simulation(scenario_in(arguments.folder), ScenarioOverrides{});
  simulation.start();
  StartStates states = simulation.states_of(found.checkpoint);
  const std::vector<std::byte> bytes = to_bytes(states);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto error = replace_file(arguments.file, text))
    throw InputError({}, *error, "Give another file with -o.");
  emit("state of {} subsystem{} at t = {} s in {}\n", states.entries.size(),
       states.entries.size() == 1 ? "" : "s", states.time_s, arguments.file);
  return exit_done;
}

int branch_command(const BranchArguments& arguments) {
  const fs::path from = arguments.folder;
  const fs::path into = arguments.into;
  const FoundCheckpoint found = checkpoint_at(from, arguments.at_s);
  RunArguments run = arguments.run;
  for (const std::string& setting : arguments.settings) run.from_here.push_back(parameter_of(setting));
  std::error_code none;
  if (fs::exists(into, none) && !fs::is_empty(into, none))
    throw InputError({}, fmt::format("'{}' is not empty.", into.string()), "Branch into a new folder.");
  fs::create_directories(into);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && is_recorded_file(name)) fs::copy_file(entry.path(), into / name);
  }
  fs::copy_file(scenario_in(from), into / "scenario.toml");
  fs::copy_file(from / "system.json", into / "system.json");
  if (!run.quiet) emit("branched at t = {} s into {}\n", found.checkpoint.time_s, into.string());
  try {
    return go_on(into, found, run);
  } catch (const InputError&) {
    fs::remove_all(into, none);
    throw;
  }
}

}  // namespace ergon::app
