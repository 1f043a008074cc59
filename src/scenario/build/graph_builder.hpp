#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ergon/core/system_graph.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// Turns the entries of a scenario into a graph. Wiring that touches an instance which could not be made is left out:
/// its trouble was reported already.
class GraphBuilder {
 public:
  GraphBuilder(const Scenario& scenario, ProblemList& problems) : scenario_(scenario), problems_(problems) {}

  void make_subsystems();
  void make_elements();
  /// Puts the subsystems into the graph, bodies with the joints that elements attached to them.
  void add_subsystems();
  void check_internal_steps(const SubsystemEntry& entry, const Rational& communication_step_s);
  void wire();
  void collect_history(std::map<std::string, std::vector<double>>& history);

  [[nodiscard]] SystemGraph& graph() { return graph_; }
  [[nodiscard]] std::vector<std::string> signal_names(bool inputs) const;
  [[nodiscard]] bool any_made() const { return !descriptions_.empty(); }
  [[nodiscard]] bool all_made() const { return scenario_.complete && failed_.empty(); }

 private:
  /// What it takes to make a subsystem, and the subsystem, unless it waits for its joints.
  struct Draft {
    const SubsystemEntry* entry = nullptr;
    const ModelInfo* model = nullptr;
    GivenParameters states;
    GivenParameters ports;
    std::vector<JointAttachment> joints;
    std::unique_ptr<Subsystem> subsystem;
  };
  void make_subsystem(const SubsystemEntry& entry);
  /// Its own communication step, or that of all.
  [[nodiscard]] const std::optional<Said<Rational>>& step_of(const SubsystemEntry& entry) const;
  /// What a function of the draft's model answers to the draft.
  template <class Answer>
  Answer requested(const Draft& draft, ProblemList& problems,
                   const std::function<Answer(const ModelRequest&, ProblemList&)>& asked) const;
  void set_inputs(const SubsystemEntry& entry, const ModelInfo& model, const GivenParameters& ports);
  void make_element(const ElementEntry& entry);
  /// The parameters of an element; those of a joint with what its markers decide. Nothing after reporting a problem.
  std::optional<GivenParameters> parameters_of(const ElementEntry& entry, const ElementInfo& law);
  /// Connections and bond of one end ('i' or 'j') of a joint in force/force form with the body of its marker.
  void wire_joint(const ElementEntry& joint, char side, const Said<std::string>& marker);
  /// Gives the law of a joint to the bodies that evaluate it; false after reporting a problem.
  bool attach_joint(const ElementEntry& joint, const std::shared_ptr<const JointLaw>& law);
  /// Connections and bonds of such a joint.
  void wire_attached_joint(const ElementEntry& joint);
  /// What goes to and from the body at end `end` of a joint of which an element computes the multipliers.
  void wire_guided(const ElementEntry& joint, std::size_t end);
  /// What goes to and from the body that evaluates the law at its end `holder`.
  void wire_holder(const ElementEntry& joint, std::size_t holder, bool gives_wrench, const std::string& bond);
  /// The bond between one end ('i' or 'j') of an element and the subsystem there.
  void bond_element(const ElementEntry& element, char side, const Said<std::string>& end);

  [[nodiscard]] const Description& described(const std::string& name) const {
    return *descriptions_.at(name);
  }
  /// The instance, or nothing: reported unless it is one that could not be made.
  const Description* instance(const std::string& name, const Said<std::string>& reference);
  bool check_ports(const std::vector<Said<std::string>>& references);

  const Scenario& scenario_;
  ProblemList& problems_;
  SystemGraph graph_;
  std::map<std::string, std::shared_ptr<const Description>> descriptions_;
  std::map<std::string, Draft> drafts_;
  std::set<std::string> failed_;
  std::set<std::string> opposite_torques_;  ///< joints whose torque_j is the opposite of torque_i
};

}  // namespace ergon
