#include "ergon/run/record/replace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "ergon/core/output_file.hpp"

namespace ergon {
namespace {

std::string cannot_be_replaced(const std::filesystem::path& file, const std::string& why) {
  return fmt::format("'{}' cannot be written: {}.", file.string(), why);
}

/// 0, or what errno said.
int write_text(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

/// A file under a temporary name, which does not stay unless it gets its own.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& file)
      : file_(file), opened_(open_temporary_file(file, name_)) {
    if (opened_.descriptor < 0) name_.clear();
  }
  ~Temporary() {
    if (opened_.descriptor >= 0) ::close(opened_.descriptor);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] const OpenedFile& opened() const { return opened_; }
  /// 0, or what errno said.
  int close_and_rename() {
    // Some file systems find out only now that there was no room.
    if (::close(std::exchange(opened_.descriptor, -1)) != 0) return errno;
    // A link under this name is replaced, not followed.
    if (::rename(name_.c_str(), file_.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  const std::filesystem::path& file_;
  std::filesystem::path name_;
  OpenedFile opened_;
};

}  // namespace

std::optional<std::string> replace_file(const std::filesystem::path& file,
                                        const std::function<void(const TextSink&)>& write) {
  Temporary temporary(file);
  if (temporary.opened().descriptor < 0) return cannot_be_replaced(file, temporary.opened().why_not);
  int error_number = 0;
  write([&](std::string_view text) {
    if (error_number == 0) error_number = write_text(temporary.opened().descriptor, text);
  });
  if (error_number == 0) error_number = temporary.close_and_rename();
  if (error_number == 0) return std::nullopt;
  return cannot_be_replaced(file, std::generic_category().message(error_number));
}

std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text) {
  return replace_file(file, [&](const TextSink& sink) { sink(text); });
}

}  // namespace ergon
