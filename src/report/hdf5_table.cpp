#include "ergon/report/hdf5_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "ergon/core/problem.hpp"
#include "ergon/hdf5/load_module.hpp"

namespace ergon::report {

std::shared_ptr<const hdf5::ResultReader> open_hdf5(const std::filesystem::path& path) {
  const hdf5::Hdf5Module& module = hdf5::load_module();
  try {
    return module.open(path);
  } catch (const std::runtime_error& error) {
    throw InputError(
        {path.string(), 0, 0}, fmt::format("This file cannot be read: {}.", error.what()),
        "Give a file that 'ergon run' has written; one that is damaged is repaired by 'ergon resume'.");
  }
}

Hdf5Table::Hdf5Table(std::filesystem::path path, std::shared_ptr<const hdf5::ResultReader> file,
                     std::size_t table)
    : path_(std::move(path)), file_(std::move(file)), table_(table), names_{"time"}, units_{"s"} {
  for (const hdf5::StoredColumn& column : file_->tables()[table_].columns) {
    names_.push_back(column.name);
    units_.push_back(column.unit);
  }
}

bool Hdf5Table::is_text(std::size_t column) const {
  if (column == 0) return false;
  const PortType type = file_->tables()[table_].columns[column - 1].type;
  return type != PortType::real && type != PortType::integer;
}

CsvColumn Hdf5Table::part(std::size_t number, std::size_t first, std::size_t count) const {
  CsvColumn column{names_.at(number), read(number, first, count), {}};
  if (!is_text(number)) return column;
  // As a CSV file has them: texts, numbered in the order in which they come.
  const hdf5::StoredColumn& stored = file_->tables()[table_].columns[number - 1];
  const auto text_of = [&](double value) -> std::string {
    if (value_kind_of(stored.type) == ValueKind::integer)
      return shown(static_cast<std::int64_t>(value), stored.type, stored.items);
    const auto text = static_cast<std::size_t>(value);
    return text < file_->dictionary().size() ? file_->dictionary()[text] : std::string();
  };
  std::map<double, double> numbers;            // of the file → of its text
  std::map<std::string, double> text_numbers;  // a text may be there twice
  for (double& value : column.values) {
    const auto [known, is_new] = numbers.try_emplace(value, 0.0);
    if (is_new) {
      const std::string text = text_of(value);
      const auto [place, is_new_text] =
          text_numbers.try_emplace(text, static_cast<double>(column.texts.size()));
      if (is_new_text) column.texts.push_back(text);
      known->second = place->second;
    }
    value = known->second;
  }
  return column;
}

std::pair<std::size_t, std::size_t> Hdf5Table::rows_in(const TimeWindow& window) const {
  return Table::rows_in(window, rows(), [&](std::size_t row) { return read(0, row, 1).front(); });
}

std::vector<double> Hdf5Table::read(std::size_t column, std::size_t first, std::size_t count) const {
  try {
    std::vector<double> values = file_->read(table_, column, first, count);
    // An empty field is a NaN of its own kind in the file: one kind here, as CSV files are read.
    for (double& value : values)
      if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    return values;
  } catch (const std::runtime_error& error) {
    throw InputError({path_.string(), 0, 0},
                     fmt::format("'{}' cannot be read: {}.", names_[column], error.what()),
                     "The file may be damaged: run the scenario again.");
  }
}

}  // namespace ergon::report
