#include "ergon/study/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/version.hpp"
#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/study/sobol_indices.hpp"
#include "ergon/study/table.hpp"

namespace ergon::study {
namespace {

using nlohmann::json;
constexpr std::size_t course_samples = 101;

/// The outputs behind patterns, and the times of the samples, as the scenario has them without what varies.
void add_courses(const std::vector<std::string>& patterns, RunTemplate& common) {
  if (patterns.empty()) return;
  const Simulation simulation(common.scenario, common.overrides);
  std::vector<Said<std::string>> said;
  for (const std::string& pattern : patterns) said.push_back({pattern, {"--bands " + pattern, 0, 0}});
  ProblemList problems;
  const CoupledSystem& system = simulation.system();
  for (const Index output : select_outputs(system, said, problems)) {
    if (system.outputs[output].type == PortType::real) common.courses.push_back(system.outputs[output].text);
  }
  if (problems.has_errors()) throw InputError(problems);
  const Scenario scenario = load_scenario(common.scenario.string(), common.overrides, problems);
  const double start_s = scenario.simulation.start_time_s.value.value();
  const double stop_s = scenario.simulation.stop_time_s->value.value();
  for (std::size_t k = 0; k < course_samples; ++k)
    common.course_times_s.push_back(start_s +
                                    (stop_s - start_s) * static_cast<double>(k) / (course_samples - 1));
}

json indices_json(const std::vector<Axis>& axes, const std::vector<double>& values) {
  json list = json::array();
  const auto indices = sobol_indices(values, axes.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const SobolIndex& s = indices[i];
    list.push_back({{"setting", axes[i].setting},
                    {"first", s.first},
                    {"first_low", s.first_low},
                    {"first_high", s.first_high},
                    {"total", s.total},
                    {"total_low", s.total_low},
                    {"total_high", s.total_high}});
  }
  return list;
}

}  // namespace

Sweep::Sweep(SweepDescription description) : description_(std::move(description)) {
  for (const std::string& text : description_.vary) axes_.push_back(Axis::parse(text, "--vary " + text));
  plan_ = make_plan(axes_, description_.design);
  study_.kind = "sweep";
  study_.common.scenario = description_.scenario;
  study_.common.overrides = description_.overrides;
  study_.common.check = description_.check;
  study_.common.timeout_s = description_.timeout_s;
  for (const std::string& text : description_.measures) {
    Measure measure = Measure::parse(text, "--measure " + text);
    for (const Measure& other : study_.common.measures) {
      if (other.name == measure.name)
        throw InputError({"--measure " + text, 0, 0},
                         fmt::format("There are two measures '{}'.", measure.name),
                         "Give one of them another name.");
    }
    study_.common.measures.push_back(std::move(measure));
  }
  for (const auto& values : plan_.runs) {
    RunSettings run;
    for (std::size_t i = 0; i < axes_.size(); ++i) run.settings.push_back(axes_[i].setting + "=" + values[i]);
    study_.runs.push_back(std::move(run));
  }
  add_courses(description_.bands, study_.common);
}

std::string Sweep::to_json(const StudyResult& result) const {
  json axes = json::array();
  for (const Axis& axis : axes_) axes.push_back(axis.setting);
  json measures = json::array();
  for (const Measure& measure : study_.common.measures)
    measures.push_back({{"name", measure.name}, {"text", measure.text}});
  std::map<std::string, std::size_t> statuses, verdicts;
  for (const Outcome& o : result.outcomes) {
    ++statuses[o.status];
    if (!o.verdict.empty()) ++verdicts[o.verdict];
  }
  json all{{"format", 1},
           {"kind", "sweep"},
           {"ergon_version", version()},
           {"scenario", description_.scenario.string()},
           {"plan", name_of(plan_.design)},
           {"samples", plan_.samples},
           {"seed", description_.design.seed},
           {"runs", plan_.runs.size()},
           {"complete", result.outcomes.size() == plan_.runs.size()},
           {"settings", std::move(axes)},
           {"measures", std::move(measures)},
           {"overrides", description_.overrides.settings},
           {"status", statuses},
           {"verdicts", verdicts},
           {"kept", !study_.common.keep_in.empty()}};
  if (plan_.design == Design::saltelli && result.outcomes.size() == plan_.runs.size()) {
    json indices = json::object();
    for (std::size_t m = 0; m < study_.common.measures.size(); ++m) {
      std::vector<double> values;
      for (const Outcome& o : result.outcomes) values.push_back(o.measures[m]);
      indices[study_.common.measures[m].name] = indices_json(axes_, values);
    }
    all["sobol_indices"] = std::move(indices);
  }
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::vector<std::string> Sweep::write(const std::filesystem::path& folder, const StudyResult& result) const {
  std::vector<std::string> settings, measures, errors;
  for (const Axis& axis : axes_) settings.push_back(axis.setting);
  for (const Measure& measure : study_.common.measures) measures.push_back(measure.name);
  const auto put = [&](const char* name, const std::string& text) {
    if (auto error = replace_file(folder / name, text)) errors.push_back(*error);
  };
  put("runs.csv", runs_csv(settings, plan_.runs, measures, result.outcomes));
  put("costs.csv", costs_csv(result.outcomes));
  const std::string bands = bands_csv(study_.common.courses, study_.common.course_times_s, result.outcomes);
  if (!bands.empty()) put("bands.csv", bands);
  put("study.json", to_json(result));
  return errors;
}

}  // namespace ergon::study
