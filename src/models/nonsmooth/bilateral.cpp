#include "ergon/models/nonsmooth/bilateral.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "ergon/core/disjoint_sets.hpp"

namespace ergon {
namespace {

using Index = Eigen::Index;

std::vector<const char*> row_names(const Machine::Joint& joint) {
  switch (joint.type) {
    case JointType::weld:
      return {"point x", "point y", "point z", "axes x-y", "axes y-z", "axes z-x"};
    case JointType::revolute:
      if (joint.drive) return {"point x", "point y", "point z", "tilt 1", "tilt 2", "driven angle"};
      return {"point x", "point y", "point z", "tilt 1", "tilt 2"};
    case JointType::prismatic:
      if (joint.locked) return {"across 1", "across 2", "along", "axes x-y", "axes y-z", "axes z-x"};
      return {"across 1", "across 2", "axes x-y", "axes y-z", "axes z-x"};
    case JointType::spherical:
      return {"point x", "point y", "point z"};
    case JointType::universal:
      return {"point x", "point y", "point z", "right angle"};
    case JointType::gear:
      return {"angles"};
  }
  return {};
}

/// The lowest number of each connected set of bodies; the ground connects nothing.
std::vector<std::size_t> connected(const Machine& machine, const std::vector<Row>& rows) {
  DisjointSets joined(machine.bodies.size());
  for (const Row& row : rows) {
    std::size_t first = machine.ground();
    for (std::size_t k = 0; k < row.count; ++k) {
      if (row.body[k] == machine.ground()) continue;
      if (first == machine.ground()) first = row.body[k];
      joined.join(first, row.body[k]);
    }
  }
  std::vector<std::size_t> set(machine.bodies.size());
  for (std::size_t body = 0; body < set.size(); ++body) set[body] = joined.find(body);
  return set;
}

}  // namespace

Bilateral::Bilateral(const Machine& machine) : machine_(machine) {
  for (std::size_t i = 0; i < machine.joints.size(); ++i) declare(machine.joints[i], i);
  joint_rows_ = rows_.size();
  for (std::size_t i = 0; i < machine.joints.size(); ++i) {
    const Machine::Joint& joint = machine.joints[i];
    if (joint.damping > 0.0) add(Kind::damper, i, joint.name + ": damper", {joint.a, joint.b});
  }
  for (std::size_t i = 0; i < machine.joints.size(); ++i) {
    const Machine::Joint& joint = machine.joints[i];
    if (joint.spring) add(Kind::spring, i, joint.name + ": spring", {joint.a, joint.b});
  }
  for (std::size_t i = 0; i < machine.actuators.size(); ++i) {
    const Machine::Actuator& actuator = machine.actuators[i];
    if (actuator.is_motion_driven()) add(Kind::motion_driven, i, actuator.name, {actuator.a, actuator.b});
  }
  C_.assign(rows_.size(), 0.0);
  C_of_step_ = C_;
  bounded_.assign(rows_.size(), false);
  gamma_.assign(rows_.size(), 1.0);
  assembly_of_ = connected(machine, rows_);
  analyse();
}

void Bilateral::declare(const Machine::Joint& joint, std::size_t index) {
  has_springs_ = has_springs_ || joint.stiffness.has_value() || joint.spring.has_value();
  for (const char* name : row_names(joint)) {
    const std::string title = joint.name + ": " + name;
    const bool driven = joint.drive.has_value() && std::string_view(name) == "driven angle";
    if (joint.type == JointType::gear) {
      add(Kind::joint, index, title, {joint.a, joint.b, joint.c});
    } else {
      add(Kind::joint, index, title, {joint.a, joint.b});
    }
    infos_.back().ideal = !joint.stiffness && !driven;
  }
}

void Bilateral::add(Kind kind, std::size_t owner, const std::string& name,
                    std::initializer_list<std::size_t> bodies) {
  infos_.push_back({kind, owner, name, false});
  Row row;
  for (const std::size_t body : bodies) row.body[row.count++] = body;
  rows_.push_back(row);
}

void Bilateral::analyse() {
  rows_of_body_.resize(machine_.bodies.size());
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> entries;
  std::vector<SparseLdlt::Place> places;
  diagonal_.assign(rows_.size(), 0);
  const auto entry = [&](std::size_t i, std::size_t j) {
    const auto [found, is_new] = entries.try_emplace({i, j}, static_cast<std::uint32_t>(places.size()));
    if (is_new) places.push_back({static_cast<Index>(i), static_cast<Index>(j)});
    return found->second;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    diagonal_[i] = entry(i, i);
    for (std::size_t a = 0; a < rows_[i].count; ++a) {
      const std::size_t body = rows_[i].body[a];
      if (body == machine_.ground()) continue;
      rows_of_body_[body].emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(a));
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t b = 0; b < rows_[j].count; ++b) {
          if (rows_[j].body[b] != body) continue;
          products_.push_back({entry(i, j), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                               static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)});
        }
      }
    }
  }
  H_.assign(places.size(), 0.0);
  factor_.analyze(static_cast<Index>(rows_.size()), places);
  column_.resize(static_cast<Index>(rows_.size()));
}

void Bilateral::evaluate(const Kinematics& kinematics, double t, double t_end,
                         std::span<const PrescribedMotion> prescribed, std::vector<double>& angles) {
  Row* row = rows_.data();
  time_s_ = t;
  for (const Machine::Joint& joint : machine_.joints)
    row += write_joint_rows(joint, kinematics, t, t_end, angles, row);
  for (const Machine::Joint& joint : machine_.joints) {
    if (joint.damping > 0.0) joint_motion_row(joint, kinematics, *row++);
  }
  for (const Machine::Joint& joint : machine_.joints) {
    double* angle = joint.tracked ? &angles[joint.angle_b] : nullptr;
    if (angle != nullptr && !joint.drive) *angle = joint_coordinate(joint, kinematics, *angle);
    if (!joint.spring) continue;
    joint_motion_row(joint, kinematics, *row);
    row->gap = (angle != nullptr ? *angle : joint_coordinate(joint, kinematics, 0.0)) - joint.spring->rest;
    ++row;
  }
  std::size_t k = 0;
  for (const Machine::Actuator& actuator : machine_.actuators) {
    if (!actuator.is_motion_driven()) continue;
    line_row(kinematics, actuator.a, actuator.point_a, actuator.b, actuator.point_b, *row);
    row->gap -= prescribed[k].length_m;
    row->target = prescribed[k].rate_m_s;
    ++row;
    ++k;
  }
}

void Bilateral::regularise(double h) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    C_of_step_[i] = 0.0;
    gamma_[i] = 1.0;
    bounded_[i] = false;
    if (infos_[i].kind == Kind::damper) {
      // Without steps there is no motion to damp: the row gives way to everything.
      C_of_step_[i] = h > 0.0 ? 1.0 / (h * machine_.joints[infos_[i].owner].damping) : 1e30;
      gamma_[i] = 0.0;
      continue;
    }
    if (infos_[i].kind == Kind::spring) {
      const Machine::Joint& joint = machine_.joints[infos_[i].owner];
      const double theta = spring_theta(joint, h);
      C_of_step_[i] = h > 0.0 ? 1.0 / (theta * h * h * joint.spring->stiffness) : 1e30;
      gamma_[i] = h > 0.0 ? 1.0 / theta : 0.0;
      continue;
    }
    if (!(h > 0.0)) continue;
    const auto stiffness =
        infos_[i].kind == Kind::joint ? machine_.joints[infos_[i].owner].stiffness : std::nullopt;
    if (stiffness) {
      const double K = *stiffness;
      const double B = machine_.joints[infos_[i].owner].stiffness_damping.value_or(0.0);
      C_of_step_[i] = 1.0 / (h * h * K + h * B);
      gamma_[i] = h * K / (h * K + B);
    } else {
      const double relaxed = 1.0 + machine_.solver.joint_relaxation;
      C_of_step_[i] = machine_.solver.joint_compliance_m_N / (h * h * relaxed);
      gamma_[i] = 1.0 / relaxed;
      bounded_[i] = machine_.solver.bounds_joint_compliance;
    }
  }
}

Index Bilateral::factorize() {
  std::fill(H_.begin(), H_.end(), 0.0);
  for (const Product& p : products_)
    H_[p.entry] += rows_[p.row_i].jacobian[p.slot_i].dot(rows_[p.row_j].response[p.slot_j]);
  // ε/h² grows without limit as steps shrink: an effective mass M̃ would be soft by εM̃/h².
  constexpr double softest = 1e-6;
  const double bound = softest / (1.0 + machine_.solver.joint_relaxation);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double& diagonal = H_[diagonal_[i]];
    C_[i] = C_of_step_[i];
    if (bounded_[i] && diagonal > 0.0) C_[i] = std::min(C_[i], bound * diagonal);
    diagonal += C_[i];
  }
  return factor_.factorize(H_);
}

void Bilateral::joint_gaps(const Kinematics& elsewhere, std::vector<double>& angles,
                           Eigen::VectorXd& gap) const {
  Index i = 0;
  Row rows[6];
  for (const Machine::Joint& joint : machine_.joints) {
    const std::size_t count = write_joint_rows(joint, elsewhere, time_s_, time_s_, angles, rows);
    for (std::size_t k = 0; k < count; ++k) gap[i++] = rows[k].gap;
  }
}

void Bilateral::right_side(const Eigen::VectorXd& velocity, const Eigen::VectorXd& drift, double h,
                           Eigen::VectorXd& b) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    b[static_cast<Index>(i)] = row.rate(velocity) + drift_share(i) * h * drift[static_cast<Index>(i)] +
                               gamma_[i] * row.gap / h - row.target;
  }
}

void Bilateral::rates(const Eigen::VectorXd& velocity, Eigen::VectorXd& r) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) r[static_cast<Index>(i)] = rows_[i].rate(velocity);
}

void Bilateral::push(const Eigen::VectorXd& impulses, Eigen::Ref<Eigen::VectorXd> velocity) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].push(impulses[static_cast<Index>(i)], velocity);
}

void Bilateral::coupling(const Row& other, Eigen::VectorXd& r) const {
  r.setZero();
  for (std::size_t k = 0; k < other.count; ++k)
    for (const auto& [row, slot] : rows_of_body_[other.body[k]])
      r[static_cast<Index>(row)] += rows_[row].jacobian[slot].dot(other.response[k]);
}

bool Bilateral::half_columns(std::size_t body, Eigen::Ref<Eigen::Matrix<double, Eigen::Dynamic, 6>> Z) const {
  const auto& rows = rows_of_body_[body];
  if (rows.empty()) return false;
  for (Index k = 0; k < 6; ++k) {
    column_.setZero();
    for (const auto& [row, slot] : rows) column_[static_cast<Index>(row)] += rows_[row].response[slot][k];
    factor_.half_solve(column_.data(), Z.col(k).data());
  }
  return true;
}

}  // namespace ergon
