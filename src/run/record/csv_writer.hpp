#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ergon/core/port_type.hpp"
#include "ergon/run/record/result_file.hpp"

namespace ergon {

/// A field of a header line: quoted where it contains a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);

/// What stands in a column behind the time.
struct CsvColumn {
  std::string name;
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};
};

/// One row to be filled: the time and one value per column, and the texts of the columns that have such. A column of the integer
/// lane has its bits in a double; `set_integer` puts them there.
struct CsvRow {
  std::span<double> values;
  std::span<std::string> texts;

  void set_integer(std::size_t value, std::int64_t integer) const {
    values[value] = std::bit_cast<double>(integer);
  }
};

/// Writes rows as CSV off the stepping thread: reals and integers with all their digits, booleans as true and false,
/// enumerations by the names of their items, texts as they are, bytes in hexadecimal; quoted where RFC 4180 wants it.
///   stepping thread:  row into the ring, one release store; no allocation, no lock, no clock
///   writer thread:    shortest digits that read back to the same bits; looks every 100 ms, or when a
///                     quarter of the ring is filled, and writes whole lines only
/// So a process killed with SIGKILL loses about 0.1 s and leaves complete lines, but for a kill during a
/// write: the kernel then cuts it short between two pages (LineMender takes care of that).
/// A full disk does not end the run: the file is cut back to its last complete line and close() tells.
class CsvWriter {
 public:
  /// Opens the file afresh and writes the header `time,names…`. Throws InputError if it cannot be opened, or is not a regular
  /// file (a link is not followed). One that is continued is left alone until `cut_back` tells from where on; rows before that are
  /// forgotten.
  CsvWriter(const ResultFile& file, std::span<const std::string> names);
  CsvWriter(const ResultFile& file, std::vector<CsvColumn> columns);
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  /// Room for the next row, to be filled completely: the time, then one value per name. Waits only when the
  /// writer thread is a whole ring behind, so that memory stays bounded.
  [[nodiscard]] CsvRow next_row() {
    if (written_rows_ - known_read_rows_ == capacity_) wait_for_room();
    return {{ring_.data() + slot_ * columns_, columns_},
            {texts_.data() + slot_ * text_columns_, text_columns_}};
  }
  void commit() {
    head_.store(++written_rows_, std::memory_order_release);
    if (++slot_ == capacity_) slot_ = 0;
    if (--rows_until_wake_ == 0) wake_writer();
  }

  /// Writes what is left and closes. Returns what went wrong, now or earlier; may be called again.
  std::optional<std::string> close();

  /// Length of the file in bytes when all rows so far are in it; waits until they are.
  [[nodiscard]] std::uint64_t position();
  /// Forgets all rows after this position, in the file, too, and goes on from there: also after close(). Throws ArchiveError
  /// where the file is shorter, or no longer there.
  void cut_back(std::uint64_t position);

  /// The value that is written as an empty field: a NaN that no computation produces.
  [[nodiscard]] static double empty_field();

 private:
  void start_writing();
  /// All rows are in the file then.
  void stop_writing();
  /// Those in the ring.
  void forget_rows();
  /// Without a writer thread: what it would do.
  void write_here();
  void wait_for_room();
  void wake_writer();
  void work();
  void drain();
  void format_row(const double* row, const std::string* texts);
  char* append_typed(char* out, const CsvColumn& column, double value, const std::string*& texts);
  /// So that another `bytes` fit behind `out`, in the text that is under way; where `out` then is.
  char* with_room(char* out, std::size_t bytes);
  void flush_text();
  void write_all(const char* data, std::size_t size);

  std::filesystem::path path_;
  std::size_t columns_;
  std::size_t capacity_;     ///< rows in the ring
  std::size_t wake_stride_;  ///< rows after which the writer is woken
  std::vector<double> ring_;
  std::vector<CsvColumn> typed_columns_;  ///< empty where all are reals
  std::size_t text_columns_ = 0;
  std::vector<std::string> texts_;  ///< of the rows in the ring

  // Of the stepping thread.
  std::uint64_t written_rows_ = 0;
  std::uint64_t known_read_rows_ = 0;
  std::size_t slot_ = 0;
  std::size_t rows_until_wake_;

  // Shared. On cache lines of their own: the stepping thread writes head_ at every row.
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable room_ready_;
  bool wake_ = false;
  bool closing_ = false;
  bool stepping_thread_waits_ = false;

  // Of the writer thread, and of the others only before it starts and after it is joined.
  int file_ = -1;
  std::vector<char> text_;
  std::size_t text_size_ = 0;
  std::uint64_t file_size_ = 0;
  int error_number_ = 0;
  std::thread thread_;
};

}  // namespace ergon
