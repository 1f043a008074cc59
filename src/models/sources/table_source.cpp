#include "ergon/models/sources/table_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ergon {
namespace {

std::optional<TimeTable> inline_table(const ModelRequest& request, ProblemList& problems) {
  TimeTable table{request.parameters.list("times"), request.parameters.list("values")};
  if (table.times_s.size() != table.values.size() || table.times_s.empty()) {
    problems.error(request.where,
                   fmt::format("'{}': 'times' has {} numbers and 'values' has {}.", request.name,
                               table.times_s.size(), table.values.size()),
                   "Give one value for each time, at least one.");
    return std::nullopt;
  }
  const auto later = std::adjacent_find(table.times_s.begin(), table.times_s.end(), std::greater_equal<>());
  if (later != table.times_s.end()) {
    problems.error(request.where,
                   fmt::format("'{}': in 'times' {} follows {}.", request.name, *(later + 1), *later),
                   "Times must increase.");
    return std::nullopt;
  }
  return table;
}

std::optional<TimeTable> table_of(const ModelRequest& request, ProblemList& problems) {
  const ParameterSet& given = request.parameters;
  const std::string& file = given.text("file");
  if (file.empty()) {
    if (given.is_given("column")) {
      problems.error(request.where, fmt::format("'{}': 'column' is given without 'file'.", request.name),
                     "Give the CSV file, or take 'column' out.");
      return std::nullopt;
    }
    return inline_table(request, problems);
  }
  if (given.is_given("times") || given.is_given("values")) {
    problems.error(request.where,
                   fmt::format("'{}': both 'file' and 'times', 'values' are given.", request.name),
                   "Give either the file or the lists.");
    return std::nullopt;
  }
  const std::filesystem::path path = std::filesystem::path(request.base_directory) / file;
  return read_time_table(path.string(), given.text("column"), request.where, problems);
}

std::unique_ptr<Subsystem> make_table_source(const ModelRequest& request, ProblemList& problems) {
  auto unit = unit_of_source(request, problems);
  auto table = table_of(request, problems);
  if (!unit || !table) return nullptr;
  const auto interpolation = request.parameters.text("interpolation") == "hold"
                                 ? TableSource::Interpolation::hold
                                 : TableSource::Interpolation::linear;
  return std::make_unique<TableSource>(std::move(*unit), std::move(*table), interpolation);
}

}  // namespace

double TableSource::value(double t) const {
  const std::vector<double>& times = table_.times_s;
  const auto after =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
  if (after == 0) return table_.values.front();
  if (after == times.size()) return table_.values.back();
  const double before = table_.values[after - 1];
  if (interpolation_ == Interpolation::hold) return before;
  return before +
         (table_.values[after] - before) * ((t - times[after - 1]) / (times[after] - times[after - 1]));
}

ModelInfo table_source() {
  using List = std::vector<double>;
  ModelInfo info;
  info.name = "source.table";
  info.summary = "a signal from a CSV file or from lists; keeps its first and last value outside";
  info.parameters = {
      {"file", "", "",
       "CSV file with a header line and a column 'time'; empty: 'times' and 'values' are used"},
      {.name = "column",
       .unit = "",
       .standard = "",
       .help = "which column of the file; empty: the first beside the time",
       .chosen_by_saying = true},
      {.name = "times",
       .unit = "s",
       .standard = List{0.0, 1.0},
       .help = "increasing times, where there is no file",
       .chosen_by_saying = true},
      {.name = "values",
       .unit = "",
       .standard = List{0.0, 1.0},
       .help = "values at these times",
       .chosen_by_saying = true},
      {"interpolation", "", "linear", "between the points", {"linear", "hold"}},
      unit_parameter(),
  };
  info.integrated = false;
  info.is_signal = true;
  info.make = make_table_source;
  const GivenParameters zigzag = {{"times", {List{0.0, 0.5, 2.0}, {}}},
                                  {"values", {List{1.0, -1.0, 3.0}, {}}}};
  info.examples = {{"zigzag", zigzag}, {"staircase", zigzag}};
  info.examples[1].parameters["interpolation"] = {"hold", {}};
  return info;
}

}  // namespace ergon
