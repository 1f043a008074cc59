#include "ergon/run/record/csv_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {
namespace {

// A write of one page costs three times as much per byte; more than this gains nothing.
constexpr std::size_t write_bytes = 65536;
// "-2.2250738585072014e-308" is the longest shortest form of a double.
constexpr std::size_t longest_value = 24;

char* append_value(char* out, double value) {
  if (std::isnan(value)) {
    if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(RowWriter::empty_field()))
      return out;
    // to_chars would tell the sign of a NaN, which means nothing and which readers stumble over.
    return std::copy_n("nan", 3, out);
  }
  return std::to_chars(out, out + longest_value, value).ptr;
}

}  // namespace

std::string csv_field(std::string_view text) {
  // Semicolons and tabs, too: a reader takes the first line for one of these otherwise (core/csv_fields.hpp).
  if (text.find_first_of(",;\t\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

namespace {

std::vector<RowColumn> of_reals(std::span<const std::string> names) {
  std::vector<RowColumn> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back({name});
  return columns;
}

}  // namespace

CsvWriter::CsvWriter(const ResultFile& file, std::span<const std::string> names)
    : CsvWriter(file, of_reals(names)) {}

CsvWriter::CsvWriter(const ResultFile& file, std::vector<RowColumn> columns, UnitLine unit_line)
    : RowWriter(columns.size() + 1, count_texts(columns)),
      path_(file.path),
      // Whole lines, one of them beyond the limit at most.
      text_(write_bytes + (columns.size() + 1) * (longest_value + 1)) {
  if (file.results == Results::anew) {
    const OpenedFile opened = open_output_file(path_);
    file_ = opened.descriptor;
    if (file_ < 0) {
      throw InputError({}, fmt::format("'{}' cannot be written: {}.", path_.string(), opened.why_not),
                       "Choose another directory with --out, or change the permissions of this one.");
    }
  }
  std::string header = "time";
  for (const RowColumn& column : columns) header += "," + csv_field(column.name);
  header += '\n';
  if (unit_line == UnitLine::second) {
    header += "s";
    for (const RowColumn& column : columns) header += "," + csv_field(column.unit);
    header += '\n';
  }
  const bool all_real = std::all_of(columns.begin(), columns.end(),
                                    [](const RowColumn& column) { return column.type == PortType::real; });
  if (!all_real) typed_columns_ = std::move(columns);
  if (file_ < 0) return;
  write_all(header.data(), header.size());
  begin_writing();
}

CsvWriter::~CsvWriter() {
  close();
}

std::optional<std::string> CsvWriter::close_file() {
  // Some file systems find out only now that there was no room.
  if (::close(std::exchange(file_, -1)) != 0 && error_number_ == 0) error_number_ = errno;
  if (error_number_ == 0) return std::nullopt;
  return fmt::format("'{}' is incomplete: {}.", path_.string(), std::strerror(error_number_));
}

void CsvWriter::cut_file(std::uint64_t position) {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const off_t end = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
  const auto length = static_cast<off_t>(position);
  if (end < length || ::ftruncate(file_, length) != 0 || ::lseek(file_, length, SEEK_SET) != length)
    throw ArchiveError(fmt::format("'{}' cannot be taken back to where it was", path_.string()));
  file_size_ = position;
  error_number_ = 0;
}

void CsvWriter::take(const double* rows, const std::string* texts, std::size_t count) {
  if (error_number_ != 0) return;
  for (std::size_t row = 0; row < count; ++row)
    format_row(rows + row * columns(), texts + row * text_columns());
}

void CsvWriter::format_row(const double* row, const std::string* texts) {
  char* out = text_.data() + text_size_;
  for (std::size_t i = 0; i < columns(); ++i) {
    out = i == 0 || typed_columns_.empty() ? append_value(out, row[i])
                                           : append_typed(out, typed_columns_[i - 1], row[i], texts);
    *out++ = ',';
  }
  out[-1] = '\n';
  text_size_ = static_cast<std::size_t>(out - text_.data());
  if (text_size_ >= write_bytes) flush_text();
}

char* CsvWriter::with_room(char* out, std::size_t bytes) {
  const auto used = static_cast<std::size_t>(out - text_.data());
  const std::size_t needed = used + bytes + columns() * (longest_value + 1);
  if (needed > text_.size()) text_.resize(needed);
  return text_.data() + used;
}

char* CsvWriter::append_typed(char* out, const RowColumn& column, double value, const std::string*& texts) {
  const auto append = [&](std::string_view text) {
    out = with_room(out, text.size());
    return std::copy(text.begin(), text.end(), out);
  };
  switch (column.type) {
    case PortType::real:
      break;
    case PortType::integer:
      return std::to_chars(out, out + longest_value, std::bit_cast<std::int64_t>(value)).ptr;
    case PortType::boolean:
    case PortType::enumeration:
      return append(csv_field(shown(std::bit_cast<std::int64_t>(value), column.type, column.items)));
    case PortType::text:
      return append(csv_field(*texts++));
    case PortType::binary: {
      constexpr char digits[] = "0123456789abcdef";
      const std::string& bytes = *texts++;
      out = with_room(out, 2 * bytes.size());
      for (const char c : bytes) {
        *out++ = digits[static_cast<unsigned char>(c) >> 4U];
        *out++ = digits[static_cast<unsigned char>(c) & 15U];
      }
      return out;
    }
  }
  return append_value(out, value);
}

void CsvWriter::flush_text() {
  write_all(text_.data(), text_size_);
  text_size_ = 0;
}

void CsvWriter::write_all(const char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size && error_number_ == 0) {
    const ssize_t n = ::write(file_, data + done, size - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error_number_ = errno;
    }
  }
  while (done > 0 && data[done - 1] != '\n') --done;
  file_size_ += done;
  if (done == size) return;
  if (::ftruncate(file_, static_cast<off_t>(file_size_)) != 0) {
    // A device has no length to cut back; the first error is the one that counts.
  }
}

}  // namespace ergon
