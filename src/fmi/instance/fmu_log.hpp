#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ergon::fmi {

/// What calls of the C interface return, in both versions.
enum class FmuStatus : std::uint8_t { ok, warning, discard, error, fatal, pending };
const char* name_of(FmuStatus status);

struct LogMessage {
  std::string instance;
  FmuStatus status = FmuStatus::ok;
  std::string category;
  std::string text;
  double time_s = 0.0;
  bool of_companion = false;  ///< said to a companion of the run
};

/// What FMUs say. Everything goes to a file; warnings and worse also to the terminal, each kind once and then counted. What those of a
/// companion say is marked in the file, and goes nowhere else. One per
/// process, safe to call from any thread. A run that knows its folder says so with `write_to`; until then messages wait.
class FmuLog {
 public:
  static FmuLog& instance();

  void add(const LogMessage& message);
  /// From here on messages are written to `file`, those that wait first. The file is made with the first message.
  void write_to(const std::filesystem::path& file);
  /// Closes the file, and tells on the terminal how often what was said once has come again.
  void finish();
  /// Where lines for the terminal go; the default is standard error.
  void show_with(std::function<void(const std::string&)> show);

 private:
  FmuLog();
  struct Inner;
  std::shared_ptr<Inner> inner_;
};

/// Where messages of FMUs go: to FmuLog, or, in a worker, to its master. Those of a thread with a CompanionScope are a companion's.
using LogSink = std::function<void(const LogMessage&)>;
void set_log_sink(LogSink sink);
void log_message(const LogMessage& message);

/// Who the FMU is told to be speaking to: a number, because some FMUs hand back another pointer than they were given, and what
/// they hand back must not be followed.
class LogTarget {
 public:
  /// `clock_s`: what time it is for who speaks; must outlive this.
  LogTarget(std::string name, const double& clock_s);
  LogTarget(const LogTarget&) = delete;
  LogTarget& operator=(const LogTarget&) = delete;
  ~LogTarget();
  [[nodiscard]] void* environment() const {
    return reinterpret_cast<void*>(id_);
  }  // NOLINT(performance-no-int-to-ptr)
  [[nodiscard]] double time_s() const { return clock_s_; }
  /// The environment of the newest target of this name, for FMI 1.0, whose loggers get none; null where there is none.
  static void* environment_of(const char* name);
  /// The newest message from warning up, for the failure of the call that it belongs to.
  std::string last_complaint;
  double complaint_time_s = 0.0;
  bool muted = false;  ///< nothing is passed on
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Nothing of the arguments is trusted: pointers may be null, the environment may be anybody's.
  static void say(void* environment, const char* name, FmuStatus status, const char* category,
                  const char* text);

 private:
  std::string name_;
  const double& clock_s_;
  std::uintptr_t id_;
};

}  // namespace ergon::fmi
