#pragma once

#include <cerrno>
#include <cstring>
#include <string>

namespace ergon::fmi {

/// Whether something failed because this process has too many files open: no fault of the file, the folder or the FMU.
inline bool is_lack_of_descriptors(const std::string& why) {
  return why.find(std::strerror(EMFILE)) != std::string::npos;
}
inline constexpr const char* raise_open_files = "Raise the limit of open files: ulimit -n 1024.";

}  // namespace ergon::fmi
