#include "ergon/scenario/ssp/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

using fmi::Causality;

const fmi::Variable* variable_of(const SspElement& element, const std::string& name) {
  return element.model ? element.model->find(name) : nullptr;
}

bool is_sending_kind(std::string_view kind) {
  return kind == "output" || kind == "calculatedParameter" || kind == "local" || kind == "constant";
}
bool is_receiving_kind(std::string_view kind) {
  return kind == "input" || kind == "parameter" || kind == "structuralParameter";
}

/// A value on its way through a conversion; only numbers change.
Value scaled(Value value, double gain, double offset) {
  if (gain == 1.0 && offset == 0.0) return value;
  for (Value& item : value.items) item = scaled(item, gain, offset);
  if (!value.is_number()) return value;
  Value number = number_value(gain * value.number + offset);
  number.where = value.where;
  return number;
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

void SspFlattener::flatten() {
  const SspElement& top = *structure_.system;
  add_leaves(top, {}, std::nullopt);
  add_edges(top);
  apply_parameters(top);
  for (Leaf& leaf : leaves_) connect_inputs(leaf);
  for (Leaf& leaf : leaves_) {
    write_values(leaf);
    append_to(document_, "subsystem", std::move(leaf.table));
  }
}

void SspFlattener::add_leaves(const SspElement& element, const std::string& path,
                              std::optional<double> step_s) {
  if (element.step_s && element.parent != nullptr) step_s = element.step_s;
  for (const auto& child : element.elements) {
    const std::string name = path.empty() ? child->name : path + "/" + child->name;
    if (child->kind == SspElement::Kind::system) add_leaves(*child, name, step_s);
    if (child->kind != SspElement::Kind::component) continue;
    Leaf leaf{
        child.get(), names_.add(name, child->where, problems_), located(table_value({}), child->where), {}};
    set_entry(leaf.table, "name", located(text_value(leaf.name), child->where));
    if (!child->fmu.empty()) set_entry(leaf.table, "fmu", located(text_value(child->fmu), child->where));
    if (child->by_model_exchange) set_entry(leaf.table, "interface", located(text_value("me"), child->where));
    if (child->isolate) set_entry(leaf.table, "isolate", located(boolean_value(true), child->where));
    const std::optional<double> own = child->step_s ? child->step_s : step_s;
    if (own) set_entry(leaf.table, "step_size", located(number_value(*own), child->where));
    if (child->model) fmus_.push_back(child->model);
    leaf_places_[child.get()] = leaves_.size();
    leaves_.push_back(std::move(leaf));
  }
}

SspFlattener::Leaf* SspFlattener::leaf_of(const void* element) {
  const auto found = leaf_places_.find(element);
  return found == leaf_places_.end() ? nullptr : &leaves_[found->second];
}

std::optional<SspFlattener::Plug> SspFlattener::plug(const SspElement& system, const std::string& element,
                                                     const std::string& connector,
                                                     const SspConnection& connection) {
  const SspElement* owner = &system;
  if (!element.empty()) {
    const auto found = std::find_if(system.elements.begin(), system.elements.end(),
                                    [&](const auto& e) { return e->name == element; });
    if (found == system.elements.end()) {
      std::vector<std::string> names;
      for (const auto& e : system.elements) names.push_back(e->name);
      problems_.error(connection.where, fmt::format("System '{}' has no element '{}'.", system.name, element),
                      did_you_mean(element, names));
      return std::nullopt;
    }
    owner = found->get();
  }
  Plug plug;
  plug.element = owner;
  plug.pin = {owner, connector};
  const SspConnector* declared = owner->connector(connector);
  std::string kind = declared ? declared->kind : std::string{};
  if (declared) plug.unit = declared->unit;
  if (owner->kind == SspElement::Kind::dictionary_reference) {
    for (const SspElement* scope = owner->parent; scope != nullptr; scope = scope->parent) {
      const auto dictionary = scope->dictionaries.find(owner->dictionary);
      if (dictionary == scope->dictionaries.end()) continue;
      for (const SspConnector& entry : dictionary->second) {
        if (entry.name != connector) continue;
        plug.pin = {&dictionary->second, connector};
        plug.element = nullptr;
        plug.unit = entry.unit;
        kind = "inout";
      }
      break;
    }
    if (plug.element != nullptr) {
      problems_.error(connection.where,
                      fmt::format("Signal dictionary '{}' has no entry '{}'.", owner->dictionary, connector),
                      "Declare it in <SignalDictionaries> of this system or of one around it.");
      return std::nullopt;
    }
  } else if (owner->kind == SspElement::Kind::component && owner->model) {
    const fmi::Variable* v = variable_of(*owner, connector);
    if (v == nullptr) {
      std::vector<std::string> names;
      for (const fmi::Variable& known : owner->model->description().variables) {
        if (known.causality == Causality::input || known.causality == Causality::output)
          names.push_back(known.name);
      }
      problems_.error(connection.where,
                      fmt::format("The FMU of '{}' has no variable '{}'.", owner->name, connector),
                      did_you_mean(connector, names));
      return std::nullopt;
    }
    // The FMU knows better than the description of its connector.
    kind = name_of(v->causality);
    const Unit own = fmi::unit_of(owner->model->description(), *v);
    if (!own.is_unspecified()) {
      if (!is_same_unit(own, plug.unit))
        problems_.warning(
            declared->where,
            fmt::format("Connector '{}' is in {}, but the variable of the FMU in {}, which is used.",
                        connector, plug.unit.text, own.text));
      plug.unit = own;
    }
  } else if (!declared) {
    std::vector<std::string> names;
    for (const SspConnector& c : owner->connectors) names.push_back(c.name);
    problems_.error(connection.where, fmt::format("'{}' has no connector '{}'.", owner->name, connector),
                    did_you_mean(connector, names));
    return std::nullopt;
  }
  // Seen from inside, an input of the system sends.
  const bool is_inside = owner == &system;
  const bool sends = is_inside ? is_receiving_kind(kind) : is_sending_kind(kind);
  const bool receives = is_inside ? is_sending_kind(kind) : is_receiving_kind(kind);
  plug.may_send = sends || !receives;
  plug.may_receive = receives || !sends;
  units_[plug.pin] = plug.unit;
  texts_[plug.pin] = fmt::format("{}.{}", owner->name, connector);
  return plug;
}

void SspFlattener::add_edges(const SspElement& system) {
  for (const SspConnection& c : system.connections) {
    const auto start = plug(system, c.start_element, c.start_connector, c);
    const auto end = plug(system, c.end_element, c.end_connector, c);
    if (!start || !end) continue;
    // Start and end do not say which way a signal goes: kinds do.
    const bool forward = start->may_send && end->may_receive;
    const bool backward = end->may_send && start->may_receive;
    if (!forward && !backward) {
      problems_.error(c.where,
                      fmt::format("'{}' and '{}' are both {}.", text_of_pin(start->pin),
                                  text_of_pin(end->pin), start->may_send ? "outputs" : "inputs"),
                      "Connect an output with an input.");
      continue;
    }
    const Plug& from = forward ? *start : *end;
    const Plug& to = forward ? *end : *start;
    std::vector<Edge>& edges = incoming_[to.pin];
    if (!edges.empty()) {
      problems_.error(
          c.where,
          fmt::format("Two connections end at '{}': from '{}' and from '{}'.", text_of_pin(to.pin),
                      text_of_pin(edges.front().from), text_of_pin(from.pin)),
          "An input takes one connection.");
      continue;
    }
    edges.push_back({from.pin, to.pin, &c});
  }
  for (const auto& child : system.elements) {
    if (child->kind == SspElement::Kind::system) add_edges(*child);
  }
}

/// Inner sets first: what a system around them says wins.
void SspFlattener::apply_parameters(const SspElement& element) {
  for (const auto& child : element.elements) apply_parameters(*child);
  for (const SspParameter& parameter : element.parameters) {
    if (assign(element, parameter.name, parameter) == 0)
      problems_.note(parameter.where, fmt::format("Parameter '{}' fits nothing in '{}'; it is not used.",
                                                  parameter.name, element.name));
  }
}

std::size_t SspFlattener::assign(const SspElement& element, const std::string& name,
                                 const SspParameter& parameter) {
  std::size_t count = 0;
  if (element.kind == SspElement::Kind::component) {
    Leaf* leaf = leaf_of(&element);
    if (leaf == nullptr || (element.model && variable_of(element, name) == nullptr)) return 0;
    leaf->values[name] = parameter;
    return 1;
  }
  if (const SspConnector* connector = element.connector(name)) {
    const SspTransformation& t = parameter.transformation;
    // The transformation is meant in the unit of the connector.
    UnitConversion unit;
    if (!parameter.suppress_unit_conversion && !is_same_unit(parameter.unit, connector->unit))
      unit = conversion(parameter.unit, connector->unit);
    pin_values_[{&element, name}] = {
        scaled(parameter.value, t.factor * unit.gain, t.factor * unit.offset + t.offset), connector->unit};
    ++count;
  }
  for (const auto& child : element.elements) {
    if (name.size() > child->name.size() + 1 && name.starts_with(child->name) &&
        name[child->name.size()] == '.')
      count += assign(*child, name.substr(child->name.size() + 1), parameter);
  }
  return count;
}

Unit SspFlattener::unit_of_pin(const Pin& pin) const {
  const auto found = units_.find(pin);
  return found == units_.end() ? Unit{} : found->second;
}
std::string SspFlattener::text_of_pin(const Pin& pin) const {
  const auto found = texts_.find(pin);
  return found == texts_.end() ? pin.second : found->second;
}

std::optional<SspFlattener::Path> SspFlattener::trace(const Pin& sink) {
  std::vector<const Edge*> hops;  // from the input back
  Pin at = sink;
  for (auto found = incoming_.find(at); found != incoming_.end(); found = incoming_.find(at)) {
    hops.push_back(&found->second.front());
    at = found->second.front().from;
    if (hops.size() > incoming_.size()) {
      problems_.error(
          found->second.front().connection->where,
          fmt::format("The connections that lead to '{}' go round in a circle.", text_of_pin(sink)),
          "Connect an output.");
      return std::nullopt;
    }
  }
  if (hops.empty()) return std::nullopt;
  Path path;
  path.origin = at;
  path.first = hops.front()->connection;
  Unit current = unit_of_pin(at);
  if (const auto value = pin_values_.find(at); value != pin_values_.end()) current = value->second.unit;
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const SspConnection& c = *(*hop)->connection;
    const Unit unit = unit_of_pin((*hop)->to);
    if (!c.suppress_unit_conversion && !is_same_unit(current, unit)) {
      if (!current.same_dimension(unit)) {
        problems_.error(c.where,
                        fmt::format("'{}' [{}] feeds '{}' [{}].", text_of_pin((*hop)->from), current.text,
                                    text_of_pin((*hop)->to), unit.text),
                        "These are different quantities: connect others, or set suppressUnitConversion.");
        return std::nullopt;
      }
      const UnitConversion u = conversion(current, unit);
      path.gain *= u.gain;
      path.offset = u.gain * path.offset + u.offset;
      path.unit_gain *= u.gain;
      path.unit_offset = u.gain * path.unit_offset + u.offset;
      if (path.linear_gain != 1.0 || path.linear_offset != 0.0) path.is_conversion_last = true;
    }
    if (!unit.is_unspecified()) current = unit;
    const SspTransformation& t = c.transformation;
    path.gain *= t.factor;
    path.offset = t.factor * path.offset + t.offset;
    path.linear_gain *= t.factor;
    path.linear_offset = t.factor * path.linear_offset + t.offset;
  }
  return path;
}

void SspFlattener::connect_inputs(Leaf& leaf) {
  const SspElement& element = *leaf.element;
  std::vector<std::string> variables;
  for (auto at = incoming_.lower_bound({&element, {}}); at != incoming_.end() && at->first.first == &element;
       ++at)
    variables.push_back(at->first.second);
  for (const std::string& variable : variables) {
    const auto path = trace({&element, variable});
    if (path) connect(leaf, variable, *path);
  }
}

void SspFlattener::connect(Leaf& leaf, const std::string& variable, const Path& path) {
  Leaf* source = leaf_of(path.origin.first);
  const SourceLocation& where = path.first->where;
  if (source == nullptr) {
    // A connector of a system that nothing feeds: it may have a value.
    const auto value = pin_values_.find(path.origin);
    if (value == pin_values_.end()) return;
    SspParameter given;
    given.name = variable;
    given.where = value->second.value.where;
    given.value = scaled(value->second.value, path.gain, path.offset);
    given.suppress_unit_conversion = true;
    leaf.values[variable] = std::move(given);
    return;
  }
  const fmi::Variable* to = variable_of(*leaf.element, variable);
  const fmi::Variable* from = variable_of(*source->element, path.origin.second);
  if (to != nullptr && to->causality != Causality::input) {
    if (to->variability != fmi::Variability::tunable) {
      problems_.error(
          where,
          fmt::format("'{}.{}' is a parameter that is fixed during a run, so '{}.{}' cannot feed it.",
                      leaf.name, variable, source->name, path.origin.second),
          "Give it a value in a parameter set.");
      return;
    }
    expose(leaf, "inputs", variable, where);
  }
  if (from != nullptr && from->causality != Causality::output && from->causality != Causality::input)
    expose(*source, "outputs", path.origin.second, where);
  Value connection = located(table_value({}), where);
  set_entry(connection, "from", located(text_value(source->name + "." + path.origin.second), where));
  set_entry(connection, "to", located(text_value(leaf.name + "." + variable), where));
  // The engine converts between the units of both FMUs, and applies gain and offset then: the same where all conversions come first.
  UnitConversion by_engine;
  bool is_refused = false;
  if (from != nullptr && to != nullptr) {
    const Unit a = fmi::unit_of(source->element->model->description(), *from);
    const Unit b = fmi::unit_of(leaf.element->model->description(), *to);
    if (!a.is_unspecified() && !b.is_unspecified()) {
      is_refused = !a.same_dimension(b);
      if (!is_refused) by_engine = conversion(a, b);
    }
  }
  const bool fits = !is_refused && !path.is_conversion_last && is_near(by_engine.gain, path.unit_gain) &&
                    is_near(by_engine.offset, path.unit_offset);
  const double gain = fits ? path.linear_gain : path.gain;
  const double offset = fits ? path.linear_offset : path.offset;
  if (gain != 1.0) set_entry(connection, "gain", located(number_value(gain), where));
  if (offset != 0.0) set_entry(connection, "offset", located(number_value(offset), where));
  if (!fits) set_entry(connection, "convert_units", located(boolean_value(false), where));
  append_to(document_, "connection", std::move(connection));
}

void SspFlattener::expose(Leaf& leaf, const char* key, const std::string& variable,
                          const SourceLocation& where) {
  const Entry* list = leaf.table.find(key);
  const bool there = list != nullptr && std::any_of(list->value.items.begin(), list->value.items.end(),
                                                    [&](const Value& v) { return v.text == variable; });
  if (!there) append_to(leaf.table, key, located(text_value(variable), where));
}

void SspFlattener::write_values(Leaf& leaf) {
  for (const auto& [name, parameter] : leaf.values) {
    UnitConversion unit;
    const fmi::Variable* v = variable_of(*leaf.element, name);
    if (v != nullptr && !parameter.suppress_unit_conversion) {
      const Unit own = fmi::unit_of(leaf.element->model->description(), *v);
      if (!is_same_unit(parameter.unit, own) && !parameter.unit.same_dimension(own)) {
        problems_.error(parameter.where,
                        fmt::format("Parameter '{}' is in {}, but '{}.{}' in {}.", parameter.name,
                                    parameter.unit.text, leaf.name, name, own.text),
                        "Give the value in a unit of the same dimension.");
        continue;
      }
      if (!is_same_unit(parameter.unit, own)) unit = conversion(parameter.unit, own);
    }
    const SspTransformation& t = parameter.transformation;
    set_entry(table_at(leaf.table, "values", parameter.where), name,
              scaled(parameter.value, t.factor * unit.gain, t.factor * unit.offset + t.offset));
  }
}

}  // namespace ergon
