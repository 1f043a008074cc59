#include "ergon/run/record/row_writer.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace ergon {
namespace {

constexpr std::size_t ring_bytes = std::size_t{1} << 19;
constexpr std::chrono::milliseconds looking_period{100};

std::size_t rows_in_ring(std::size_t columns) {
  return std::max<std::size_t>(8, ring_bytes / (columns * sizeof(double)));
}

}  // namespace

std::size_t count_texts(const std::vector<RowColumn>& columns) {
  return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), [](const RowColumn& column) {
    return value_kind_of(column.type) == ValueKind::text;
  }));
}

double RowWriter::empty_field() {
  constexpr std::uint64_t empty_bits = 0x7ff8'e390'0000'e390;
  return std::bit_cast<double>(empty_bits);
}

RowWriter::RowWriter(std::size_t columns, std::size_t text_columns)
    : columns_(columns),
      capacity_(rows_in_ring(columns_)),
      wake_stride_(capacity_ / 4),
      ring_(capacity_ * columns_),
      text_columns_(text_columns),
      texts_(capacity_ * text_columns_),
      rows_until_wake_(wake_stride_) {}

void RowWriter::begin_writing() {
  is_open_ = true;
  start_thread();
}

std::optional<std::string> RowWriter::close() {
  stop_thread();
  if (is_open_) error_ = close_file();
  is_open_ = false;
  return error_;
}

void RowWriter::start_thread() {
  closing_ = false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads are to be had: the stepping thread writes by itself, whenever it would wake the writer.
  }
}

void RowWriter::stop_thread() {
  if (!thread_.joinable()) return write_here();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_ready_.notify_one();
  thread_.join();
}

std::uint64_t RowWriter::position() {
  stop_thread();
  const std::uint64_t position = position_in_file();
  if (is_open_) start_thread();
  return position;
}

void RowWriter::cut_back(std::uint64_t position) {
  stop_thread();
  if (!is_open_) {
    // Those that came after the end.
    tail_.store(written_rows_, std::memory_order_relaxed);
    known_read_rows_ = written_rows_;
  }
  cut_file(position);
  error_.reset();
  begin_writing();
}

void RowWriter::write_here() {
  if (!is_open_) return;
  drain();
  flush_taken();
}

void RowWriter::wait_for_room() {
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

void RowWriter::wake_writer() {
  rows_until_wake_ = wake_stride_;
  if (!thread_.joinable()) return write_here();
  {
    const std::lock_guard lock(mutex_);
    wake_ = true;
  }
  work_ready_.notify_one();
}

void RowWriter::work() {
  bool last_round = false;
  while (!last_round) {
    {
      std::unique_lock lock(mutex_);
      work_ready_.wait_for(lock, looking_period, [this] { return wake_ || closing_; });
      wake_ = false;
      last_round = closing_;  // no row is committed after closing: this round sees them all
    }
    drain();
    flush_taken();
  }
}

void RowWriter::drain() {
  std::uint64_t read = tail_.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t written = head_.load(std::memory_order_acquire);
    if (read == written) return;
    // Room is given back in portions, or a waiting stepping thread would wait for the whole ring.
    const std::size_t slot = read % capacity_;
    const std::size_t count =
        std::min({static_cast<std::size_t>(written - read), wake_stride_, capacity_ - slot});
    take(ring_.data() + slot * columns_, texts_.data() + slot * text_columns_, count);
    read += count;
    const std::lock_guard lock(mutex_);
    tail_.store(read, std::memory_order_release);
    if (stepping_thread_waits_) room_ready_.notify_one();
  }
}

}  // namespace ergon
