#include "ergon/scenario/file/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

// Compiled in, not linked: built with the standard library's conversions it writes the shortest digits that read back to
// the same bits. Without its assertions, which do not hold for every wrong file; it reports those all the same.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_FLOAT_CHARCONV 1
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

namespace ergon {

const Entry* Value::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Entry* Value::find(std::string_view key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Value text_value(std::string text, SourceLocation where) {
  Value value;
  value.kind = Value::Kind::text;
  value.text = std::move(text);
  value.where = std::move(where);
  return value;
}

Value number_value(double number) {
  Value value;
  value.kind = Value::Kind::number;
  value.number = number;
  return value;
}

Value integer_value(std::int64_t integer) {
  Value value;
  value.kind = Value::Kind::integer;
  value.integer = integer;
  value.number = static_cast<double>(integer);
  return value;
}

Value boolean_value(bool boolean) {
  Value value;
  value.kind = Value::Kind::boolean;
  value.boolean = boolean;
  return value;
}

Value list_value(std::vector<Value> items) {
  Value value;
  value.kind = Value::Kind::list;
  value.items = std::move(items);
  return value;
}

Value table_value(std::vector<Entry> entries) {
  Value value;
  value.entries = std::move(entries);
  return value;
}

std::string Value::describe() const {
  switch (kind) {
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("the number {}", integer);
    case Kind::number:
      return fmt::format("the number {}", number);
    case Kind::text:
      return text.size() <= 60 ? fmt::format("the string \"{}\"", text) : "a long string";
    case Kind::list:
      return "a list";
    case Kind::table:
      return "a table";
    case Kind::date:
      return "a date or time";
  }
  return "something else";
}

namespace {

SourceLocation location(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Value convert(const toml::node& node, const std::string& file) {
  Value value;
  value.where = location(node.source(), file);
  if (const toml::table* table = node.as_table()) {
    value.kind = Value::Kind::table;
    value.entries.reserve(table->size());
    for (const auto& [key, item] : *table) {
      value.entries.push_back({std::string(key.str()), location(key.source(), file), convert(item, file)});
    }
  } else if (const toml::array* list = node.as_array()) {
    value.kind = Value::Kind::list;
    value.items.reserve(list->size());
    for (const toml::node& item : *list) value.items.push_back(convert(item, file));
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::text;
    value.text = text->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.kind = Value::Kind::boolean;
    value.boolean = flag->get();
  } else if (const auto* whole = node.as_integer()) {
    value.kind = Value::Kind::integer;
    value.integer = whole->get();
    value.number = static_cast<double>(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Value::Kind::number;
    value.number = number->get();
  } else {
    value.kind = Value::Kind::date;
  }
  return value;
}

void relocate(Value& value, const SourceLocation& where) {
  value.where = where;
  for (Value& item : value.items) relocate(item, where);
  for (Entry& entry : value.entries) {
    entry.where = where;
    relocate(entry.value, where);
  }
}

/// The library frees nested tables recursively, so a key of very many parts would exhaust the stack.
constexpr int max_key_parts = 1000;

/// The line of a key with more than `max_key_parts` parts, or 0. Dots of numbers and texts are told apart only as
/// far as needed: those of a list are separated by commas.
int line_of_endless_key(std::string_view text) {
  constexpr auto counts = [] {
    std::array<bool, 256> any{};
    for (const char c : {'.', ',', '=', '#', '\n'}) any[static_cast<unsigned char>(c)] = true;
    return any;
  }();
  int line = 1;
  int dots = 0;
  for (const char c : text) {
    if (!counts[static_cast<unsigned char>(c)]) continue;
    dots = c == '.' ? dots + 1 : 0;
    if (dots > max_key_parts) return line;
    if (c == '\n') ++line;
  }
  return 0;
}

toml::array array_of(const Value& value, int depth);
toml::table table_of(const Value& value, int depth);

/// Hands `use` the node that stands for a value.
template <class Use>
void with_node(const Value& value, int depth, Use use) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return use(value.boolean);
    case Value::Kind::integer:
      return use(value.integer);
    case Value::Kind::number:
      return use(value.number);
    case Value::Kind::text:
      return use(value.text);
    case Value::Kind::list:
      return use(array_of(value, depth));
    case Value::Kind::table:
      return use(table_of(value, depth));
    case Value::Kind::date:
      break;
  }
  throw std::logic_error("a date is never written");
}

toml::array array_of(const Value& value, int depth) {
  toml::array array;
  for (const Value& item : value.items) {
    with_node(item, depth, [&](auto node) { array.push_back(std::move(node)); });
  }
  return array;
}

/// A table has lines of its own at the top and one below; further down it stands in one line.
toml::table table_of(const Value& value, int depth) {
  toml::table table;
  for (const Entry& entry : value.entries) {
    with_node(entry.value, depth + 1, [&](auto node) { table.insert_or_assign(entry.key, std::move(node)); });
  }
  table.is_inline(depth > 1);
  return table;
}

}  // namespace

std::string to_toml(const Value& document) {
  std::ostringstream text;
  text << toml::toml_formatter{table_of(document, 0), toml::format_flags::none};
  return text.str() + "\n";
}

std::optional<Value> parse_document(const std::string& text, const std::string& file, ProblemList& problems) {
  if (const int line = line_of_endless_key(text); line > 0) {
    problems.error({file, line, 0}, fmt::format("A key or string has more than {} dots.", max_key_parts),
                   "Shorten this line.");
    return std::nullopt;
  }
  try {
    return convert(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    problems.error(location(error.source(), file), fmt::format("TOML syntax: {}.", error.description()),
                   "Fix this line: strings need quotes, list items commas, brackets must be closed, "
                   "and a key may appear only once.");
    return std::nullopt;
  }
}

namespace {

std::optional<Value> parse_toml_value(const std::string& text) {
  if (text.find('\n') != std::string::npos || line_of_endless_key(text) != 0) return std::nullopt;
  try {
    const toml::table table = toml::parse("value = " + text);
    const toml::node* node = table.get("value");
    if (!node || table.size() != 1 || node->is_date() || node->is_time() || node->is_date_time()) {
      return std::nullopt;
    }
    return convert(*node, {});
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Value parse_unquoted(std::string_view text) {
  Value value;
  const std::string_view trimmed = trim(text);
  // ".5" and "1." are numbers to everybody but TOML.
  double number = 0.0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  if (!trimmed.empty() && error == std::errc{} && end == trimmed.data() + trimmed.size()) {
    value.kind = Value::Kind::number;
    value.number = number;
    return value;
  }
  // [left, right]: shells eat quotes, so they may be missing.
  if (trimmed.size() >= 2 && trimmed.front() == '[' && trimmed.back() == ']') {
    value.kind = Value::Kind::list;
    std::string_view rest = trimmed.substr(1, trimmed.size() - 2);
    while (!trim(rest).empty()) {
      const auto comma = rest.find(',');
      const std::string item(trim(rest.substr(0, comma)));
      value.items.push_back(parse_toml_value(item).value_or(text_value(item, {})));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return value;
  }
  return text_value(std::string(text), {});
}

}  // namespace

Value parse_setting(const std::string& text, const SourceLocation& where) {
  auto parsed = parse_toml_value(text);
  Value value = parsed ? std::move(*parsed) : parse_unquoted(text);
  relocate(value, where);
  return value;
}

}  // namespace ergon
