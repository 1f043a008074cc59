#include "ergon/fmi/archive/extract.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "ergon/fmi/archive/open_files.hpp"

namespace ergon::fmi {
namespace {

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int value) : fd(value) {}
  Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Entry = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Two names that some file systems take for one: an archive with both is a trick.
std::string folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

class Extraction {
 public:
  Extraction(const std::filesystem::path& archive, const std::filesystem::path& target,
             const ArchiveLimits& limits, ProblemList& problems)
      : file_(archive.string()), target_(target), limits_(limits), problems_(problems) {}

  bool run() {
    int code = 0;
    const Archive archive(zip_open(file_.c_str(), ZIP_RDONLY, &code), &zip_discard);
    if (!archive) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string why = zip_error_strerror(&error);
      zip_error_fini(&error);
      if (is_lack_of_descriptors(why))
        return refuse(fmt::format("The archive cannot be opened: {}.", why), "");
      return refuse(fmt::format("This is not a readable archive: {}.", why),
                    "FMUs and .ssp files are ZIP files; copy it again if it was cut short.");
    }
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    if (count < 0 || static_cast<std::uint64_t>(count) > limits_.entries)
      return refuse(fmt::format("The archive has {} entries, more than {}.", count, limits_.entries),
                    "No FMU needs so many: do not trust it.");
    packed_bytes_ = std::max<std::uint64_t>(1, std::filesystem::file_size(file_));
    for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
      if (!entry(archive.get(), i)) return false;
    }
    return true;
  }

 private:
  bool refuse(std::string what, std::string remedy) {
    if (is_lack_of_descriptors(what)) remedy = raise_open_files;
    problems_.error({file_, 0, 0}, std::move(what), std::move(remedy));
    return false;
  }
  bool refuse_name(const char* name, const char* why) {
    std::string shown;
    for (const char* c = name; *c != 0 && shown.size() < 200; ++c)
      shown += static_cast<unsigned char>(*c) < 32 || *c == 127 ? '?' : *c;
    return refuse(fmt::format("The archive has an entry '{}' {}.", shown, why),
                  "Nothing of it was used. Do not trust this file, or have it packed again.");
  }

  bool entry(zip_t* archive, zip_uint64_t index) {
    zip_stat_t stat;
    if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_NAME) == 0)
      return refuse(fmt::format("Entry {} of the archive cannot be read: {}.", index, zip_strerror(archive)),
                    "Copy the file again.");
    const char* const name = stat.name;
    const std::string path = safe_entry_path(name);
    const std::string_view raw(name);
    const bool folder = !raw.empty() && (raw.back() == '/' || raw.back() == '\\');
    if (path.empty())
      return folder && raw.find_first_not_of("./\\") == std::string_view::npos &&
                     raw.find("..") == raw.npos && raw.front() == '.'
                 ? true  // "./" is the folder itself
                 : refuse_name(name, "that does not lie inside of its folder");
    if (is_special(archive, index)) return refuse_name(name, "that is a link or a device");
    if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
      return refuse_name(name, "that is encrypted");
    if ((stat.valid & ZIP_STAT_COMP_METHOD) != 0 && stat.comp_method != ZIP_CM_STORE &&
        stat.comp_method != ZIP_CM_DEFLATE)
      return refuse_name(name, "packed in a way that FMUs may not use");
    const std::vector<std::string> parts = parts_of(path);
    if (parts.size() > limits_.depth) return refuse_name(name, "in too many folders");
    if (folder) return !folders_.insert(folded(path)).second || make_folder(parts).fd >= 0;
    const bool has_sum = (stat.valid & ZIP_STAT_CRC) != 0 && (stat.valid & ZIP_STAT_SIZE) != 0;
    const Content content{path, stat.size, stat.crc};
    if (const auto [known, is_new] = names_.emplace(folded(path), content); !is_new) {
      // Some exporters pack a file twice. The same bytes under the same name leave nothing open.
      if (!has_sum || !(known->second == content)) return refuse_name(name, "that is there twice");
      problems_.note({file_, 0, 0}, fmt::format("The archive has '{}' twice, with the same content.", path));
      return true;
    }
    if ((stat.valid & ZIP_STAT_SIZE) != 0 && !fits(stat.size)) return too_large();
    return write_entry(archive, index, parts);
  }

  static bool is_special(zip_t* archive, zip_uint64_t index) {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return false;
    if (system != ZIP_OPSYS_UNIX) return false;
    const mode_t type = (attributes >> 16) & S_IFMT;
    return type != 0 && type != S_IFREG && type != S_IFDIR;
  }

  /// Whether so many bytes more are within the limits.
  [[nodiscard]] bool fits(std::uint64_t more) const {
    if (more > limits_.total_bytes || written_bytes_ > limits_.total_bytes - more) return false;
    const std::uint64_t total = written_bytes_ + more;
    return total <= limits_.ratio_matters_bytes || total / packed_bytes_ <= limits_.ratio;
  }
  bool too_large() {
    return refuse(fmt::format("The archive unpacks to more than {} MB, or to more than {} times its size.",
                              limits_.total_bytes >> 20, limits_.ratio),
                  "Do not trust this file, or have it packed without what the FMU does not need.");
  }

  /// Opens the folder, making what is missing, without following a link on the way.
  Descriptor make_folder(const std::vector<std::string>& parts) {
    Descriptor folder(::open(target_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const std::string& part : parts) {
      if (folder.fd < 0) break;
      if (::mkdirat(folder.fd, part.c_str(), 0700) != 0 && errno != EEXIST) {
        folder = Descriptor(-1);
        break;
      }
      folder = Descriptor(::openat(folder.fd, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    if (folder.fd < 0)
      refuse(fmt::format("A folder of the archive cannot be made in {}: {}.", target_.string(),
                         std::strerror(errno)),
             "Make room there, or set TMPDIR to a folder with room.");
    return folder;
  }

  bool write_entry(zip_t* archive, zip_uint64_t index, std::vector<std::string> parts) {
    const std::string name = parts.back();
    parts.pop_back();
    const Descriptor folder = make_folder(parts);
    if (folder.fd < 0) return false;
    const Descriptor file(
        ::openat(folder.fd, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const auto cannot_write = [&] {
      return refuse(
          fmt::format("'{}' cannot be unpacked to {}: {}.", name, target_.string(), std::strerror(errno)),
          "Make room there, or set TMPDIR to a folder with room.");
    };
    if (file.fd < 0) return cannot_write();
    const Entry entry(zip_fopen_index(archive, index, 0), &zip_fclose);
    zip_int64_t count = -1;
    std::array<char, 1 << 16> buffer{};
    while (entry && (count = zip_fread(entry.get(), buffer.data(), buffer.size())) > 0) {
      if (!fits(static_cast<std::uint64_t>(count))) return too_large();
      written_bytes_ += static_cast<std::uint64_t>(count);
      for (zip_int64_t done = 0; done < count;) {
        const ssize_t part = ::write(file.fd, buffer.data() + done, static_cast<std::size_t>(count - done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return cannot_write();
        done += part;
      }
    }
    if (count < 0)
      return refuse(fmt::format("'{}' in the archive is damaged: {}.", name,
                                entry ? zip_file_strerror(entry.get()) : zip_strerror(archive)),
                    "Copy the file again.");
    return true;
  }

  std::string file_;
  std::filesystem::path target_;
  const ArchiveLimits& limits_;
  ProblemList& problems_;
  std::uint64_t packed_bytes_ = 1;
  std::uint64_t written_bytes_ = 0;
  struct Content {
    std::string path;
    std::uint64_t bytes = 0;
    std::uint32_t checksum = 0;
    bool operator==(const Content&) const = default;
  };
  std::map<std::string, Content> names_;
  std::set<std::string> folders_;
};

}  // namespace

std::string safe_entry_path(std::string_view name) {
  // Tools on Windows write backslashes; they are separators before they are looked at, so none hides a "..".
  std::string path(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.empty() || path.front() == '/' || path.size() > 4000) return {};
  if (path.size() > 1 && path[1] == ':') return {};
  std::string result;
  for (const std::string& part : parts_of(path)) {
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.size() > 255) return {};
    const bool odd =
        std::any_of(part.begin(), part.end(), [](unsigned char c) { return c < 32 || c == 127; });
    if (odd) return {};
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

bool extract_archive(const std::filesystem::path& archive, const std::filesystem::path& target,
                     const ArchiveLimits& limits, ProblemList& problems) {
  return Extraction(archive, target, limits, problems).run();
}

}  // namespace ergon::fmi
