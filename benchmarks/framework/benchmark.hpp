#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/// One figure of one experiment: published | expected of a right implementation | ours.
struct Row {
  Case settings;
  std::string quantity;
  std::string unit;
  std::optional<double> paper;
  std::optional<Expectation> expected;
  double ours = 0.0;

  [[nodiscard]] bool holds() const { return !expected || expected->holds(ours); }
};

/// A published experiment: a folder of benchmarks/ with its page, scenarios and figures.
struct Benchmark {
  std::string name;
  std::string summary;
  std::function<std::vector<Row>(const std::filesystem::path& folder)> run;
  std::function<std::string(const std::vector<Row>& rows)>
      picture{};  ///< for the terminal, where there is one
  /// Units of settings that are numbers, beside step sizes.
  std::vector<std::pair<std::string, std::string>> setting_units{};

  /// Step sizes (H, H1, h_cable, …) are in seconds everywhere; the rest is the benchmark's own. Empty: without unit.
  [[nodiscard]] std::string unit_of_setting(const std::string& setting) const;
};

const std::vector<Benchmark>& benchmarks();
const Benchmark* find_benchmark(const std::string& name);

/// The folder `benchmarks/` of this installation: ERGON_BENCHMARKS, beside the binary, or the source tree.
std::filesystem::path benchmarks_folder();

std::string rows_to_table(const std::vector<Row>& rows);
/// Array of {benchmark, case, quantity, unit, paper, expected, ours, holds}.
std::string rows_to_json(const std::vector<std::pair<std::string, std::vector<Row>>>& results);

}  // namespace ergon::bench
