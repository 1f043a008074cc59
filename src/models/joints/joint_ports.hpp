#pragma once

#include "ergon/core/subsystem.hpp"
#include "ergon/models/joints/joint_law.hpp"

namespace ergon {

/// How one end of a joint moves, as inputs. Only what the law looks at is a port:
///   position, velocity            if it looks at points
///   axes, angular_velocity        if it looks at the frame of this end; of the axes x and y (in the plane x), which tell the frame
/// World vectors are exchanged, never angles: there is no singular position to go through.
class EndPorts {
 public:
  EndPorts(Space space, unsigned groups, InputGroup frame)
      : space_(space), point_((groups & points) != 0), frame_((groups & frame) != 0), frame_group_(frame) {}

  [[nodiscard]] bool has_point() const { return point_; }
  [[nodiscard]] bool has_frame() const { return frame_; }
  [[nodiscard]] std::size_t size() const;
  static constexpr std::size_t max_scalars = 15;

  /// Appends the ports and the group of each. `spell` makes a name of "position", "velocity", ...
  template <typename Spell>
  void describe(Spell spell, std::vector<Port>& inputs, std::vector<unsigned>& group_of_input) const {
    const auto add = [&](const char* quantity, const char* unit, std::size_t count, const char* help,
                         unsigned group) {
      inputs.push_back({spell(quantity), Unit::of(unit), count, help});
      group_of_input.push_back(group);
    };
    if (point_) {
      add("position", "m", vector_size(space_), "position of the marker, world coordinates", points);
      add("velocity", "m/s", vector_size(space_), "velocity of the marker, world coordinates", points);
    }
    if (frame_) {
      const bool plane = space_ == Space::plane;
      add("axes", "1", frame_size(space_),
          plane ? "x axis of the marker, world coordinates" : "x and y axes of the marker, world coordinates",
          frame_group_);
      add("angular_velocity", "rad/s", rotation_size(space_), "of the body, world coordinates", frame_group_);
    }
  }
  [[nodiscard]] MarkerMotion read(const double* u) const;
  /// What the motion changes by where the inputs change by `du`; `turning`: what the frame turns by.
  [[nodiscard]] MarkerMotion change(const double* u, const double* du, Eigen::Vector3d& turning) const;

  // Where the ports begin.
  [[nodiscard]] std::size_t velocity_offset() const { return vector_size(space_); }
  [[nodiscard]] std::size_t axes_offset() const { return point_ ? 2 * vector_size(space_) : 0; }
  [[nodiscard]] std::size_t angular_velocity_offset() const { return axes_offset() + frame_size(space_); }

 private:
  Space space_;
  bool point_;
  bool frame_;
  InputGroup frame_group_;
};

/// The ports of a joint as an element: how both ends move (position_i ... angular_velocity_j), and force_i, torque_i, force_j,
/// torque_j as far as there are such.
class JointPorts {
 public:
  JointPorts(Space space, const JointDependence& on)
      : space_(space), on_(on), i_(space, on.groups(), frame_i), j_(space, on.groups(), frame_j) {}

  [[nodiscard]] Description describe() const;
  [[nodiscard]] JointMotion read(const double* u) const { return {i_.read(u), j_.read(u + i_.size())}; }
  /// What the motion changes by with input scalar `input`.
  [[nodiscard]] JointMotion change(const double* u, std::size_t input) const;
  [[nodiscard]] std::size_t input_count() const { return i_.size() + j_.size(); }
  [[nodiscard]] std::size_t output_count() const;
  static constexpr std::size_t max_outputs = 12;
  void write(const JointWrench& wrench, double* y) const;

 private:
  Space space_;
  JointDependence on_;
  EndPorts i_, j_;
};

}  // namespace ergon
