#include "ergon/report/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "ergon/core/problem.hpp"
#include "ergon/core/result_format.hpp"
#include "ergon/hdf5/load_module.hpp"
#include "ergon/report/csv_file.hpp"
#include "ergon/report/hdf5_table.hpp"

namespace ergon::report {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Files without a number are of the format before there was one.
void check_format(const Json& json, const fs::path& file) {
  const auto said = json.find("format");
  if (said == json.end()) return;
  if (!said->is_number_integer()) {
    throw InputError({file.string(), 1, 1}, fmt::format("'format' is {}, not a whole number.", said->dump()),
                     "Run the scenario again.");
  }
  const auto format = said->get<std::int64_t>();
  if (format == result_format || format == result_format - 1) return;
  throw InputError({file.string(), 1, 1},
                   fmt::format("This folder has format {}; this version of Ergon reads {} and {}.", format,
                               result_format - 1, result_format),
                   format > result_format ? "Read it with the version of Ergon that wrote it, or a later one."
                                          : "Run the scenario again.");
}

Json json_of(const std::string& text, const fs::path& file) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw InputError({file.string(), 1, 1}, "This is not a summary of a run: it cannot be read as JSON.",
                     "Run the scenario again.");
  }
  check_format(json, file);
  return json;
}

double number_at(const Json& json, const char* key, double otherwise) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

/// Files may have been edited by hand: what is of another type is not said.
bool is_true(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A name for people: the last part of the path that says something.
std::string name_of(const fs::path& path) {
  std::error_code error;
  fs::path full = fs::weakly_canonical(path, error);
  if (error) full = path;
  const std::string name = full.filename().string();
  return name.empty() ? full.parent_path().filename().string() : name;
}

}  // namespace

class RunFolder::Source {
 public:
  virtual ~Source() = default;
  /// By its name without an ending; nothing where there is none.
  [[nodiscard]] virtual std::shared_ptr<const Table> table(const std::string& name) const = 0;
  /// "summary.json" …
  [[nodiscard]] virtual std::optional<std::string> text(const std::string& file) const = 0;
  [[nodiscard]] virtual fs::path path_of(const std::string& file) const = 0;
};

namespace {

class FolderSource final : public RunFolder::Source {
 public:
  explicit FolderSource(fs::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::shared_ptr<const Table> table(const std::string& name) const override {
    std::error_code error;
    const fs::path file = path_of(name + ".csv");
    return fs::is_regular_file(file, error) ? std::make_shared<CsvFile>(file) : nullptr;
  }
  [[nodiscard]] std::optional<std::string> text(const std::string& file) const override {
    return text_of(folder_ / file);
  }
  [[nodiscard]] fs::path path_of(const std::string& file) const override { return folder_ / file; }

 private:
  fs::path folder_;
};

/// Tables and texts of results.h5. In a folder the texts are those of the folder.
class Hdf5Source final : public RunFolder::Source {
 public:
  explicit Hdf5Source(fs::path path, std::optional<fs::path> folder = {})
      : path_(std::move(path)), folder_(std::move(folder)), file_(open_hdf5(path_)) {}
  [[nodiscard]] std::shared_ptr<const Table> table(const std::string& name) const override {
    for (std::size_t i = 0; i < file_->tables().size(); ++i) {
      if (file_->tables()[i].name == name) return std::make_shared<Hdf5Table>(path_, file_, i);
    }
    return nullptr;
  }
  [[nodiscard]] std::optional<std::string> text(const std::string& file) const override {
    if (folder_) return text_of(*folder_ / file);
    std::string inside = file_->text(fs::path(file).stem().string());
    return inside.empty() ? std::nullopt : std::optional(std::move(inside));
  }
  [[nodiscard]] fs::path path_of(const std::string& file) const override {
    return folder_.value_or(path_) / file;
  }

 private:
  fs::path path_;
  std::optional<fs::path> folder_;
  std::shared_ptr<const hdf5::ResultReader> file_;
};

}  // namespace

RunFolder::RunFolder(const fs::path& path, const TimeWindow& window) : name_(name_of(path)), window_(window) {
  std::error_code error;
  if (hdf5::is_hdf5_file(path)) {
    read(Hdf5Source(path));
  } else if (fs::is_regular_file(path, error)) {
    add_results(std::make_shared<CsvFile>(path));
  } else if (!fs::is_directory(path, error)) {
    throw InputError({}, fmt::format("There is no folder '{}'.", path.string()),
                     "Give a folder that 'ergon run' has written.");
  } else if (fs::is_regular_file(path / "results.csv", error)) {
    read(FolderSource(path));
  } else if (fs::is_regular_file(path / "results.h5", error)) {
    read(Hdf5Source(path / "results.h5", path));
  } else {
    throw InputError(
        {}, fmt::format("'{}' holds no results: it has neither results.csv nor results.h5.", path.string()),
        "Give a folder that 'ergon run' has written.");
  }
}

void RunFolder::add_results(std::shared_ptr<const Table> table) {
  if (results_.empty()) start_s_ = table->rows() > 0 ? table->part(0, 0, 1).values.front() : 0.0;
  if (!window_.is_whole()) table = std::make_shared<WindowedTable>(std::move(table), window_);
  const Table& file = *results_.emplace_back(std::move(table));
  times_s_.push_back(file.column(0).values);
  for (std::size_t i = 1; i < file.names().size(); ++i) {
    variables_.push_back(file.names()[i]);
    places_.push_back({results_.size() - 1, i});
    // Of a table of another tool; system.json says more.
    const bool has_unit = i < file.units().size() && !file.units()[i].empty();
    if (has_unit || results_.size() > 1) {
      const std::string& name = file.names()[i];
      infos_[name] = {
          has_unit ? file.units()[i] : "", name.substr(0, name.find('.')), "", {}, results_.size() - 1};
    }
  }
}

std::optional<std::size_t> RunFolder::find(const std::string& variable) const {
  const auto found = std::find(variables_.begin(), variables_.end(), variable);
  if (found == variables_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - variables_.begin());
}

bool RunFolder::is_text(std::size_t variable) const {
  return results_[places_[variable].file]->is_text(places_[variable].column);
}

CsvColumn RunFolder::column(std::size_t variable) const {
  return results_[places_[variable].file]->column(places_[variable].column);
}

void RunFolder::read(const Source& source) {
  auto results = source.table("results");
  if (!results) {
    throw InputError({source.path_of("").string(), 0, 0}, "This file holds no results of a run.",
                     "Give a file or folder that 'ergon run' has written.");
  }
  add_results(std::move(results));
  for (const char* name : {"bonds", "energy", "motion", "geometry"}) {
    auto table = source.table(name);
    if (!table || (table->rows() == 0 && std::string_view(name) == "motion")) continue;
    if (!window_.is_whole()) table = std::make_shared<WindowedTable>(std::move(table), window_);
    tables_[name] = std::move(table);
  }
  if (table("bonds") == nullptr) missing_.emplace_back("bonds.csv");
  const auto json = [&](const char* file) -> Json {
    if (const auto text = source.text(file)) return json_of(*text, source.path_of(file));
    missing_.emplace_back(file);
    return nullptr;
  };
  summary_ = json("summary.json");
  system_ = json("system.json");
  if (auto text = source.text("scenario.toml")) {
    scenario_ = std::move(*text);
  } else {
    missing_.emplace_back("scenario.toml");
  }
  last_step_clamped_ = is_true(summary_, "last_step_clamped");
  if (system_.is_object()) read_infos(source);
}

void RunFolder::read_infos(const Source& source) {
  std::vector<std::string> files = {"results.csv"};
  const auto file_of = [&](const std::string& file) {
    const auto known = std::find(files.begin(), files.end(), file);
    if (known != files.end()) return static_cast<std::size_t>(known - files.begin());
    // The name of a table beside this one, and nothing else.
    auto table = fs::path(file).filename() == file && fs::path(file).extension() == ".csv"
                     ? source.table(fs::path(file).stem().string())
                     : nullptr;
    if (!table) {
      if (std::find(missing_.begin(), missing_.end(), file) == missing_.end()) missing_.push_back(file);
      return std::size_t{0};
    }
    add_results(std::move(table));
    files.push_back(file);
    return files.size() - 1;
  };
  std::map<std::string, double> steps;
  // With variable steps every subsystem has a sample at every point.
  if (!is_true(system_, "variable_steps")) {
    for (const Json& node : system_.value("nodes", Json::array()))
      if (const double step_s = number_at(node, "step_s", 0.0); step_s > 0.0)
        steps[text_at(node, "name")] = step_s;
  }
  for (const Json& variable : system_.value("variables", Json::array())) {
    VariableInfo info{
        text_at(variable, "unit"), text_at(variable, "node"), text_at(variable, "description"), {}, 0};
    if (const std::string file = text_at(variable, "file"); !file.empty()) {
      info.file = file_of(file);
    } else if (const auto step = steps.find(info.node); step != steps.end())
      info.step_s = step->second;
    infos_[text_at(variable, "name")] = std::move(info);
  }
}

const Table* RunFolder::table(const std::string& name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second.get();
}

VariableInfo RunFolder::info(const std::string& column) const {
  const auto found = infos_.find(column);
  if (found != infos_.end()) return found->second;
  return {"", column.substr(0, column.find('.')), "", std::nullopt, 0};
}

Samples RunFolder::samples(CsvColumn column) const {
  const VariableInfo own_info = info(column.name);
  const std::vector<double>& t = times_s_[own_info.file];
  const std::optional<double>& step_s = own_info.step_s;
  Samples own{{}, std::move(column.values)};
  if (!step_s) {
    own.time_s = t;
    return own;
  }
  double last = -1.0;
  constexpr double slack = 1e-6;  // of a step: times are written to the last digit, and divided
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double k = std::floor((t[row] - start_s_) / *step_s + slack);
    const bool is_new = k > last;
    const bool is_shortened = row + 1 == t.size() && last_step_clamped_ && !is_new;
    if (!is_new && !is_shortened) continue;
    const double sampled_s = start_s_ + k * *step_s;
    const bool at_row = is_shortened || std::abs(sampled_s - t[row]) <= slack * *step_s;
    own.values[own.time_s.size()] = own.values[row];
    own.time_s.push_back(at_row ? t[row] : sampled_s);
    last = k;
  }
  own.values.resize(own.time_s.size());
  return own;
}

}  // namespace ergon::report
