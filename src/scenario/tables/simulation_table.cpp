#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ergon/scenario/file/plugins.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

constexpr std::int64_t max_threads = 1024;

Key<SimulationSettings> edition_key() {
  Key<SimulationSettings> key{"edition"};
  key.read = [](TableReader& reader, SimulationSettings& settings) {
    const Entry* entry = reader.entry("edition");
    if (entry == nullptr) return;
    // Without quotation marks, as on the command line, it is a number.
    const auto name =
        entry->value.is_number()
            ? std::optional(Said<std::string>{fmt::format("{}", entry->value.number), entry->value.where})
            : reader.text("edition");
    if (!name) return;
    if (const Edition* edition = find_edition(name->value)) {
      settings.edition = edition;
      return;
    }
    reader.error(
        name->where, fmt::format("There is no edition '{}' in this version of Ergon.", name->value),
        fmt::format("Available: {}. Without the key the newest in force applies; a later edition needs a "
                    "later version of Ergon.",
                    fmt::join(edition_names(), ", ")));
  };
  key.write = [](const SimulationSettings& settings, const Scenario&) -> std::optional<Value> {
    return text_value(std::string(settings.edition->name));
  };
  return key;
}

/// They are loaded before the tables are read (load_plugins).
Key<SimulationSettings> plugins_key() {
  Key<SimulationSettings> key = Key<SimulationSettings>::texts("plugins", &SimulationSettings::plugins);
  key.write = [](const SimulationSettings& settings, const Scenario& scenario) -> std::optional<Value> {
    if (settings.plugins.empty()) return std::nullopt;
    std::vector<Value> files;
    for (const Said<std::string>& plugin : settings.plugins)
      files.push_back(text_value(plugin_path(plugin.value, scenario.base_directory)));
    return list_value(std::move(files));
  };
  return key;
}

}  // namespace

const Keys<SimulationSettings>& simulation_keys() {
  using S = SimulationSettings;
  using K = Key<S>;
  static const Keys<S> keys = {
      edition_key(),
      K::time("start_time", &S::start_time_s),
      K::time("stop_time", &S::stop_time_s).required("Add it, as in: stop_time = 10.0, or give --stop-time."),
      K::step("step_size", &S::step_size_s),
      K::count("threads", &S::threads, max_threads),
      K::choice("on_unreliable", &S::on_unreliable, on_unreliable_names),
      K::choice("check", &S::check, motion_check_names),
      plugins_key(),
  };
  return keys;
}

void read_simulation(const Value& table, SimulationSettings& settings, ProblemList& problems) {
  TableReader reader(table, "[simulation]", problems);
  settings.where = table.where;
  read_keys(reader, simulation_keys(), settings);
  reader.finish();
  if (reader.misspelt("step_size")) settings.step_size_s.emplace();
}

}  // namespace ergon
