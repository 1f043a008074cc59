#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ergon/scenario/file/readers.hpp"
#include "ergon/scenario/file/table_reader.hpp"

namespace ergon {
namespace {

/// An output, or a list of outputs and numbers.
ShapePlace read_place(TableReader& reader, const char* key) {
  ShapePlace place;
  const Entry* entry = reader.entry(key);
  if (entry == nullptr) return place;
  place.where = entry->value.where;
  const auto add = [&](const Value& value) {
    if (value.kind == Value::Kind::text && !value.text.empty()) {
      place.coordinates.push_back({value.text, 0.0, value.where});
    } else if (value.is_number() && std::isfinite(value.number)) {
      place.coordinates.push_back({{}, value.number, value.where});
    } else {
      return false;
    }
    return true;
  };
  const bool list = entry->value.kind == Value::Kind::list;
  if (list ? !std::all_of(entry->value.items.begin(), entry->value.items.end(), add)
           : entry->value.kind != Value::Kind::text || !add(entry->value))
    reader.error(place.where,
                 fmt::format("{} in {} is not a list of outputs and numbers.", key, reader.title()),
                 "Write it as in: [\"cart.position\", 0.0]");
  return place;
}

const std::map<std::string, std::size_t>& sizes() {
  static const std::map<std::string, std::size_t> counts = {
      {"sphere", 1}, {"box", 3}, {"cylinder", 2}, {"capsule", 2}, {"line", 1}};
  return counts;
}

void read_size(TableReader& reader, ShapeEntry& entry) {
  const std::size_t wanted = sizes().at(entry.kind);
  const auto said = reader.numbers("size");
  if (!said) {
    if (reader.entry("size") == nullptr)
      reader.missing("size",
                     "Give it in m: a radius; half lengths of a box; radius and length of a cylinder.");
    return;
  }
  const auto fits = [](double length) { return std::isfinite(length) && length > 0.0; };
  if (said->value.size() != wanted || !std::all_of(said->value.begin(), said->value.end(), fits)) {
    reader.error(said->where, fmt::format("size in {} does not fit a {}.", reader.title(), entry.kind),
                 fmt::format("Give {} positive length{} in m.", wanted, wanted == 1 ? "" : "s"));
  }
  entry.size_m = said->value;
}

}  // namespace

ShapeEntry read_shape(const Value& table, std::size_t number, ProblemList& problems) {
  const Entry* named = table.find("name");
  const bool has_name = named != nullptr && named->value.kind == Value::Kind::text;
  TableReader reader(
      table,
      has_name ? fmt::format("[[shape]] '{}'", named->value.text) : fmt::format("[[shape]] no. {}", number),
      problems);
  ShapeEntry entry;
  entry.where = table.where;
  if (auto name = reader.text("name")) {
    entry.name = std::move(*name);
  } else if (reader.entry("name") == nullptr) {
    reader.missing("name", "Give it one, as in: name = \"hook\"");
  }
  Names kinds;
  for (const auto& [kind, count] : sizes()) kinds.push_back(kind);
  if (const auto kind = reader.choice("kind", kinds)) {
    entry.kind = kind->value;
    read_size(reader, entry);
  } else {
    reader.entry("size");
    if (reader.entry("kind") == nullptr) reader.missing("kind", "Give one, as in: kind = \"sphere\"");
  }
  entry.position = read_place(reader, "position");
  if (reader.entry("position") == nullptr)
    reader.missing("position", "Name an output with two or three components, or one output for each.");
  if (entry.kind == "line") {
    entry.end = read_place(reader, "end");
    if (reader.entry("end") == nullptr) reader.missing("end", "Say where its other end is, as for position.");
  } else {
    entry.orientation = read_place(reader, "orientation");
  }
  entry.usable = reader.finish();
  return entry;
}

}  // namespace ergon
