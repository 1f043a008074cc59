#include "ergon/fmi/instance/fmu_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "ergon/core/companion_scope.hpp"
#include "ergon/core/output_file.hpp"

namespace ergon::fmi {

const char* name_of(FmuStatus status) {
  static constexpr const char* names[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
  return names[std::min<std::size_t>(static_cast<std::size_t>(status), 5)];
}

namespace {

constexpr std::size_t most_waiting = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;  // an FMU that talks without end fills no disk
constexpr std::size_t most_kinds = 200;

/// Messages that differ in numbers only are of one kind.
std::string kind_of(const LogMessage& message) {
  std::string kind = message.instance + '\n' + name_of(message.status) + '\n';
  bool in_number = false;
  for (const char c : message.text) {
    const bool digit =
        (c >= '0' && c <= '9') || (in_number && (c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+'));
    if (!digit) kind += c;
    in_number = digit;
  }
  return kind;
}

std::string one_line(const std::string& text) {
  std::string line = text.substr(0, 4000);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.pop_back();
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  }
  return line;
}

}  // namespace

struct FmuLog::Inner {
  std::mutex mutex;
  std::vector<LogMessage> waiting;
  std::uint64_t dropped = 0;
  std::filesystem::path path;
  int file = -1;
  std::uint64_t written = 0;
  std::map<std::string, std::pair<std::string, std::uint64_t>>
      kinds;  ///< the first line of each, and how often
  std::function<void(const std::string&)> show = [](const std::string& line) {
    std::fprintf(stderr, "%s\n", line.c_str());
  };

  void write(const LogMessage& m) {
    if (file < 0) file = open_output_file(path).descriptor;
    if (written > most_bytes) {
      ++dropped;
      return;
    }
    const std::string line =
        fmt::format("{}{} t={} {} [{}] {}\n", m.instance, m.of_companion ? " (check run)" : "", m.time_s,
                    name_of(m.status), m.category, one_line(m.text));
    if (file >= 0 && ::write(file, line.data(), line.size()) < 0) {
      // A full disk loses messages of FMUs; the results tell about it.
    }
    written += line.size();
  }

  void close() {
    if (file >= 0) ::close(std::exchange(file, -1));
  }
};

FmuLog::FmuLog() : inner_(std::make_shared<Inner>()) {}

FmuLog& FmuLog::instance() {
  static FmuLog* const log = new FmuLog;  // FMUs speak also while the process ends
  return *log;
}

void FmuLog::add(const LogMessage& message) {
  const std::lock_guard guard(inner_->mutex);
  if (!inner_->path.empty()) {
    inner_->write(message);
  } else if (inner_->waiting.size() < most_waiting) {
    inner_->waiting.push_back(message);
  } else {
    ++inner_->dropped;
  }
  if (message.of_companion || message.status == FmuStatus::ok || message.status == FmuStatus::pending) return;
  const std::string kind = kind_of(message);
  auto found = inner_->kinds.find(kind);
  if (found == inner_->kinds.end()) {
    if (inner_->kinds.size() >= most_kinds) return;
    const std::string line = fmt::format("{}: '{}' at t = {} s: {}",
                                         message.status == FmuStatus::warning ? "warning" : "FMU reports",
                                         message.instance, message.time_s, one_line(message.text));
    found = inner_->kinds.emplace(kind, std::pair(line, 0)).first;
    inner_->show(line);
  }
  ++found->second.second;
}

void FmuLog::write_to(const std::filesystem::path& file) {
  const std::lock_guard guard(inner_->mutex);
  inner_->close();
  inner_->path = file;
  inner_->written = 0;
  for (const LogMessage& message : inner_->waiting) inner_->write(message);
  inner_->waiting.clear();
}

void FmuLog::finish() {
  const std::lock_guard guard(inner_->mutex);
  for (const auto& [kind, counted] : inner_->kinds) {
    if (counted.second > 1) inner_->show(fmt::format("{} ({} such messages)", counted.first, counted.second));
  }
  inner_->kinds.clear();
  inner_->close();
  inner_->path.clear();
}

void FmuLog::show_with(std::function<void(const std::string&)> show) {
  const std::lock_guard guard(inner_->mutex);
  inner_->show = std::move(show);
}

namespace {

std::mutex sink_mutex;
LogSink& sink() {
  static LogSink* const current =
      new LogSink([](const LogMessage& message) { FmuLog::instance().add(message); });
  return *current;
}

std::mutex target_mutex;
std::map<std::uintptr_t, LogTarget*>& targets() {
  static auto* const all = new std::map<std::uintptr_t, LogTarget*>;
  return *all;
}

}  // namespace

void set_log_sink(LogSink new_sink) {
  const std::lock_guard guard(sink_mutex);
  sink() = std::move(new_sink);
}

void log_message(const LogMessage& message) {
  LogMessage marked = message;
  marked.of_companion = message.of_companion || CompanionScope::is_open();
  const std::lock_guard guard(sink_mutex);
  sink()(marked);
}

LogTarget::LogTarget(std::string name, const double& clock_s) : name_(std::move(name)), clock_s_(clock_s) {
  const std::lock_guard guard(target_mutex);
  static std::uintptr_t next = 0x1000;
  id_ = next;
  next += 16;
  targets()[id_] = this;
}

LogTarget::~LogTarget() {
  const std::lock_guard guard(target_mutex);
  targets().erase(id_);
}

void* LogTarget::environment_of(const char* name) {
  if (name == nullptr) return nullptr;
  const std::lock_guard guard(target_mutex);
  for (auto it = targets().rbegin(); it != targets().rend(); ++it) {
    if (it->second->name_ == name) return it->second->environment();
  }
  return nullptr;
}

void LogTarget::say(void* environment, const char* name, FmuStatus status, const char* category,
                    const char* text) {
  LogMessage message;
  message.status = static_cast<unsigned>(status) > 5 ? FmuStatus::error : status;
  message.category = category != nullptr ? category : "";
  message.text = text != nullptr ? text : "";
  {
    const std::lock_guard guard(target_mutex);
    const auto found = targets().find(reinterpret_cast<std::uintptr_t>(environment));
    if (found != targets().end()) {
      message.instance = found->second->name_;
      message.time_s = found->second->time_s();
      if (message.status != FmuStatus::ok) {
        found->second->last_complaint = one_line(message.text).substr(0, 300);
        found->second->complaint_time_s = message.time_s;
      }
      if (found->second->muted) return;
    } else {
      message.instance = name != nullptr ? name : "an FMU";
    }
  }
  log_message(message);
}

}  // namespace ergon::fmi
