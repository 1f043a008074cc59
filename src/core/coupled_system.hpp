#pragma once

#include <experimental/propagate_const>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

using Index = std::size_t;

/// With which inputs a feed-through output is evaluated at the end of a step (docs/theory/feedthrough.md).
enum class FeedthroughMode {
  stale,    ///< the inputs as last used in the step
  predict,  ///< the inputs predicted for the end of the step
  refresh,  ///< evaluated again once the new inputs are known
};

/// Where an element is sampled.
enum class EvaluateAt {
  sources,   ///< at every point where all its sources have a new sample
  receiver,  ///< at its receivers' points, from extrapolated sources
};

/// One subsystem or element in the frozen system; its inputs and outputs are ranges of the flat arrays. Within a range the
/// scalars of real ports come first, in the order of the ports, then those of the integer kind, then those of the text kind.
struct Node {
  std::string name;
  /// As constant as the node: whoever is given a const system, as observers are, reaches its const capabilities alone. The engine takes
  /// the live one (core/live_subsystem.hpp).
  std::experimental::propagate_const<std::unique_ptr<Subsystem>> subsystem;
  /// Instances may share it.
  std::shared_ptr<const Description> description = std::make_shared<const Description>();
  Rational step_s;  ///< communication step; unused for elements
  EvaluateAt evaluate = EvaluateAt::sources;
  SourceLocation where;
  Index first_input = 0;
  Index input_count = 0;
  Index first_output = 0;
  Index output_count = 0;
  ValueCounts input_counts{};  ///< of which there are so many of each kind
  ValueCounts output_counts{};
  std::vector<Index> port_inputs{};  ///< per input port: its first scalar
  std::vector<Index> port_outputs{};
  bool sampled = false;  ///< its step size is part of its law (a digital controller): check runs keep it
};

/// input += gain · output (or the rate of change of output, by backward difference of its samples).
struct LinkTerm {
  Index output = 0;
  double gain = 1.0;
  double offset = 0.0;
  bool differentiate = false;
};

/// What an input gets: the sum of its terms, in order of their names.
struct Link {
  Index input = 0;
  std::vector<LinkTerm> terms;
  std::optional<int> degree;                   ///< extrapolation degree, else the run's
  std::optional<FeedthroughMode> feedthrough;  ///< of the receiving end, else the run's
  Index kinematic_partner = no_partner;        ///< for a displacement input: the input that carries its rate
  static constexpr Index no_partner = static_cast<Index>(-1);
  /// Tells only where or in which direction an effort acts, and does no work: no energy comes in here, and a scheme that solves for
  /// its coupling variables may extrapolate it.
  bool geometry = false;
};

/// One scalar component of a power bond, in SI units: effort e and flow f.
struct BondComponent {
  Index effort_output = 0;
  Index effort_input = 0;  ///< unused in a bond that is observed only
  Index effort_term = 0;   ///< which term of the receiving link is this bond's
  double effort_output_to_SI = 1.0;
  double effort_input_to_SI = 1.0;
  Index flow_output = 0;  ///< the displacement output where the flow is differentiated
  Index flow_input = 0;
  bool flow_differentiated = false;
  double flow_output_to_SI = 1.0;
  double flow_input_to_SI = 1.0;
  bool has_flow_input = false;               ///< the effort's sender may read displacement only
  std::optional<Index> displacement_output;  ///< of the flow's sender, where the bond has one
  double displacement_output_to_SI = 1.0;
  bool effort_input_shared = false;  ///< other bonds end at the same input: its work is not this bond's alone
  /// What arrives over what is sent, both in SI units, of efforts, flows and displacements alike: the ratio of the bond, or 1/ratio.
  /// `effort_output_to_SI` and `flow_input_to_SI` contain it, so that numbers of both ends times them are those of the receiver.
  double transfer = 1.0;
};

/// Effort one way, flow the other. The effort acts on the node `flow_node`; in a bond that is observed only, that node
/// computes the effort by itself from the motion that it is sent.
struct PowerBond {
  std::string name;
  Index effort_node = 0;
  Index flow_node = 0;
  std::vector<BondComponent> components;
  std::vector<Index>
      effort_node_inputs;               ///< flow and displacement inputs of this bond at the effort's sender
  std::vector<Index> flow_node_inputs;  ///< effort inputs of this bond at the flow's sender
  bool observed_only = false;
  /// Of a bond that is observed only: the energy of the law, which both ends evaluate, is in the books of one of them alone.
  bool law_booked_once = false;
  std::string predictor;  ///< of its flows and displacements; nothing: the run's
  double scale = 1.0;
  double sign_into_b = 1.0;  ///< +1: effort acts on side b, so that effort × flow is power into b
  SourceLocation where;
};

/// A flat name list, "instance.port" or "instance.port[i]".
struct SignalName {
  Index node = 0;
  Index port = 0;
  Index element = 0;
  std::string text;
  PortType type = PortType::real;
};

/// The frozen system: flat index spaces of inputs and outputs, links, bonds; no names are looked up any more.
class ERGON_API CoupledSystem {
 public:
  std::vector<Node> nodes;  ///< sorted by name: results cannot depend on the order of the file
  std::vector<SignalName> inputs;
  std::vector<SignalName> outputs;
  std::vector<std::optional<Link>> links;   ///< per input; nothing for an unconnected one
  std::vector<double> input_start;          ///< value of an unconnected input, of a real
  std::vector<std::int64_t> integer_start;  ///< … of an integer, boolean, enumeration; as many as inputs
  std::vector<std::string> text_start;      ///< … of a text or bytes; as many as inputs
  std::vector<std::optional<double>> stated_input_start;  ///< by the user; of reals
  std::vector<bool> is_start_stated;                      ///< by the user; of any type
  std::vector<PowerBond> bonds;
  /// Feed-through depth of each output: 0 depends on no input, n on outputs of depth < n. Members of an
  /// algebraic loop share one depth.
  std::vector<int> output_level;
  int max_level = 0;
  /// Outputs that depend on themselves through feed-through, one list per loop, in order of their depth.
  std::vector<std::vector<Index>> loops;

  [[nodiscard]] const Port& input_port(Index input) const {
    return nodes[inputs[input].node].description->inputs[inputs[input].port];
  }
  [[nodiscard]] const Port& output_port(Index output) const {
    return nodes[outputs[output].node].description->outputs[outputs[output].port];
  }
  [[nodiscard]] std::optional<Index> find_node(const std::string& name) const;
  [[nodiscard]] std::optional<Index> find_output(const std::string& name) const;
  [[nodiscard]] std::optional<Index> find_input(const std::string& name) const;
};

}  // namespace ergon
