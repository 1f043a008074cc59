#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ergon/core/port_type.hpp"

namespace ergon {

/// What stands in a column behind the time.
struct RowColumn {
  std::string name;
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};
  std::string unit{};
  std::string description{};
};

/// Those that hold texts or bytes.
[[nodiscard]] std::size_t count_texts(const std::vector<RowColumn>& columns);

/// One row to be filled: the time and one value per column, and the texts of the columns that have such. A column of the integer
/// kind has its bits in a double; `set_integer` puts them there.
struct Row {
  std::span<double> values;
  std::span<std::string> texts;

  void set_integer(std::size_t value, std::int64_t integer) const {
    values[value] = std::bit_cast<double>(integer);
  }
};

/// Rows of a file, written off the stepping thread.
///   stepping thread:  row into the ring, one release store; no allocation, no lock, no clock
///   writer thread:    hands rows to the file; looks every 100 ms, or when a quarter of the ring is filled
/// A file that cannot be written does not end the run: close() reports it. Whoever derives from this closes it before it is destroyed.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  /// Room for the next row, to be filled completely: the time, then one value per name. Waits only when the
  /// writer thread is a whole ring behind, so that memory stays bounded.
  [[nodiscard]] Row next_row() {
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

  /// Where the file is when all rows so far are in it; waits until they are.
  [[nodiscard]] std::uint64_t position();
  /// Forgets all rows after this position, in the file, too, and goes on from there: also after close(). Throws ArchiveError
  /// where the file is shorter, or no longer there.
  void cut_back(std::uint64_t position);

  /// The value of an empty field: a NaN that no computation produces.
  [[nodiscard]] static double empty_field();

 protected:
  /// `columns`: the time among them.
  RowWriter(std::size_t columns, std::size_t text_columns);
  /// The file is there.
  void begin_writing();

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t text_columns() const { return text_columns_; }

 private:
  // These run in the writer thread, or in another one while that stands still.
  /// Rows behind each other.
  virtual void take(const double* rows, const std::string* texts, std::size_t count) = 0;
  /// What was taken goes to the file, as far as that is worth it.
  virtual void flush_taken() = 0;
  /// Returns what went wrong, now or earlier.
  virtual std::optional<std::string> close_file() = 0;
  virtual std::uint64_t position_in_file() = 0;
  virtual void cut_file(std::uint64_t position) = 0;

  void start_thread();
  /// All rows are with the file then.
  void stop_thread();
  /// Without a writer thread: what it would do.
  void write_here();
  void wait_for_room();
  void wake_writer();
  void work();
  void drain();

  std::size_t columns_;
  std::size_t capacity_;     ///< rows in the ring
  std::size_t wake_stride_;  ///< rows after which the writer is woken
  std::vector<double> ring_;
  std::size_t text_columns_;
  std::vector<std::string> texts_;  ///< of the rows in the ring
  bool is_open_ = false;
  std::optional<std::string> error_;

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
  std::thread thread_;
};

}  // namespace ergon
