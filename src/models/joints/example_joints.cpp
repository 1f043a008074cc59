#include "ergon/models/joints/example_joints.hpp"

#include "ergon/models/joints/bushing.hpp"
#include "ergon/models/joints/flexible_joint.hpp"

namespace ergon {

std::vector<Example> examples_with_joints(const Example& body, Space space, const std::string& marker,
                                          const std::string& other_marker) {
  using End = JointAttachment::End;
  using Part = JointAttachment::Part;
  // All three fundamental joints in one law, and a bushing.
  JointParts parts;
  AtPoint point;
  point.frame = AtPoint::Frame::body_j;
  const auto n = static_cast<Eigen::Index>(vector_size(space));
  point.dimensions = n;
  point.stiffness_N_m.topLeftCorner(n, n).diagonal().setConstant(30.0);
  point.damping_Ns_m.topLeftCorner(n, n).diagonal().setConstant(0.5);
  parts.at_point = point;
  parts.in_plane = {{Eigen::Vector3d::UnitY(), {Curve::polynomial({20.0, 3.0, 5.0}), Curve::linear(0.4)}}};
  parts.perpendicular = {
      {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(), {Curve::linear(4.0), Curve::linear(0.1)}}};
  const auto joint = std::make_shared<FlexibleJoint>(space, parts);
  // Frames at random turn by half a turn, where the springs of a bushing for rotations jump: it has dampers only.
  Bushing::Matrix6 K = Bushing::Matrix6::Zero(), D = Bushing::Matrix6::Zero();
  K.topLeftCorner(n, n).diagonal().setConstant(10.0);
  K(0, 1) = K(1, 0) = 2.0;
  D.topLeftCorner(n, n).diagonal().setConstant(0.3);
  D.bottomRightCorner<3, 3>().diagonal().setConstant(0.2);
  const auto bushing = std::make_shared<Bushing>(space, K, D, Bushing::Vector6::Zero());

  Example owner = body;
  owner.name += ", owner of joints";
  owner.joints = {{"knee", joint, End::i, marker, Part::owner},
                  {"mount", bushing, End::j, other_marker, Part::owner}};
  Example others = body;
  others.name += ", joints that others own";
  others.joints = {{"mount", bushing, End::i, other_marker, Part::guest},
                   {"knee", joint, End::j, marker, Part::guided},
                   {"hook", joint, End::i, other_marker, Part::guided}};
  return {owner, others};
}

}  // namespace ergon
