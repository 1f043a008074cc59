#pragma once

#include <map>
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
