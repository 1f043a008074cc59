#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

constexpr std::int64_t max_threads = 1024;

}  // namespace

const Keys<SimulationSettings>& simulation_keys() {
  using S = SimulationSettings;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::time("start_time", &S::start_time_s),
      K::time("stop_time", &S::stop_time_s).required("Add it, as in: stop_time = 10.0, or give --stop-time."),
      K::step("step_size", &S::step_size_s),
      K::count("threads", &S::threads, max_threads),
      K::choice("on_unreliable", &S::on_unreliable, on_unreliable_names),
      K::choice("check", &S::check, motion_check_names),
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
