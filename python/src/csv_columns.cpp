#include "csv_columns.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <set>

namespace ergon::python {
namespace {

std::vector<char> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw std::runtime_error("'" + path + "' cannot be read");
  std::vector<char> bytes;
  std::size_t size = 0;
  for (std::size_t chunk = 1U << 20U;; chunk *= 2) {
    bytes.resize(size + chunk);
    const std::size_t got = std::fread(bytes.data() + size, 1, chunk, file.get());
    size += got;
    if (got < chunk) break;
  }
  bytes.resize(size);
  return bytes;
}

/// The cell that begins at `at`; `at` is set to what follows it. Quoted cells hold separators and line ends, and quotes twice.
std::string quoted_cell(const char*& at, const char* end) {
  std::string text;
  for (++at; at < end; ++at) {
    if (*at != '"') {
      text.push_back(*at);
    } else if (at + 1 < end && at[1] == '"') {
      text.push_back(*at++);
    } else {
      ++at;
      break;
    }
  }
  return text;
}

struct Column {
  std::string name;
  bool wanted = true;
  bool numbers = true;
  std::vector<double> values;
  std::vector<std::string> texts;  ///< of a column that is not all numbers, from its first row on
};

class Reader {
 public:
  explicit Reader(const std::string& path)
      : bytes_(read_file(path)), at_(bytes_.data()), end_(at_ + bytes_.size()) {
    while (end_ > at_ && end_[-1] != '\n') --end_;  // what is after the last line end is still being written
  }

  std::vector<Column> read(const std::optional<std::vector<std::string>>& names) {
    std::vector<Column> columns;
    if (at_ == end_) return columns;
    for (bool more = true; more;)
      more = cell([&](std::string text) { columns.push_back({std::move(text), true, true, {}, {}}); });
    if (names) {
      const std::set<std::string> wanted(names->begin(), names->end());
      for (Column& column : columns) column.wanted = wanted.contains(column.name);
    }
    skip_line_of_units();
    for (std::size_t row = 0; at_ < end_; ++row) read_row(columns, row);
    return columns;
  }

 private:
  /// Passes the next cell on; false where its line ends with it.
  template <class Take>
  bool cell(const Take& take) {
    if (at_ < end_ && *at_ == '"') {
      take(quoted_cell(at_, end_));
    } else {
      const char* const from = at_;
      while (at_ < end_ && *at_ != ',' && *at_ != '\n' && *at_ != '\r') ++at_;
      take(std::string(from, at_));
    }
    return next_cell();
  }
  bool next_cell() {
    if (at_ < end_ && *at_ == '\r') ++at_;
    if (at_ >= end_) return false;
    return *at_++ == ',';
  }
  /// `units = true`: the second line begins with the unit of the time.
  void skip_line_of_units() {
    if (at_ >= end_ || *at_ != 's') return;
    const char* const line_end =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    at_ = line_end == nullptr ? end_ : line_end + 1;
  }
  void read_row(std::vector<Column>& columns, std::size_t row) {
    bool more = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Column& column = columns[c];
      if (!more) {
        if (column.wanted) add_missing(column);
      } else if (!column.wanted) {
        more = cell([](const std::string&) {});
      } else {
        more = read_cell(column, row);
      }
    }
    while (more) more = cell([](const std::string&) {});
  }
  static void add_missing(Column& column) {
    if (column.numbers)
      column.values.push_back(std::numeric_limits<double>::quiet_NaN());
    else
      column.texts.emplace_back();
  }
  bool read_cell(Column& column, std::size_t row) {
    if (column.numbers) {
      double value = std::numeric_limits<double>::quiet_NaN();
      const char* from = at_;
      const auto [next, error] = std::from_chars(from, end_, value);
      const bool empty = next == from && (*from == ',' || *from == '\n' || *from == '\r');
      if ((error == std::errc() || error == std::errc::result_out_of_range || empty) &&
          (*next == ',' || *next == '\n' || *next == '\r')) {
        column.values.push_back(value);
        at_ = next;
        return next_cell();
      }
      column.numbers = false;
      if (row > 0) return become_texts(column, row);
    }
    return cell([&](std::string text) { column.texts.push_back(std::move(text)); });
  }
  bool become_texts(Column& column, std::size_t row) {
    for (std::size_t i = 0; i < row; ++i) {
      char text[32];
      const auto [end, error] = std::to_chars(text, text + sizeof text, column.values[i]);
      column.texts.emplace_back(text, end);
    }
    return cell([&](std::string text) { column.texts.push_back(std::move(text)); });
  }

  std::vector<char> bytes_;
  const char* at_;
  const char* end_;
};

py::object array_of(std::vector<double> values) {
  auto owned = std::make_unique<std::vector<double>>(std::move(values));
  const auto size = static_cast<py::ssize_t>(owned->size());
  double* const data = owned->data();
  const py::capsule owner(owned.release(), [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return py::array_t<double>(size, data, owner);
}

}  // namespace

void bind_csv(py::module_& module) {
  module.def(
      "read_csv",
      [](const std::string& path, const std::optional<std::vector<std::string>>& names) {
        std::vector<Column> columns;
        {
          const py::gil_scoped_release unlocked;
          columns = Reader(path).read(names);
        }
        py::dict result;
        for (Column& column : columns) {
          if (!column.wanted) continue;
          result[py::str(column.name)] =
              column.numbers ? array_of(std::move(column.values)) : py::cast(column.texts);
        }
        return result;
      },
      py::arg("path"), py::arg("names") = py::none());
}

}  // namespace ergon::python
