#include "ergon/run/motion/motion_scales.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ergon/core/displacement.hpp"
#include "ergon/run/motion/motion_limits.hpp"

namespace ergon {
namespace {

namespace limits = motion_limits;

/// Zero is a state of the world, and not where somebody counts from.
bool has_natural_zero(const Unit& unit) {
  static const Unit temperature = Unit::of("K");
  static const Unit number = Unit::of("1");
  if (unit.is_unspecified() || is_displacement(unit) || unit.same_dimension(temperature)) return false;
  return unit.names_angle || !unit.same_dimension(number);
}

using Dimension = decltype(Unit::exponents);

/// The dimension of the integral of a quantity over time.
Dimension integral_of(const Unit& unit) {
  constexpr std::size_t second = 2;
  Dimension dimension = unit.exponents;
  ++dimension[second];
  return dimension;
}

}  // namespace

bool Extent::rests() const {
  return !(larger_half_range > limits::round_off * size);
}

std::vector<double> scales_of(const CoupledSystem& system, const WatchedOutputs& watched,
                              const std::vector<Extent>& extents, double duration_s) {
  const std::size_t n = extents.size();
  std::vector<double> scales(n);
  for (std::size_t v = 0; v < n; ++v) scales[v] = extents[v].half_range;
  // The components of a vector are measured by the largest of them: which is which is a matter of axes.
  for (std::size_t v = 0; v < n;) {
    const SignalName& name = system.outputs[watched.outputs[v]];
    std::size_t end = v;
    double most = 0.0;
    for (; end < n; ++end) {
      const SignalName& other = system.outputs[watched.outputs[end]];
      if (other.node != name.node || other.port != name.port) break;
      most = std::max(most, scales[end]);
    }
    for (; v < end; ++v) scales[v] = most;
  }
  std::map<std::pair<Index, std::string>, double> at_subsystem;
  std::map<std::pair<std::size_t, std::string>, double> in_group;
  std::map<std::string, double> in_system;
  std::map<std::pair<Index, Dimension>, double> size_SI;  // of everything at a subsystem, by dimension
  const auto raise = [](double& largest, double value) { largest = std::max(largest, value); };
  for (std::size_t v = 0; v < n; ++v) {
    const Index node = system.outputs[watched.outputs[v]].node;
    const Unit& of = system.output_port(watched.outputs[v]).unit;
    const std::string& unit = of.text;
    raise(size_SI[{node, of.exponents}], extents[v].size * of.to_SI());
    raise(at_subsystem[{node, unit}], scales[v]);
    raise(in_group[{watched.group[v], unit}], scales[v]);
    raise(in_system[unit], scales[v]);
  }
  for (std::size_t v = 0; v < n; ++v) {
    const Index node = system.outputs[watched.outputs[v]].node;
    const Port& port = system.output_port(watched.outputs[v]);
    raise(scales[v], limits::beside_the_motion * at_subsystem[{node, port.unit.text}]);
    raise(scales[v], limits::idle_in_group * in_group[{watched.group[v], port.unit.text}]);
    raise(scales[v], limits::round_off * in_system[port.unit.text]);
    // A rate that changes its quantity by less than round-off over the whole run is none.
    const auto changed = size_SI.find({node, integral_of(port.unit)});
    if (changed != size_SI.end() && !port.unit.is_unspecified() && duration_s > 0.0)
      raise(scales[v], limits::round_off * changed->second / (duration_s * port.unit.to_SI()));
    if (has_natural_zero(port.unit)) raise(scales[v], limits::part_of_size * extents[v].size);
  }
  return scales;
}

}  // namespace ergon
