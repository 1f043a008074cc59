#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace ergon::app {

/// Writes text to standard output or standard error as far as that is possible. A terminal that is gone, a reader that has closed
/// its pipe or a full disk loses messages, never the run that they are about; what has become of standard output is known to
/// `output_error`.
void write_text(std::FILE* stream, std::string_view text);

template <typename... T>
void emit(std::FILE* stream, fmt::format_string<T...> format, T&&... arguments) {
  write_text(stream, fmt::format(format, std::forward<T>(arguments)...));
}
template <typename... T>
void emit(fmt::format_string<T...> format, T&&... arguments) {
  write_text(stdout, fmt::format(format, std::forward<T>(arguments)...));
}

/// Descriptors 0, 1 and 2 are open after this. Where the caller has closed one (`2>&-`), the next file to be opened would get its
/// number, and messages would go into results.
void occupy_standard_descriptors();

/// Why standard output did not take everything, after flushing it; empty if it did, or if whoever read it has closed the pipe
/// (`| head -1`): then there is nobody who misses the rest.
[[nodiscard]] std::string output_error();

}  // namespace ergon::app
