#include "ergon/scenario/build/mapped_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/build/output_selection.hpp"

namespace ergon {
namespace {

std::vector<MappedCoordinate> coordinates(const CoupledSystem& system, const ShapePlace& place,
                                          ProblemList& problems) {
  std::vector<MappedCoordinate> result;
  for (const ShapeCoordinate& c : place.coordinates) {
    if (c.outputs.empty()) {
      result.push_back({std::nullopt, c.number});
      continue;
    }
    for (const Index output : select_outputs(system, {{c.outputs, c.where}}, problems)) {
      const Port& real = system.output_port(output);
      if (real.type != PortType::real) {
        problems.error(c.where, fmt::format("'{}' is not a number that a shape could follow.", c.outputs),
                       "Name outputs that are reals.");
      }
      result.push_back({output, real.unit.to_SI()});
    }
  }
  return result;
}

void check_count(const ShapeEntry& entry, const char* key, const ShapePlace& place, std::size_t count,
                 std::initializer_list<std::size_t> fitting, const char* remedy, ProblemList& problems) {
  if (problems.has_errors() || std::find(fitting.begin(), fitting.end(), count) != fitting.end()) return;
  problems.error(place.where,
                 fmt::format("{} of [[shape]] '{}' has {} component{}.", key, entry.name.value, count,
                             count == 1 ? "" : "s"),
                 remedy);
}

}  // namespace

std::vector<MappedShape> map_shapes(const CoupledSystem& system, const std::vector<ShapeEntry>& entries,
                                    ProblemList& problems) {
  std::vector<MappedShape> shapes;
  for (const ShapeEntry& entry : entries) {
    if (!entry.usable) continue;
    MappedShape shape{entry.name.value,
                      entry.kind,
                      entry.size_m,
                      coordinates(system, entry.position, problems),
                      coordinates(system, entry.orientation, problems),
                      coordinates(system, entry.end, problems)};
    const char* place = "Give two or three, in m.";
    check_count(entry, "position", entry.position, shape.position.size(), {2, 3}, place, problems);
    check_count(entry, "orientation", entry.orientation, shape.orientation.size(), {0, 1, 4},
                "Give an angle about z, or a quaternion (w, x, y, z).", problems);
    if (entry.kind == "line") check_count(entry, "end", entry.end, shape.end.size(), {2, 3}, place, problems);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace ergon
