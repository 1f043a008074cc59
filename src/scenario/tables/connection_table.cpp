#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

void read_from(TableReader& reader, ConnectionEntry& entry) {
  for (Said<std::string>& port : reader.texts("from")) {
    entry.spec.from.push_back(port.value);
    entry.ports.push_back(std::move(port));
  }
}

std::optional<Value> from_value(const ConnectionEntry& entry, const Scenario&) {
  return text_or_list(entry.spec.from);
}

void read_to(TableReader& reader, ConnectionEntry& entry) {
  auto to = reader.text("to");
  if (!to) return;
  entry.spec.to = to->value;
  entry.ports.push_back(std::move(*to));
}

std::optional<Value> to_port_value(const ConnectionEntry& entry, const Scenario&) {
  return text_value(entry.spec.to);
}

void read_link_extrapolation(TableReader& reader, ConnectionEntry& entry) {
  const auto name = reader.choice("extrapolation", extrapolation_name_list());
  entry.spec.degree = name ? extrapolation_degree(name->value) : std::nullopt;
}

std::optional<Value> link_extrapolation_value(const ConnectionEntry& entry, const Scenario& scenario) {
  if (!entry.spec.degree && scenario.coupling.only_followed) return std::nullopt;
  return text_value(std::string(extrapolation_name(entry.spec.degree.value_or(scenario.coupling.degree))));
}

}  // namespace

const Keys<ConnectionEntry>& connection_keys() {
  using S = ConnectionEntry;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::text("name", &S::name),
      K{"from", read_from, from_value}.required("Name an output, as in: from = \"left.force\""),
      K{"to", read_to, to_port_value}.required("Name an input, as in: to = \"right.force\""),
      K::number(
          "gain", [](auto& s) -> auto& { return s.spec.gain; }),
      K::number(
          "offset", [](auto& s) -> auto& { return s.spec.offset; }),
      K{"extrapolation", read_link_extrapolation, link_extrapolation_value},
      K::flag(
          "convert_units", [](auto& s) -> auto& { return s.spec.converts_units; })
          .written_if([](const S& s) { return !s.spec.converts_units; }),
      K::counter(),
  };
  return keys;
}

ConnectionEntry read_connection(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, item_title("connection", table, number), problems);
  ConnectionEntry entry;
  entry.spec.where = table.where;
  read_keys(reader, connection_keys(), entry);
  entry.usable = reader.finish();
  return entry;
}

}  // namespace ergon
