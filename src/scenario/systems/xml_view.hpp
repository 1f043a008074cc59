#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/fmi/description/xml_file.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Elements of an XML file by their names without prefix, and messages with their lines. Prefixes are not looked at: files of several
/// tools use some that they do not declare.
class XmlView {
 public:
  XmlView(const fmi::XmlFile& file, ProblemList& problems) : file_(file), problems_(problems) {}

  static std::string_view local_name(const pugi::xml_node& node);
  static std::vector<pugi::xml_node> children(const pugi::xml_node& node, std::string_view name);
  static pugi::xml_node child(const pugi::xml_node& node, std::string_view name);

  [[nodiscard]] SourceLocation where(const pugi::xml_node& node) const { return file_.where(node); }
  static std::string text(const pugi::xml_node& node, const char* attribute);
  /// Empty after reporting that it is absent.
  [[nodiscard]] std::string required(const pugi::xml_node& node, const char* attribute) const;
  /// Nothing where it is absent, or after reporting that it is not a finite number.
  [[nodiscard]] std::optional<double> number(const pugi::xml_node& node, const char* attribute) const;
  /// The number that an element holds as its text.
  [[nodiscard]] std::optional<double> content_number(const pugi::xml_node& node) const;
  [[nodiscard]] bool flag(const pugi::xml_node& node, const char* attribute) const;

  void error(const pugi::xml_node& node, std::string what, std::string remedy) const;
  void warning(const pugi::xml_node& node, std::string what, std::string remedy = {}) const;
  void note(const pugi::xml_node& node, std::string what) const;
  [[nodiscard]] ProblemList& problems() const { return problems_; }

 private:
  [[nodiscard]] std::optional<double> finite(const pugi::xml_node& node, const std::string& text,
                                             const std::string& title) const;
  const fmi::XmlFile& file_;
  ProblemList& problems_;
};

/// Sets or replaces a key of a table.
void set_entry(Value& table, const std::string& key, Value value);
/// The value of a key, made as an empty table where it is absent.
Value& table_at(Value& table, const std::string& key, const SourceLocation& where);
/// Adds to the list of a key.
void append_to(Value& table, const std::string& key, Value item);
Value located(Value value, const SourceLocation& where);

/// A value of an FMU variable as a type element says it: <Real value="1"/>, <Boolean value="true"/>, … Several numbers become a
/// list. Nothing after reporting what is wrong.
std::optional<Value> typed_value(const XmlView& view, const pugi::xml_node& type);

}  // namespace ergon
