#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ergon/core/problem.hpp"
#include "ergon/fmi/archive/extract.hpp"

namespace ergon::fmi {

/// A folder of our own below TMPDIR (0700), removed with this object. A folder that a killed process left behind is found by
/// its lock, which nobody holds any more, and removed when the next one is made.
class PrivateFolder {
 public:
  /// Throws std::runtime_error where none can be made.
  explicit PrivateFolder(const char* purpose);
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// An FMU on disk, shared by all instances of the same file with the same content.
class UnpackedFmu {
 public:
  /// Unpacks `file` unless this process has it already. Nothing after reporting what is wrong, at `where` where that is said.
  static std::shared_ptr<const UnpackedFmu> open(const std::filesystem::path& file, ProblemList& problems,
                                                 const ArchiveLimits& limits = {});

  explicit UnpackedFmu(std::string file);
  [[nodiscard]] const std::string& file() const { return file_; }  ///< the archive, as the user named it
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path() / "fmu"; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }  ///< of the archive

 private:
  std::string file_;
  std::string sha256_;
  PrivateFolder folder_;
};

}  // namespace ergon::fmi
