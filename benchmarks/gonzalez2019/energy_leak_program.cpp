#include "benchmarks/gonzalez2019/energy_leak_program.hpp"

#include <algorithm>
#include <cmath>

namespace ergon::bench {

EnergyLeakProgram::EnergyLeakProgram(const EnergyLeakSettings& settings)
    : settings_(settings),
      steps_of_mass2_(static_cast<int>(std::lround(settings.H1_s / settings.H2_s))),
      x1_(settings.problem.z0[0]),
      x2_(settings.problem.z0[1]),
      v1_(settings.problem.z0[2]),
      v2_(settings.problem.z0[3]),
      t_end_(settings.H1_s),
      x2_before_(x2_),
      v2_before_(v2_) {
  const TwoMassOscillator& p = settings_.problem;
  force_ = force_before_ = p.kc * (x1_ - x2_) + p.cc * (v1_ - v2_);
  initial_energy_J_ = energy1_J(x2_) + energy2_J(x2_, v2_);
  point_ = {{x1_, x2_, v1_, v2_}, initial_energy_J_, 0.0, force_, false};
}

double EnergyLeakProgram::energy1_J(double xi) const {
  const TwoMassOscillator& p = settings_.problem;
  return 0.5 * p.m1 * v1_ * v1_ + 0.5 * p.k1 * x1_ * x1_ + 0.5 * p.kc * (x1_ - xi) * (x1_ - xi);
}

double EnergyLeakProgram::energy2_J(double x2, double v2) const {
  const TwoMassOscillator& p = settings_.problem;
  return 0.5 * p.m2 * v2 * v2 + 0.5 * p.k2 * x2 * x2;
}

void EnergyLeakProgram::step_mass1(double xi, double xi_rate) {
  const TwoMassOscillator& p = settings_.problem;
  const double H1 = settings_.H1_s;
  const double pull = p.kc * (x1_ - xi) + p.cc * (v1_ - xi_rate);
  v1_ += H1 * ((-p.k1 * x1_ - p.c1 * v1_ - pull) / p.m1);
  x1_ += H1 * v1_;
  new_force_ = p.kc * (x1_ - xi) + p.cc * (v1_ - xi_rate);
  dissipated_J_ += H1 * (p.c1 * v1_ * v1_ + p.cc * (v1_ - xi_rate) * (v1_ - xi_rate));
}

void EnergyLeakProgram::step_mass2(int micro_step) {
  const TwoMassOscillator& p = settings_.problem;
  const double H2 = settings_.H2_s;
  double received = force_;
  if (settings_.linear) {
    // A mass 2 that is ahead looks further into the step: its own time decides, not the count of its steps.
    const double share = settings_.clock == ProgramClock::floating_point
                             ? (t2_ - t1_) / settings_.H1_s
                             : static_cast<double>(micro_step) / steps_of_mass2_;
    received += (force_ - force_before_) * share;
  }
  received += correction_;
  x2_before_ = x2_;
  v2_before_ = v2_;
  v2_ += H2 * ((-p.k2 * x2_ - p.c2 * v2_ + received) / p.m2);
  x2_ += H2 * v2_;
  dissipated_J_ += H2 * (p.c2 * v2_ * v2_);
  t2_ += H2;
  point_.force_N = received;
}

bool EnergyLeakProgram::mass2_has_arrived(int micro_steps_done) const {
  if (settings_.clock == ProgramClock::exact) return micro_steps_done == steps_of_mass2_;
  return !(t2_ < t_end_);
}

void EnergyLeakProgram::advance() {
  const double xi = x2_;
  const double xi_rate = v2_;
  step_mass1(xi, xi_rate);
  for (int l = 0; !mass2_has_arrived(l); ++l) step_mass2(l);

  const double energy1 = energy1_J(xi);
  const double leak = energy1 + energy2_J(x2_, v2_) + dissipated_J_ - initial_energy_J_;
  if (settings_.limit > 0.0) {
    const double moved = std::abs(x2_ - xi);
    const double most = settings_.limit * std::abs(force_);
    const double against_motion = v2_ > 0.0 ? -1.0 : (v2_ < 0.0 ? 1.0 : 0.0);
    correction_ = moved > 0.0 ? std::clamp(leak / moved * against_motion, -most, most) : 0.0;
  }
  force_before_ = force_;
  force_ = new_force_;

  // Sums of steps differ from multiples by far less than half a step.
  point_.ahead = settings_.clock == ProgramClock::floating_point && t2_ > t_end_ + 0.5 * settings_.H2_s;
  const double x2 = point_.ahead ? x2_before_ : x2_;
  const double v2 = point_.ahead ? v2_before_ : v2_;
  point_.z = {x1_, x2, v1_, v2};
  point_.stored_J = energy1 + energy2_J(x2, v2);
  point_.dissipated_J = dissipated_J_;

  t1_ += settings_.H1_s;
  t_end_ += settings_.H1_s;
}

void run_energy_leak_program(const EnergyLeakSettings& settings, double duration_s,
                             const std::function<void(std::size_t, const EnergyLeakPoint&)>& at_point) {
  EnergyLeakProgram program(settings);
  const auto steps = static_cast<std::size_t>(std::lround(duration_s / settings.H1_s));
  at_point(0, program.point());
  for (std::size_t j = 1; j <= steps; ++j) {
    program.advance();
    at_point(j, program.point());
  }
}

}  // namespace ergon::bench
