#include "ergon/coupling/books/joined_nodes.hpp"

#include <numeric>

namespace ergon {

std::vector<Index> joined_nodes(const CoupledSystem& system, const std::vector<Index>& bonds) {
  std::vector<Index> parent(system.nodes.size());
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  for (const Index b : bonds) parent[root(system.bonds[b].effort_node)] = root(system.bonds[b].flow_node);
  for (Index n = 0; n < parent.size(); ++n) parent[n] = root(n);
  return parent;
}

}  // namespace ergon
