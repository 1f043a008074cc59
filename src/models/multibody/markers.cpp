#include "models/multibody/markers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

Eigen::Matrix3d read_axes(Space space, const double* port) {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  const std::size_t n = vector_size(space);
  for (std::size_t axis = 0; axis < n; ++axis)
    axes.col(static_cast<Eigen::Index>(axis)) = read_vector(space, port + axis * n);
  return axes;
}

void write_axes(Space space, const Eigen::Matrix3d& axes, double* port) {
  const std::size_t n = vector_size(space);
  for (std::size_t axis = 0; axis < n; ++axis)
    write_vector(space, axes.col(static_cast<Eigen::Index>(axis)), port + axis * n);
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

void write_marker_outputs(Space space, const Marker& marker, const BodyMotion& motion, double* y) {
  const Eigen::Vector3d arm = motion.rotation * marker.position_m;
  const Eigen::Vector3d& omega = motion.angular_velocity_rad_s;
  const Eigen::Matrix3d axes = motion.rotation * marker.axes;
  Eigen::Matrix3d rates;
  for (Eigen::Index axis = 0; axis < 3; ++axis) rates.col(axis) = omega.cross(axes.col(axis));
  write_vector(space, motion.position_m + arm, y);
  y += vector_size(space);
  write_vector(space, motion.velocity_m_s + omega.cross(arm), y);
  y += vector_size(space);
  write_axes(space, axes, y);
  y += axes_size(space);
  write_axes(space, rates, y);
}

}  // namespace ergon
