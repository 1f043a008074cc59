#include "ergon/models/joints/body_joint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/joints/attached_joint.hpp"
#include "ergon/models/joints/guided_joint.hpp"

namespace ergon {

std::optional<BodyJoints> attach_joints(const ModelRequest& request, const std::vector<Marker>& markers,
                                        ProblemList& problems) {
  BodyJoints attached;
  for (const JointAttachment& joint : request.joints) {
    const auto marker =
        std::find_if(markers.begin(), markers.end(), [&](const Marker& m) { return m.name == joint.marker; });
    if (marker == markers.end()) {
      problems.error(
          request.where,
          fmt::format("'{}' has no marker '{}' for the joint '{}'.", request.name, joint.marker, joint.name),
          "Name one of its markers.");
      return std::nullopt;
    }
    if (joint.part == JointAttachment::Part::guided) {
      attached.push_back(std::make_shared<GuidedJoint>(joint, *marker));
    } else {
      attached.push_back(std::make_shared<AttachedJoint>(joint, *marker));
    }
  }
  return attached;
}

}  // namespace ergon
