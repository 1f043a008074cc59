#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ergon/core/system_graph.hpp"

namespace ergon {

/// Turns a SystemGraph into a CoupledSystem; every check of the wiring is here, in freeze_types.cpp, freeze_bonds.cpp and
/// freeze_ratio.cpp.
class Freezer {
 public:
  Freezer(SystemGraph graph, ProblemList& problems) : graph_(std::move(graph)), problems_(problems) {}
  std::unique_ptr<CoupledSystem> run();

 private:
  /// A resolved "instance.port[slice]": scalars of one port.
  struct PortSlice {
    Index node = 0;
    Index port = 0;
    Index first = 0;  ///< flat index of the first scalar
    Index count = 0;
    bool is_input = false;
  };
  /// One term on its way into a link, with the text that orders sums.
  struct PendingTerm {
    std::string order_key;
    LinkTerm term;
    std::optional<Index> bond;
  };
  struct PendingLink {
    std::vector<PendingTerm> terms;
    std::vector<std::string> sources_said;  ///< for the message about two connections
    bool from_bond = false;
    SourceLocation where;
    Link link;
  };
  /// Ports of one kind of a bond (effort, flow, displacement), both ends, component by component.
  struct BondPair {
    PortSlice source;
    PortSlice receiver;
    bool source_at_a = false;
  };

  bool number_nodes();
  void apply_input_starts();
  void state_start(const PortSlice& slice, Index element, const TypedValue& value,
                   const SourceLocation& where);
  void make_connections();
  void make_bonds();
  void finish_links();
  void report_unconnected();

  std::optional<PortSlice> resolve(const std::string& reference, const SourceLocation& where);
  std::optional<PortSlice> resolve(const std::string& reference, bool want_input,
                                   const SourceLocation& where);
  [[nodiscard]] const Port& port_of(const PortSlice& slice) const;
  [[nodiscard]] std::string name_of(const PortSlice& slice) const;
  bool check_units(const PortSlice& from, const PortSlice& to, const SourceLocation& where,
                   bool converts_units = true);
  /// Adds from → to, scalar by scalar; both must have one size.
  void add_terms(const PortSlice& from, const PortSlice& to, double gain, double offset, bool differentiate,
                 std::optional<Index> bond, const SourceLocation& where, bool converts_units = true);

  // freeze_types.cpp
  void check_port_types(const Node& node);
  void check_instances(const std::vector<Node>& nodes);
  bool check_types(const PortSlice& from, const PortSlice& to, const ConnectionSpec& spec);
  bool check_real(const PortSlice& slice, const BondSpec& spec);
  [[nodiscard]] std::string shown_start(Index input) const;

  // freeze_bonds.cpp
  void make_bond(const BondSpec& spec);
  std::optional<std::vector<BondPair>> observed_efforts(const BondSpec& spec);
  std::optional<std::vector<BondPair>> pair_ports(const BondSpec& spec, const std::vector<std::string>& a,
                                                  const std::vector<std::string>& b, std::string_view kind);
  bool check_bond_units(const BondSpec& spec, const PortSlice& effort, const PortSlice& flow,
                        bool flow_is_displacement);
  std::optional<std::vector<BondPair>> pair_rates(const BondSpec& spec, const BondEnd& effort_side,
                                                  const std::vector<BondPair>& displacements);
  void make_kinematic_links(const BondSpec& spec, PowerBond& bond, const std::vector<BondPair>& flows,
                            const std::vector<BondPair>& displacements, bool differentiated, double transfer);
  void link_bond_term(const BondSpec& spec, const PortSlice& from, const PortSlice& to, bool differentiate,
                      bool is_effort, double gain);

  // freeze_ratio.cpp
  bool check_ratio(const BondSpec& spec);
  bool check_same_quantity(const BondSpec& spec, const BondPair& pair);
  bool check_ratio_unit(const BondSpec& spec, const BondPair& pair, bool is_effort);
  bool check_end_power(const BondSpec& spec, const std::vector<std::string>& efforts,
                       const std::vector<std::string>& flows);
  void report_scattered_end(const BondSpec& spec);
  static double transfer_of(const BondSpec& spec, bool effort_from_a);

  SystemGraph graph_;
  ProblemList& problems_;
  std::unique_ptr<CoupledSystem> system_;
  std::map<Index, PendingLink> pending_;  ///< by input
  std::vector<bool> mentioned_;           ///< per input: some connection or bond names it, rightly or wrongly
};

/// Feed-through levels and algebraic loops of a wired system (strongly connected components of its outputs).
void find_feedthrough_structure(CoupledSystem& system);

}  // namespace ergon
