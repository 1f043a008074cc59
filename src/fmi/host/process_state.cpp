#include "ergon/fmi/host/process_state.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <mutex>
#include <optional>
#include <vector>

#include "ergon/core/foreign_code.hpp"
#include "ergon/fmi/instance/call_guard.hpp"
#include "ergon/fmi/instance/fmu_log.hpp"

namespace ergon::fmi {
namespace {

/// What is read without changing it, unlike by umask(2), which other threads would see.
std::optional<mode_t> present_umask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("Umask:", 0) == 0) return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
  }
  return std::nullopt;
}

struct WantedState {
  std::mutex mutex;
  int folder = -1;  ///< open: it may be renamed
  struct stat about_folder {};
  std::string locale;
  std::optional<mode_t> mask;
  std::vector<const ProcessState::Resident*> residents;
  std::atomic<std::int64_t> last_look_ms{0};  ///< read without the lock, by every run of this process

  void remember() {
    if (folder >= 0) ::close(folder);
    folder = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && ::fstat(folder, &about_folder) != 0) {
      ::close(folder);
      folder = -1;
    }
    const char* const name = std::setlocale(LC_ALL, nullptr);
    locale = name != nullptr ? name : "C";
  }

  /// Of one library, or, without one, of all.
  [[nodiscard]] std::string suspects(const std::string& library = "") const {
    std::vector<std::string> names;
    for (const ProcessState::Resident* r : residents) {
      if (library.empty() || r->library() == library) names.push_back(r->name());
    }
    if (names.empty() && !library.empty()) return suspects();
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    constexpr std::size_t shown = 3;
    if (names.size() > shown) {
      names.resize(shown);
      names.emplace_back("…");
    }
    return fmt::format("{}", fmt::join(names, "' or '"));  // whoever says it puts it in quotes
  }
  void warn(const std::string& who, const char* what) const {
    log_message({who, FmuStatus::warning, "",
                 fmt::format("it changed the {} of this process; Ergon has restored it", what), 0.0});
  }

  void check_folder_and_locale(const std::string& who) {
    struct stat now {};
    if (folder >= 0 &&
        (::stat(".", &now) != 0 || now.st_ino != about_folder.st_ino || now.st_dev != about_folder.st_dev)) {
      if (::fchdir(folder) == 0) warn(who, "working folder");
    }
    const char* const name = std::setlocale(LC_ALL, nullptr);
    if (name != nullptr && locale != name) {
      std::setlocale(LC_ALL, locale.c_str());
      warn(who, "locale");
    }
  }
  void check_umask(const std::string& who) {
    const std::optional<mode_t> now = present_umask();
    if (!mask || !now || *now == *mask) return;
    ::umask(*mask);
    warn(who, "mode of new files (umask)");
  }
};

WantedState& wanted_state() {
  static WantedState* const state = new WantedState;  // FMUs may be freed while the process ends
  return *state;
}

void check_all() {
  CallGuard::come_first_at_exit();
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  if (state.residents.empty()) return;
  state.check_folder_and_locale(state.suspects());
  state.check_umask(state.suspects());
}

/// Two calls of the system per point would cost more than the points of small systems: once per tick of the coarse clock (1 to 4 ms).
void glance() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const std::int64_t ms = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  WantedState& state = wanted_state();
  if (state.last_look_ms.load(std::memory_order_relaxed) == ms) return;
  const std::lock_guard guard(state.mutex);
  state.last_look_ms.store(ms, std::memory_order_relaxed);
  if (!state.residents.empty()) state.check_folder_and_locale(state.suspects());
}

}  // namespace

ProcessState::Resident::Resident(const std::string& name, std::string library)
    : name_(name), library_(std::move(library)) {
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  if (!state.mask) state.mask = present_umask();
  if (state.residents.empty()) state.remember();
  state.residents.push_back(this);
  ForeignCode::at_start = check_all;
  ForeignCode::at_point = glance;
  ForeignCode::at_end = check_all;
}

ProcessState::Resident::~Resident() {
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  std::erase(state.residents, this);
}

std::string ProcessState::residents_at(const void* address) {
  Dl_info about{};
  const bool known = address != nullptr && ::dladdr(address, &about) != 0 && about.dli_fname != nullptr;
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  return state.suspects(known ? about.dli_fname : "");
}

void ProcessState::remember() {
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  state.remember();
}

void ProcessState::check_after(const std::string& name) {
  WantedState& state = wanted_state();
  const std::lock_guard guard(state.mutex);
  state.check_folder_and_locale(name);
}

}  // namespace ergon::fmi
