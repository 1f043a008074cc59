#include "ergon/models/multibody/markers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace ergon {
namespace {

using List = std::vector<double>;

/// Names in a text, separated by blanks or commas.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  for (char c : text) {
    if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!names.back().empty()) names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

bool is_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

/// A frame whose x axis is along `x` and whose y axis lies in the plane of `x` and `y`; nothing if they are parallel.
std::optional<Eigen::Matrix3d> frame_from(const Eigen::Vector3d& x, const Eigen::Vector3d& y) {
  constexpr double smallest_sine = 1e-9;
  const Eigen::Vector3d normal = x.cross(y);
  if (!(normal.norm() > smallest_sine * x.norm() * y.norm())) return std::nullopt;
  Eigen::Matrix3d axes;
  axes.col(0) = x.normalized();
  axes.col(2) = normal.normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

}  // namespace

void write_axes(Space space, const Eigen::Matrix3d& axes, double* port) {
  const std::size_t n = vector_size(space);
  for (std::size_t axis = 0; axis < n; ++axis)
    write_vector(space, axes.col(static_cast<Eigen::Index>(axis)), port + axis * n);
}

namespace {

/// x along the first vector, z normal to both; `told` is false for a port that is 0.
struct ToldFrame {
  ToldFrame(Space space, const double* port) {
    const bool plane = space == Space::plane;
    told = std::any_of(port, port + frame_size(space), [](double value) { return value != 0.0; });
    if (!told) return;
    x = read_vector(space, port).normalized();
    side = plane ? Eigen::Vector3d(Eigen::Vector3d::UnitZ().cross(x)) : read_vector(space, port + 3);
    normal = x.cross(side);
    z = normal.normalized();
    length = read_vector(space, port).norm();
  }
  bool told = true;
  double length = 1.0;  ///< of the first vector
  Eigen::Vector3d x, side, normal, z;
};

}  // namespace

Eigen::Matrix3d read_frame(Space space, const double* port) {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  const ToldFrame frame(space, port);
  if (!frame.told) return axes;
  // A zero vector, normalised, stays 0; that must show.
  const double valid = frame.normal.norm() > 0.0 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  axes.col(0) = valid * frame.x;
  axes.col(1) = valid * frame.z.cross(frame.x);
  axes.col(2) = valid * frame.z;
  return axes;
}

Eigen::Vector3d frame_turning(Space space, const double* port, const double* port_rate) {
  const ToldFrame frame(space, port);
  if (!frame.told) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d y = frame.z.cross(frame.x);
  // ẋ, and ż·y, which is all of ż that ẋ does not tell; ω = x (ẏ·z) − y (ẋ·z) + z (ẋ·y), ẏ·z = −ż·y
  const Eigen::Vector3d raw = read_vector(space, port_rate);
  const Eigen::Vector3d x_rate = (raw - frame.x * frame.x.dot(raw)) / frame.length;
  double about_x = 0.0;
  if (space != Space::plane) {
    const Eigen::Vector3d normal_rate =
        x_rate.cross(frame.side) + frame.x.cross(read_vector(space, port_rate + 3));
    about_x = -normal_rate.dot(y) / frame.normal.norm();
  }
  return frame.x * about_x - y * x_rate.dot(frame.z) + frame.z * x_rate.dot(y);
}

MarkerMotion motion_of_marker(const Marker& marker, const BodyMotion& body) {
  const Eigen::Vector3d arm = body.rotation * marker.position_m;
  return {body.position_m + arm, body.velocity_m_s + body.angular_velocity_rad_s.cross(arm),
          body.rotation * marker.axes, body.angular_velocity_rad_s};
}

std::vector<ParameterInfo> marker_parameters(Space space) {
  const bool plane = space == Space::plane;
  return {
      {"markers", "", "", "names of further points, as in \"top, bottom\"; each gets ports NAME_force ..."},
      {"marker_positions", "m", List{},
       plane ? "x, y of each marker in body coordinates, from the centre of mass"
             : "x, y, z of each marker in body coordinates, from the centre of mass"},
      {"marker_axes", "", List{},
       plane
           ? "two numbers per marker: its x axis in body coordinates; without: the axes of the body"
           : "six numbers per marker: its x and y axes in body coordinates; without: the axes of the body"}};
}

bool read_markers(const ModelRequest& request, Space space, std::vector<Marker>& markers,
                  ProblemList& problems) {
  const std::size_t n = vector_size(space);
  const std::size_t axes_numbers = space == Space::plane ? 2 : 6;
  const std::vector<std::string> names = split_names(request.parameters.text("markers"));
  const List& positions = request.parameters.list("marker_positions");
  const List& axes = request.parameters.list("marker_axes");
  bool ok = true;
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    problems.error(request.where, fmt::format("'{}': {}", request.name, what), remedy);
    ok = false;
  };
  if (positions.size() != n * names.size()) {
    refuse(fmt::format("'markers' names {}, but 'marker_positions' has {} numbers.", names.size(),
                       positions.size()),
           fmt::format("Give {} numbers for each marker.", n));
  }
  if (!axes.empty() && axes.size() != axes_numbers * names.size()) {
    refuse(fmt::format("'markers' names {}, but 'marker_axes' has {} numbers.", names.size(), axes.size()),
           fmt::format("Give {} numbers for each marker, or none.", axes_numbers));
  }
  if (!ok) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Marker marker{names[i], read_vector(space, positions.data() + n * i)};
    if (!is_name(names[i])) {
      refuse(fmt::format("A marker is called '{}'.", names[i]), "Use letters, digits, '_' and '-'.");
    }
    if (std::any_of(markers.begin(), markers.end(),
                    [&](const Marker& other) { return other.name == names[i]; })) {
      refuse(fmt::format("Two markers are called '{}'.", names[i]), "Rename one of them.");
    }
    if (!axes.empty()) {
      const double* own = axes.data() + axes_numbers * i;
      const Eigen::Vector3d x = read_vector(space, own);
      const auto frame = frame_from(
          x, space == Space::plane ? Eigen::Vector3d(-x[1], x[0], 0.0) : read_vector(space, own + 3));
      if (frame) {
        marker.axes = *frame;
      } else {
        refuse(fmt::format("The axes of marker '{}' span no frame.", names[i]),
               space == Space::plane ? "Give an x axis that is not 0."
                                     : "Give x and y axes that are not parallel.");
      }
    }
    markers.push_back(std::move(marker));
  }
  return ok;
}

void add_marker_inputs(Space space, const std::string& name, std::vector<Port>& inputs) {
  Port force{name + "_force", Unit::of("N"), vector_size(space), "force on the marker, world coordinates"};
  Port torque{name + "_torque", Unit::of("N.m"), rotation_size(space), "torque, world coordinates"};
  force.optional = torque.optional = true;
  inputs.push_back(force);
  inputs.push_back(torque);
}

void add_marker_outputs(Space space, const std::string& name, std::vector<Port>& outputs) {
  const char* axes = space == Space::plane ? "unit vectors x, y of the marker, world coordinates"
                                           : "unit vectors x, y, z of the marker, world coordinates";
  outputs.push_back({name + "_position", Unit::of("m"), vector_size(space), "position, world coordinates"});
  outputs.push_back({name + "_velocity", Unit::of("m/s"), vector_size(space), "velocity, world coordinates"});
  outputs.back().rate_of = name + "_position";
  outputs.push_back({name + "_axes", Unit::of("1"), axes_size(space), axes});
  outputs.push_back({name + "_axes_rate", Unit::of("1/s"), axes_size(space), "their rates of change"});
  outputs.back().rate_of = name + "_axes";
}

void write_marker_outputs(Space space, const Marker& marker, const BodyMotion& body, double* y) {
  const MarkerMotion motion = motion_of_marker(marker, body);
  Eigen::Matrix3d rates;
  for (Eigen::Index axis = 0; axis < 3; ++axis)
    rates.col(axis) = motion.angular_velocity_rad_s.cross(motion.axes.col(axis));
  write_vector(space, motion.position_m, y);
  y += vector_size(space);
  write_vector(space, motion.velocity_m_s, y);
  y += vector_size(space);
  write_axes(space, motion.axes, y);
  y += axes_size(space);
  write_axes(space, rates, y);
}

std::vector<VisibleShape> marker_shapes(const std::vector<Marker>& markers) {
  double reach_m = 0.0;
  for (const Marker& marker : markers) reach_m = std::max(reach_m, marker.position_m.norm());
  const double radius_m = reach_m > 0.0 ? 0.04 * reach_m : 0.05;
  std::vector<VisibleShape> shapes = {ball({}, 2.0 * radius_m)};
  for (const Marker& marker : markers) {
    const Eigen::Vector3d& p = marker.position_m;
    if (p.norm() > 0.0) shapes.push_back(bar({}, {p[0], p[1], p[2]}, radius_m));
  }
  return shapes;
}

}  // namespace ergon
