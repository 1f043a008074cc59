#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/fmi/description/model_description.hpp"

namespace ergon::fmi {

/// The library of an FMU for this machine, `identifier`.so; nothing after reporting that there is none, and for which machines there is one.
/// `fmu` is the name of the FMU in messages.
std::filesystem::path find_library(const std::filesystem::path& folder, FmiVersion version,
                                   const std::string& identifier, const std::string& fmu,
                                   ProblemList& problems);

/// The folders of `binaries` that hold a library, in order of their names.
std::vector<std::string> platforms_with_library(const std::filesystem::path& folder);

/// A loaded library. It is never unloaded: FMUs crash when their library goes while a thread or an exit handler of theirs
/// stays. All instances in a process share it.
class SharedLibrary {
 public:
  /// Symbols stay private (RTLD_LOCAL), and so do ours: FMUs come with their own versions of common libraries. Nothing where it
  /// cannot be loaded; `why` then says why.
  static std::shared_ptr<const SharedLibrary> open(const std::filesystem::path& file, std::string& why);

  [[nodiscard]] void* symbol(const char* name) const;  ///< null where it lacks it
  explicit SharedLibrary(void* handle) : handle_(handle) {}

 private:
  void* handle_;
};

}  // namespace ergon::fmi
