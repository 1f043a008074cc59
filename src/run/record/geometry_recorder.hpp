#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ergon/core/geometry.hpp"
#include "ergon/run/record/row_recorder.hpp"
#include "ergon/scenario/build/mapped_shape.hpp"

namespace ergon {

/// Everything of a coupled system that can be seen: what its subsystems show of themselves, what a scenario maps from outputs, and
/// the forces of bonds whose displacement is a place.
class SystemPicture {
 public:
  SystemPicture(const CoupledSystem& system, std::vector<MappedShape> shapes);

  /// What one subsystem shows. What is mapped, and the bonds, come last, without an owner.
  struct Part {
    std::string owner;
    Scene scene;
    const Geometry* geometry = nullptr;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// Nothing has a place: arrows alone make no picture.
  [[nodiscard]] bool empty() const;
  /// Of geometry.csv: 7 per moving body, 3 per point of a line, 6 per arrow, part by part.
  [[nodiscard]] std::vector<RowColumn> columns() const;
  /// Fills one row of them; what is not there is an empty field.
  void fill(const StepRecord& record, std::span<double> values) const;

 private:
  /// A bond in the plane or in space: efforts in N at displacements in m, both in world coordinates.
  struct BondArrow {
    std::vector<BondComponent> components;
  };
  void add_mapped_shapes(Part& part) const;
  void add_bond_arrows(const CoupledSystem& system, Part& part);
  void draw_mapped(const StepRecord& record, const SceneFrame& frame) const;
  void draw_bonds(const StepRecord& record, std::span<ForceArrow> arrows) const;

  std::vector<Part> parts_;
  std::vector<MappedShape> mapped_;
  std::vector<BondArrow> bonds_;
  // Scratch.
  mutable std::vector<Pose> poses_;
  mutable std::vector<Point3> points_;
  mutable std::vector<ForceArrow> arrows_;
};

/// geometry.csv: where everything is that can be seen, at instants common to all subsystems: 50 per second, but at least 600 and
/// at most 3000 in a run, as far as there are so many points.
class GeometryRecorder final : public RowRecorder {
 public:
  /// Throws InputError if the file cannot be opened.
  GeometryRecorder(const ResultFile& file, const Engine& engine, SystemPicture picture,
                   UnitLine unit_line = UnitLine::none);

 private:
  void fill(const StepRecord& record, const Row& row) override { picture_.fill(record, row.values); }

  SystemPicture picture_;
};

}  // namespace ergon
