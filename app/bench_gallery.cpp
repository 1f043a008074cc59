#include "bench_gallery.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "ergon/report/page.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/run/version.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

/// Experiments of which one run is shown, by the scenario of their folder.
struct ShownRun {
  const char* benchmark;
  const char* scenario;
  const char* interval_s;
};
constexpr std::array shown_runs = {ShownRun{"hydraulic-crane", "crane.toml", "0.01"},
                                   ShownRun{"pendulum-cable", "pendulum-cable.toml", "0.02"},
                                   ShownRun{"slider-crank", "slider-crank.toml", "0.005"},
                                   ShownRun{"log-crane", "crane.toml", "0.02"}};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "ergon-gallery-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<report::RunFolder> look_at(const std::vector<BenchOutcome>& outcomes,
                                       const TemporaryFolder& folder) {
  std::vector<report::RunFolder> runs;
  for (const BenchOutcome& outcome : outcomes) {
    for (const ShownRun& shown : shown_runs) {
      const fs::path scenario = bench::benchmarks_folder() / shown.benchmark / shown.scenario;
      if (outcome.benchmark->name != shown.benchmark || !fs::exists(scenario)) continue;
      const fs::path results = folder.path() / shown.benchmark;
      Simulation simulation(scenario, {std::string("output.interval=") + shown.interval_s});
      simulation.write_to(results);
      simulation.run();
      runs.emplace_back(results);
    }
  }
  return runs;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> first_paragraphs(const std::string& markdown, std::size_t most) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  static const std::regex emphasis(R"([*`])");
  std::vector<std::string> paragraphs;
  std::string paragraph;
  std::istringstream lines(markdown);
  const auto finish = [&] {
    if (!paragraph.empty())
      paragraphs.push_back(std::regex_replace(std::regex_replace(paragraph, link, "$1"), emphasis, ""));
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line) && paragraphs.size() < most;) {
    const bool heading = line.starts_with("#");
    // What follows are tables, lists and commands: the page of the benchmark has them.
    if (line.starts_with("|") || line.starts_with("```") || line.starts_with("- ")) break;
    if (heading && !paragraphs.empty()) break;
    if (line.empty() || heading) {
      finish();
      continue;
    }
    paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  if (paragraphs.size() < most) finish();
  return paragraphs;
}

namespace {

/// As many points as a wide screen has columns, several times over: pictures can be zoomed.
constexpr std::size_t most_points = 5000;

report::ExperimentPicture shown(const bench::Picture& picture) {
  report::ExperimentPicture result{picture.paper,  picture.figure,  picture.title,  picture.x.label,
                                   picture.x.unit, picture.y.label, picture.y.unit, {}};
  for (const bench::PictureCurve& curve : picture.curves) {
    bench::PictureCurve thin = bench::thinned(curve, most_points);
    result.curves.push_back(
        {thin.label, thin.reference, thin.points_only, std::move(thin.x), std::move(thin.y)});
  }
  return result;
}

}  // namespace

report::Page bench_gallery(const std::vector<BenchOutcome>& outcomes) {
  std::vector<report::Experiment> experiments;
  for (const BenchOutcome& outcome : outcomes) {
    const bench::Benchmark& benchmark = *outcome.benchmark;
    report::Experiment experiment;
    std::map<std::string, std::string> units;
    experiment.name = benchmark.name;
    experiment.summary = benchmark.summary;
    experiment.statement =
        first_paragraphs(text_of(bench::benchmarks_folder() / benchmark.name / "README.md"), 2);
    experiment.seconds = outcome.seconds;
    experiment.rows = report::Json::parse(bench::rows_to_json({{benchmark.name, outcome.rows}}));
    for (const bench::Row& row : outcome.rows) {
      for (const auto& [setting, value] : row.settings) {
        const std::string unit = benchmark.unit_of_setting(setting);
        if (std::holds_alternative<double>(value) && !unit.empty()) units[setting] = unit;
      }
    }
    experiment.setting_units.assign(units.begin(), units.end());
    for (const bench::Picture& picture : outcome.pictures.all())
      experiment.pictures.push_back(shown(picture));
    experiments.push_back(std::move(experiment));
  }
  const TemporaryFolder folder;
  return report::gallery_page(experiments, look_at(outcomes, folder),
                              {"Published experiments", std::string(version())});
}

}  // namespace ergon::app
