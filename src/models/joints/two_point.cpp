#include "ergon/models/joints/two_point.hpp"

#include "ergon/models/joints/joint_parameters.hpp"

namespace ergon {
LineBetween::LineBetween(const JointMotion& motion) {
  const Eigen::Vector3d distance = motion.distance_m();
  length_m = distance.norm();
  if (length_m == 0.0) return;
  along = distance / length_m;  // NaN stays NaN
  rate_m_s = along.dot(motion.velocity_m_s());
}

LineChange::LineChange(const LineBetween& line, const JointMotion& motion, const JointMotion& change) {
  if (line.length_m == 0.0) return;
  const Eigen::Vector3d d_distance = change.distance_m();
  length_m = line.along.dot(d_distance);
  along = (d_distance - line.along * length_m) / line.length_m;
  rate_m_s = along.dot(motion.velocity_m_s()) + line.along.dot(change.velocity_m_s());
}

JointResponse TwoPointSpringDamper::respond(const JointMotion& motion) const {
  const LineBetween line(motion);
  const double elongation = line.length_m - rest_length_m_;
  const double damping_N = law_.damper.value(line.rate_m_s);
  JointResponse response;
  response.elastic.push(-law_.spring.value(elongation) * line.along);
  response.damping.push(-damping_N * line.along);
  response.stored_J = law_.spring.integral(elongation);
  response.dissipation_W = damping_N * line.rate_m_s;
  return response;
}

JointWrench TwoPointSpringDamper::wrench_change(const JointMotion& motion, const JointMotion& change) const {
  const LineBetween line(motion);
  const LineChange d(line, motion, change);
  const double elongation = line.length_m - rest_length_m_;
  JointWrench wrench;
  wrench.push(law_.force_change(elongation, line.rate_m_s, d.length_m, d.rate_m_s) * line.along +
              law_.force(elongation, line.rate_m_s) * d.along);
  return wrench;
}

ElementInfo two_point_spring_damper_element() {
  ElementInfo info;
  info.name = "joint.spring-damper";
  info.summary = "spring and damper along the line between two markers";
  info.parameters = {planar_parameter()};
  for (ParameterInfo& parameter : scalar_law_parameters("N/m", "N.s/m"))
    info.parameters.push_back(std::move(parameter));
  info.parameters.push_back(
      {"rest_length", "m", 0.0, "distance of both markers at which the spring is relaxed", {}, 0.0});
  set_joint(info, [](const ParameterSet& given, ProblemList& problems) -> std::shared_ptr<const JointLaw> {
    const auto law = read_scalar_law(given, problems);
    if (!law) return nullptr;
    return std::make_shared<TwoPointSpringDamper>(space_of(given), *law, given.number("rest_length"));
  });
  using List = std::vector<double>;
  const auto one = [](ParameterValue value) { return GivenParameter{std::move(value), {}}; };
  info.examples = {
      {"stiff", {{"stiffness", one(300.0)}, {"damping", one(7.0)}, {"rest_length", one(0.4)}}},
      {"in the plane",
       {{"planar", one(true)}, {"stiffness", one(300.0)}, {"damping", one(7.0)}, {"rest_length", one(0.4)}}},
      {"curves",
       {{"spring_polynomial", one(List{100.0, 0.0, 50.0})},
        {"damper_table_x", one(List{-1.0, 0.0, 1.0})},
        {"damper_table_y", one(List{-2.0, 0.0, 4.0})},
        {"rest_length", one(0.4)}}}};
  return info;
}

}  // namespace ergon
