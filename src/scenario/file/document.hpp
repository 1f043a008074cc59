#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

struct Entry;
class Constants;

/// One node of a parsed TOML file. A tree of our own, so that the command line can edit it before it is read and
/// the TOML library, slow to compile, is seen by one source file only.
struct Value {
  enum class Kind { boolean, integer, number, text, list, table, date };
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;  ///< also for integers
  std::string text;
  std::vector<Value> items;
  std::vector<Entry> entries;
  SourceLocation where;
  std::shared_ptr<const Constants>
      constants{};  ///< of a string: what names in it stand for, if it is a formula

  [[nodiscard]] bool is_number() const { return kind == Kind::number || kind == Kind::integer; }
  [[nodiscard]] const Entry* find(std::string_view key) const;
  [[nodiscard]] Entry* find(std::string_view key);
  /// What it is, for "… but is <the text "abc">".
  [[nodiscard]] std::string describe() const;
};

/// key = value, and where the key stands.
struct Entry {
  std::string key;
  SourceLocation where;
  Value value;
};

Value text_value(std::string text, SourceLocation where = {});
Value number_value(double number);
Value integer_value(std::int64_t integer);
Value boolean_value(bool boolean);
Value list_value(std::vector<Value> items);
Value table_value(std::vector<Entry> entries);

/// A document as TOML text that parses to the same. The keys of a table come in alphabetical order, a table inside a table
/// is written in one line.
std::string to_toml(const Value& document);

/// Nothing after reporting a syntax error with its line and column.
std::optional<Value> parse_document(const std::string& text, const std::string& file, ProblemList& problems);

/// A value as typed on a command line: a number, true/false, a list (quotes may be left out), an inline table;
/// anything else is a text.
Value parse_setting(const std::string& text, const SourceLocation& where);

}  // namespace ergon
