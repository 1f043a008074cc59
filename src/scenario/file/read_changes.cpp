#include <fmt/format.h>

#include <cmath>

#include "ergon/scenario/file/readers.hpp"
#include "ergon/scenario/file/table_reader.hpp"

namespace ergon {
namespace {

std::optional<TypedValue> typed(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::integer:
      return value.integer;
    case Value::Kind::number:
      return value.number;
    case Value::Kind::text:
      return value.text;
    case Value::Kind::list:
    case Value::Kind::table:
    case Value::Kind::date:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ParameterChange> read_change(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, fmt::format("[[change]] no. {}", number), problems);
  ParameterChange change;
  change.where = table.where;
  if (const auto time = reader.time_s("time")) {
    change.time_s = time->value.value();
    change.where = time->where;
  } else if (reader.entry("time") == nullptr) {
    reader.missing("time", "Say when, as in: time = 2.0");
  }
  if (const auto parameter = reader.text("parameter")) {
    change.parameter = parameter->value;
    change.where = parameter->where;
  } else if (reader.entry("parameter") == nullptr) {
    reader.missing("parameter", "Say which, as in: parameter = \"push.value\"");
  }
  if (const auto until = reader.time_s("until")) {
    change.until_s = until->value.value();
    if (!(*change.until_s > change.time_s))
      reader.error(until->where, fmt::format("'until' in {} is not after 'time'.", reader.title()),
                   "Give a later time, or leave it out.");
  }
  const Entry* const bias = reader.entry("bias");
  if (bias != nullptr && reader.entry("value") != nullptr)
    reader.error(bias->where, fmt::format("{} has both 'value' and 'bias'.", reader.title()),
                 "Give the new value, or what is added to the present one.");
  change.is_bias = bias != nullptr;
  if (const Entry* entry = bias != nullptr ? bias : reader.entry("value")) {
    if (const auto value = typed(entry->value)) {
      change.value = *value;
    } else {
      reader.error(entry->value.where,
                   fmt::format("'{}' in {} must be a number, true, false or a string, but is {}.", entry->key,
                               reader.title(), entry->value.describe()),
                   fmt::format("Write it as in: {} = 5.0", entry->key));
    }
  } else {
    reader.missing("value", "Give the new value, as in: value = 5.0");
  }
  if (!reader.finish()) return std::nullopt;
  return change;
}

}  // namespace ergon
