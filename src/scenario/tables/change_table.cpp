#include <fmt/format.h>

#include "ergon/scenario/tables/tables.hpp"

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

Value untyped(const TypedValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return boolean_value(*b);
  if (const std::int64_t* n = std::get_if<std::int64_t>(&value)) return integer_value(*n);
  if (const double* n = std::get_if<double>(&value)) return number_value(*n);
  return text_value(std::get<std::string>(value));
}

void read_change_time(TableReader& reader, ParameterChange& change) {
  const auto time = reader.time_s("time");
  if (!time) return;
  change.time_s = time->value.value();
  change.where = time->where;
}

std::optional<Value> change_time_value(const ParameterChange& change, const Scenario&) {
  return number_value(change.time_s);
}

void read_changed_parameter(TableReader& reader, ParameterChange& change) {
  const auto parameter = reader.text("parameter");
  if (!parameter) return;
  change.parameter = parameter->value;
  change.where = parameter->where;
}

std::optional<Value> changed_parameter_value(const ParameterChange& change, const Scenario&) {
  return text_value(change.parameter);
}

void read_until(TableReader& reader, ParameterChange& change) {
  const auto until = reader.time_s("until");
  if (!until) return;
  change.until_s = until->value.value();
  if (*change.until_s > change.time_s) return;
  reader.error(until->where, fmt::format("'until' in {} is not after 'time'.", reader.title()),
               "Give a later time, or leave it out.");
}

std::optional<Value> until_value(const ParameterChange& change, const Scenario&) {
  return change.until_s ? std::optional(number_value(*change.until_s)) : std::nullopt;
}

/// 'value', or 'bias' in its place.
void read_new_value(TableReader& reader, ParameterChange& change) {
  const Entry* const bias = reader.entry("bias");
  const Entry* const value = reader.entry("value");
  if (bias != nullptr && value != nullptr)
    reader.error(bias->where, fmt::format("{} has both 'value' and 'bias'.", reader.title()),
                 "Give the new value, or what is added to the present one.");
  change.is_bias = bias != nullptr;
  const Entry* const entry = bias != nullptr ? bias : value;
  if (entry == nullptr) return reader.missing("value", "Give the new value, as in: value = 5.0");
  if (const auto given = typed(entry->value)) {
    change.value = *given;
    return;
  }
  reader.error(entry->value.where,
               fmt::format("'{}' in {} must be a number, true, false or a string, but is {}.", entry->key,
                           reader.title(), entry->value.describe()),
               fmt::format("Write it as in: {} = 5.0", entry->key));
}

std::optional<Value> new_value_value(const ParameterChange& change, const Scenario&) {
  return change.is_bias ? std::nullopt : std::optional(untyped(change.value));
}

std::optional<Value> bias_value(const ParameterChange& change, const Scenario&) {
  return change.is_bias ? std::optional(untyped(change.value)) : std::nullopt;
}

}  // namespace

const Keys<ParameterChange>& change_keys() {
  using K = Key<ParameterChange>;
  static const Keys<ParameterChange> keys = {
      K{"time", read_change_time, change_time_value}.required("Give the time, as in: time = 2.0"),
      K{"parameter", read_changed_parameter, changed_parameter_value}.required(
          "Name the parameter or input, as in: parameter = \"push.value\""),
      K{"until", read_until, until_value},
      K{"value", read_new_value, new_value_value},
      K{"bias", {}, bias_value},  // read with 'value'
      K::counter(),
  };
  return keys;
}

std::optional<ParameterChange> read_change(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, fmt::format("[[change]] no. {}", number), problems);
  ParameterChange change;
  change.where = table.where;
  read_keys(reader, change_keys(), change);
  if (!reader.finish()) return std::nullopt;
  return change;
}

}  // namespace ergon
