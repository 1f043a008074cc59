#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon::fmi {

/// `bytes` as UTF-8 without a byte order mark: UTF-8, UTF-16 and ISO-8859-1 (also as Windows-1252 and US-ASCII) are known. Bytes
/// that are not the UTF-8 they claim to be are taken for ISO-8859-1, and `repaired` says so. Nothing where the encoding is not
/// known; its name is then in `encoding`.
struct Decoded {
  std::optional<std::string> text;
  std::string encoding;
  bool repaired = false;
};
Decoded decode_xml(std::string_view bytes);

/// An XML file that a stranger wrote: no DOCTYPE (so no entities of its own), limited size and depth.
class XmlFile {
 public:
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;
  static constexpr int most_depth = 64;

  /// False after reporting what is wrong. `shown_name` is the name in messages.
  bool load(const std::filesystem::path& path, const std::string& shown_name, ProblemList& problems);
  bool parse(std::string_view bytes, const std::string& shown_name, ProblemList& problems);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  [[nodiscard]] SourceLocation where(const pugi::xml_node& node) const;
  [[nodiscard]] int line_of(const pugi::xml_node& node) const;

 private:
  std::string name_;
  pugi::xml_document document_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace ergon::fmi
