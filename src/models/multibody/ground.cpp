#include "ergon/models/multibody/ground.hpp"

#include <algorithm>

#include "ergon/core/flat_state.hpp"
#include "ergon/models/multibody/markers.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;

class Ground final : public Subsystem, public NoState {
 public:
  Ground(Space space, std::vector<Marker> markers) : space_(space), markers_(std::move(markers)) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    description.outputs = {{"angular_velocity", Unit::of("rad/s"), rotation_size(space_), "always 0"}};
    for (const Marker& marker : markers_) add_marker_outputs(space_, marker.name, description.outputs);
    description.samples_input = InputSampling::start;
    return description;
  }
  StepStatus initialize(const Experiment& /*experiment*/) override { return {}; }
  StepStatus step(double /*t*/, double /*h*/, const InputView& /*u*/) override { return {}; }
  void outputs(double /*t*/, const double* /*u*/, double* y) override {
    const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
    const BodyMotion rest{zero, zero, Eigen::Matrix3d::Identity(), zero};
    write_rotation(space_, zero, y);
    y += rotation_size(space_);
    for (const Marker& marker : markers_) {
      write_marker_outputs(space_, marker, rest, y);
      y += marker_output_size(space_);
    }
  }

  Rewindable* rewindable() override { return this; }
  [[nodiscard]] const Serializable* serializable() const override { return this; }
  StateDerivative* state_derivative() override { return this; }

 private:
  Space space_;
  std::vector<Marker> markers_;
};

}  // namespace

ModelInfo ground_model() {
  ModelInfo info;
  info.name = "multibody.ground";
  info.summary = "markers that stay where they are, for joints to the world";
  info.parameters = {
      {"planar", "", false, "for bodies in the plane: two coordinates per marker"},
      {"markers", "", "", "names of the points, as in \"pivot, wall\""},
      {"marker_positions", "m", List{}, "coordinates of each marker, world"},
      {"marker_axes", "", List{},
       "six numbers per marker: its x and y axes (in the plane two: its x axis); without: world axes"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const Space space = request.parameters.flag("planar") ? Space::plane : Space::three_dimensional;
    std::vector<Marker> markers;
    if (!read_markers(request, space, markers, problems)) return nullptr;
    return std::make_unique<Ground>(space, std::move(markers));
  };
  info.examples = {
      {"in space", {{"markers", {"pivot", {}}}, {"marker_positions", {List{1.0, 2.0, 3.0}, {}}}}},
      {"in the plane",
       {{"planar", {true, {}}}, {"markers", {"pivot", {}}}, {"marker_positions", {List{1.0, 2.0}, {}}}}}};
  return info;
}

}  // namespace ergon
