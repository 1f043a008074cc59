#include "ergon/run/record/mat_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {
namespace {

static_assert(std::endian::native == std::endian::little,
              "a MAT file says that its numbers are little-endian");

// Of the header of a matrix: numbers of eight bytes, whole ones of four, characters.
constexpr std::int32_t doubles = 0, integers = 20, characters = 51;

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

void append_header(std::string& bytes, std::int32_t type, std::size_t rows, std::size_t columns,
                   std::string_view name) {
  const std::array header = {type, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns), 0,
                             static_cast<std::int32_t>(name.size() + 1)};
  append(bytes, header.data(), sizeof header);
  bytes += name;
  bytes += '\0';
}

/// One text behind the other, padded with blanks: a matrix by columns.
void append_texts(std::string& bytes, std::string_view name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  append_header(bytes, characters, longest, texts.size(), name);
  for (const std::string& text : texts) bytes += text + std::string(longest - text.size(), ' ');
}

bool is_kept(PortType type) {
  return value_kind_of(type) != ValueKind::text;
}

}  // namespace

MatWriter::MatWriter(const ResultFile& file, const std::vector<RowColumn>& columns)
    : RowWriter(columns.size() + 1, count_texts(columns)),
      path_(std::filesystem::path(file.path).replace_extension(".mat")),
      types_{PortType::real} {
  std::vector<std::string> names{"Time"};
  std::vector<std::string> descriptions{"time [s]"};
  for (const RowColumn& column : columns) {
    types_.push_back(column.type);
    if (!is_kept(column.type)) continue;
    names.push_back(column.name);
    descriptions.push_back(column.description +
                           (column.description.empty() || column.unit.empty() ? "" : " ") +
                           (column.unit.empty() ? "" : "[" + column.unit + "]"));
  }
  kept_columns_ = names.size();
  std::string bytes;
  append_header(bytes, characters, 4, 11, "Aclass");
  const std::array<std::string_view, 4> lines = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
  for (std::size_t column = 0; column < lines[0].size(); ++column)
    for (const std::string_view line : lines) bytes += line[column];
  append_texts(bytes, "name", names);
  append_texts(bytes, "description", descriptions);
  append_header(bytes, integers, 4, names.size(), "dataInfo");
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Matrix (0: the time of all of them), row in it, linear in between, not defined beyond.
    const std::array<std::int32_t, 4> info = {i == 0 ? 0 : 2, static_cast<std::int32_t>(i + 1), 0, -1};
    append(bytes, info.data(), sizeof info);
  }
  append_header(bytes, doubles, 1, 2, "data_1");
  const std::array<double, 2> times_s{};
  last_time_place_ = bytes.size() + sizeof(double);
  append(bytes, times_s.data(), sizeof times_s);
  rows_place_ = bytes.size() + 2 * sizeof(std::int32_t);
  append_header(bytes, doubles, names.size(), 0, "data_2");
  data_place_ = bytes.size();
  if (file.results == Results::continued) return;
  const OpenedFile opened = open_output_file(path_);
  file_ = opened.descriptor;
  if (file_ < 0) {
    throw InputError({}, fmt::format("'{}' cannot be written: {}.", path_.string(), opened.why_not),
                     "Choose another directory with --out, or change the permissions of this one.");
  }
  write_at(0, bytes.data(), bytes.size());
  begin_writing();
}

MatWriter::~MatWriter() {
  close();
}

void MatWriter::take(const double* rows, const std::string* /*texts*/, std::size_t count) {
  if (count == 0 || error_number_ != 0) return;
  kept_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const double* const row = rows + i * columns();
    for (std::size_t column = 0; column < types_.size(); ++column) {
      if (!is_kept(types_[column])) continue;
      kept_.push_back(value_kind_of(types_[column]) == ValueKind::real
                          ? row[column]
                          : static_cast<double>(std::bit_cast<std::int64_t>(row[column])));
    }
  }
  const std::size_t bytes = kept_columns_ * sizeof(double);
  if (rows_ == 0) write_at(last_time_place_ - sizeof(double), rows, sizeof(double));
  write_at(data_place_ + rows_ * bytes, kept_.data(), count * bytes);
  if (error_number_ != 0) return;
  rows_ += count;
  last_time_s_ = rows[(count - 1) * columns()];
}

void MatWriter::flush_taken() {
  if (file_ >= 0) write_row_count();
}

void MatWriter::write_row_count() {
  const auto rows = static_cast<std::int32_t>(rows_);
  write_at(last_time_place_, &last_time_s_, sizeof last_time_s_);
  write_at(rows_place_, &rows, sizeof rows);
}

std::optional<std::string> MatWriter::close_file() {
  const int error_number = std::exchange(error_number_, 0);
  write_row_count();  // of those that are whole
  if (error_number != 0) error_number_ = error_number;
  if (::close(std::exchange(file_, -1)) != 0 && error_number_ == 0) error_number_ = errno;
  if (error_number_ == 0) return std::nullopt;
  return fmt::format("'{}' is incomplete: {}.", path_.string(), std::strerror(error_number_));
}

void MatWriter::cut_file(std::uint64_t position) {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const off_t end = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
  const std::uint64_t bytes = kept_columns_ * sizeof(double);
  const auto length = static_cast<off_t>(data_place_ + position * bytes);
  const auto last_row = static_cast<off_t>(data_place_ + (position - 1) * bytes);
  if (end < length || ::ftruncate(file_, length) != 0 ||
      (position > 0 && ::pread(file_, &last_time_s_, sizeof last_time_s_, last_row) != sizeof last_time_s_))
    throw ArchiveError(fmt::format("'{}' cannot be taken back to where it was", path_.string()));
  rows_ = position;
  error_number_ = 0;
  write_row_count();
}

void MatWriter::write_at(std::uint64_t place, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0 && error_number_ == 0) {
    const ssize_t n = ::pwrite(file_, from, bytes, static_cast<off_t>(place));
    if (n > 0) {
      from += n;
      place += static_cast<std::uint64_t>(n);
      bytes -= static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      error_number_ = n == 0 ? ENOSPC : errno;
    }
  }
}

}  // namespace ergon
