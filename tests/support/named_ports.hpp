#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "support/model_making.hpp"

// For tests of models with many ports: inputs and outputs by name.

namespace ergon::testing_models {

/// Where a port begins among the scalars.
inline std::size_t offset_of(const std::vector<Port>& ports, const std::string& name) {
  std::size_t offset = 0;
  for (const Port& port : ports) {
    if (port.name == name) return offset;
    offset += port.size;
  }
  ADD_FAILURE() << "no port " << name;
  return 0;
}

inline std::size_t size_of(const std::vector<Port>& ports) {
  std::size_t size = 0;
  for (const Port& port : ports) size += port.size;
  return size;
}

/// A subsystem with inputs that stay until they are set anew.
class Driven {
 public:
  explicit Driven(std::unique_ptr<Subsystem> subsystem)
      : subsystem_(std::move(subsystem)),
        description_(subsystem_->describe()),
        u_(size_of(description_.inputs), 0.0),
        y_(size_of(description_.outputs)) {}

  void set(const std::string& port, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(),
              u_.begin() + static_cast<std::ptrdiff_t>(offset_of(description_.inputs, port)));
  }
  void set(const std::string& port, const Eigen::VectorXd& values) {
    set(port, std::vector<double>(values.begin(), values.end()));
  }
  void step(double h) { ASSERT_TRUE(step_held(*subsystem_, h, u_).ok); }
  double number(const std::string& port, std::size_t component = 0) {
    subsystem_->outputs(0.0, u_.data(), y_.data());
    return y_[offset_of(description_.outputs, port) + component];
  }
  Eigen::Vector3d vector(const std::string& port, std::size_t first = 0) {
    return {number(port, first), number(port, first + 1), number(port, first + 2)};
  }
  Eigen::Vector2d pair(const std::string& port, std::size_t first = 0) {
    return {number(port, first), number(port, first + 1)};
  }
  [[nodiscard]] AccountSample energy() const { return account_of(*subsystem_, u_); }
  [[nodiscard]] double balance() const { return balance_J(*subsystem_, u_); }
  /// Work received through a port.
  [[nodiscard]] double received(const std::string& port, std::size_t component = 0) const {
    return received_J(*subsystem_, u_)[offset_of(description_.inputs, port) + component];
  }
  Subsystem& subsystem() { return *subsystem_; }
  [[nodiscard]] const std::vector<double>& inputs() const { return u_; }

 private:
  std::unique_ptr<Subsystem> subsystem_;
  Description description_;
  std::vector<double> u_;
  std::vector<double> y_;
};

}  // namespace ergon::testing_models
