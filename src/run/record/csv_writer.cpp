#include "ergon/run/record/csv_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/archive.hpp"

namespace ergon {
namespace {

constexpr std::size_t ring_bytes = std::size_t{1} << 19;
// A write of one page costs three times as much per byte; more than this gains nothing.
constexpr std::size_t write_bytes = 65536;
// "-2.2250738585072014e-308" is the longest shortest form of a double.
constexpr std::size_t longest_value = 24;
constexpr std::chrono::milliseconds looking_period{100};
constexpr std::uint64_t empty_bits = 0x7ff8'e390'0000'e390;

std::size_t rows_in_ring(std::size_t columns) {
  return std::max<std::size_t>(8, ring_bytes / (columns * sizeof(double)));
}

char* append_value(char* out, double value) {
  if (std::isnan(value)) {
    if (std::bit_cast<std::uint64_t>(value) == empty_bits) return out;
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

double CsvWriter::empty_field() {
  return std::bit_cast<double>(empty_bits);
}

namespace {

std::vector<CsvColumn> of_reals(std::span<const std::string> names) {
  std::vector<CsvColumn> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back({name});
  return columns;
}

std::size_t count_texts(const std::vector<CsvColumn>& columns) {
  return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), [](const CsvColumn& column) {
    return value_kind_of(column.type) == ValueKind::text;
  }));
}

}  // namespace

CsvWriter::CsvWriter(const ResultFile& file, std::span<const std::string> names)
    : CsvWriter(file, of_reals(names)) {}

CsvWriter::CsvWriter(const ResultFile& file, std::vector<CsvColumn> columns, UnitLine unit_line)
    : path_(file.path),
      columns_(columns.size() + 1),
      capacity_(rows_in_ring(columns_)),
      wake_stride_(capacity_ / 4),
      ring_(capacity_ * columns_),
      text_columns_(count_texts(columns)),
      texts_(capacity_ * text_columns_),
      rows_until_wake_(wake_stride_),
      // Whole lines, one of them beyond the limit at most.
      text_(write_bytes + columns_ * (longest_value + 1)) {
  if (file.results == Results::anew) {
    const OpenedFile opened = open_output_file(path_);
    file_ = opened.descriptor;
    if (file_ < 0) {
      throw InputError({}, fmt::format("'{}' cannot be written: {}.", path_.string(), opened.why_not),
                       "Choose another directory with --out, or change the permissions of this one.");
    }
  }
  std::string header = "time";
  for (const CsvColumn& column : columns) header += "," + csv_field(column.name);
  header += '\n';
  if (unit_line == UnitLine::second) {
    header += "s";
    for (const CsvColumn& column : columns) header += "," + csv_field(column.unit);
    header += '\n';
  }
  const bool all_real = std::all_of(columns.begin(), columns.end(),
                                    [](const CsvColumn& column) { return column.type == PortType::real; });
  if (!all_real) typed_columns_ = std::move(columns);
  if (file_ < 0) return;
  write_all(header.data(), header.size());
  start_writing();
}

CsvWriter::~CsvWriter() {
  close();
}

std::optional<std::string> CsvWriter::close() {
  stop_writing();
  if (file_ >= 0) {
    // Some file systems find out only now that there was no room.
    if (::close(file_) != 0 && error_number_ == 0) error_number_ = errno;
    file_ = -1;
  }
  if (error_number_ == 0) return std::nullopt;
  return fmt::format("'{}' is incomplete: {}.", path_.string(), std::strerror(error_number_));
}

void CsvWriter::start_writing() {
  closing_ = false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads are to be had: the stepping thread writes by itself, whenever it would wake the writer.
  }
}

void CsvWriter::stop_writing() {
  if (!thread_.joinable()) return write_here();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_ready_.notify_one();
  thread_.join();
}

std::uint64_t CsvWriter::position() {
  stop_writing();
  const std::uint64_t length = file_size_;
  if (file_ >= 0) start_writing();
  return length;
}

void CsvWriter::cut_back(std::uint64_t position) {
  stop_writing();
  if (file_ < 0) forget_rows();
  if (file_ < 0) file_ = ::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const off_t end = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
  const auto length = static_cast<off_t>(position);
  if (end < length || ::ftruncate(file_, length) != 0 || ::lseek(file_, length, SEEK_SET) != length)
    throw ArchiveError(fmt::format("'{}' cannot be taken back to where it was", path_.string()));
  file_size_ = position;
  error_number_ = 0;
  start_writing();
}

void CsvWriter::forget_rows() {
  tail_.store(written_rows_, std::memory_order_relaxed);
  known_read_rows_ = written_rows_;
}

void CsvWriter::write_here() {
  if (file_ < 0) return;
  drain();
  flush_text();
}

void CsvWriter::wait_for_room() {
  if (!thread_.joinable()) write_here();
  known_read_rows_ = tail_.load(std::memory_order_acquire);
  if (written_rows_ - known_read_rows_ < capacity_) return;
  std::unique_lock lock(mutex_);
  stepping_thread_waits_ = true;
  wake_ = true;
  work_ready_.notify_one();
  room_ready_.wait(lock, [this] {
    known_read_rows_ = tail_.load(std::memory_order_acquire);
    return written_rows_ - known_read_rows_ < capacity_;
  });
  stepping_thread_waits_ = false;
}

void CsvWriter::wake_writer() {
  rows_until_wake_ = wake_stride_;
  if (!thread_.joinable()) return write_here();
  {
    const std::lock_guard lock(mutex_);
    wake_ = true;
  }
  work_ready_.notify_one();
}

void CsvWriter::work() {
  bool last_round = false;
  while (!last_round) {
    {
      std::unique_lock lock(mutex_);
      work_ready_.wait_for(lock, looking_period, [this] { return wake_ || closing_; });
      wake_ = false;
      last_round = closing_;  // no row is committed after closing: this round sees them all
    }
    drain();
    flush_text();
  }
}

void CsvWriter::drain() {
  std::uint64_t read = tail_.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t written = head_.load(std::memory_order_acquire);
    if (read == written) return;
    // Room is given back in portions, or a waiting stepping thread would wait for the whole ring.
    const std::uint64_t portion_end = std::min<std::uint64_t>(written, read + wake_stride_);
    for (; read != portion_end; ++read) {
      const std::size_t slot = read % capacity_;
      if (error_number_ == 0)
        format_row(ring_.data() + slot * columns_, texts_.data() + slot * text_columns_);
    }
    const std::lock_guard lock(mutex_);
    tail_.store(read, std::memory_order_release);
    if (stepping_thread_waits_) room_ready_.notify_one();
  }
}

void CsvWriter::format_row(const double* row, const std::string* texts) {
  char* out = text_.data() + text_size_;
  for (std::size_t i = 0; i < columns_; ++i) {
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
  const std::size_t needed = used + bytes + columns_ * (longest_value + 1);
  if (needed > text_.size()) text_.resize(needed);
  return text_.data() + used;
}

char* CsvWriter::append_typed(char* out, const CsvColumn& column, double value, const std::string*& texts) {
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
