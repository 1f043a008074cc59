#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

constexpr std::string_view joint_prefix = "joint.";

using ElementKey = Key<ElementEntry>;

bool is_joint(TableReader& reader, const ElementEntry& /*entry*/) {
  return reader.entry("joint") != nullptr;
}

void read_law(TableReader& reader, ElementEntry& entry) {
  if (reader.entry("law") == nullptr && reader.entry("joint") == nullptr)
    reader.missing("law", "Name one, as in: law = \"spring-damper\", or a joint: joint = \"revolute\"");
  if (auto law = reader.text("law")) entry.law = std::move(*law);
}

std::optional<Value> law_value(const ElementEntry& entry, const Scenario&) {
  return entry.markers.empty() ? std::optional(text_value(entry.law.value)) : std::nullopt;
}

void read_ends(TableReader& reader, ElementEntry& entry) {
  const Entry* ends = reader.entry("ends");
  entry.ends = reader.texts("ends");
  if (ends && reader.ok() && entry.ends.size() != 2) {
    reader.error(ends->value.where,
                 fmt::format("'ends' in {} must name two subsystems, but names {}.", reader.title(),
                             entry.ends.size()),
                 "Write it as in: ends = [\"m1\", \"m2\"]");
  }
}

std::optional<Value> ends_value(const ElementEntry& entry, const Scenario&) {
  return entry.ends.empty() ? std::nullopt : std::optional(text_list(entry.ends));
}

void read_law_parameters(TableReader& reader, ElementEntry& entry) {
  entry.parameters = reader.parameters("parameters");
  const Entry* joint = reader.entry("joint");
  const std::string law = joint != nullptr ? std::string(joint_prefix) + joint->value.text : entry.law.value;
  if (const ElementInfo* info = find_element(law))
    reader.evaluate_formulas("parameters", info->parameters, false, entry.parameters);
}

std::optional<Value> law_parameters_value(const ElementEntry& entry, const Scenario& scenario) {
  const ElementInfo* law = find_element(entry.law.value);
  return parameter_table(law ? with_defaults(law->parameters, entry.parameters, scenario.base_directory)
                             : as_given(entry.parameters));
}

/// joint = "revolute" between the markers i and j is the law joint.revolute.
void read_joint(TableReader& reader, ElementEntry& entry) {
  if (reader.entry("joint") == nullptr) return;
  for (const char* key : {"law", "ends"}) {
    const Entry* other = reader.entry(key);
    if (!other) continue;
    reader.error(other->where, fmt::format("{} has both 'joint' and '{}'.", reader.title(), key),
                 "A joint acts between its markers 'i' and 'j'; remove this key, or 'joint'.");
  }
  entry.ends.clear();
  const auto name = reader.text("joint");
  if (!name) return;
  entry.law = {std::string(joint_prefix) + name->value, name->where};
  Names names;
  for (const ElementInfo& info : elements()) {
    if (info.name.starts_with(joint_prefix)) names.push_back(info.name.substr(joint_prefix.size()));
  }
  if (std::find(names.begin(), names.end(), name->value) != names.end()) return;
  reader.error(name->where, fmt::format("There is no joint '{}'.", name->value),
               did_you_mean(name->value, names));
  entry.law.value.clear();
}

std::optional<Value> joint_value(const ElementEntry& entry, const Scenario&) {
  if (entry.markers.empty()) return std::nullopt;
  return text_value(entry.law.value.substr(joint_prefix.size()));
}

/// "i" and "j", in this order.
ElementKey marker_key(const char* name, std::size_t index) {
  ElementKey key{name};
  key.read = [name](TableReader& reader, ElementEntry& entry) {
    if (!reader.entry(name)) {
      reader.missing(name, fmt::format("Name a marker of a body, as in: {} = \"rod.top\"", name));
    } else if (auto marker = reader.text(name)) {
      entry.markers.push_back(std::move(*marker));
    }
  };
  key.write = [index](const ElementEntry& entry, const Scenario&) -> std::optional<Value> {
    if (entry.markers.empty()) return std::nullopt;
    return text_value(entry.markers[index].value);
  };
  return std::move(key).known_if(is_joint);
}

/// A parameter of joints that may stand outside of 'parameters'.
ElementKey joint_parameter_key(const char* name) {
  ElementKey key{name};
  key.read = [name](TableReader& reader, ElementEntry& entry) {
    const Entry* said = reader.entry(name);
    if (!said) return;
    if (entry.parameters.contains(name)) {
      reader.error(said->where, fmt::format("{} has '{}' here and in 'parameters'.", reader.title(), name),
                   "Give it once.");
    } else if (said->value.kind != Value::Kind::list) {
      if (const auto number = reader.number(name)) entry.parameters[name] = {number->value, number->where};
    } else if (auto list = reader.numbers(name)) {
      entry.parameters[name] = {std::move(list->value), list->where};
    }
  };
  return std::move(key).known_if(is_joint);
}

/// What is exchanged.
void read_form(TableReader& reader, ElementEntry& entry) {
  Names forms = joint_form_names.all();
  Names later = {"force/displacement-hermite", "displacement/force-hermite",
                 "displacement/displacement-hermite"};
  if (!is_joint(reader, entry)) {
    later.insert(later.end(), forms.begin() + 1, forms.end());
    forms.resize(1);
  }
  if (const auto form = reader.choice("form", forms, later)) entry.form = joint_form_names.value(form->value);
}

std::optional<Value> form_value(const ElementEntry& entry, const Scenario&) {
  return text_value(std::string(joint_form_names.name(entry.form)));
}

/// When the law is evaluated; inside a body that is whenever the body needs it.
void read_evaluate(TableReader& reader, ElementEntry& entry) {
  const auto evaluate = reader.choice("evaluate", evaluate_names.all());
  if (!evaluate) return;
  entry.evaluate = evaluate_names.value(evaluate->value);
  if (has_element(entry.form)) return;
  reader.error(evaluate->where,
               fmt::format("{} has 'evaluate', but its law is evaluated inside a body.", reader.title()),
               "Remove this key, or 'form'.");
}

std::optional<Value> evaluate_value(const ElementEntry& entry, const Scenario&) {
  if (!has_element(entry.form)) return std::nullopt;
  return text_value(std::string(evaluate_names.name(entry.evaluate)));
}

void read_element_correction(TableReader& reader, ElementEntry& entry) {
  entry.correction = read_correction(reader, entry.name.value);
}

std::optional<Value> element_correction_value(const ElementEntry& entry, const Scenario&) {
  return entry.correction ? std::optional(correction_value(entry.correction)) : std::nullopt;
}

}  // namespace

const Keys<ElementEntry>& element_keys() {
  using S = ElementEntry;
  using K = ElementKey;
  static const Keys<S> keys = {
      K::text("name", &S::name).read_elsewhere(),
      K{"law", read_law, law_value},
      K{"ends", read_ends, ends_value},
      K{"parameters", read_law_parameters, law_parameters_value},
      K{"joint", read_joint, joint_value},
      marker_key("i", 0),
      marker_key("j", 1),
      joint_parameter_key("stiffness"),
      joint_parameter_key("damping"),
      K{"form", read_form, form_value},
      K{"evaluate", read_evaluate, evaluate_value},
      K{"correction", read_element_correction, element_correction_value},
      K::counter(),
  };
  return keys;
}

ElementEntry read_element(const Value& table, std::size_t number, ProblemList& problems) {
  TableReader reader(table, item_title("element", table, number), problems);
  ElementEntry entry;
  entry.where = table.where;
  entry.name = read_instance_name(reader, "kc");
  const bool named = reader.ok() && !entry.name.value.empty();
  read_keys(reader, element_keys(), entry);
  const Entry* joint = reader.entry("joint");
  if (joint && entry.markers.size() != 2) entry.law = {"", joint->where};
  reader.finish();
  entry.usable = named && !entry.law.value.empty();
  if (entry.ends.size() != 2) entry.ends.clear();
  return entry;
}

}  // namespace ergon
