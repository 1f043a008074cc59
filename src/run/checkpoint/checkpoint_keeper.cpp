#include "ergon/run/checkpoint/checkpoint_keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "ergon/core/output_file.hpp"
#include "ergon/run/record/output_directory.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t generations = 2;
constexpr const char* end_name = "end";

/// Whatever of the file is in memory only goes to the disk.
void synchronise(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (::fsync(file) != 0) {
    // A file system that cannot promise it keeps what a kill of the process leaves, which is all that can be had there.
  }
  ::close(file);
}

/// Nothing, or what went wrong.
std::optional<std::string> write_whole(const fs::path& file, std::span<const std::byte> bytes) {
  fs::path temporary;
  const OpenedFile opened = open_temporary_file(file, temporary);
  if (opened.descriptor < 0) return opened.why_not;
  int error_number = 0;
  while (!bytes.empty() && error_number == 0) {
    const ssize_t n = ::write(opened.descriptor, bytes.data(), bytes.size());
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) error_number = errno;
  }
  if (error_number == 0 && ::fsync(opened.descriptor) != 0 && errno != EINVAL) error_number = errno;
  if (::close(opened.descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) error_number = errno;
  if (error_number == 0) return std::nullopt;
  ::unlink(temporary.c_str());
  return std::generic_category().message(error_number);
}

/// The first point at or after a time.
Tick tick_at(const Rational& time_s, const TimeGrid& grid) {
  const double ticks = (time_s.value() - grid.time_s(0)) / grid.tick_s().value();
  return static_cast<Tick>(std::ceil(ticks - 1e-9 * std::max(1.0, std::abs(ticks))));
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(fs::path directory, CheckpointOptions options, const TimeGrid& grid)
    : directory_(std::move(directory)),
      folder_(directory_ / checkpoint_folder),
      options_(std::move(options)) {
  for (const auto& [name, time_s] : options_.at_s) named_.emplace_back(tick_at(time_s, grid), name);
  std::sort(named_.begin(), named_.end());
  find_next_named(-1);
  remove_temporary_files(folder_);
  // Those of the run that goes on here.
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string stem = entry->path().stem().string();
    if (entry->path().extension() != checkpoint_suffix ||
        stem.find_first_not_of("0123456789") != std::string::npos)
      continue;
    by_clock_.push_back(entry->path());
    sequence_ = std::max<std::uint64_t>(sequence_, std::strtoull(stem.c_str(), nullptr, 10));
  }
  const auto number = [](const fs::path& file) { return std::strtoull(file.stem().c_str(), nullptr, 10); };
  std::sort(by_clock_.begin(), by_clock_.end(),
            [&](const fs::path& a, const fs::path& b) { return number(a) < number(b); });
  wanted_next_ =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(options_.every);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads are to be had: the stepping thread looks at the clock, and writes.
    has_no_thread_ = true;
  }
}

CheckpointKeeper::~CheckpointKeeper() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_ready_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool CheckpointKeeper::is_time() const {
  return std::chrono::steady_clock::now() >= wanted_next_;
}

void CheckpointKeeper::find_next_named(Tick after) {
  const auto next =
      std::find_if(named_.begin(), named_.end(), [&](const auto& n) { return n.first > after; });
  next_named_ = next == named_.end() ? std::numeric_limits<Tick>::max() : next->first;
}

void CheckpointKeeper::begin_at(Tick tick) {
  find_next_named(tick);
}

void CheckpointKeeper::keep(Checkpoint checkpoint) {
  wait_until_idle();
  Job job{checkpoint.time_s, to_bytes(checkpoint), {}, false};
  // A point may be behind several of those times, where steps are long.
  for (const auto& [tick, name] : named_) {
    if (tick >= next_named_ && tick <= checkpoint.tick) job.names.push_back(name_of_checkpoint_at(name));
  }
  if (!job.names.empty()) find_next_named(checkpoint.tick);
  if (checkpoint.at_end) {
    job.names.push_back(std::string(end_name) + checkpoint_suffix);
  } else if (job.names.empty()) {
    job.by_clock = true;
    wanted_.store(false, std::memory_order_relaxed);
    job.names.push_back(std::to_string(++sequence_) + checkpoint_suffix);
  }
  if (has_no_thread_) {
    write(job);
    wanted_next_ = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::nanoseconds>(options_.every);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    busy_.store(true, std::memory_order_relaxed);
  }
  work_ready_.notify_one();
}

void CheckpointKeeper::finish() {
  wait_until_idle();
  std::error_code none;
  if (!fs::exists(folder_ / (std::string(end_name) + checkpoint_suffix), none)) return;
  for (const fs::path& file : by_clock_) fs::remove(file, none);
  by_clock_.clear();
}

void CheckpointKeeper::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return !job_; });
}

void CheckpointKeeper::work() {
  auto next = wanted_next_;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_ready_.wait_until(lock, next, [this] { return job_ || closing_; });
    if (job_) {
      lock.unlock();
      write(*job_);
      lock.lock();
      job_.reset();
      busy_.store(false, std::memory_order_release);
      idle_.notify_all();
    } else if (closing_) {
      return;
    }
    if (const auto now = std::chrono::steady_clock::now(); now >= next) {
      wanted_.store(true, std::memory_order_relaxed);
      next = now + std::chrono::duration_cast<std::chrono::nanoseconds>(options_.every);
    }
  }
}

void CheckpointKeeper::write(const Job& job) {
  std::error_code none;
  fs::create_directory(folder_, none);
  // What the rows of the checkpoint are in.
  std::error_code error_of_listing;
  for (fs::directory_iterator entry(directory_, error_of_listing), end; !error_of_listing && entry != end;
       entry.increment(error_of_listing)) {
    if (is_recorded_file(entry->path().filename().string())) synchronise(entry->path());
  }
  for (const std::string& name : job.names) {
    const fs::path file = folder_ / name;
    const bool follows_a_link = fs::is_symlink(fs::symlink_status(folder_, none));
    const auto error = follows_a_link ? std::optional<std::string>("the folder is a symbolic link")
                                      : write_whole(file, job.bytes);
    if (error) {
      errors_.push_back(fmt::format("the checkpoint at t = {} s cannot be written: {}{}", job.time_s, *error,
                                    by_clock_.empty() ? "" : "; older ones are kept"));
      continue;
    }
    if (job.by_clock) by_clock_.push_back(file);
  }
  synchronise(folder_);
  while (by_clock_.size() > generations) {
    fs::remove(by_clock_.front(), none);
    by_clock_.erase(by_clock_.begin());
  }
}

}  // namespace ergon
