#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/system_graph.hpp"
#include "scenario/scenario.hpp"

namespace ergon {

/// Turns the entries of a scenario into a graph. Wiring that touches an instance which could not be made is left out:
/// its trouble was reported already.
class GraphBuilder {
 public:
  GraphBuilder(const Scenario& scenario, ProblemList& problems) : scenario_(scenario), problems_(problems) {}

  void make_subsystems();
  void make_elements();
  void wire();
  void collect_history(std::map<std::string, std::vector<double>>& history);

  [[nodiscard]] SystemGraph& graph() { return graph_; }
  [[nodiscard]] std::vector<std::string> signal_names(bool inputs) const;
  [[nodiscard]] bool all_made() const { return scenario_.complete && failed_.empty(); }

 private:
  void make_subsystem(const SubsystemEntry& entry);
  void set_inputs(const SubsystemEntry& entry, const ModelInfo& model, const GivenParameters& ports);
  void make_element(const ElementEntry& entry);
  /// The parameters of an element; those of a joint with what its markers decide. Nothing after reporting a problem.
  std::optional<GivenParameters> parameters_of(const ElementEntry& entry, const ElementInfo& law);
  /// Connections and bond of one end ('i' or 'j') of a joint with the body of its marker.
  void wire_joint(const ElementEntry& joint, char side, const Said<std::string>& marker);
  /// The bond between one end ('i' or 'j') of an element and the subsystem there.
  void bond_element(const ElementEntry& element, char side, const Said<std::string>& end);

  /// The instance, or nothing: reported unless it is one that could not be made.
  const Description* instance(const std::string& name, const Said<std::string>& reference);
  bool check_ports(const std::vector<Said<std::string>>& references);

  const Scenario& scenario_;
  ProblemList& problems_;
  SystemGraph graph_;
  std::map<std::string, Description> descriptions_;
  std::set<std::string> failed_;
};

}  // namespace ergon
