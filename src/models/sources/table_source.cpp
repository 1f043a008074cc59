#include "ergon/models/sources/table_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace ergon {
namespace {

/// Integers of 64 bits without sign, which a port holds as those with sign of the same bits.
constexpr const char* unsigned_type = "unsigned";

std::optional<TimeTable> inline_table(const ModelRequest& request, ProblemList& problems) {
  TimeTable table{request.parameters.list("times"), request.parameters.list("values")};
  if (table.times_s.size() != table.values.size() || table.times_s.empty()) {
    problems.error(request.where,
                   fmt::format("'{}': 'times' has {} numbers and 'values' has {}.", request.name,
                               table.times_s.size(), table.values.size()),
                   "Give one value for each time, at least one.");
    return std::nullopt;
  }
  const auto later = std::adjacent_find(table.times_s.begin(), table.times_s.end(), std::greater<>());
  if (later != table.times_s.end()) {
    problems.error(request.where,
                   fmt::format("'{}': in 'times' {} follows {}.", request.name, *(later + 1), *later),
                   "Times must not decrease; where one is repeated, the signal jumps.");
    return std::nullopt;
  }
  return table;
}

std::optional<TimeTable> table_of(const ModelRequest& request, PortType type,
                                  std::vector<EnumerationItem> items, ProblemList& problems) {
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
  const TableColumn column{given.text("column"), given.text("time_column"), type, std::move(items),
                           given.text("type") == unsigned_type};
  return read_time_table(path.string(), column, request.where, problems);
}

/// "off, on" counts from 1; "off = 0, on = 4" gives values.
std::optional<std::vector<EnumerationItem>> items_of(const ModelRequest& request, ProblemList& problems) {
  std::vector<EnumerationItem> items;
  const std::string& all = request.parameters.text("items");
  const auto refuse = [&] {
    problems.error(request.where,
                   fmt::format("'{}': items = \"{}\" is not a list of items.", request.name, all),
                   "Write names with commas between them, as in: items = \"off, on\" or \"off = 0, on = 4\"");
    return std::nullopt;
  };
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    const std::string item = all.substr(begin, end - begin);
    const std::size_t equals = item.rfind('=');
    std::int64_t value = static_cast<std::int64_t>(items.size()) + 1;
    std::string name = item.substr(0, equals);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (equals != std::string::npos) {
      const std::size_t digits = std::min(item.find_first_not_of(' ', equals + 1), item.size());
      const char* const last = item.data() + item.find_last_not_of(' ') + 1;
      const auto [rest, error] = std::from_chars(item.data() + digits, last, value);
      if (error != std::errc{} || rest != last) return refuse();
    }
    if (name.empty()) return refuse();
    items.push_back({std::move(name), value});
    begin = end + 1;
  }
  return items;
}

/// `times` and `values` of a table that holds no reals.
bool make_whole(const ModelRequest& request, PortType type, TimeTable& table, ProblemList& problems) {
  if (!table.integers.empty() || !table.texts.empty()) return true;
  if (type == PortType::text) {
    problems.error(request.where, fmt::format("'{}': a table of texts is read from a file.", request.name),
                   "Name it with 'file'.");
    return false;
  }
  for (const double value : table.values) {
    const bool fits = type == PortType::boolean
                          ? value == 0.0 || value == 1.0
                          : value == std::floor(value) && std::abs(value) <= 9007199254740992.0 &&
                                (value >= 0.0 || request.parameters.text("type") != unsigned_type);
    if (!fits) {
      problems.error(
          request.where,
          fmt::format("'{}': {} in 'values' is not of type {}.", request.name, value, name_of(type)),
          "Give whole numbers; 0 and 1 for booleans.");
      return false;
    }
    table.integers.push_back(static_cast<std::int64_t>(value));
  }
  return true;
}

PortType type_of(const std::string& name) {
  if (name == unsigned_type) return PortType::integer;
  for (const PortType type : {PortType::integer, PortType::boolean, PortType::enumeration, PortType::text}) {
    if (name == name_of(type)) return type;
  }
  return PortType::real;
}

std::unique_ptr<Subsystem> make_table_source(const ModelRequest& request, ProblemList& problems) {
  auto unit = unit_of_source(request, problems);
  const PortType type = type_of(request.parameters.text("type"));
  std::vector<EnumerationItem> items;
  if (type == PortType::enumeration) {
    auto named = items_of(request, problems);
    if (!named) return nullptr;
    items = std::move(*named);
  }
  auto table = table_of(request, type, items, problems);
  if (!unit || !table) return nullptr;
  if (type != PortType::real) {
    if (!make_whole(request, type, *table, problems)) return nullptr;
    return std::make_unique<DiscreteTable>(type, std::move(items), std::move(*table));
  }
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

std::size_t DiscreteTable::row(double t) const {
  const std::vector<double>& times = table_.times_s;
  const auto after = std::upper_bound(times.begin(), times.end(), t) - times.begin();
  return after == 0 ? 0 : static_cast<std::size_t>(after) - 1;
}

Description DiscreteTable::describe() const {
  Port value{"value", {}, 1, "the signal"};
  value.type = type_;
  value.items = items_;
  Description description;
  description.outputs = {value};
  description.samples_input = InputSampling::start;
  description.is_signal = true;
  return description;
}

void DiscreteTable::discrete_outputs(double t, const double* /*u*/, const DiscreteOutputs& y) {
  if (value_kind_of(type_) == ValueKind::text) {
    y.texts[0] = table_.texts[row(t)];
  } else {
    y.integers[0] = table_.integers[row(t)];
  }
}

ModelInfo table_source() {
  using List = std::vector<double>;
  ModelInfo info;
  info.name = "source.table";
  info.summary = "a signal from a CSV file or from lists; keeps its first and last value outside";
  info.parameters = {
      {"file", "", "",
       "CSV file with a header line and a column 'time'; repeated times are jumps; empty: 'times' and "
       "'values'"},
      {.name = "column",
       .unit = "",
       .standard = "",
       .help = "which column of the file; empty: the first beside the time",
       .chosen_by_saying = true},
      {.name = "time_column",
       .unit = "",
       .standard = "",
       .help =
           "which column holds the times, in s; empty: 'time' or 't', in any case, with or without a unit",
       .chosen_by_saying = true},
      {.name = "type",
       .unit = "",
       .standard = "real",
       .help = "what the column holds; all but reals are held between the points",
       .choices = {"real", "integer", unsigned_type, "boolean", "enumeration", "text"},
       .chosen_by_saying = true},
      {.name = "items",
       .unit = "",
       .standard = "",
       .help = "of an enumeration: names of its items, in order from 1, or with values: off = 0, on = 4",
       .chosen_by_saying = true},
      {.name = "times",
       .unit = "s",
       .standard = List{0.0, 1.0},
       .help = "times that do not decrease, where there is no file; a repeated time is a jump",
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
