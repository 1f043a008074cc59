#include <algorithm>

#include "ergon/core/freeze.hpp"

namespace ergon {
namespace {

/// Tarjan's strongly connected components, without recursion (chains of thousands of laws are possible).
/// Components come out in topological order: what a component depends on comes before it.
class ComponentFinder {
 public:
  explicit ComponentFinder(const std::vector<std::vector<Index>>& dependencies)
      : dependencies_(dependencies), order_(dependencies.size(), unvisited), low_(dependencies.size()) {}

  std::vector<std::vector<Index>> run() {
    on_stack_.assign(dependencies_.size(), false);
    for (Index i = 0; i < dependencies_.size(); ++i) {
      if (order_[i] == unvisited) visit(i);
    }
    return std::move(components_);
  }

 private:
  static constexpr Index unvisited = static_cast<Index>(-1);

  void open(Index i) {
    order_[i] = low_[i] = counter_++;
    stack_.push_back(i);
    on_stack_[i] = true;
    frames_.push_back({i, 0});
  }

  void visit(Index root) {
    open(root);
    while (!frames_.empty()) {
      const Index i = frames_.back().node;
      if (frames_.back().next < dependencies_[i].size()) {
        const Index j = dependencies_[i][frames_.back().next++];
        if (order_[j] == unvisited) {
          open(j);
        } else if (on_stack_[j]) {
          low_[i] = std::min(low_[i], order_[j]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[i]);
      if (low_[i] == order_[i]) close_component(i);
    }
  }

  void close_component(Index root) {
    std::vector<Index> members;
    Index j = unvisited;
    do {
      j = stack_.back();
      stack_.pop_back();
      on_stack_[j] = false;
      members.push_back(j);
    } while (j != root);
    std::sort(members.begin(), members.end());
    components_.push_back(std::move(members));
  }

  struct Frame {
    Index node;
    Index next;
  };
  const std::vector<std::vector<Index>>& dependencies_;
  std::vector<Index> order_;
  std::vector<Index> low_;
  std::vector<bool> on_stack_;
  std::vector<Index> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Index>> components_;
  Index counter_ = 0;
};

/// What depends on what at the same instant. The vertices are the outputs; behind them comes one for each node with outputs that
/// depend on all of its inputs. It collects these inputs, so that the graph grows with ports and links and not with their product.
std::vector<std::vector<Index>> instant_dependencies(const CoupledSystem& system) {
  std::vector<std::vector<Index>> dependencies(system.outputs.size());
  const auto add_sources = [&](const Node& node, Index input_port, std::vector<Index>& list) {
    const Index first_input = node.port_inputs[input_port];
    for (Index i = 0; i < node.description->inputs[input_port].size; ++i) {
      const auto& link = system.links[first_input + i];
      if (!link) continue;
      for (const LinkTerm& term : link->terms) list.push_back(term.output);
    }
  };
  for (const Node& node : system.nodes) {
    const Description& d = *node.description;
    for (const FeedthroughPair& pair : d.feedthrough) {
      const Index first_output = node.port_outputs[pair.output];
      for (Index o = 0; o < d.outputs[pair.output].size; ++o)
        add_sources(node, pair.input, dependencies[first_output + o]);
    }
    if (d.outputs_of_all_inputs.empty() || d.inputs.empty()) continue;
    const Index collector = dependencies.size();
    dependencies.emplace_back();
    for (Index i = 0; i < d.inputs.size(); ++i) add_sources(node, i, dependencies[collector]);
    for (const std::size_t port : d.outputs_of_all_inputs) {
      const Index first_output = node.port_outputs[port];
      for (Index o = 0; o < d.outputs[port].size; ++o) dependencies[first_output + o].push_back(collector);
    }
  }
  return dependencies;
}

/// Outputs with any feed-through, connected or not, have at least level 1: they must be evaluated with inputs.
std::vector<bool> outputs_with_feedthrough(const CoupledSystem& system) {
  std::vector<bool> any(system.outputs.size(), false);
  for (const Node& node : system.nodes) {
    const auto mark = [&](std::size_t port) {
      const Index first = node.port_outputs[port];
      for (Index o = 0; o < node.description->outputs[port].size; ++o) any[first + o] = true;
    };
    for (const FeedthroughPair& pair : node.description->feedthrough) mark(pair.output);
    if (node.description->inputs.empty()) continue;
    for (const std::size_t port : node.description->outputs_of_all_inputs) mark(port);
  }
  return any;
}

}  // namespace

void find_feedthrough_structure(CoupledSystem& system) {
  const auto dependencies = instant_dependencies(system);
  const auto feeds_through = outputs_with_feedthrough(system);
  const Index outputs = system.outputs.size();
  std::vector<int> levels(dependencies.size(), 0);
  for (auto& component : ComponentFinder(dependencies).run()) {
    int level = 0;
    bool loop = component.size() > 1;
    // A collector by itself hands on the level of its inputs; what depends on it lies one above these.
    const int rise = loop || component.front() < outputs ? 1 : 0;
    for (const Index vertex : component) {
      if (vertex < outputs && feeds_through[vertex]) level = std::max(level, 1);
      for (const Index source : dependencies[vertex]) {
        const bool inside = std::binary_search(component.begin(), component.end(), source);
        loop = loop || inside;
        if (!inside) level = std::max(level, levels[source] + rise);
      }
    }
    for (const Index vertex : component) levels[vertex] = level;
    system.max_level = std::max(system.max_level, level);
    // Collectors have the greatest numbers, and components are sorted.
    component.erase(std::lower_bound(component.begin(), component.end(), outputs), component.end());
    if (loop) system.loops.push_back(std::move(component));
  }
  levels.resize(outputs);
  system.output_level = std::move(levels);
  // Components come in topological order, which is not the order of levels: another branch may be deeper.
  std::stable_sort(system.loops.begin(), system.loops.end(), [&](const auto& a, const auto& b) {
    return system.output_level[a.front()] < system.output_level[b.front()];
  });
}

}  // namespace ergon
