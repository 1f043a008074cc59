#include "ergon/scenario/file/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "ergon/core/utf8.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Other encodings would be read as wrong quotes or names.
bool is_text(std::string_view text, const std::string& path, ProblemList& problems) {
  // A zero byte is UTF-8, but nothing that belongs into a file of text.
  const std::size_t foreign = std::min(first_byte_that_is_no_utf8(text).value_or(text.size()),
                                       std::min(text.find('\0'), text.size()));
  if (foreign == text.size()) return true;
  const std::string_view before = text.substr(0, foreign);
  const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const bool wide = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text[foreign] == '\0';
  problems.error({path, line, static_cast<int>(foreign - line_begin) + 1},
                 wide ? "This is not UTF-8 text, but UTF-16 or no text at all."
                      : fmt::format("Byte {:#04x} is not UTF-8 (the file may be Latin-1).",
                                    static_cast<unsigned char>(text[foreign])),
                 "Save the file as UTF-8.");
  return false;
}

}  // namespace

std::optional<std::string> read_scenario_file(const std::string& path, ProblemList& problems) {
  const SourceLocation where{path, 0, 0};
  std::error_code error;
  const std::string extension = fs::path(path).extension().string();
  if (!fs::exists(path, error)) {
    std::vector<std::string> names;
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".toml") names.push_back(it->path().filename().string());
    }
    const auto near = nearest_name(fs::path(path).filename().string(), names);
    problems.error(where, "There is no such file.",
                   near.empty() ? "Check the name and the folder." : fmt::format("Did you mean '{}'?", near));
    return std::nullopt;
  }
  if (fs::is_directory(path, error)) {
    problems.error(where, "This is a folder without an OspSystemStructure.xml or SystemStructure.ssd.",
                   "Name the scenario file (.toml) in it.");
    return std::nullopt;
  }
  if (extension == ".fmu") {
    problems.error(where, "This is an FMU, not a system.", "Run it by itself: ergon run-single FILE.");
    return std::nullopt;
  }
  // It may be a device without end, or some results.csv of gigabytes.
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> part;
  while (text.size() <= most_bytes && (stream.read(part.data(), part.size()), stream.gcount() > 0)) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || (!stream.eof() && text.size() <= most_bytes)) {
    problems.error(where, "The file cannot be read.", "Check its permissions.");
    return std::nullopt;
  }
  if (text.size() > most_bytes) {
    problems.error(where, fmt::format("The file is longer than {} MB.", most_bytes >> 20U),
                   "Name a scenario file (.toml).");
    return std::nullopt;
  }
  text.shrink_to_fit();
  return is_text(text, path, problems) ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace ergon
