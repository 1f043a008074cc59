#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ergon/report/table.hpp"

namespace ergon::report {

using Json = nlohmann::ordered_json;

/// Samples of one variable at their own times.
struct Samples {
  std::vector<double> time_s;
  std::vector<double> values;
};

/// What is known of a column beside its numbers.
struct VariableInfo {
  std::string unit;
  std::string node;
  std::string description;
  std::optional<double> step_s;  ///< its subsystem has a sample every so many seconds; nothing: at every row
  std::size_t file = 0;          ///< of its samples: results.csv, or one of those behind it
};

/// What `ergon run` has written to a folder, as CSV files or in results.h5, such a file alone, or one CSV file of another tool. All but
/// the results may be missing.
class RunFolder {
 public:
  /// Where the parts of a run come from: files of a folder, or one file.
  class Source;

  /// Throws InputError where there is no table, or a file is damaged.
  explicit RunFolder(const std::filesystem::path& path, const TimeWindow& window = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  /// Variables of results.csv, and of files of slower subsystems behind them, by name.
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& variable) const;
  [[nodiscard]] bool is_text(std::size_t variable) const;
  [[nodiscard]] CsvColumn column(std::size_t variable) const;
  /// The first columns of these files; of results.csv at 0.
  [[nodiscard]] const std::vector<std::vector<double>>& times_s() const { return times_s_; }
  /// "bonds", "energy", "motion" or "geometry"; nullptr where there is none.
  [[nodiscard]] const Table* table(const std::string& name) const;
  [[nodiscard]] const Json& summary() const { return summary_; }  ///< null: there is none
  [[nodiscard]] const Json& system() const { return system_; }    ///< null: there is none
  [[nodiscard]] const std::string& scenario() const { return scenario_; }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

  [[nodiscard]] VariableInfo info(const std::string& column) const;
  /// The samples of a variable at the points of its own subsystem: rows in between repeat the last one.
  [[nodiscard]] Samples samples(CsvColumn column) const;

 private:
  void read(const Source& source);
  void add_results(std::shared_ptr<const Table> table);
  void read_infos(const Source& source);

  struct Place {
    std::size_t file = 0;
    std::size_t column = 0;
  };
  std::string name_;
  TimeWindow window_;
  std::vector<std::shared_ptr<const Table>> results_;  ///< results.csv, and files of slower subsystems
  std::vector<std::vector<double>> times_s_;
  std::vector<std::string> variables_;
  std::vector<Place> places_;
  std::map<std::string, std::shared_ptr<const Table>> tables_;
  Json summary_, system_;
  std::string scenario_;
  std::vector<std::string> missing_;
  std::map<std::string, VariableInfo> infos_;
  double start_s_ = 0.0;
  bool last_step_clamped_ = false;
};

}  // namespace ergon::report
