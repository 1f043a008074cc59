#include "ergon/scenario/systems/merge_documents.hpp"

#include <algorithm>
#include <set>

#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

std::string text_in(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry != nullptr && entry->value.kind == Value::Kind::text ? entry->value.text : std::string{};
}

void collect_texts(const Value& value, std::set<std::string>& texts) {
  if (value.kind == Value::Kind::text) texts.insert(value.text);
  for (const Value& item : value.items) collect_texts(item, texts);
}

/// Inputs that the added bonds and connections feed.
std::set<std::string> inputs_fed_by(const Value& added) {
  std::set<std::string> ports;
  if (const Entry* bonds = added.find("bond")) {
    for (const Value& bond : bonds->value.items) {
      for (const char* side : {"a", "b"}) {
        const Entry* end = bond.find(side);
        if (end == nullptr) continue;
        for (const Entry& entry : end->value.entries) collect_texts(entry.value, ports);
      }
    }
  }
  if (const Entry* connections = added.find("connection")) {
    for (const Value& connection : connections->value.items) ports.insert(text_in(connection, "to"));
  }
  return ports;
}

void merge_subsystems(Value& document, Value& added) {
  for (Value& one : added.items) {
    Value* there = nullptr;
    if (Entry* list = document.find("subsystem")) {
      for (Value& item : list->value.items) {
        if (text_in(item, "name") == text_in(one, "name")) there = &item;
      }
    }
    if (there == nullptr) {
      append_to(document, "subsystem", std::move(one));
      continue;
    }
    for (Entry& entry : one.entries) {
      if (entry.key != "name") set_entry(*there, entry.key, std::move(entry.value));
    }
  }
}

}  // namespace

void merge_documents(Value& document, Value added) {
  const std::set<std::string> fed = inputs_fed_by(added);
  if (Entry* connections = document.find("connection")) {
    std::erase_if(connections->value.items, [&](const Value& c) { return fed.contains(text_in(c, "to")); });
  }
  for (Entry& entry : added.entries) {
    if (entry.key == "subsystem") {
      merge_subsystems(document, entry.value);
    } else if (entry.value.kind == Value::Kind::list) {
      for (Value& item : entry.value.items) append_to(document, entry.key, std::move(item));
    } else if (entry.value.kind == Value::Kind::table) {
      Value& section = table_at(document, entry.key, entry.where);
      for (Entry& inner : entry.value.entries) set_entry(section, inner.key, std::move(inner.value));
    }
  }
}

}  // namespace ergon
