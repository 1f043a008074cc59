#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/framework/picture.hpp"

namespace ergon::bench {

/// What a computed figure must meet: a value within a tolerance, or a bound.
struct Expectation {
  std::optional<double> value{};
  std::optional<double> rel{};
  std::optional<double> abs{};
  std::optional<double> min{};
  std::optional<double> max{};

  [[nodiscard]] bool holds(double ours) const;
  [[nodiscard]] std::string text() const;
};

using CaseValue = std::variant<double, std::string>;
/// The settings of a row, in the order in which they are shown.
using Case = std::vector<std::pair<std::string, CaseValue>>;

/// Where a paper says something: its key in docs/references.bib, the table, figure or section, the value as printed there, and how
/// it was read.
struct Source {
  std::string paper;
  std::string place;
  std::string printed;
  std::string read;
};

/// What a paper says about a figure of ours.
struct RowClaim {
  std::string says;
  Source source;
  Expectation asks;    ///< what our figure must meet for the claim to hold
  std::string reason;  ///< why it does not; empty where it does
};

/// How a row stands to its paper. A regression guards a value of our own and is not counted among the claims.
enum class Mark { as_published, not_as_published, regression, own_figure };
[[nodiscard]] std::string name_of(Mark mark);

/// One figure of one experiment: published | expected of a right implementation | ours.
struct Row {
  Case settings;
  std::string quantity;
  std::string unit;
  std::optional<double> paper;
  std::optional<Expectation> expected;
  double ours = 0.0;
  std::optional<RowClaim> claim{};

  /// Whether a guarded value is met; claims of papers do not count here.
  [[nodiscard]] bool holds() const { return !expected || expected->holds(ours); }
  [[nodiscard]] Mark mark() const;
  /// A figure that stands for a claim about several figures of the benchmark.
  [[nodiscard]] bool is_of_claim_alone() const;
};

/// Settings that rows must have, as asked for on the command line.
using Conditions = std::vector<std::pair<std::string, std::string>>;

/// Computes the rows of a benchmark. Most also draw the figures of their paper from what they compute.
class BenchmarkRun {
 public:
  using Rows = std::vector<Row> (*)(const std::filesystem::path& folder);
  using RowsAndPictures = std::vector<Row> (*)(const std::filesystem::path& folder, Pictures* pictures);
  /// Computes no more than what has these settings; what it does not leave out itself is left out of its rows.
  using RowsWhere = std::vector<Row> (*)(const std::filesystem::path& folder, const Conditions& where);

  BenchmarkRun(Rows rows) : rows_(rows) {}                          // NOLINT(google-explicit-constructor)
  BenchmarkRun(RowsAndPictures both) : rows_and_pictures_(both) {}  // NOLINT(google-explicit-constructor)
  BenchmarkRun(RowsWhere some) : rows_where_(some) {}               // NOLINT(google-explicit-constructor)

  /// `pictures`: where the series of the paper's figures go; nothing is kept without it.
  std::vector<Row> operator()(const std::filesystem::path& folder, Pictures* pictures = nullptr,
                              const Conditions& where = {}) const {
    if (rows_where_ != nullptr) return rows_where_(folder, where);
    return rows_and_pictures_ != nullptr ? rows_and_pictures_(folder, pictures) : rows_(folder);
  }

 private:
  Rows rows_ = nullptr;
  RowsAndPictures rows_and_pictures_ = nullptr;
  RowsWhere rows_where_ = nullptr;
};

/// A published experiment: a folder of benchmarks/ with its page, scenarios and figures.
struct Benchmark {
  std::string name;
  std::string summary;
  BenchmarkRun run;
  std::function<std::string(const std::vector<Row>& rows)>
      picture{};  ///< for the terminal, where there is one
  /// Units of settings that are numbers, beside step sizes.
  std::vector<std::pair<std::string, std::string>> setting_units{};
  /// Rows of the table on the terminal; all, where it is not given. The others are for charts and files.
  std::function<bool(const Row& row)> is_in_table{};

  /// Step sizes (H, H1, h_cable, …) are in seconds everywhere; the rest is the benchmark's own. Empty: without unit.
  [[nodiscard]] std::string unit_of_setting(const std::string& setting) const;
};

const std::vector<Benchmark>& benchmarks();
const Benchmark* find_benchmark(const std::string& name);

/// The folder `benchmarks/` of this installation: ERGON_BENCHMARKS, beside the binary, or the source tree.
std::filesystem::path benchmarks_folder();

std::string rows_to_table(const std::vector<Row>& rows);
/// Array of {benchmark, case, quantity, unit, paper, expected, ours, holds, mark, claim, source, reason}.
std::string rows_to_json(const std::vector<std::pair<std::string, std::vector<Row>>>& results);

}  // namespace ergon::bench
