#include "ergon/fmi/archive/unpacked_fmu.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "ergon/core/sha256.hpp"
#include "ergon/fmi/archive/open_files.hpp"

namespace ergon::fmi {
namespace {

constexpr const char* folder_prefix = "ergon-fmu-";
constexpr const char* lock_name = "in-use";

/// Takes away what processes that were killed have left: their locks are free.
void remove_abandoned(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(parent, ignored), end; it != end; it.increment(ignored)) {
    if (it->path().filename().string().rfind(folder_prefix, 0) != 0) continue;
    struct stat owner {};
    if (::lstat(it->path().c_str(), &owner) != 0 || !S_ISDIR(owner.st_mode) || owner.st_uid != ::geteuid())
      continue;
    const int lock = ::open((it->path() / lock_name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) continue;  // just being made
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(it->path(), ignored);
    ::close(lock);
  }
}

struct FileVersion {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0;
  auto operator<=>(const FileVersion&) const = default;
};

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace

PrivateFolder::PrivateFolder(const char* purpose) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    throw std::runtime_error(fmt::format("There is no folder for temporary files: {}.", error.message()));
  static std::once_flag swept;
  std::call_once(swept, [&] { remove_abandoned(parent); });
  std::string name = (parent / fmt::format("{}{}-XXXXXX", folder_prefix, purpose)).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(
        fmt::format("No folder can be made in {}: {}.", parent.string(), std::strerror(errno)));
  path_ = std::filesystem::canonical(name);
  // The lock is held from its first moment on: it gets its name when it is locked.
  const std::string temporary = (path_ / "lock").string();
  lock_ = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_SH) != 0 ||
      ::rename(temporary.c_str(), (path_ / lock_name).c_str()) != 0)
    throw std::runtime_error(
        fmt::format("Nothing can be written to {}: {}.", path_.string(), std::strerror(errno)));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

UnpackedFmu::UnpackedFmu(std::string file) : file_(std::move(file)), folder_("files") {}

namespace {

using KnownArchives = std::map<FileVersion, std::weak_ptr<const UnpackedFmu>>;

/// The name of a file in messages. One that was unpacked from an archive of ours lies in a folder that tells nobody anything, and has
/// another name in every run: "system.ssp#resources/a.fmu".
std::string shown_name(const std::filesystem::path& file, const KnownArchives& known) {
  const std::string name = file.string();
  for (const auto& [version, held] : known) {
    const auto archive = held.lock();
    if (!archive) continue;
    const std::string folder = archive->folder().string() + "/";
    if (name.starts_with(folder)) return archive->file() + "#" + name.substr(folder.size());
  }
  return name;
}

}  // namespace

std::shared_ptr<const UnpackedFmu> UnpackedFmu::open(const std::filesystem::path& file, ProblemList& problems,
                                                     const ArchiveLimits& limits) {
  static std::mutex mutex;
  static KnownArchives known;
  const std::lock_guard guard(mutex);

  const SourceLocation where{shown_name(file, known), 0, 0};
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    problems.error(where, fmt::format("The FMU cannot be read: {}.", std::strerror(errno)),
                   "Check the name of the file.");
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    problems.error(where, "This is not a file.", "Name the FMU itself, a file that ends with .fmu.");
    return nullptr;
  }
  std::error_code ignored;
  const FileVersion version{std::filesystem::canonical(file, ignored).string(), status.st_dev, status.st_ino,
                            status.st_size,
                            std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  if (auto found = known[version].lock()) return found;
  const std::string hash = ergon::sha256(content_of(file.string()));
  for (const auto& [other, held] : known) {
    if (other.path != version.path) continue;
    if (auto found = held.lock(); found && found->sha256() == hash) {
      known[version] = held;
      return found;
    }
  }
  try {
    auto fmu = std::make_shared<UnpackedFmu>(where.file);
    fmu->sha256_ = hash;
    std::filesystem::create_directory(fmu->folder());
    ProblemList found;
    const bool is_whole = extract_archive(file, fmu->folder(), limits, found);
    for (const Problem& p : found.all()) {
      // extract_archive knows the file by its place on the disk.
      const SourceLocation at = p.where.file == file.string() ? where : p.where;
      if (p.severity == Severity::error) problems.error(at, p.what, p.remedy);
      if (p.severity == Severity::warning) problems.warning(at, p.what, p.remedy);
      if (p.severity == Severity::note) problems.note(at, p.what);
    }
    if (!is_whole) return nullptr;
    known[version] = fmu;
    return fmu;
  } catch (const std::runtime_error& error) {
    problems.error(where, error.what(),
                   is_lack_of_descriptors(error.what()) ? raise_open_files
                                                        : "Set TMPDIR to a folder that can be written.");
    return nullptr;
  }
}

}  // namespace ergon::fmi
