#include "ergon/scenario/file/machine_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

using PartNames = std::vector<std::string>;

const PartNames& part_kinds() {
  static const PartNames all = {"body", "joint", "actuator", "marker", "shape", "material", "contact"};
  return all;
}
/// Tables of a machine file that there is one of.
const PartNames& sections_of_machines() {
  static const PartNames all = {"solver", "initial", "initial_rate"};
  return all;
}

bool is_among(const PartNames& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string name_of_part(const Value& part) {
  const Entry* name = part.kind == Value::Kind::table ? part.find("name") : nullptr;
  return name != nullptr && name->value.kind == Value::Kind::text ? name->value.text : std::string();
}

Value& section_of(Value& machine, const std::string& key, const SourceLocation& where) {
  if (Entry* there = machine.find(key)) return there->value;
  machine.entries.push_back({key, where, table_value({})});
  machine.entries.back().value.where = where;
  return machine.entries.back().value;
}

/// Tables are merged, everything else is replaced.
void merge(const Value& changes, Value& into) {
  for (const Entry& change : changes.entries) {
    Entry* there = into.find(change.key);
    if (there == nullptr) {
      into.entries.push_back(change);
    } else if (there->value.kind == Value::Kind::table && change.value.kind == Value::Kind::table) {
      merge(change.value, there->value);
    } else {
      *there = change;
    }
  }
}

class MachineChanges {
 public:
  MachineChanges(Value& machine, ProblemList& problems) : machine_(machine), problems_(problems) {}

  void apply(const Value& changes) {
    for (const Entry& change : changes.entries) {
      if (change.key == "gravity") {
        Value& section = section_of(machine_, "machine", change.where);
        merge(table_value({change}), section);
      } else if (is_among(sections_of_machines(), change.key)) {
        if (is_table(change, "{ joint_relaxation = 3 }"))
          merge(change.value, section_of(machine_, change.key, change.where));
      } else if (is_among(part_kinds(), change.key) && named(change.key).empty()) {
        apply_to_kind(change);
      } else {
        apply_to_name(change);
      }
    }
  }

 private:
  bool is_table(const Entry& change, const char* example) {
    if (change.value.kind == Value::Kind::table) return true;
    problems_.error(
        change.value.where,
        fmt::format("'{}' of a machine must be a table, but is {}.", change.key, change.value.describe()),
        fmt::format("Write it as in: {} = {}", change.key, example));
    return false;
  }

  /// Parts of this name, with their kinds.
  std::vector<std::pair<std::string, Value*>> named(const std::string& name) {
    std::vector<std::pair<std::string, Value*>> found;
    for (const std::string& kind : part_kinds()) {
      Entry* parts = machine_.find(kind);
      if (parts == nullptr) continue;
      for (Value& part : parts->value.items)
        if (name_of_part(part) == name) found.emplace_back(kind, &part);
    }
    return found;
  }
  PartNames names(const std::string& only = {}) {
    PartNames all;
    for (const std::string& kind : part_kinds()) {
      const Entry* parts = only.empty() || kind == only ? machine_.find(kind) : nullptr;
      if (parts == nullptr) continue;
      for (const Value& part : parts->value.items)
        if (std::string name = name_of_part(part); !name.empty()) all.push_back(std::move(name));
    }
    if (only.empty()) {
      all.emplace_back("gravity");
      all.insert(all.end(), sections_of_machines().begin(), sections_of_machines().end());
    }
    return all;
  }

  void apply_to_kind(const Entry& change) {
    if (!is_table(change, "{ boom = { mass = 80 } }")) return;
    for (const Entry& part : change.value.entries) {
      bool found = false;
      for (const auto& [kind, there] : named(part.key)) {
        if (kind != change.key) continue;
        found = true;
        apply_to_part(part, *there);
      }
      if (!found) {
        problems_.error(part.where, fmt::format("The machine has no {} '{}'.", change.key, part.key),
                        did_you_mean(part.key, names(change.key)));
      }
    }
  }

  void apply_to_name(const Entry& change) {
    const auto found = named(change.key);
    if (found.empty()) {
      problems_.error(change.where, fmt::format("The machine has no part '{}'.", change.key),
                      did_you_mean(change.key, names()));
    } else if (found.size() > 1) {
      problems_.error(change.where,
                      fmt::format("'{}' is the name of a {} and of a {} of the machine.", change.key,
                                  found[0].first, found[1].first),
                      fmt::format("Write which one, as in: {} = {{ {} = {{ … }} }}, or --set "
                                  "INSTANCE.{}.{}.KEY=value",
                                  found[0].first, change.key, found[0].first, change.key));
    } else {
      apply_to_part(change, *found[0].second);
    }
  }

  void apply_to_part(const Entry& change, Value& part) {
    if (!is_table(change, "{ mass = 500 }")) return;
    if (const Entry* name = change.value.find("name")) {
      problems_.error(name->where, fmt::format("The name of '{}' cannot be changed here.", change.key),
                      "Change it in the machine file.");
      return;
    }
    merge(change.value, part);
  }

  Value& machine_;
  ProblemList& problems_;
};

}  // namespace

void apply_machine_changes(Value& machine, const Value& changes, ProblemList& problems) {
  MachineChanges(machine, problems).apply(changes);
}

}  // namespace ergon
