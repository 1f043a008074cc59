#include "emit.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

namespace ergon::app {
namespace {

/// What the first write to standard output that failed said.
int first_output_error = 0;

bool nobody_reads_output() {
  struct pollfd output {
    STDOUT_FILENO, 0, 0
  };
  return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

void write_text(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!written && stream == stdout && first_output_error == 0) first_output_error = errno;
}

void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number, which is this one. In the wrong direction, so that what is written there fails as before.
    const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

std::string output_error() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed && first_output_error == 0) first_output_error = errno;
  const bool complete = flushed && std::ferror(stdout) == 0;
  if ((static_cast<bool>(std::cout.flush()) && complete) || nobody_reads_output()) return {};
  return std::generic_category().message(first_output_error != 0 ? first_output_error : EIO);
}

}  // namespace ergon::app
