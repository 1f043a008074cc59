#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

/// How many lengths each kind of shape has.
const std::map<std::string, std::size_t>& sizes() {
  static const std::map<std::string, std::size_t> counts = {
      {"sphere", 1}, {"box", 3}, {"cylinder", 2}, {"capsule", 2}, {"line", 1}};
  return counts;
}

Names shape_kinds() {
  Names kinds;
  for (const auto& [kind, count] : sizes()) kinds.push_back(kind);
  return kinds;
}

bool is_line(TableReader& /*reader*/, const ShapeEntry& entry) {
  return entry.kind == "line";
}
bool is_no_line(TableReader& /*reader*/, const ShapeEntry& entry) {
  return entry.kind != "line";
}

void read_size(TableReader& reader, ShapeEntry& entry) {
  const Entry* there = reader.entry("size");
  if (entry.kind.empty()) return;  // what fits is not known
  if (there == nullptr) {
    reader.missing("size", "Give it in m: a radius; half lengths of a box; radius and length of a cylinder.");
    return;
  }
  const auto said = reader.numbers("size");
  if (!said) return;
  const std::size_t wanted = sizes().at(entry.kind);
  const auto fits = [](double length) { return std::isfinite(length) && length > 0.0; };
  if (said->value.size() != wanted || !std::all_of(said->value.begin(), said->value.end(), fits)) {
    reader.error(said->where, fmt::format("size in {} does not fit a {}.", reader.title(), entry.kind),
                 fmt::format("Give {} positive length{} in m.", wanted, wanted == 1 ? "" : "s"));
  }
  entry.size_m = said->value;
}

std::optional<Value> size_value(const ShapeEntry& entry, const Scenario&) {
  return number_list(entry.size_m);
}

/// An output, or a list of outputs and numbers.
Key<ShapeEntry> place_key(const char* name, ShapePlace ShapeEntry::*at) {
  Key<ShapeEntry> key{name};
  key.read = [name, at](TableReader& reader, ShapeEntry& shape) {
    ShapePlace& place = shape.*at;
    const Entry* entry = reader.entry(name);
    if (entry == nullptr) return;
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
                   fmt::format("{} in {} is not a list of outputs and numbers.", name, reader.title()),
                   "Write it as in: [\"cart.position\", 0.0]");
  };
  key.write = [at](const ShapeEntry& shape, const Scenario&) -> std::optional<Value> {
    std::vector<Value> items;
    for (const ShapeCoordinate& c : (shape.*at).coordinates)
      items.push_back(c.outputs.empty() ? number_value(c.number) : text_value(c.outputs));
    return list_value(std::move(items));
  };
  return key;
}

}  // namespace

const Keys<ShapeEntry>& shape_keys() {
  using S = ShapeEntry;
  using K = Key<S>;
  static const auto has_end = [](const S& s) { return s.kind == "line"; };
  static const auto has_orientation = [](const S& s) { return !s.orientation.coordinates.empty(); };
  static const Keys<S> keys = {
      K::text("name", &S::name).required("Give it one, as in: name = \"hook\""),
      K::word("kind", &S::kind, shape_kinds).required("Give one, as in: kind = \"sphere\""),
      K{"size", read_size, size_value},
      place_key("position", &S::position)
          .required("Name an output with two or three components, or one output for each."),
      place_key("end", &S::end)
          .required("Give the other end, as for position.")
          .known_if(is_line)
          .written_if(has_end),
      place_key("orientation", &S::orientation).known_if(is_no_line).written_if(has_orientation),
      K::counter(),
  };
  return keys;
}

ShapeEntry read_shape(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, item_title("shape", table, number), problems);
  ShapeEntry entry;
  entry.where = table.where;
  read_keys(reader, shape_keys(), entry);
  entry.usable = reader.finish();
  return entry;
}

}  // namespace ergon
