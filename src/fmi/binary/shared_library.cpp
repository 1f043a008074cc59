#include "ergon/fmi/binary/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "ergon/fmi/instance/call_guard.hpp"

namespace ergon::fmi {
namespace {

#if defined(__x86_64__)
constexpr const char* folder_of_fmi2 = "linux64";
constexpr const char* tuple = "x86_64-linux";
#elif defined(__aarch64__)
constexpr const char* folder_of_fmi2 = "aarch64-linux";
constexpr const char* tuple = "aarch64-linux";
#else
constexpr const char* folder_of_fmi2 = "linux32";
constexpr const char* tuple = "x86-linux";
#endif

/// The file that the loader missed, out of "libx.so.3: cannot open shared object file: …".
std::string missing_file(const std::string& error) {
  if (error.find("cannot open shared object file") == std::string::npos) return {};
  const std::string name = error.substr(0, error.find(':'));
  return name.find('/') == std::string::npos ? name : std::string{};
}

/// Whether a folder of an FMU holds a library of any platform.
bool has_library(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    const std::string kind = it->path().extension().string();
    if (kind == ".so" || kind == ".dll" || kind == ".dylib") return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> platforms_with_library(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(folder / "binaries", ignored), end; it != end;
       it.increment(ignored)) {
    if (has_library(it->path())) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path find_library(const std::filesystem::path& folder, FmiVersion version,
                                   const std::string& identifier, const std::string& fmu,
                                   ProblemList& problems) {
  const std::filesystem::path binaries = folder / "binaries";
  const std::string name = identifier + ".so";
  std::vector<const char*> places = {tuple};
  if (version != FmiVersion::fmi3) places = {folder_of_fmi2, tuple};
  std::error_code ignored;
  for (const char* place : places) {
    if (std::filesystem::is_regular_file(binaries / place / name, ignored)) return binaries / place / name;
  }
  const std::vector<std::string> found = platforms_with_library(folder);
  if (found.empty()) {
    problems.error({fmu, 0, 0}, "The FMU has no compiled library, at most its sources.",
                   "Have it exported with a library for Linux; sources of strangers are not compiled here.");
  } else {
    problems.error({fmu, 0, 0},
                   fmt::format("The FMU has no library '{}' for this machine ({}); it has: {}.", name,
                               fmt::join(places, " or "), fmt::join(found, ", ")),
                   "Have it exported for this platform.");
  }
  return {};
}

std::shared_ptr<const SharedLibrary> SharedLibrary::open(const std::filesystem::path& file,
                                                         std::string& why) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const SharedLibrary>> loaded;
  const std::lock_guard guard(mutex);
  if (const auto found = loaded.find(file.string()); found != loaded.end()) return found->second;
  // Constructors of libraries may change how floating-point numbers are rounded or trapped.
  std::fenv_t environment;
  std::fegetenv(&environment);
  void* handle = nullptr;
  std::set<std::string> tried;
  const CallGuard::Loading loading(file.c_str());
  while ((handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) == nullptr) {
    const char* const error = ::dlerror();
    why = error != nullptr ? error : "unknown reason";
    // What lies beside it in the archive is meant to be found there, though the loader does not look.
    const std::string sibling = missing_file(why);
    if (sibling.empty() || !tried.insert(sibling).second) break;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file.parent_path() / sibling, ignored)) {
      why += fmt::format(" (install what brings '{}')", sibling);
      break;
    }
    if (::dlopen((file.parent_path() / sibling).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      if (const char* const inner = ::dlerror()) why = inner;
      break;
    }
  }
  std::fesetenv(&environment);
  if (handle == nullptr) return nullptr;
  return loaded[file.string()] = std::make_shared<const SharedLibrary>(handle);
}

void* SharedLibrary::symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace ergon::fmi
