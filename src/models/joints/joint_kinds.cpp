#include <fmt/format.h>

#include "ergon/models/joints/flexible_joint.hpp"
#include "ergon/models/joints/joint_parameters.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;
using List = std::vector<double>;

/// Rows of a joint in space and in the plane, as pairs of axes: 0 x, 1 y, 2 z.
struct Rows {
  bool at_point = false;
  std::vector<int> normals_j{};
  std::vector<std::pair<int, int>> perpendicular{};  ///< axis of i, axis of j
};

/// A combination of fundamental joints [schweizer2014, §3.2.4]. In space its axis is z of both markers; in the plane links slide along
/// x of marker j.
struct Kind {
  const char* name;
  const char* summary;
  Rows in_space;
  std::optional<Rows> in_plane{};  ///< nothing: it makes no sense there
  bool user_directions = false;    ///< directions are told, not axes
  bool user_law = false;           ///< one scalar law, that may be nonlinear
};

const std::vector<Kind>& kinds() {
  const std::vector<std::pair<int, int>> aligned = {{2, 0}, {2, 1}};         // z_i along z_j
  const std::vector<std::pair<int, int>> locked = {{2, 0}, {2, 1}, {0, 1}};  // and x_i along x_j
  const Rows point{true};
  static const std::vector<Kind> all = {
      {"atpoint", "holds two points together", point, point},
      {"inplane", "keeps point i in a plane of body j", {false, {2}}, Rows{false, {1}}, true, true},
      {"perpendicular",
       "keeps a direction of body i perpendicular to one of body j",
       {false, {}, {{0, 1}}},
       Rows{false, {}, {{0, 1}}},
       true,
       true},
      {"spherical", "holds two points together (another name of joint.atpoint)", point, point},
      {"universal", "atpoint and one perpendicular", {true, {}, {{0, 1}}}, {}, true},
      {"revolute", "atpoint and two perpendiculars: turns about z", {true, {}, aligned}, point},
      {"translational",
       "two inplanes and three perpendiculars: slides along z (in the plane: along x of j)",
       {false, {0, 1}, locked},
       Rows{false, {1}, {{0, 1}}}},
      {"cylindrical",
       "two inplanes and two perpendiculars: slides along and turns about z",
       {false, {0, 1}, aligned}},
      {"planar", "one inplane and two perpendiculars: moves in the plane x, y of j", {false, {2}, aligned}},
      {"inline",
       "two inplanes: point i stays on z of j (in the plane: on x of j)",
       {false, {0, 1}},
       Rows{false, {1}}},
      {"orientation",
       "three perpendiculars: both frames stay parallel",
       {false, {}, locked},
       Rows{false, {}, {{0, 1}}}},
  };
  return all;
}

bool moves_points(const Kind& kind) {
  return kind.in_space.at_point || !kind.in_space.normals_j.empty();
}
bool is_mixed(const Kind& kind) {
  return moves_points(kind) && !kind.in_space.perpendicular.empty();
}

std::vector<ParameterInfo> parameters_of(const Kind& kind) {
  const char* stiffness_unit = moves_points(kind) ? "N/m" : "N.m";
  const char* damping_unit = moves_points(kind) ? "N.s/m" : "N.m.s";
  std::vector<ParameterInfo> infos;
  if (kind.in_plane) infos.push_back(planar_parameter());
  if (kind.user_law) {
    for (ParameterInfo& info : scalar_law_parameters(stiffness_unit, damping_unit))
      infos.push_back(std::move(info));
  } else if (kind.in_space.at_point) {
    infos.insert(
        infos.end(),
        {{"stiffness", "N/m", List{0.0}, "one number, one per axis, or a symmetric matrix row by row"},
         {"damping", "N.s/m", List{0.0}, "one number, one per axis, or a matrix row by row"},
         {"frame",
          "",
          "world",
          "axes of stiffness and damping; with j moments balance to rounding, else to gap times force",
          {"world", "j"}},
         {"curve",
          "",
          "each-axis",
          "along what a spring_polynomial or spring_table acts: each axis by itself, or the distance",
          {"each-axis", "radial"}}});
    for (ParameterInfo& info : curve_parameters()) infos.push_back(std::move(info));
  } else {
    infos.push_back({"stiffness", stiffness_unit, 0.0, "of each of its springs"});
    infos.push_back({"damping", damping_unit, 0.0, "of each of its dampers"});
  }
  if (is_mixed(kind)) {
    infos.push_back({"rotation_stiffness", "N.m", 0.0, "of each perpendicular"});
    infos.push_back({"rotation_damping", "N.m.s", 0.0, "of each perpendicular"});
  }
  if (kind.user_directions) {
    if (!kind.in_space.perpendicular.empty())
      infos.push_back({"direction_i", "", List{1.0, 0.0, 0.0}, "in axes of marker i"});
    const bool normal = !kind.in_space.normals_j.empty();
    infos.push_back({"direction_j", "", normal ? List{} : List{0.0, 1.0, 0.0},
                     normal ? "normal, in axes of marker j; empty: z, between links in the plane y"
                            : "in axes of marker j"});
  }
  return infos;
}

bool read_at_point(const ParameterSet& given, Space space, JointParts& parts, ProblemList& problems) {
  const std::size_t n = vector_size(space);
  const auto C = read_matrix(given, "stiffness", n, MatrixKind::stiffness, problems);
  const auto D = read_matrix(given, "damping", n, MatrixKind::damping, problems);
  if (!C || !D) return false;
  const auto size = static_cast<Eigen::Index>(n);
  AtPoint& joint = parts.at_point.emplace();
  joint.dimensions = size;
  joint.stiffness_N_m.topLeftCorner(size, size) = *C;
  joint.damping_Ns_m.topLeftCorner(size, size) = *D;
  if (given.text("frame") == "j") joint.frame = AtPoint::Frame::body_j;
  if (!read_curve_instead(given, "stiffness", "spring", joint.spring, problems) ||
      !read_curve_instead(given, "damping", "damper", joint.damper, problems))
    return false;
  if (given.text("curve") != "radial") return true;
  joint.spring_direction = AtPoint::Direction::radial;
  if (!joint.spring) {
    problems.error(
        {}, "'curve' sets how a curve acts, but the spring of the joint has none.",
        "Give 'spring_polynomial', or 'spring_table_x' and 'spring_table_y', or leave out 'curve'.");
    return false;
  }
  if (joint.spring->value(0.0) != 0.0) {
    problems.error({},
                   fmt::format("The spring has a force of {:.6g} N at distance 0, where it has no direction.",
                               joint.spring->value(0.0)),
                   "Give a table through 0, 0, or leave out curve = \"radial\".");
    return false;
  }
  return true;
}

/// The rows of a joint with the axes they are named by; directions that the user gave come instead.
bool read_rows(const Kind& kind, const Rows& rows, const ParameterSet& given, Space space, JointParts& parts,
               ProblemList& problems) {
  ScalarLaw along, about;
  if (kind.user_law) {
    const auto law = read_scalar_law(given, problems);
    if (!law) return false;
    along = about = *law;
  } else if (!rows.at_point) {
    along = about = {Curve::linear(given.number("stiffness")), Curve::linear(given.number("damping"))};
  }
  if (is_mixed(kind))
    about = {Curve::linear(given.number("rotation_stiffness")),
             Curve::linear(given.number("rotation_damping"))};
  for (int normal : rows.normals_j) parts.in_plane.push_back({Vector3d::Unit(normal), along});
  for (const auto& [i, j] : rows.perpendicular)
    parts.perpendicular.push_back({Vector3d::Unit(i), Vector3d::Unit(j), about});
  if (!kind.user_directions) return true;
  bool ok = true;
  const auto direct = [&](const char* name, Vector3d& direction) {
    if (given.list(name).empty()) return;
    if (const auto told = read_direction(given, name, space, problems)) {
      direction = *told;
    } else {
      ok = false;
    }
  };
  for (InPlane& row : parts.in_plane) direct("direction_j", row.normal_j);
  for (Perpendicular& row : parts.perpendicular) {
    direct("direction_i", row.direction_i);
    direct("direction_j", row.direction_j);
  }
  return ok;
}

std::shared_ptr<const JointLaw> make(const Kind& kind, const ParameterSet& given, ProblemList& problems) {
  const Space space = kind.in_plane ? space_of(given) : Space::three_dimensional;
  const Rows& rows = space == Space::plane ? *kind.in_plane : kind.in_space;
  JointParts parts;
  if (rows.at_point && !read_at_point(given, space, parts, problems)) return nullptr;
  if (!read_rows(kind, rows, given, space, parts, problems)) return nullptr;
  return std::make_shared<FlexibleJoint>(space, std::move(parts));
}

std::vector<Example> examples_of(const Kind& kind) {
  const auto one = [](ParameterValue value) { return GivenParameter{std::move(value), {}}; };
  GivenParameters stiff = {{"stiffness", one(300.0)}, {"damping", one(7.0)}};
  if (is_mixed(kind)) {
    stiff["rotation_stiffness"] = one(40.0);
    stiff["rotation_damping"] = one(2.0);
  }
  std::vector<Example> examples = {{"stiff", stiff}};
  const auto add = [&](const char* name, const GivenParameters& more) {
    examples.push_back({name, stiff});
    for (const auto& [key, value] : more) examples.back().parameters[key] = value;
  };
  if (kind.in_plane) add("in the plane", {{"planar", one(true)}});
  if (kind.in_space.at_point) {
    const GivenParameters body_axes = {{"stiffness", one(List{300, 20, 10, 20, 400, 30, 10, 30, 500})},
                                       {"damping", one(List{7.0, 8.0, 9.0})},
                                       {"frame", one("j")}};
    add("in axes of j", body_axes);
    if (kind.in_plane) add("in axes of j, in the plane", {{"planar", one(true)}, {"frame", one("j")}});
    GivenParameters curves = {{"spring_polynomial", one(List{100.0, 0.0, 50.0})},
                              {"damper_polynomial", one(List{3.0, 0.0, 2.0})},
                              {"frame", one("j")}};
    for (const char* key : {"rotation_stiffness", "rotation_damping"}) {
      if (stiff.contains(key)) curves[key] = stiff[key];
    }
    examples.push_back({"curves along axes of j", curves});
    curves["curve"] = one("radial");
    examples.push_back({"curve along the distance", curves});
  }
  if (kind.user_law) {
    examples.push_back({"nonlinear",
                        {{"spring_polynomial", one(List{100.0, 0.0, 50.0})},
                         {"damper_table_x", one(List{-1.0, 0.0, 1.0})},
                         {"damper_table_y", one(List{-2.0, 0.0, 4.0})},
                         {"direction_j", one(List{0.0, 3.0, 4.0})}}});
  }
  return examples;
}

}  // namespace

std::vector<ElementInfo> flexible_joint_elements() {
  std::vector<ElementInfo> infos;
  for (const Kind& kind : kinds()) {
    ElementInfo info;
    info.name = fmt::format("joint.{}", kind.name);
    info.summary = fmt::format("flexible joint: {}", kind.summary);
    info.parameters = parameters_of(kind);
    set_joint(info, [&kind](const ParameterSet& given, ProblemList& problems) {
      return make(kind, given, problems);
    });
    info.examples = examples_of(kind);
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace ergon
