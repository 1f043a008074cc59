// What can be seen of every model of the registry that can be looked at: complete, finite, rigid, and where its outputs say it is.

#include <Eigen/Geometry>
#include <cmath>

#include "contract/models_support.hpp"
#include "ergon/core/geometry.hpp"
#include "support/named_ports.hpp"

namespace ergon::contract {
namespace {

struct Drawn {
  Scene scene;
  std::vector<Pose> poses;
  std::vector<Point3> points;
  std::vector<ForceArrow> arrows;
};

Drawn draw(const Geometry& geometry) {
  Drawn drawn;
  drawn.scene = geometry.scene();
  const double unset = 1e300;
  drawn.poses.assign(drawn.scene.moving_bodies(), {{unset, unset, unset}, {unset, unset, unset, unset}});
  drawn.points.assign(drawn.scene.line_points(), {unset, unset, unset});
  drawn.arrows.assign(drawn.scene.arrows.size(), {{unset, unset, unset}, {unset, unset, unset}});
  geometry.draw({drawn.poses, drawn.points, drawn.arrows});
  return drawn;
}

bool is_place(const Point3& point) {
  return std::all_of(point.begin(), point.end(), [](double x) { return std::abs(x) < 1e6; });
}

TEST(ModelGeometry, EverythingIsSomewhere) {
  int looked_at = 0;
  for (const Pairing& pairing : pairings()) {
    for (const Variant& variant : variants_of(pairing)) {
      SCOPED_TRACE(name_of(variant));
      const auto subsystem = make(variant);
      ASSERT_TRUE(subsystem->initialize({}).ok);
      if (subsystem->geometry() == nullptr) continue;
      ++looked_at;
      const Drawn drawn = draw(*subsystem->geometry());
      EXPECT_GT(drawn.poses.size() + drawn.points.size(), 0U);
      for (const Pose& pose : drawn.poses) {
        EXPECT_TRUE(is_place(pose.position_m));
        double square = 0.0;
        for (const double e : pose.orientation) square += e * e;
        EXPECT_NEAR(square, 1.0, 1e-12);
      }
      for (const Point3& point : drawn.points) EXPECT_TRUE(is_place(point));
      for (const ForceArrow& arrow : drawn.arrows)
        EXPECT_EQ(std::isnan(arrow.point_m[0]), std::isnan(arrow.force_N[2])) << "all of it, or nothing";
      for (const VisibleBody& body : drawn.scene.bodies)
        for (const VisibleShape& shape : body.shapes)
          EXPECT_TRUE(shape.size_m[0] > 0.0 || shape.kind == VisibleShapeKind::plane) << body.name;
    }
  }
  EXPECT_GT(looked_at, 10);
}

/// A point of a shape's own frame, in the coordinates of the frame around it.
Eigen::Vector3d in_world(const Pose& pose, const Eigen::Vector3d& point) {
  const auto& [w, x, y, z] = pose.orientation;
  return Eigen::Quaterniond(w, x, y, z) * point +
         Eigen::Vector3d(pose.position_m[0], pose.position_m[1], pose.position_m[2]);
}

TEST(ModelGeometry, TheEndOfALinkIsWhereItsOutputSays) {
  Driven link(
      make_model("multibody.planar_link",
                 {{"length", 1.5}, {"centre", 0.4}, {"pinned", true}, {"pin", std::vector<double>{1.0, 2.0}}},
                 {{"phi", 0.8}, {"omega", -3.0}}, {.method = "rk4", .step_s = 1e-3}));
  link.step(0.7);
  const Drawn drawn = draw(*link.subsystem().geometry());
  // Bars run from the centre of mass to start and end: half their length further is the end.
  const VisibleShape& bar_to_end = drawn.scene.bodies[0].shapes[2];
  const Eigen::Vector3d end_in_body = in_world(bar_to_end.in_body, {0.0, 0.0, 0.5 * bar_to_end.size_m[1]});
  const Eigen::Vector3d end = in_world(drawn.poses[0], end_in_body);
  EXPECT_NEAR(end[0], link.pair("end_position")[0], 1e-12);
  EXPECT_NEAR(end[1], link.pair("end_position")[1], 1e-12);
}

TEST(ModelGeometry, ARodIsWhereItsFreeEndIs) {
  Driven rod(make_model("multibody.rod", {{"length", 5.0}, {"gravity", std::vector<double>{0.0, -9.81, 0.0}}},
                        {{"direction", std::vector<double>{1.0, 0.0, 0.5}}}));
  rod.step(1e-3);
  const Drawn drawn = draw(*rod.subsystem().geometry());
  const Eigen::Vector3d end = in_world(drawn.poses[0], {0.0, 0.0, 5.0});
  for (Eigen::Index k = 0; k < 3; ++k) EXPECT_NEAR(end[k], rod.vector("position")[k], 1e-4);
}

}  // namespace
}  // namespace ergon::contract
