#include "ergon/models/multibody/markers.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ergon {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr Space space = Space::three_dimensional;

TEST(Frames, AreMadeOfTheDirectionOfXAndTheSideOfY) {
  const double port[] = {0.0, 2.0, 0.0, -3.0, 1.0, 0.0};  // y leans to x
  Matrix3d expected;
  expected.col(0) = Vector3d::UnitY();
  expected.col(1) = -Vector3d::UnitX();
  expected.col(2) = Vector3d::UnitZ();
  EXPECT_LT((read_frame(space, port) - expected).norm(), 1e-15);
  const double plane_port[] = {0.0, 5.0};
  EXPECT_LT((read_frame(Space::plane, plane_port) - expected).norm(), 1e-15);
}

TEST(Frames, ThatNobodyTellsAreThoseOfTheWorldAndSenselessOnesShow) {
  const double nothing[6] = {};
  EXPECT_EQ(read_frame(space, nothing), Matrix3d(Matrix3d::Identity()));
  EXPECT_EQ(frame_turning(space, nothing, nothing), Vector3d(Vector3d::Zero()));
  const double parallel[] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0};
  EXPECT_TRUE(read_frame(space, parallel).hasNaN());
  const double no_x[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  EXPECT_TRUE(read_frame(space, no_x).hasNaN());
}

// d/dt of the frame by central differences, for axes that are neither of length 1 nor at right angles.
TEST(Frames, TurnWithTheAngularVelocityOfTheirAxes) {
  using Port = std::array<double, 6>;
  const Port port = {0.9, 0.3, -0.2, -0.1, 1.2, 0.4}, rate = {0.5, -0.7, 0.2, 0.3, 0.1, -0.9};
  constexpr double h = 1e-6;
  Port above, below;
  for (std::size_t k = 0; k < 6; ++k) {
    above[k] = port[k] + h * rate[k];
    below[k] = port[k] - h * rate[k];
  }
  for (const Space kind : {Space::three_dimensional, Space::plane}) {
    const Matrix3d difference = (read_frame(kind, above.data()) - read_frame(kind, below.data())) / (2.0 * h);
    const Vector3d omega = frame_turning(kind, port.data(), rate.data());
    const Matrix3d frame = read_frame(kind, port.data());
    EXPECT_GT(omega.norm(), 0.1);
    for (Eigen::Index axis = 0; axis < 3; ++axis)
      EXPECT_LT((omega.cross(frame.col(axis)) - difference.col(axis)).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace ergon
