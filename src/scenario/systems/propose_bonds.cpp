#include "ergon/scenario/systems/propose_bonds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

enum class PowerRole { unknown, effort, flow };

struct PowerEnd {
  std::string port;  ///< "instance.variable"
  std::string instance, variable;
  std::shared_ptr<const fmi::FmuModel> fmu;
  Unit unit;
};

/// One signal from FMU to FMU.
struct SignalPath {
  std::size_t place = 0;  ///< among the connections
  PowerEnd from, to;
  bool is_opposite = false;  ///< gain −1
  PowerRole role = PowerRole::unknown;
};

std::string text_of_key(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry != nullptr && entry->value.kind == Value::Kind::text ? entry->value.text : std::string{};
}

double number_of_key(const Value& table, std::string_view key, double otherwise) {
  const Entry* entry = table.find(key);
  return entry != nullptr && entry->value.is_number() ? entry->value.number : otherwise;
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
  std::size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  return common;
}

class BondFinder {
 public:
  BondFinder(const SystemDocument& system, const std::string& base_directory) : system_(system) {
    if (const Entry* subsystems = system.document.find("subsystem")) {
      for (const Value& subsystem : subsystems->value.items) {
        const std::string fmu = text_of_key(subsystem, "fmu");
        if (!fmu.empty()) fmus_[text_of_key(subsystem, "name")] = peek_fmu(fmu, base_directory);
      }
    }
    if (const Entry* connections = system.document.find("connection")) {
      for (std::size_t i = 0; i < connections->value.items.size(); ++i) add(i, connections->value.items[i]);
    }
  }

  std::vector<SystemBond> find() {
    struct Candidate {
      const SignalPath* effort;
      const SignalPath* flow;
      std::size_t rank;
      std::string why;
    };
    std::vector<Candidate> candidates;
    for (const SignalPath& e : paths_) {
      if (e.role != PowerRole::effort) continue;
      for (const SignalPath& f : paths_) {
        if (f.role != PowerRole::flow || f.is_opposite || f.from.instance != e.to.instance ||
            f.to.instance != e.from.instance)
          continue;
        const std::string at_sender = place_of(e.from, f.to);
        const std::string at_receiver = place_of(e.to, f.from);
        const bool by_units = is_power(e.from, f.to) && is_power(e.to, f.from) &&
                              (has_units(e.from, f.to) || has_units(e.to, f.from));
        if (!is_power(e.from, f.to) || !is_power(e.to, f.from)) continue;
        const bool declared = !at_sender.empty() || !at_receiver.empty();
        if (!by_units && !declared) continue;
        const std::size_t rank = (at_sender.empty() ? 0U : 1000U) + (at_receiver.empty() ? 0U : 1000U) +
                                 common_prefix(e.from.variable, f.to.variable) +
                                 common_prefix(e.to.variable, f.from.variable);
        std::string why = declared ? (at_sender.empty() ? at_receiver : at_sender)
                                   : fmt::format("{} × {} is a power", e.from.unit.text, f.to.unit.text);
        candidates.push_back({&e, &f, rank, std::move(why)});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
    std::set<std::size_t> taken;
    std::vector<SystemBond> bonds;
    SystemNames names;
    ProblemList renamed;
    for (const Candidate& c : candidates) {
      if (taken.contains(c.effort->place) || taken.contains(c.flow->place)) continue;
      taken.insert(c.effort->place);
      taken.insert(c.flow->place);
      SystemBond bond;
      bond.why = c.why;
      bond.connections = {c.effort->place, c.flow->place};
      const SignalPath* displacement = displacement_of(*c.flow, taken);
      if (displacement != nullptr) {
        taken.insert(displacement->place);
        bond.connections.push_back(displacement->place);
      }
      set_entry(bond.table, "name",
                text_value(names.add(c.effort->from.instance + "-" + c.effort->to.instance, {}, renamed)));
      const auto end = [&](const PowerEnd& effort, const PowerEnd& flow, const PowerEnd* position) {
        Value ports;
        set_entry(ports, "effort", text_value(effort.port));
        set_entry(ports, "flow", text_value(flow.port));
        if (position != nullptr) set_entry(ports, "displacement", text_value(position->port));
        return ports;
      };
      set_entry(bond.table, "a",
                end(c.effort->from, c.flow->to, displacement != nullptr ? &displacement->to : nullptr));
      set_entry(bond.table, "b",
                end(c.effort->to, c.flow->from, displacement != nullptr ? &displacement->from : nullptr));
      if (c.effort->is_opposite) set_entry(bond.table, "effort_sign", integer_value(-1));
      bonds.push_back(std::move(bond));
    }
    return bonds;
  }

 private:
  void add(std::size_t place, const Value& connection) {
    const double gain = number_of_key(connection, "gain", 1.0);
    const Entry* converts = connection.find("convert_units");
    if ((gain != 1.0 && gain != -1.0) || number_of_key(connection, "offset", 0.0) != 0.0 ||
        converts != nullptr)
      return;
    SignalPath path{place, end(text_of_key(connection, "from")), end(text_of_key(connection, "to")),
                    gain < 0.0, PowerRole::unknown};
    if (!path.from.fmu || !path.to.fmu || path.from.instance == path.to.instance) return;
    path.role = role_of(path.from);
    if (path.role == PowerRole::unknown) path.role = role_of(path.to);
    paths_.push_back(std::move(path));
  }
  [[nodiscard]] PowerEnd end(const std::string& port) const {
    PowerEnd end;
    end.port = port;
    const std::size_t dot = port.find('.');
    if (dot == std::string::npos) return end;
    end.instance = port.substr(0, dot);
    end.variable = port.substr(dot + 1);
    const auto fmu = fmus_.find(end.instance);
    if (fmu == fmus_.end() || !fmu->second) return end;
    const fmi::Variable* v = fmu->second->find(end.variable);
    if (v == nullptr || !fmi::is_float(v->type) || !v->dimensions.empty()) return end;
    end.fmu = fmu->second;
    end.unit = fmi::unit_of(fmu->second->description(), *v);
    return end;
  }
  [[nodiscard]] PowerRole role_of(const PowerEnd& end) const {
    // Forces, torques, voltages and pressures contain a mass, velocities, currents and volume flows do not.
    if (!end.unit.is_unspecified()) return end.unit.exponents[1] > 0 ? PowerRole::effort : PowerRole::flow;
    const auto holds = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), end.variable) != names.end();
    };
    for (const PowerPort& port : system_.ports) {
      if (port.subsystem != end.instance) continue;
      if (holds(port.efforts)) return PowerRole::effort;
      if (holds(port.flows)) return PowerRole::flow;
    }
    return PowerRole::unknown;
  }
  static bool has_units(const PowerEnd& a, const PowerEnd& b) {
    return !a.unit.is_unspecified() && !b.unit.is_unspecified();
  }
  static bool is_power(const PowerEnd& a, const PowerEnd& b) {
    return !has_units(a, b) || product_is_power(a.unit, b.unit);
  }
  /// The port group or terminal that declares both; empty: there is none.
  [[nodiscard]] std::string place_of(const PowerEnd& effort, const PowerEnd& flow) const {
    for (const PowerPort& port : system_.ports) {
      if (port.subsystem != effort.instance) continue;
      for (std::size_t i = 0; i < std::min(port.efforts.size(), port.flows.size()); ++i) {
        if (port.efforts[i] == effort.variable && port.flows[i] == flow.variable)
          return fmt::format("port group '{}' of '{}'", port.name, effort.instance);
      }
    }
    for (const fmi::Terminal& terminal : effort.fmu->description().terminals) {
      const auto has = [&](const std::string& variable) {
        return std::any_of(terminal.members.begin(), terminal.members.end(),
                           [&](const fmi::TerminalMember& m) { return m.variable == variable; });
      };
      if (has(effort.variable) && has(flow.variable))
        return fmt::format("terminal '{}' of '{}'", terminal.name, effort.instance);
    }
    return {};
  }
  [[nodiscard]] const SignalPath* displacement_of(const SignalPath& flow,
                                                  const std::set<std::size_t>& taken) const {
    const SignalPath* best = nullptr;
    std::size_t most = 0;
    for (const SignalPath& path : paths_) {
      if (taken.contains(path.place) || path.is_opposite || path.from.instance != flow.from.instance ||
          path.to.instance != flow.to.instance || path.from.unit.is_unspecified() ||
          flow.from.unit.is_unspecified() || !is_rate_of(flow.from.unit, path.from.unit))
        continue;
      const std::size_t rank = 1 + common_prefix(path.from.variable, flow.from.variable) +
                               common_prefix(path.to.variable, flow.to.variable);
      if (rank <= most) continue;
      most = rank;
      best = &path;
    }
    return best;
  }

  const SystemDocument& system_;
  std::map<std::string, std::shared_ptr<const fmi::FmuModel>> fmus_;
  std::vector<SignalPath> paths_;
};

}  // namespace

std::vector<SystemBond> propose_bonds(const SystemDocument& system, const std::string& base_directory) {
  return BondFinder(system, base_directory).find();
}

std::string bonds_as_toml(const std::vector<SystemBond>& bonds, const SystemDocument& system) {
  std::string text;
  for (const SystemBond& bond : bonds) {
    text += fmt::format("# {}; instead of the connections\n", bond.why);
    for (const std::size_t place : bond.connections) {
      const Value& c = system.document.find("connection")->value.items[place];
      text += fmt::format("#   {} -> {}\n", text_of_key(c, "from"), text_of_key(c, "to"));
    }
    Value document;
    append_to(document, "bond", bond.table);
    std::string toml = to_toml(document);
    toml.erase(0, std::min(toml.find_first_not_of('\n'), toml.size()));
    text += toml + "\n";
  }
  return text;
}

void take_proposed_bonds(SystemDocument& system, const std::string& base_directory, ProblemList& problems) {
  const std::vector<SystemBond> bonds = propose_bonds(system, base_directory);
  if (bonds.empty()) {
    problems.warning({"--bonds", 0, 0}, "No pair of connections between FMUs carries a power.",
                     "A bond needs variables with units, or an OspModelDescription with port groups.");
    return;
  }
  std::vector<Value>& connections = system.document.find("connection")->value.items;
  std::set<std::size_t> replaced;
  for (const SystemBond& bond : bonds) {
    Value table = bond.table;
    const SourceLocation where = connections[bond.connections.front()].where;
    table.where = where;
    for (Entry& entry : table.entries) {
      entry.where = entry.value.where = where;
      for (Entry& port : entry.value.entries) port.where = port.value.where = where;
    }
    replaced.insert(bond.connections.begin(), bond.connections.end());
    append_to(system.document, "bond", std::move(table));
  }
  std::vector<Value> kept;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    if (!replaced.contains(i)) kept.push_back(std::move(connections[i]));
  }
  system.document.find("connection")->value.items = std::move(kept);
}

}  // namespace ergon
