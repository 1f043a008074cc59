#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ergon {

/// Replaces a file in one go: a reader finds the old or the new one, never half of it, and where there is no room the old one
/// stays. A link under this name is replaced, not followed. Returns what went wrong.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file,
                                                      std::string_view text);

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view)>;
/// The same of a text that `write` makes. What it throws passes, and the old file stays.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file,
                                                      const std::function<void(const TextSink&)>& write);

}  // namespace ergon
