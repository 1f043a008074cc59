#include "ergon/core/freeze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ergon {

std::unique_ptr<CoupledSystem> Freezer::run() {
  system_ = std::make_unique<CoupledSystem>();
  if (!number_nodes()) return nullptr;  // without unique names nothing further can be resolved
  make_connections();
  make_bonds();
  apply_input_starts();
  finish_links();
  report_unconnected();
  if (problems_.has_errors()) return nullptr;
  find_feedthrough_structure(*system_);
  return std::move(system_);
}

bool Freezer::number_nodes() {
  auto& nodes = graph_.nodes_;
  bool unique = true;
  if (nodes.empty()) problems_.error({}, "There is no subsystem.", "Add at least one [[subsystem]].");
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.name < b.name; });
  for (Index i = 0; i < nodes.size(); ++i) {
    Node& node = nodes[i];
    if (node.name.empty() || node.name.find_first_of(".[],\t\"") != std::string::npos) {
      problems_.error(node.where, fmt::format("'{}' is not a name for a subsystem.", node.name),
                      "Use letters, digits, '_' and '-'; blanks and '/' within it.");
    }
    if (i > 0 && nodes[i - 1].name == node.name) {
      problems_.error(node.where, fmt::format("Two subsystems are called '{}'.", node.name),
                      "Rename one of them.");
      unique = false;
    }
    if (!node.description->algebraic && !node.step_s.is_positive()) {
      problems_.error(node.where, fmt::format("The step size of '{}' is not positive.", node.name),
                      "Give a step_size > 0, in seconds.");
    }
    node.first_input = system_->inputs.size();
    node.first_output = system_->outputs.size();
    const auto number = [&](const std::vector<Port>& ports, std::vector<SignalName>& signals,
                            std::vector<Index>& firsts) {
      firsts.resize(ports.size());
      for (const ValueKind kind : {ValueKind::real, ValueKind::integer, ValueKind::text}) {
        for (Index p = 0; p < ports.size(); ++p) {
          if (value_kind_of(ports[p].type) != kind) continue;
          firsts[p] = signals.size();
          for (Index e = 0; e < ports[p].size; ++e) {
            const std::string element = ports[p].size > 1 ? fmt::format("[{}]", e) : "";
            signals.push_back({i, p, e, node.name + "." + ports[p].name + element, ports[p].type});
          }
        }
      }
    };
    number(node.description->inputs, system_->inputs, node.port_inputs);
    number(node.description->outputs, system_->outputs, node.port_outputs);
    node.input_count = system_->inputs.size() - node.first_input;
    node.output_count = system_->outputs.size() - node.first_output;
    node.input_counts = count_values(node.description->inputs);
    node.output_counts = count_values(node.description->outputs);
    for (Index input = node.first_input; input < system_->inputs.size(); ++input) {
      const Port& port = node.description->inputs[system_->inputs[input].port];
      const Index component = system_->inputs[input].element;
      system_->input_start.push_back(port.start_of(component));
      system_->integer_start.push_back(port.integer_start_of(component));
      system_->text_start.push_back(port.text_start_of(component));
    }
    check_port_types(node);
  }
  check_instances(nodes);
  system_->stated_input_start.resize(system_->inputs.size());
  system_->is_start_stated.resize(system_->inputs.size());
  mentioned_.resize(system_->inputs.size());
  system_->nodes = std::move(nodes);
  return unique;
}

const Port& Freezer::port_of(const PortSlice& slice) const {
  const Description& d = *system_->nodes[slice.node].description;
  return slice.is_input ? d.inputs[slice.port] : d.outputs[slice.port];
}

std::string Freezer::name_of(const PortSlice& slice) const {
  return system_->nodes[slice.node].name + "." + port_of(slice).name;
}

namespace {

struct Slice {
  std::string port;
  std::optional<Index> first;
  std::optional<Index> last;  // one past
  bool valid = true;
};

/// "port", "port[2]", "port[0:3]"
Slice parse_slice(std::string_view text) {
  Slice slice;
  const auto open = text.rfind('[');
  slice.port = text.substr(0, open);
  if (open == std::string_view::npos) return slice;
  const auto number = [&](std::string_view digits) -> std::optional<Index> {
    Index value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) slice.valid = false;
    return value;
  };
  if (!text.ends_with(']')) {
    slice.valid = false;
    return slice;
  }
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  const auto colon = inner.find(':');
  slice.first = number(inner.substr(0, colon));
  slice.last = colon == std::string_view::npos ? *slice.first + 1 : number(inner.substr(colon + 1));
  return slice;
}

std::vector<std::string> port_names(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& p : ports) names.push_back(p.name);
  return names;
}

}  // namespace

std::optional<Freezer::PortSlice> Freezer::resolve(const std::string& reference,
                                                   const SourceLocation& where) {
  const auto dot = reference.find('.');
  if (dot == std::string::npos) {
    problems_.error(where, fmt::format("'{}' does not name a port.", reference),
                    "Write 'subsystem.port', for example 'left.force'.");
    return std::nullopt;
  }
  const std::string instance = reference.substr(0, dot);
  const auto node_index = system_->find_node(instance);
  if (!node_index) {
    std::vector<std::string> names;
    for (const Node& n : system_->nodes) names.push_back(n.name);
    problems_.error(where, fmt::format("'{}': there is no subsystem '{}'.", reference, instance),
                    did_you_mean(instance, names));
    return std::nullopt;
  }
  const Node& node = system_->nodes[*node_index];
  // Foreign names may contain brackets: "wheel[1].force" is a port, where there is one of this name.
  const std::string_view wanted = std::string_view(reference).substr(dot + 1);
  const auto has_port = [&](const std::vector<Port>& ports) {
    return std::any_of(ports.begin(), ports.end(), [&](const Port& p) { return p.name == wanted; });
  };
  Slice slice;
  if (has_port(node.description->outputs) || has_port(node.description->inputs)) {
    slice.port = wanted;
  } else {
    slice = parse_slice(wanted);
  }
  PortSlice result;
  result.node = *node_index;
  for (const bool is_input : {false, true}) {
    const auto& ports = is_input ? node.description->inputs : node.description->outputs;
    const auto& firsts = is_input ? node.port_inputs : node.port_outputs;
    for (Index p = 0; p < ports.size(); ++p) {
      if (ports[p].name != slice.port) continue;
      const Index begin = slice.first.value_or(0);
      const Index end = slice.last.value_or(ports[p].size);
      if (!slice.valid || begin >= end || end > ports[p].size) {
        problems_.error(where,
                        fmt::format("'{}' is not a slice of a port of size {}.", reference, ports[p].size),
                        "Write port[i] or port[first:last], counting from 0, last not included.");
        return std::nullopt;
      }
      result.port = p;
      result.first = firsts[p] + begin;
      result.count = end - begin;
      result.is_input = is_input;
      for (Index i = 0; is_input && i < result.count; ++i) mentioned_[result.first + i] = true;
      return result;
    }
  }
  std::vector<std::string> names = port_names(node.description->outputs);
  const auto inputs = port_names(node.description->inputs);
  names.insert(names.end(), inputs.begin(), inputs.end());
  problems_.error(where, fmt::format("'{}' has no port '{}'.", node.name, slice.port),
                  did_you_mean(slice.port, names));
  return std::nullopt;
}

std::optional<Freezer::PortSlice> Freezer::resolve(const std::string& reference, bool want_input,
                                                   const SourceLocation& where) {
  auto slice = resolve(reference, where);
  if (!slice || slice->is_input == want_input) return slice;
  const Description& d = *system_->nodes[slice->node].description;
  problems_.error(where,
                  fmt::format("'{}' is an {}, but stands where an {} is needed.", reference,
                              want_input ? "output" : "input", want_input ? "input" : "output"),
                  fmt::format("'{}' offers: {}.", system_->nodes[slice->node].name,
                              fmt::join(port_names(want_input ? d.inputs : d.outputs), ", ")));
  return std::nullopt;
}

bool Freezer::check_units(const PortSlice& from, const PortSlice& to, const SourceLocation& where,
                          bool converts_units) {
  const Unit& a = port_of(from).unit;
  const Unit& b = port_of(to).unit;
  if (from.count != to.count) {
    problems_.error(
        where,
        fmt::format("'{}' (size {}) feeds '{}' (size {}).", name_of(from), from.count, name_of(to), to.count),
        "Take a slice, as in port[0:3], or connect ports of one size.");
    return false;
  }
  if (!converts_units || a.is_unspecified() || b.is_unspecified() || a.same_dimension(b)) return true;
  problems_.error(
      where, fmt::format("'{}' [{}] feeds '{}' [{}].", name_of(from), a.text, name_of(to), b.text),
      "These are different quantities: connect a port of the same dimension, or put a gain element between.");
  return false;
}

void Freezer::add_terms(const PortSlice& from, const PortSlice& to, double gain, double offset,
                        bool differentiate, std::optional<Index> bond, const SourceLocation& where,
                        bool converts_units) {
  UnitConversion unit;
  if (converts_units) unit = conversion(port_of(from).unit, port_of(to).unit);
  if (differentiate) unit.offset = 0.0;  // per second in both: the factors to SI convert a rate as well
  for (Index i = 0; i < from.count; ++i) {
    PendingLink& pending = pending_[to.first + i];
    pending.where = where;
    pending.sources_said.push_back(system_->outputs[from.first + i].text);
    pending.terms.push_back({system_->outputs[from.first + i].text,
                             {from.first + i, gain * unit.gain, gain * unit.offset + offset, differentiate},
                             bond});
  }
}

void Freezer::make_connections() {
  for (const ConnectionSpec& spec : graph_.connections_) {
    const auto to = resolve(spec.to, true, spec.where);
    if (spec.from.empty()) problems_.error(spec.where, "A connection without a source.", "Give 'from'.");
    if (!std::isfinite(spec.gain) || !std::isfinite(spec.offset)) {
      problems_.error(spec.where, "The gain or offset of a connection is not finite.",
                      "Give finite numbers.");
    }
    const PendingLink* taken = nullptr;
    for (Index i = 0; to && i < to->count && taken == nullptr; ++i) {
      const auto found = pending_.find(to->first + i);
      if (found != pending_.end()) taken = &found->second;
    }
    if (taken != nullptr) {
      const std::string& other = taken->sources_said.front();
      problems_.error(spec.where,
                      fmt::format("Two connections end at '{}': from '{}' and from '{}'.", spec.to, other,
                                  fmt::join(spec.from, "', '")),
                      fmt::format("To add them up write one connection with from = [\"{}\", \"{}\"].", other,
                                  fmt::join(spec.from, "\", \"")));
    }
    bool first = true;
    for (const std::string& source : spec.from) {
      const auto from = resolve(source, false, spec.where);
      if (!from || !to || !check_units(*from, *to, spec.where, spec.converts_units) ||
          !check_types(*from, *to, spec) || taken != nullptr)
        continue;
      add_terms(*from, *to, spec.gain, first ? spec.offset : 0.0, false, std::nullopt, spec.where,
                spec.converts_units);
      first = false;
      for (Index i = 0; i < to->count; ++i) {
        pending_[to->first + i].link.degree = spec.degree;
        pending_[to->first + i].link.geometry = spec.geometry;
      }
    }
  }
}

void Freezer::apply_input_starts() {
  for (const auto& start : graph_.input_starts_) {
    const auto port = resolve(start.port, true, start.where);
    if (!port) continue;
    // As in parameters, one number holds for all components.
    const bool is_for_all = start.values.size() == 1;
    if (!is_for_all && start.values.size() != port->count) {
      problems_.error(
          start.where,
          fmt::format("'{}' has {} values, but {} are given.", start.port, port->count, start.values.size()),
          "Give one value for all components, or one for each.");
      continue;
    }
    for (Index i = 0; i < port->count; ++i)
      state_start(*port, i, start.values[is_for_all ? 0 : i], start.where);
  }
}

void Freezer::state_start(const PortSlice& slice, Index element, const TypedValue& value,
                          const SourceLocation& where) {
  const Port& port = port_of(slice);
  const Index input = slice.first + element;
  const StoredValue start = to_stored(value, port.type, port.items);
  if (start.problem != nullptr) {
    std::vector<std::string> items;
    for (const EnumerationItem& item : port.items) items.push_back(item.name);
    problems_.error(where, fmt::format("The start value of '{}' {}.", name_of(slice), start.problem),
                    items.empty() ? fmt::format("It is of type {}.", ergon::name_of(port.type))
                                  : fmt::format("Choose from: {}.", fmt::join(items, ", ")));
    return;
  }
  if (!std::isfinite(start.real)) {
    problems_.error(where,
                    fmt::format("The start value {} of '{}' is not finite.", start.real, name_of(slice)),
                    "Give a finite number.");
  }
  system_->is_start_stated[input] = true;
  switch (value_kind_of(port.type)) {
    case ValueKind::real:
      system_->input_start[input] = start.real;
      system_->stated_input_start[input] = start.real;
      break;
    case ValueKind::integer:
      system_->integer_start[input] = start.integer;
      break;
    case ValueKind::text:
      system_->text_start[input] = start.text;
      break;
  }
}

void Freezer::finish_links() {
  system_->links.resize(system_->inputs.size());
  for (auto& [input, pending] : pending_) {
    // In order of names, so that the rounding of a sum does not depend on the order of the file.
    std::stable_sort(pending.terms.begin(), pending.terms.end(),
                     [](const PendingTerm& a, const PendingTerm& b) { return a.order_key < b.order_key; });
    Link link = pending.link;
    link.input = input;
    for (Index t = 0; t < pending.terms.size(); ++t) {
      link.terms.push_back(pending.terms[t].term);
      // A bond that was refused half way has left terms behind, but no bond.
      if (!pending.terms[t].bond || *pending.terms[t].bond >= system_->bonds.size()) continue;
      for (BondComponent& c : system_->bonds[*pending.terms[t].bond].components) {
        if (c.effort_input == input && c.effort_output == pending.terms[t].term.output) {
          c.effort_term = t;
          c.effort_input_shared = pending.terms.size() > 1;
        }
      }
    }
    system_->links[input] = std::move(link);
  }
}

void Freezer::report_unconnected() {
  for (const Node& node : system_->nodes) {
    for (Index p = 0; p < node.description->inputs.size(); ++p) {
      const Port& port = node.description->inputs[p];
      std::vector<Index> open;
      const Index first = node.port_inputs[p];
      for (Index e = 0; e < port.size; ++e) {
        const Index i = first + e;
        if (system_->links[i].has_value() || mentioned_[i] || system_->is_start_stated[i]) continue;
        open.push_back(e);
      }
      if (open.empty() || port.optional) continue;
      const std::string components =
          open.size() == port.size ? std::string() : fmt::format("[{}]", fmt::join(open, ", "));
      problems_.warning(node.where,
                        fmt::format("Input '{}.{}{}' is not connected: it keeps its start value {}{}{}.",
                                    node.name, port.name, components, shown_start(first + open.front()),
                                    port.unit.text.empty() ? "" : " ", port.unit.text),
                        "Connect it, or state its value in 'initial'.");
    }
  }
}

}  // namespace ergon
