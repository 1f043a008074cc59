#include "ergon/models/nonsmooth/collide.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A shape where it is now.
struct Placed {
  Placed(const Machine::Shape& s, const Kinematics& k)
      : shape(s), position(k.point(s.body, s.position)), axes(k.bodies[s.body].rotation * s.axes) {}
  const Machine::Shape& shape;
  Vector3d position;
  Matrix3d axes;
  [[nodiscard]] Vector3d axis() const { return axes.col(2); }
  [[nodiscard]] Vector3d corner(unsigned k) const {
    return position + axes * Vector3d(k & 1U ? shape.half[0] : -shape.half[0],
                                      k & 2U ? shape.half[1] : -shape.half[1],
                                      k & 4U ? shape.half[2] : -shape.half[2]);
  }
  [[nodiscard]] Vector3d end(unsigned k) const {
    return position + (k == 0 ? -shape.half_length : shape.half_length) * axis();
  }
};

/// What a sphere meets: outward normal of the surface, the point on it, and how far the centre is from it.
struct Surface {
  bool there = false;
  Vector3d normal = Vector3d::UnitZ(), point = Vector3d::Zero(), along = Vector3d::Zero();
  double distance = 0.0;
};

Surface plane_at(const Placed& plane, const Vector3d& centre) {
  const double distance = plane.axis().dot(centre - plane.position);
  return {true, plane.axis(), centre - distance * plane.axis(), Vector3d::Zero(), distance};
}

Surface cylinder_at(const Placed& cylinder, const Vector3d& centre) {
  const Vector3d axis = cylinder.axis();
  const Vector3d from = centre - cylinder.position;
  const double along = axis.dot(from);
  const Vector3d radial = from - along * axis;
  const double radius = radial.norm();
  const double beyond = std::abs(along) - cylinder.shape.half_length;
  if (beyond > 0.0 && radius > cylinder.shape.radius) return {};  // off an edge
  const double side = radius - cylinder.shape.radius;
  if (beyond > 0.0 || (side < 0.0 && beyond > side)) {
    const Vector3d outward = along > 0.0 ? axis : Vector3d(-axis);
    return {true, outward, centre - beyond * outward, Vector3d::Zero(), beyond};
  }
  const Vector3d outward = radius > 0.0 ? Vector3d(radial / radius) : Vector3d(cylinder.axes.col(0));
  return {true, outward, centre - side * outward, axis, side};
}

Surface box_at(const Placed& box, const Vector3d& centre) {
  const Vector3d local = box.axes.transpose() * (centre - box.position);
  const Vector3d nearest = local.cwiseMax(-box.shape.half).cwiseMin(box.shape.half);
  const double outside = (local - nearest).norm();
  if (outside > 0.0) {
    const Vector3d normal = box.axes * ((local - nearest) / outside);
    return {true, normal, box.position + box.axes * nearest, Vector3d::Zero(), outside};
  }
  Eigen::Index face = 0;
  const double depth = (box.shape.half - local.cwiseAbs()).minCoeff(&face);
  const Vector3d normal = (local[face] < 0.0 ? -1.0 : 1.0) * box.axes.col(face);
  return {true, normal, centre + depth * normal, Vector3d::Zero(), -depth};
}

class Finder {
 public:
  Finder(const Machine& machine, const Kinematics& kinematics, std::vector<ContactPoint>& contacts,
         double reach_m)
      : machine_(machine), kinematics_(kinematics), contacts_(contacts), reach_m_(reach_m) {}

  void find() {
    contacts_.clear();
    for (std::size_t i = 0; i < machine_.pairs.size(); ++i) {
      pair_ = i;
      const Machine::Pair& pair = machine_.pairs[i];
      const Machine::Shape& first = machine_.shapes[pair.first];
      const Machine::Shape& second = machine_.shapes[pair.second];
      if (first.type == ShapeType::sphere && second.type == ShapeType::sphere) {
        // The many: without frames.
        balls(0, kinematics_.point(first.body, first.position), first,
              kinematics_.point(second.body, second.position), second);
      } else {
        meet(Placed(first, kinematics_), Placed(second, kinematics_));
      }
    }
  }

 private:
  void meet(const Placed& first, const Placed& second) {
    using enum ShapeType;
    const ShapeType a = first.shape.type;
    const ShapeType b = second.shape.type;
    if (a == box && b == box) return boxes(first, second);
    if (a == cylinder) return rims(first, second);
    if (b == capsule || b == sphere) return segments(first, second);
    if (a == sphere) return point(0, first.position, first, second);
    if (a == capsule) {
      for (unsigned k = 0; k < 2; ++k) point(k, first.end(k), first, second);
      return;
    }
    for (unsigned k = 0; k < 8; ++k) point(k, first.corner(k), first, second);
  }

  void add(unsigned feature, const Machine::Shape& a, const Machine::Shape& b, const Surface& surface,
           double gap) {
    if (gap > reach_m_) return;
    contacts_.push_back({(static_cast<std::uint64_t>(pair_) << 8U) | feature, a.body, b.body,
                         machine_.pairs[pair_].material, surface.point, surface.normal, surface.along, gap});
  }

  /// A sphere about `centre`, without radius for a corner, against a surface.
  void point(unsigned feature, const Vector3d& centre, const Placed& first, const Placed& second) {
    Surface surface;
    switch (second.shape.type) {
      case ShapeType::plane:
        surface = plane_at(second, centre);
        break;
      case ShapeType::cylinder:
        surface = cylinder_at(second, centre);
        break;
      case ShapeType::box:
        surface = box_at(second, centre);
        break;
      default:
        return;
    }
    const double radius = first.shape.type == ShapeType::box ? 0.0 : first.shape.radius;
    if (surface.there) add(feature, first.shape, second.shape, surface, surface.distance - radius);
  }

  void balls(unsigned feature, const Vector3d& centre, const Machine::Shape& first, const Vector3d& other,
             const Machine::Shape& second) {
    const Vector3d line = centre - other;
    const double reach = first.radius + second.radius;
    const double farthest = reach + reach_m_;
    if (line.squaredNorm() > farthest * farthest) return;
    const double distance = line.norm();
    const Vector3d normal = distance > 0.0 ? Vector3d(line / distance) : Vector3d(Vector3d::UnitZ());
    // In the middle of the overlap.
    const Vector3d at = other + (second.radius + 0.5 * (distance - reach)) * normal;
    add(feature, first, second, {true, normal, at, Vector3d::Zero(), distance}, distance - reach);
  }

  /// Nearest points of the middle lines of spheres and capsules; two parallel capsules touch at both ends of what they share.
  void segments(const Placed& first, const Placed& second) {
    const double half_a = first.shape.type == ShapeType::capsule ? first.shape.half_length : 0.0;
    const double half_b = second.shape.type == ShapeType::capsule ? second.shape.half_length : 0.0;
    const Vector3d u = first.axis();
    const Vector3d w = second.axis();
    const Vector3d from = first.position - second.position;
    const double c = u.dot(w);
    const double along_u = u.dot(from);
    const double along_w = w.dot(from);
    constexpr double parallel = 1e-6;
    if (half_a > 0.0 && half_b > 0.0 && 1.0 - c * c < parallel) {
      // The part of a's line beside b's, in coordinates along w.
      const double low = std::max(along_w - half_a, -half_b);
      const double high = std::min(along_w + half_a, half_b);
      if (low < high) {
        const double sign = c > 0.0 ? 1.0 : -1.0;
        for (unsigned k = 0; k < 2; ++k) {
          const double t = k == 0 ? low : high;
          balls(1 + k, first.position + sign * (t - along_w) * u, first.shape, second.position + t * w,
                second.shape);
        }
        return;
      }
    }
    double s = half_a > 0.0 && 1.0 - c * c >= parallel ? (c * along_w - along_u) / (1.0 - c * c) : -along_u;
    s = std::clamp(s, -half_a, half_a);
    double t = std::clamp(along_w + s * c, -half_b, half_b);
    s = std::clamp(t * c - along_u, -half_a, half_a);
    t = std::clamp(along_w + s * c, -half_b, half_b);
    balls(0, first.position + s * u, first.shape, second.position + t * w, second.shape);
  }

  /// The lowest points of both ends of a cylinder on a plane.
  void rims(const Placed& cylinder, const Placed& plane) {
    const Vector3d n = plane.axis();
    Vector3d down = -(n - cylinder.axis() * cylinder.axis().dot(n));
    const double length = down.norm();
    constexpr double upright = 1e-9;
    down = length > upright ? Vector3d(down / length) : Vector3d(cylinder.axes.col(0));
    for (unsigned k = 0; k < 2; ++k) {
      const Vector3d low = cylinder.end(k) + cylinder.shape.radius * down;
      const double gap = n.dot(low - plane.position);
      add(k, cylinder.shape, plane.shape, {true, n, low, cylinder.axis(), gap}, gap);
    }
  }

  /// Of all faces the one that separates the two best tells the direction; corners of each that are over the face of the other touch.
  void boxes(const Placed& first, const Placed& second) {
    double most = -1e300;
    Vector3d normal = Vector3d::UnitZ();  // from the second to the first
    const auto reach = [](const Placed& box, const Vector3d& n) {
      return (box.axes.transpose() * n).cwiseAbs().dot(box.shape.half);
    };
    const Vector3d between = first.position - second.position;
    for (const Placed* box : {&second, &first}) {
      for (Eigen::Index k = 0; k < 3; ++k) {
        Vector3d n = box->axes.col(k);
        if (n.dot(between) < 0.0) n = -n;
        const double gap = n.dot(between) - reach(first, n) - reach(second, n);
        // Faces that are as good as each other shall not take turns.
        constexpr double better = 1e-9;
        if (gap > most + better) {
          most = gap;
          normal = n;
        }
      }
    }
    if (most > reach_m_) return;
    corners(0, first, second, normal, first.shape, second.shape, 1.0);
    corners(8, second, first, -normal, first.shape, second.shape, -1.0);
  }

  /// Corners of `from` over the face of `onto` that looks along n most; the contact pushes the first along `sign`·(normal of that face).
  void corners(unsigned feature, const Placed& from, const Placed& onto, const Vector3d& n,
               const Machine::Shape& first, const Machine::Shape& second, double sign) {
    const Vector3d local_n = onto.axes.transpose() * n;
    Eigen::Index face = 0;
    local_n.cwiseAbs().maxCoeff(&face);
    const double side = local_n[face] < 0.0 ? -1.0 : 1.0;
    const Vector3d outward = side * onto.axes.col(face);
    for (unsigned k = 0; k < 8; ++k) {
      const Vector3d corner = from.corner(k);
      const Vector3d local = onto.axes.transpose() * (corner - onto.position);
      // Flush boxes have their corners on the edge of the face.
      constexpr double flush = 1e-6;
      bool over = true;
      for (Eigen::Index i = 0; i < 3; ++i)
        over = over && (i == face || std::abs(local[i]) <= onto.shape.half[i] * (1.0 + flush));
      const double gap = side * local[face] - onto.shape.half[face];
      // What is nearer to the far side is another face's.
      if (!over || gap < -onto.shape.half[face]) continue;
      add(feature + k, first, second, {true, sign * outward, corner, Vector3d::Zero(), gap}, gap);
    }
  }

  const Machine& machine_;
  const Kinematics& kinematics_;
  std::vector<ContactPoint>& contacts_;
  double reach_m_ = 0.0;
  std::size_t pair_ = 0;
};

}  // namespace

void find_contacts(const Machine& machine, const Kinematics& kinematics, std::vector<ContactPoint>& contacts,
                   double reach_m) {
  Finder(machine, kinematics, contacts, reach_m).find();
}

}  // namespace ergon
