#include "ergon/scenario/events/yaml_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

constexpr int most_levels = 32;

struct YamlError : std::runtime_error {
  YamlError(int at, const std::string& what) : std::runtime_error(what), line(at) {}
  int line;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A scalar without quotes.
Value plain_scalar(std::string_view text) {
  if (text == "true" || text == "false") return boolean_value(text == "true");
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t whole = 0;
  auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (!digits.empty() && failed == std::errc() && end == digits.data() + digits.size())
    return integer_value(whole);
  double number = 0.0;
  const auto real = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!digits.empty() && real.ec == std::errc() && real.ptr == digits.data() + digits.size())
    return number_value(number);
  return text_value(std::string(text));
}

/// JSON, and YAML in brackets. Also reads a quoted scalar by itself.
class FlowReader {
 public:
  FlowReader(std::string_view text, int line, const std::string& file)
      : text_(text), line_(line), file_(file) {}
  Value whole() {
    Value value = read(0);
    skip();
    if (at_ < text_.size()) fail(fmt::format("'{}' follows what is complete", text_[at_]));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw YamlError(line_, what); }
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '#') {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
        return;
      }
    }
  }
  char next() {
    skip();
    if (at_ >= text_.size()) fail("the text ends within a bracket or quotes");
    return text_[at_];
  }
  Value read(int level) {
    if (level > most_levels) fail(fmt::format("brackets lie in each other, more than {} deep", most_levels));
    const char c = next();
    const SourceLocation where{file_, line_, 0};
    if (c == '{') return located(mapping(level), where);
    if (c == '[') return located(list(level), where);
    if (c == '"' || c == '\'') return located(text_value(quoted()), where);
    const std::size_t end = std::min(text_.find_first_of(",]}\n:", at_), text_.size());
    const std::string_view scalar = trimmed(text_.substr(at_, end - at_));
    if (scalar.empty()) fail("a value is missing");
    at_ = end;
    return located(plain_scalar(scalar), where);
  }
  Value mapping(int level) {
    Value table;
    ++at_;
    while (next() != '}') {
      const int line = line_;
      const char c = next();
      std::string key;
      if (c == '"' || c == '\'') {
        key = quoted();
      } else {
        const std::size_t end = std::min(text_.find_first_of(":,}\n", at_), text_.size());
        key = std::string(trimmed(text_.substr(at_, end - at_)));
        at_ = end;
      }
      if (next() != ':') fail(fmt::format("':' is missing after '{}'", key));
      ++at_;
      Value value = read(level + 1);
      if (table.find(key) != nullptr) throw YamlError(line, fmt::format("'{}' is given twice", key));
      set_entry(table, key, std::move(value));
      if (next() == ',')
        ++at_;
      else if (next() != '}')
        fail("',' or '}' is missing");
    }
    ++at_;
    return table;
  }
  Value list(int level) {
    std::vector<Value> items;
    ++at_;
    while (next() != ']') {
      items.push_back(read(level + 1));
      if (next() == ',')
        ++at_;
      else if (next() != ']')
        fail("',' or ']' is missing");
    }
    ++at_;
    return list_value(std::move(items));
  }
  std::string quoted() {
    const char quote = text_[at_++];
    std::string text;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        return text;
      }
      if (c == '\n') break;
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size()) {
        const char escaped = text_[++at_];
        text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
      } else {
        text += c;
      }
    }
    fail("quotes are not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  const std::string& file_;
};

/// Mappings and lists by indentation.
class BlockReader {
 public:
  BlockReader(const std::string& text, const std::string& file) : file_(file) {
    std::size_t begin = 0;
    for (int number = 1; begin <= text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      add(std::string_view(text).substr(begin, end - begin), number);
      begin = end + 1;
    }
  }
  Value whole() {
    if (lines_.empty()) throw YamlError(1, "the file is empty");
    Value value = node(lines_.front().indent, 0);
    if (at_ < lines_.size()) throw YamlError(lines_[at_].number, "the indentation does not fit");
    return value;
  }

 private:
  struct Line {
    std::size_t indent;
    std::string content;
    int number;
  };
  void add(std::string_view line, int number) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quote != 0) {
        if (line[i] == quote) quote = 0;
      } else if (line[i] == '"' || line[i] == '\'') {
        quote = line[i];
      } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
        line = line.substr(0, i);
        break;
      }
    }
    const std::string_view content = trimmed(line);
    if (content.empty() || content == "---" || content == "...") return;
    const std::size_t indent = line.find_first_not_of(' ');
    if (line[indent] == '\t') throw YamlError(number, "lines are indented with tabs");
    lines_.push_back({indent, std::string(content), number});
  }
  Value node(std::size_t indent, int level) {
    if (level > most_levels)
      throw YamlError(lines_[at_].number,
                      fmt::format("lists and mappings lie in each other, more than {} deep", most_levels));
    const std::string& first = lines_[at_].content;
    if (first == "-" || first.starts_with("- ")) return list(indent, level);
    return mapping(indent, level);
  }
  Value list(std::size_t indent, int level) {
    const SourceLocation where{file_, lines_[at_].number, 0};
    std::vector<Value> items;
    while (at_ < lines_.size() && lines_[at_].indent == indent &&
           (lines_[at_].content == "-" || lines_[at_].content.starts_with("- "))) {
      Line& line = lines_[at_];
      const std::string_view rest = trimmed(std::string_view(line.content).substr(1));
      if (rest.empty()) {
        ++at_;
        items.push_back(nested(indent, line.number, level));
        continue;
      }
      if (is_mapping(rest)) {
        // The item is a mapping that begins in this line.
        const std::size_t inner = indent + static_cast<std::size_t>(rest.data() - line.content.data());
        line = {inner, std::string(rest), line.number};
        items.push_back(node(inner, level + 1));
      } else {
        items.push_back(scalar(rest, line.number));
        ++at_;
      }
    }
    return located(list_value(std::move(items)), where);
  }
  Value nested(std::size_t indent, int line, int level) {
    if (at_ >= lines_.size() || lines_[at_].indent <= indent) throw YamlError(line, "a value is missing");
    return node(lines_[at_].indent, level + 1);
  }
  static std::size_t end_of_key(std::string_view content) {
    if (content.starts_with('"') || content.starts_with('\'')) {
      const std::size_t close = content.find(content.front(), 1);
      return close == std::string_view::npos ? close : content.find(':', close);
    }
    for (std::size_t colon = content.find(':'); colon != std::string_view::npos;
         colon = content.find(':', colon + 1)) {
      if (colon + 1 == content.size() || content[colon + 1] == ' ') return colon;
    }
    return std::string_view::npos;
  }
  static bool is_mapping(std::string_view content) {
    return content.front() != '{' && content.front() != '[' && end_of_key(content) != std::string_view::npos;
  }
  Value mapping(std::size_t indent, int level) {
    Value table;
    table.where = {file_, lines_[at_].number, 0};
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      const Line line = lines_[at_];
      const std::size_t colon = end_of_key(line.content);
      if (colon == std::string_view::npos || line.content.starts_with("- "))
        throw YamlError(line.number, fmt::format("'{}' is not 'key: value'", line.content.substr(0, 60)));
      std::string key(trimmed(std::string_view(line.content).substr(0, colon)));
      if (key.size() >= 2 && (key.front() == '"' || key.front() == '\'')) key = key.substr(1, key.size() - 2);
      const std::string_view rest = trimmed(std::string_view(line.content).substr(colon + 1));
      ++at_;
      if (table.find(key) != nullptr) throw YamlError(line.number, fmt::format("'{}' is given twice", key));
      Value value;
      if (!rest.empty()) {
        value = scalar(rest, line.number);
      } else if (at_ < lines_.size() && lines_[at_].indent == indent &&
                 lines_[at_].content.starts_with("-")) {
        value = list(indent, level + 1);  // a list may stand below its key without indentation
      } else {
        value = nested(indent, line.number, level);
      }
      set_entry(table, key, std::move(value));
    }
    if (at_ < lines_.size() && lines_[at_].indent > indent)
      throw YamlError(lines_[at_].number, "the indentation does not fit");
    return table;
  }
  Value scalar(std::string_view text, int line) const {
    if (text.find_first_of("&*!|>%@`") == 0)
      throw YamlError(
          line, fmt::format("'{}' begins with a sign of YAML that is not available", text.substr(0, 60)));
    if (text.find_first_of("{[\"'") == 0) return FlowReader(text, line, file_).whole();
    return located(plain_scalar(text), {file_, line, 0});
  }

  const std::string& file_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Value> parse_yaml(const std::string& text, const std::string& file, ProblemList& problems) {
  try {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '{' || text[first] == '['))
      return FlowReader(text, 1, file).whole();
    return BlockReader(text, file).whole();
  } catch (const YamlError& error) {
    problems.error({file, error.line, 0}, fmt::format("This is neither JSON nor YAML: {}.", error.what()),
                   "Correct this line.");
    return std::nullopt;
  }
}

}  // namespace ergon
