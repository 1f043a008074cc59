#include "ergon/coupling/schemes/implicit/interface_structure.hpp"

#include <algorithm>

namespace ergon {
namespace {

constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

/// Which outputs an output changes at once: what laws and feed-through make of it. Behind the outputs comes one vertex for each node
/// with outputs that depend on all of its inputs: these change it, and it changes those.
std::vector<std::vector<Index>> outputs_changed_by(const CoupledSystem& system) {
  std::vector<std::vector<Index>> changed(system.outputs.size());
  const auto change_port = [&](const Node& node, std::size_t port, std::vector<Index>& list) {
    for (Index o = 0; o < node.description->outputs[port].size; ++o)
      list.push_back(node.port_outputs[port] + o);
  };
  for (const Node& node : system.nodes) {
    const Description& d = *node.description;
    std::vector<std::vector<Index>> follow(d.inputs.size());
    for (const FeedthroughPair& pair : d.feedthrough) change_port(node, pair.output, follow[pair.input]);
    if (!d.outputs_of_all_inputs.empty()) {
      const Index collector = changed.size();
      changed.emplace_back();
      for (const std::size_t port : d.outputs_of_all_inputs) change_port(node, port, changed[collector]);
      for (auto& list : follow) list.push_back(collector);
    }
    for (Index input = node.first_input; input < node.first_input + node.input_count; ++input) {
      if (!system.links[input]) continue;
      const std::vector<Index>& list = follow[system.inputs[input].port];
      for (const LinkTerm& term : system.links[input]->terms)
        changed[term.output].insert(changed[term.output].end(), list.begin(), list.end());
    }
  }
  return changed;
}

/// All outputs that change with the state of `node`: its own, and what laws and feed-through make of them. `reached` is all
/// false before and after.
std::vector<Index> outputs_behind(const CoupledSystem& system, const Node& node,
                                  const std::vector<std::vector<Index>>& changed_by,
                                  std::vector<bool>& reached) {
  std::vector<Index> changed;
  const auto change = [&](Index vertex) {
    if (reached[vertex]) return;
    reached[vertex] = true;
    changed.push_back(vertex);
  };
  for (Index o = 0; o < node.output_count; ++o) change(node.first_output + o);
  for (std::size_t next = 0; next < changed.size(); ++next) {
    for (const Index vertex : changed_by[changed[next]]) change(vertex);
  }
  for (const Index vertex : changed) reached[vertex] = false;
  std::erase_if(changed, [&](Index vertex) { return vertex >= system.outputs.size(); });
  return changed;
}

bool disjoint(const std::vector<std::uint32_t>& members, const std::vector<bool>& taken) {
  return std::none_of(members.begin(), members.end(), [&](std::uint32_t m) { return taken[m]; });
}

/// First fit.
std::vector<std::vector<std::uint32_t>> group_columns(const std::vector<InterfaceUnknown>& unknowns,
                                                      std::size_t members) {
  struct Group {
    std::vector<std::uint32_t> columns;
    std::vector<bool> readers;
    std::vector<bool> rows;
  };
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < unknowns.size(); ++i) {
    const InterfaceUnknown& unknown = unknowns[i];
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return disjoint(unknown.readers, g.readers) && disjoint(unknown.rows, g.rows);
    });
    if (group == groups.end()) {
      groups.push_back({{}, std::vector<bool>(members, false), std::vector<bool>(unknowns.size(), false)});
      group = groups.end() - 1;
    }
    group->columns.push_back(i);
    for (const std::uint32_t m : unknown.readers) group->readers[m] = true;
    for (const std::uint32_t r : unknown.rows) group->rows[r] = true;
  }
  std::vector<std::vector<std::uint32_t>> columns;
  for (Group& group : groups) columns.push_back(std::move(group.columns));
  return columns;
}

/// First fit of groups, by readers alone.
std::vector<std::vector<std::uint32_t>> batch_groups(const InterfaceStructure& structure,
                                                     std::size_t members) {
  struct Batch {
    std::vector<std::uint32_t> groups;
    std::vector<bool> readers;
  };
  std::vector<Batch> batches;
  for (std::uint32_t g = 0; g < structure.groups.size(); ++g) {
    std::vector<std::uint32_t> readers;
    for (const std::uint32_t i : structure.groups[g]) {
      const auto& of_column = structure.unknowns[i].readers;
      readers.insert(readers.end(), of_column.begin(), of_column.end());
    }
    auto batch = std::find_if(batches.begin(), batches.end(),
                              [&](const Batch& b) { return disjoint(readers, b.readers); });
    if (batch == batches.end()) {
      batches.push_back({{}, std::vector<bool>(members, false)});
      batch = batches.end() - 1;
    }
    batch->groups.push_back(g);
    for (const std::uint32_t m : readers) batch->readers[m] = true;
  }
  std::vector<std::vector<std::uint32_t>> result;
  for (Batch& batch : batches) result.push_back(std::move(batch.groups));
  return result;
}

}  // namespace

InterfaceStructure interface_structure(const CouplingPlan& plan) {
  const CoupledSystem& system = plan.system();
  InterfaceStructure structure;
  const std::vector<Member>& members = plan.stage(0).members;
  std::vector<std::uint32_t> member_of_node(system.nodes.size(), none);
  for (std::uint32_t m = 0; m < members.size(); ++m) member_of_node[members[m].node] = m;

  std::vector<std::vector<std::uint32_t>> readers(system.outputs.size());
  for (const auto& link : system.links) {
    // The geometry of a multiplier is extrapolated, not solved for: that keeps the order.
    if (!link || link->geometry) continue;
    const std::uint32_t member = member_of_node[system.inputs[link->input].node];
    if (member == none) continue;
    for (const LinkTerm& term : link->terms) {
      auto& list = readers[term.output];
      if (std::find(list.begin(), list.end(), member) == list.end()) list.push_back(member);
    }
  }
  for (Index s = 0; s < plan.stages().size(); ++s) {
    for (const Member& m : plan.stage(s).members) {
      for (std::uint32_t o = 0; o < m.output_count; ++o) {
        const Index output = system.nodes[m.node].first_output + o;
        if (readers[output].empty()) continue;  // integers and texts are not unknowns: they are held
        structure.unknowns.push_back({output, s, m.first_output + o, std::move(readers[output]), {}});
      }
    }
  }
  std::vector<std::uint32_t> unknown_of_output(system.outputs.size(), none);
  for (std::uint32_t r = 0; r < structure.unknowns.size(); ++r)
    unknown_of_output[structure.unknowns[r].output] = r;
  const std::vector<std::vector<Index>> changed_by = outputs_changed_by(system);
  std::vector<bool> reached(changed_by.size(), false);
  std::vector<std::vector<Index>> behind;
  for (const Member& member : members)
    behind.push_back(outputs_behind(system, system.nodes[member.node], changed_by, reached));
  for (InterfaceUnknown& unknown : structure.unknowns) {
    for (const std::uint32_t m : unknown.readers) {
      for (const Index output : behind[m]) {
        if (unknown_of_output[output] != none) unknown.rows.push_back(unknown_of_output[output]);
      }
    }
    std::sort(unknown.rows.begin(), unknown.rows.end());
    unknown.rows.erase(std::unique(unknown.rows.begin(), unknown.rows.end()), unknown.rows.end());
  }
  structure.groups = group_columns(structure.unknowns, members.size());
  structure.batches = batch_groups(structure, members.size());
  return structure;
}

}  // namespace ergon
