#include "benchmarks/rodriguez2022/residual_pictures.hpp"

namespace ergon::bench {
namespace {

constexpr const char* residual_paper = "rodriguez2022";
const PictureAxis residual_time{"time", "s"};

}  // namespace

Picture energy_picture(const std::string& figure, const std::string& title,
                       const std::vector<ShownHistory>& runs, const ReferenceMotion& reference) {
  Picture picture{residual_paper, figure, title, residual_time, {"mechanical energy E", "J"}};
  for (const ShownHistory& run : runs)
    picture.curves.push_back({run.label, run.history.t_s, run.history.energy_J});
  PictureCurve exact{"reference", {}, {}, true};
  for (std::size_t j = 0; j < reference.points(); ++j)
    exact.add(static_cast<double>(j) * ResidualProblem::macro_step_s, reference.energy_J[j]);
  picture.curves.push_back(std::move(exact));
  return picture;
}

Picture displacement_picture(const std::string& figure, const std::string& title, const std::string& name,
                             const std::vector<ShownHistory>& runs, const ReferenceMotion& reference) {
  Picture picture{residual_paper, figure, title, residual_time, {"displacement " + name, "m"}};
  for (const ShownHistory& run : runs)
    picture.curves.push_back({run.label, run.history.t_s, run.history.x_m});
  PictureCurve exact{"reference", {}, {}, true};
  for (std::size_t j = 0; j < reference.points(); ++j)
    exact.add(static_cast<double>(j) * ResidualProblem::macro_step_s,
              reference.x_m[j * reference.masses + reference.masses - 1]);
  picture.curves.push_back(std::move(exact));
  return picture;
}

Picture residual_power_picture(const std::string& figure, const std::string& title, const ShownHistory& run) {
  Picture picture{residual_paper, figure, title, residual_time, {"residual power δP", "W"}};
  picture.curves.push_back({run.label, run.history.t_s, run.history.residual_power_W});
  return picture;
}

}  // namespace ergon::bench
