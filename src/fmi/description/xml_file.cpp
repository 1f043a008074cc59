#include "ergon/fmi/description/xml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "ergon/core/utf8.hpp"

namespace ergon::fmi {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), byte(0x80 | (code >> 6 & 0x3F)),
        byte(0x80 | (code & 0x3F));
  }
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]);
    const auto b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(big_endian ? a << 8 | b : b << 8 | a);
  };
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size()) {
      code = 0x10000 + ((code - 0xD800) << 10) + ((unit(i + 2) - 0xDC00) & 0x3FF);
      i += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

/// encoding="…" of the XML declaration, in lower case; empty where it says none.
std::string declared_encoding(std::string_view bytes) {
  if (bytes.rfind("<?xml", 0) != 0) return {};
  const std::string_view head = bytes.substr(0, std::min(bytes.find("?>"), std::size_t{400}));
  std::size_t at = head.find("encoding");
  if (at == head.npos) return {};
  at = head.find_first_of("\"'", at);
  if (at == head.npos) return {};
  const std::size_t end = head.find(head[at], at + 1);
  if (end == head.npos) return {};
  std::string name(head.substr(at + 1, end - at - 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

Decoded decode_xml(std::string_view bytes) {
  using namespace std::string_view_literals;
  Decoded result;
  if (bytes.rfind("\xEF\xBB\xBF"sv, 0) == 0) {
    bytes.remove_prefix(3);
    result.encoding = "utf-8";
  } else if (bytes.rfind("\xFE\xFF"sv, 0) == 0 || bytes.rfind("\0<"sv, 0) == 0) {
    result.encoding = "utf-16";
    result.text = from_utf16(bytes.substr(bytes.front() == 0 ? 0 : 2), true);
    return result;
  } else if (bytes.rfind("\xFF\xFE"sv, 0) == 0 || bytes.rfind("<\0"sv, 0) == 0) {
    result.encoding = "utf-16";
    result.text = from_utf16(bytes.substr(bytes.front() == '<' ? 0 : 2), false);
    return result;
  } else {
    result.encoding = declared_encoding(bytes);
  }
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), result.encoding) != names.end();
  };
  if (is_one_of({"", "utf-8", "utf8", "us-ascii", "ascii"})) {
    result.repaired = first_byte_that_is_no_utf8(bytes).has_value();
    result.text = result.repaired ? from_latin1(bytes) : std::string(bytes);
  } else if (is_one_of(
                 {"iso-8859-1", "iso8859-1", "latin1", "latin-1", "iso-8859-15", "windows-1252", "cp1252"})) {
    result.text = from_latin1(bytes);
  }
  return result;
}

bool XmlFile::load(const std::filesystem::path& path, const std::string& shown_name, ProblemList& problems) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.error({shown_name, 0, 0}, fmt::format("The file cannot be read: {}.", std::strerror(errno)),
                   "An FMU has it at the top of its archive.");
    return false;
  }
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) > most_bytes) {
    problems.error({shown_name, 0, 0}, fmt::format("The file is larger than {} MB.", most_bytes >> 20),
                   "No description needs so much: do not trust it.");
    return false;
  }
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return parse(bytes.view(), shown_name, problems);
}

bool XmlFile::parse(std::string_view bytes, const std::string& shown_name, ProblemList& problems) {
  name_ = shown_name;
  line_starts_ = {0};
  const auto refuse = [&](int line, std::string what, std::string remedy) {
    problems.error({name_, line, 0}, std::move(what), std::move(remedy));
    return false;
  };
  Decoded decoded = decode_xml(bytes);
  if (!decoded.text)
    return refuse(1, fmt::format("The encoding '{}' is not known.", decoded.encoding), "Write it as UTF-8.");
  if (decoded.repaired)
    problems.warning({name_, 1, 0},
                     "The text is not the UTF-8 that it claims to be; it is read as ISO-8859-1.");
  const std::string& text = *decoded.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  const auto line_at = [&](std::size_t offset) {
    return static_cast<int>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) -
                            line_starts_.begin());
  };
  const pugi::xml_parse_result parsed = document_.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  for (const pugi::xml_node& child : document_.children()) {
    if (child.type() == pugi::node_doctype)
      return refuse(line_at(text.find("<!DOCTYPE")),
                    "The file has a DOCTYPE, which can define entities without end.",
                    "Nothing that is read here needs one: remove it, or do not trust this file.");
  }
  if (!parsed)
    return refuse(line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, parsed.offset))),
                  fmt::format("This is not XML: {}.", parsed.description()), "Have the file written again.");
  if (!root()) return refuse(1, "The file is empty.", "Have the file written again.");
  // Walked, not recursed: a file may be as deep as it is long.
  int depth = 0;
  for (pugi::xml_node node = root(); node;) {
    if (depth > most_depth)
      return refuse(line_of(node), fmt::format("Elements lie in each other, more than {} deep.", most_depth),
                    "Do not trust this file.");
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node && !node.next_sibling() && depth > 0) {
      node = node.parent();
      --depth;
    }
    if (depth == 0) break;
    node = node.next_sibling();
  }
  return true;
}

int XmlFile::line_of(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return 0;
  return static_cast<int>(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), static_cast<std::size_t>(offset)) -
      line_starts_.begin());
}

SourceLocation XmlFile::where(const pugi::xml_node& node) const {
  return {name_, line_of(node), 0};
}

}  // namespace ergon::fmi
