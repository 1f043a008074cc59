#include "ergon/scenario/systems/xml_view.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "ergon/fmi/description/attributes.hpp"

namespace ergon {

std::string_view XmlView::local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::vector<pugi::xml_node> XmlView::children(const pugi::xml_node& node, std::string_view name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element && local_name(child) == name) found.push_back(child);
  }
  return found;
}

pugi::xml_node XmlView::child(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_element && local_name(child) == name) return child;
  }
  return {};
}

std::string XmlView::text(const pugi::xml_node& node, const char* attribute) {
  return node.attribute(attribute).value();
}

std::string XmlView::required(const pugi::xml_node& node, const char* attribute) const {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found || *found.value() == '\0')
    error(node, fmt::format("<{}> has no '{}'.", node.name(), attribute), "Add it.");
  return found.value();
}

std::optional<double> XmlView::finite(const pugi::xml_node& node, const std::string& text,
                                      const std::string& title) const {
  const std::optional<double> value = fmi::parse_double(text);
  if (value && std::isfinite(*value)) return value;
  error(node, fmt::format("{}: '{}' is not a finite number.", title, text.substr(0, 60)),
        "Give a number with a decimal point.");
  return std::nullopt;
}

std::optional<double> XmlView::number(const pugi::xml_node& node, const char* attribute) const {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) return std::nullopt;
  return finite(node, found.value(), fmt::format("'{}' of <{}>", attribute, node.name()));
}

std::optional<double> XmlView::content_number(const pugi::xml_node& node) const {
  return finite(node, node.text().get(), fmt::format("<{}>", node.name()));
}

bool XmlView::flag(const pugi::xml_node& node, const char* attribute) const {
  const std::string value = text(node, attribute);
  if (value.empty() || value == "false" || value == "0") return false;
  if (value == "true" || value == "1") return true;
  error(node, fmt::format("'{}' of <{}> is \"{}\".", attribute, node.name(), value.substr(0, 60)),
        "Write true or false.");
  return false;
}

void XmlView::error(const pugi::xml_node& node, std::string what, std::string remedy) const {
  problems_.error(where(node), std::move(what), std::move(remedy));
}
void XmlView::warning(const pugi::xml_node& node, std::string what, std::string remedy) const {
  problems_.warning(where(node), std::move(what), std::move(remedy));
}
void XmlView::note(const pugi::xml_node& node, std::string what) const {
  problems_.note(where(node), std::move(what));
}

Value located(Value value, const SourceLocation& where) {
  value.where = where;
  return value;
}

void set_entry(Value& table, const std::string& key, Value value) {
  if (Entry* there = table.find(key)) {
    there->where = value.where;
    there->value = std::move(value);
    return;
  }
  const SourceLocation where = value.where;
  table.entries.push_back({key, where, std::move(value)});
}

Value& table_at(Value& table, const std::string& key, const SourceLocation& where) {
  if (Entry* there = table.find(key)) return there->value;
  table.entries.push_back({key, where, located(table_value({}), where)});
  return table.entries.back().value;
}

void append_to(Value& table, const std::string& key, Value item) {
  Entry* list = table.find(key);
  if (list == nullptr) {
    table.entries.push_back({key, item.where, located(list_value({}), item.where)});
    list = &table.entries.back();
  }
  list->value.items.push_back(std::move(item));
}

std::optional<Value> typed_value(const XmlView& view, const pugi::xml_node& type) {
  const std::string_view name = XmlView::local_name(type);
  const SourceLocation where = view.where(type);
  const auto refuse = [&](const std::string& text, const char* what) -> std::optional<Value> {
    view.error(type, fmt::format("<{}>: '{}' is not {}.", type.name(), text.substr(0, 60), what),
               "Correct the value.");
    return std::nullopt;
  };
  std::vector<std::string> texts;
  if (type.attribute("value")) {
    texts = {type.attribute("value").value()};
  } else {
    for (const pugi::xml_node& item : XmlView::children(type, "Value"))
      texts.emplace_back(item.attribute("value").value());
  }
  if (texts.empty()) {
    view.error(type, fmt::format("<{}> has no 'value'.", type.name()), "Add it.");
    return std::nullopt;
  }
  if (name == "String" || name == "Enumeration") {
    if (texts.size() == 1) return located(text_value(texts.front()), where);
    return refuse(texts.front(), "a single value; lists of strings are not available");
  }
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    for (std::string& word : fmi::words_of(text)) words.push_back(std::move(word));
  }
  std::vector<Value> values;
  const bool is_real = name == "Real" || name.starts_with("Float");
  const bool is_whole = name == "Integer" || name.starts_with("Int") || name.starts_with("UInt");
  for (const std::string& word : words) {
    if (is_real) {
      const auto number = fmi::parse_double(word);
      if (!number || !std::isfinite(*number)) return refuse(word, "a finite number");
      values.push_back(located(number_value(*number), where));
    } else if (is_whole) {
      std::int64_t whole = 0;
      const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), whole);
      if (failed != std::errc() || end != word.data() + word.size()) return refuse(word, "a whole number");
      values.push_back(located(integer_value(whole), where));
    } else if (name == "Boolean") {
      if (word != "true" && word != "false" && word != "0" && word != "1")
        return refuse(word, "true or false");
      values.push_back(located(boolean_value(word == "true" || word == "1"), where));
    } else {
      view.error(type, fmt::format("Values of type <{}> are not available.", type.name()),
                 "Use Real, Integer, Boolean, String or Enumeration.");
      return std::nullopt;
    }
  }
  if (values.empty()) return refuse("", "a value");
  if (values.size() == 1) return values.front();
  return located(list_value(std::move(values)), where);
}

}  // namespace ergon
