#include "ergon/scenario/expand/references.hpp"

#include <functional>

namespace ergon {
namespace {

namespace fs = std::filesystem;
using Change = std::function<void(std::string&)>;

/// All strings in a value: one, or those of a list.
void change_texts(Value& value, const Change& change) {
  if (value.kind == Value::Kind::text) change(value.text);
  for (Value& item : value.items) change_texts(item, change);
}

void change_keys(Value& table, std::initializer_list<const char*> keys, const Change& change) {
  for (const char* key : keys) {
    if (Entry* entry = table.find(key)) change_texts(entry->value, change);
  }
}

template <class Use>
void for_items(Value& document, const char* list, Use use) {
  Entry* entry = document.find(list);
  if (entry == nullptr) return;
  for (Value& item : entry->value.items) use(item);
}

/// A name of a file that starts at `folder`, for who starts at `base`.
void relocate(std::string& name, const fs::path& base, const fs::path& folder) {
  if (name.empty() || fs::path(name).is_absolute()) return;
  name = (folder / name).lexically_proximate(base).generic_string();
}

}  // namespace

void prefix_names(Value& document, const std::string& prefix) {
  const Change add = [&](std::string& name) { name.insert(0, prefix); };
  for_items(document, "subsystem", [&](Value& item) { change_keys(item, {"name"}, add); });
  for_items(document, "element", [&](Value& item) { change_keys(item, {"name", "ends", "i", "j"}, add); });
  for_items(document, "bond", [&](Value& item) {
    change_keys(item, {"name"}, add);
    for (const char* side : {"a", "b"}) {
      if (Entry* end = item.find(side)) change_keys(end->value, {"effort", "flow", "displacement"}, add);
    }
  });
  for_items(document, "connection", [&](Value& item) { change_keys(item, {"name", "from", "to"}, add); });
  for_items(document, "change", [&](Value& item) { change_keys(item, {"parameter"}, add); });
  for_items(document, "shape", [&](Value& item) {
    change_keys(item, {"name", "position", "orientation", "end"}, add);
  });
}

void relocate_files(Value& document, const fs::path& base, const fs::path& folder) {
  if (folder.lexically_normal() == base.lexically_normal()) return;
  const Change move = [&](std::string& name) { relocate(name, base, folder); };
  // What a parameter says is a file where there is one.
  const Change move_file = [&](std::string& text) {
    std::error_code error;
    if (!text.empty() && text.find('\n') == std::string::npos && fs::is_regular_file(folder / text, error))
      relocate(text, base, folder);
  };
  for_items(document, "subsystem", [&](Value& item) {
    change_keys(item, {"fmu", "description", "system"}, move);
    for (const char* table : {"parameters", "initial", "values"}) {
      Entry* values = item.find(table);
      if (values == nullptr) continue;
      for (Entry& entry : values->value.entries) {
        if (entry.value.kind == Value::Kind::text) move_file(entry.value.text);
      }
    }
  });
  for_items(document, "element", [&](Value& item) {
    Entry* values = item.find("parameters");
    if (values == nullptr) return;
    for (Entry& entry : values->value.entries) {
      if (entry.value.kind == Value::Kind::text) move_file(entry.value.text);
    }
  });
}

}  // namespace ergon
