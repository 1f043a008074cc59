#include "ergon/run/record/geometry_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ergon/run/record/common_points.hpp"

namespace ergon {
namespace {

bool has_unit(const CoupledSystem& system, Index output, const Unit& unit) {
  const Unit& own = system.output_port(output).unit;
  return !own.is_unspecified() && own.same_dimension(unit);
}

double frames_of(const Engine& engine) {
  constexpr double per_second = 50.0, fewest = 600.0, most = 3000.0;
  const double duration_s = static_cast<double>(engine.grid().end()) * engine.grid().tick_s().value();
  return std::clamp(per_second * duration_s, fewest, most);
}

double field(double value) {
  return std::isnan(value) ? RowWriter::empty_field() : value;
}

}  // namespace

SystemPicture::SystemPicture(const CoupledSystem& system, std::vector<MappedShape> shapes)
    : mapped_(std::move(shapes)) {
  for (const Node& node : system.nodes) {
    const Geometry* geometry = node.subsystem->geometry();
    if (geometry != nullptr) parts_.push_back({node.name, geometry->scene(), geometry});
  }
  Part rest;
  add_mapped_shapes(rest);
  if (!parts_.empty() || !mapped_.empty()) add_bond_arrows(system, rest);
  if (!mapped_.empty() || !bonds_.empty()) parts_.push_back(std::move(rest));
  std::size_t poses = 0, points = 0, arrows = 0;
  for (const Part& part : parts_) {
    poses = std::max(poses, part.scene.moving_bodies());
    points = std::max(points, part.scene.line_points());
    arrows = std::max(arrows, part.scene.arrows.size());
  }
  poses_.resize(poses);
  points_.resize(points);
  arrows_.resize(arrows);
}

void SystemPicture::add_mapped_shapes(Part& part) const {
  static const std::map<std::string, VisibleShapeKind> kinds = {{"sphere", VisibleShapeKind::sphere},
                                                                {"box", VisibleShapeKind::box},
                                                                {"cylinder", VisibleShapeKind::cylinder},
                                                                {"capsule", VisibleShapeKind::capsule}};
  for (const MappedShape& mapped : mapped_) {
    if (mapped.kind == "line") {
      part.scene.lines.push_back({mapped.name, 2, mapped.size_m[0]});
      continue;
    }
    VisibleShape shape;
    shape.kind = kinds.at(mapped.kind);
    std::copy(mapped.size_m.begin(), mapped.size_m.end(), shape.size_m.begin());
    part.scene.bodies.push_back({mapped.name, false, {shape}});
  }
}

void SystemPicture::add_bond_arrows(const CoupledSystem& system, Part& part) {
  static const Unit newton = Unit::of("N");
  static const Unit metre = Unit::of("m");
  for (const PowerBond& bond : system.bonds) {
    BondArrow arrow;
    for (const BondComponent& c : bond.components) {
      if (c.displacement_output && has_unit(system, *c.displacement_output, metre) &&
          has_unit(system, c.effort_output, newton))
        arrow.components.push_back(c);
    }
    // One component is a length along a line of its own, which no world coordinates tell.
    if (arrow.components.size() < 2 || arrow.components.size() > 3) continue;
    part.scene.arrows.push_back(bond.name);
    bonds_.push_back(std::move(arrow));
  }
}

bool SystemPicture::empty() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return part.scene.moving_bodies() == 0 && part.scene.lines.empty();
  });
}

std::vector<RowColumn> SystemPicture::columns() const {
  std::vector<RowColumn> columns;
  const auto add = [&](const std::string& stem, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings)
      columns.push_back({stem + std::string(ending),
                         PortType::real,
                         {},
                         ending[1] == 'q'   ? "1"
                         : ending[1] == 'f' ? "N"
                                            : "m"});
  };
  for (const Part& part : parts_) {
    const std::string owner = part.owner + "/";
    for (const VisibleBody& body : part.scene.bodies)
      if (!body.fixed) add(owner + body.name, {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"});
    for (const VisibleLine& line : part.scene.lines)
      for (std::size_t i = 0; i < line.points; ++i)
        add(fmt::format("{}{}[{}]", owner, line.name, i), {".x", ".y", ".z"});
    for (const std::string& arrow : part.scene.arrows)
      add(owner + arrow, {".x", ".y", ".z", ".fx", ".fy", ".fz"});
  }
  return columns;
}

/// The effort acts on the giver of the flow, where that is.
void SystemPicture::draw_bonds(const StepRecord& record, std::span<ForceArrow> arrows) const {
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    arrows[i] = {};
    for (std::size_t k = 0; k < bonds_[i].components.size(); ++k) {
      const BondComponent& c = bonds_[i].components[k];
      arrows[i].point_m[k] = c.displacement_output_to_SI * record.output(*c.displacement_output);
      arrows[i].force_N[k] = c.effort_output_to_SI * record.output(c.effort_output);
    }
  }
}

void SystemPicture::draw_mapped(const StepRecord& record, const SceneFrame& frame) const {
  const auto number = [&](const MappedCoordinate& c) {
    return c.output ? c.value * record.output(*c.output) : c.value;
  };
  const auto place = [&](const std::vector<MappedCoordinate>& coordinates) {
    Point3 point{};
    for (std::size_t k = 0; k < coordinates.size(); ++k) point[k] = number(coordinates[k]);
    return point;
  };
  std::size_t body = 0, point = 0;
  for (const MappedShape& shape : mapped_) {
    if (shape.kind == "line") {
      frame.points[point++] = place(shape.position);
      frame.points[point++] = place(shape.end);
      continue;
    }
    Pose& pose = frame.poses[body++];
    const Point3 at = place(shape.position);
    pose = shape.orientation.size() == 1 ? planar_pose(0.0, 0.0, number(shape.orientation[0])) : Pose{};
    pose.position_m = at;
    if (shape.orientation.size() == 4)
      for (std::size_t k = 0; k < 4; ++k) pose.orientation[k] = number(shape.orientation[k]);
  }
}

void SystemPicture::fill(const StepRecord& record, std::span<double> values) const {
  std::size_t column = 0;
  const auto write = [&](std::span<const double> numbers) {
    for (const double number : numbers) values[column++] = field(number);
  };
  for (const Part& part : parts_) {
    const SceneFrame frame{std::span(poses_).first(part.scene.moving_bodies()),
                           std::span(points_).first(part.scene.line_points()),
                           std::span(arrows_).first(part.scene.arrows.size())};
    if (part.geometry != nullptr) {
      part.geometry->draw(frame);
    } else {
      draw_mapped(record, frame);
      draw_bonds(record, frame.arrows);
    }
    for (const Pose& pose : frame.poses) {
      write(pose.position_m);
      write(pose.orientation);
    }
    for (const Point3& point : frame.points) write(point);
    for (const ForceArrow& arrow : frame.arrows) {
      write(arrow.point_m);
      write(arrow.force_N);
    }
  }
}

GeometryRecorder::GeometryRecorder(const ResultFile& file, const Engine& engine, SystemPicture picture,
                                   UnitLine unit_line)
    : RowRecorder(file, picture.columns(), evenly_spread_points(engine, frames_of(engine)), unit_line),
      picture_(std::move(picture)) {}

}  // namespace ergon
