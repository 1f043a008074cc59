#include "ergon/models/cable/cable.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ergon/models/cable/cable_subsystem.hpp"
#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using List = std::vector<double>;

// The cable of [gonzalez2019, §4.2].
CableParameters published() {
  CableParameters p;
  p.length_m = 8.0;
  p.radius_m = 0.02;
  p.density_kg_m3 = 7200.0;
  p.youngs_modulus_Pa = 2e7;
  p.gravity_m_s2 << 0.0, -9.81, 0.0;
  return p;
}

const Values published_values = {
    {"b", List{8.0, 0.0, 0.0}}, {"radius", 0.02}, {"density", 7200.0}, {"E", 2e7}};

double cable_mass_kg(const CableParameters& p) {
  return p.density_kg_m3 * M_PI * p.radius_m * p.radius_m * p.length_m;
}

/// q and v of a cable from its saved state.
struct Motion {
  Cable::Nodes q, v;
};
Motion motion_of(Subsystem& subsystem, Eigen::Index rows) {
  const auto data = state_row(subsystem);
  const Eigen::Map<const Cable::Nodes> q(data.data(), rows, 3), v(data.data() + 3 * rows, rows, 3);
  return {q, v};
}

TEST(Cable, ForcesAreTheDerivativeOfThePotential) {
  const Cable cable(published());
  Cable::Nodes q = cable.straight({0.0, 0.0, 0.0}, {8.2, 0.0, 0.0});
  for (Eigen::Index i = 0; i < q.size(); ++i) q.data()[i] += 0.2 * std::sin(3.0 * static_cast<double>(i));
  Cable::Nodes Q(cable.rows(), 3);
  cable.forces(q, Q);
  constexpr double d = 1e-3;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const auto potential = [&](double move) {
      Cable::Nodes moved = q;
      moved.data()[i] += move;
      return cable.potential_energy_J(moved);
    };
    const double slope =
        (8.0 * (potential(d) - potential(-d)) - (potential(2.0 * d) - potential(-2.0 * d))) / (12.0 * d);
    EXPECT_NEAR(Q.data()[i], -slope, 1e-8 * Q.norm()) << i;
  }
}

// All of the cable in free fall with its ends: nothing pulls at them. And the weight is that of the mass.
TEST(Cable, InFreeFallTheEndsFeelNothing) {
  const CableParameters p = published();
  const Cable cable(p);
  const Cable::Nodes q = cable.straight({0.0, 0.0, 0.0}, {0.0, 0.0, 8.0});
  Cable::Nodes Q(cable.rows(), 3), a(cable.rows(), 3);
  cable.forces(q, Q);
  const Eigen::RowVector3d g = p.gravity_m_s2.transpose();
  cable.accelerations(Q, {g, g}, a);
  const auto reaction = cable.reactions(Q, a);
  EXPECT_LT(reaction.a.norm() + reaction.b.norm(), 1e-10 * cable_mass_kg(p));
  for (Eigen::Index row = 0; row < cable.rows(); ++row) {
    EXPECT_LT((a.row(row) - (row % 2 == 0 ? g : Eigen::RowVector3d(Eigen::RowVector3d::Zero()))).norm(),
              1e-10);
  }
}

// Axial vibration of a fixed bar: ω₁ = (π/L) √(E/ρ). The stability limit follows the highest frequency.
TEST(Cable, HighestFrequencyGrowsWithTheNumberOfElements) {
  CableParameters p = published();
  const double wave_m_s = std::sqrt(p.youngs_modulus_Pa / p.density_kg_m3);
  double last = 0.0;
  for (const Eigen::Index n : {1, 5, 10, 40}) {
    p.elements = n;
    const Cable cable(p);
    const double per_element =
        cable.highest_frequency_rad_s() * p.length_m / static_cast<double>(n) / wave_m_s;
    EXPECT_GT(cable.highest_frequency_rad_s(), last);
    EXPECT_GT(per_element, M_PI);  // no mode of the true bar that the elements resolve is above it
    EXPECT_LT(per_element, 12.0);
    last = cable.highest_frequency_rad_s();
  }
}

// What the ends are told to have pulled with is the change of momentum, step by step, with any number of internal steps.
TEST(CableSubsystem, ToldForcesAreTheImpulseOfTheReactions) {
  const CableParameters p = published();
  const Cable cable(p);
  Cable::Nodes all = Cable::Nodes::Zero(cable.rows(), 3);  // a translation: moves positions alone
  for (Eigen::Index row = 0; row < cable.rows(); row += 2) all.row(row).setOnes();
  const auto momentum = [&](const Cable::Nodes& v) {
    Eigen::Vector3d sum;
    for (Eigen::Index j = 0; j < 3; ++j) {
      Cable::Nodes unit = Cable::Nodes::Zero(cable.rows(), 3);
      unit.col(j) = all.col(j);
      // aᵀMb by polarisation of the kinetic energy
      sum[j] = cable.kinetic_energy_J(v + unit) - cable.kinetic_energy_J(v) - cable.kinetic_energy_J(unit);
    }
    return sum;
  };
  constexpr double H = 2e-3;
  for (const double internal_s : {2e-3, 0.5e-3}) {
    const auto subsystem = make_model("cable.ancf", published_values, {},
                                      {.method = "semi-implicit-euler", .step_s = internal_s});
    Eigen::Vector3d before = Eigen::Vector3d::Zero();
    for (int i = 1; i <= 50; ++i) {
      const double s = 0.2 * std::sin(0.1 * i);
      const std::vector<double> u = {0.3 * s, s, -0.5 * s};
      ASSERT_TRUE(step_held(*subsystem, H, u).ok);
      const auto y = outputs(*subsystem, u);
      const Eigen::Vector3d after = momentum(motion_of(*subsystem, cable.rows()).v);
      for (Eigen::Index j = 0; j < 3; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const double impulse = -(y[k] + y[3 + k]) * H + cable_mass_kg(p) * p.gravity_m_s2[j] * H;
        EXPECT_NEAR(after[j] - before[j], impulse, 1e-9 * cable_mass_kg(p)) << i;
      }
      before = after;
    }
  }
}

// Both ends at rest: energy is kept by the leapfrog to second order, where velocities are taken at the same instant.
TEST(CableSubsystem, KeepsItsEnergyBetweenFixedEnds) {
  const auto worst = [](double h) {
    const auto subsystem = make_model("cable.ancf", published_values);
    const std::vector<double> u = {0.0, 0.0, 0.0};
    const double start = account_of(*subsystem, u).synchronised_J;
    double error = 0.0;
    for (double t = 0.0; t < 0.999; t += h) {
      EXPECT_TRUE(step_held(*subsystem, h, u).ok);
      error = std::max(error, std::abs(account_of(*subsystem, u).synchronised_J - start));
    }
    return error;
  };
  const double coarse = worst(1e-3);
  EXPECT_LT(coarse, 0.1);  // of about 1 kJ that goes from height to stretch and back
  EXPECT_NEAR(std::log2(coarse / worst(5e-4)), 2.0, 0.3);
}

// An end that is moved with v and lags a step of 10 ms, where steps shrink to 1 ms. Torn to where it is told to be at once, it would
// get there with 10 v. Making up for the lag e within T, which falls by half of the time: ė = v − e/T, so e/T = v (2 − T/10 ms).
TEST(CableSubsystem, ShorterStepsDoNotTearAtTheEnd) {
  Values values = published_values;
  values.emplace_back("gravity", List{0.0, 0.0, 0.0});
  const auto subsystem =
      make_model("cable.ancf", values, {}, {.method = "semi-implicit-euler", .step_s = 1e-3});
  constexpr double speed = 2.0;
  double t = 0.0;
  double x = 0.0;
  double fastest = 0.0;
  const auto go = [&](double H) {
    const std::vector<double> u = {0.0, speed * t, 0.0};  // held
    EXPECT_TRUE(step_held(*subsystem, H, u).ok);
    const double moved = outputs(*subsystem, u)[7] - x;
    x += moved;
    t += H;
    return moved / H;
  };
  for (int i = 0; i < 20; ++i) go(10e-3);
  for (int i = 0; i < 100; ++i) fastest = std::max(fastest, go(1e-3));
  EXPECT_NEAR(fastest, 1.9 * speed, 0.1 * speed);
  EXPECT_NEAR(x, speed * (t - 1e-3), 1e-6);  // and it lags one short step in the end
}

// Driven along a smooth path at both ends, followed by inputs of degree 1: what is stored is what was received, to the order of
// the integrator.
TEST(CableSubsystem, BooksCloseOnAContinuousPath) {
  const auto worst = [](double h, double internal_s) {
    Values values = published_values;
    values.emplace_back("driven", std::string("both"));
    const auto subsystem =
        make_model("cable.ancf", values, {}, {.method = "semi-implicit-euler", .step_s = internal_s});
    const auto path = [](double t) {
      const double s = 0.5 * (1.0 - std::cos(3.0 * t));
      return List{-0.4 * s, s, 0.7 * s, 8.0 + s, -0.5 * s, 0.3 * s};
    };
    const double start = balance_J(*subsystem, path(0.0));
    double imbalance = 0.0;
    const long steps = std::lround(1.5 / h);
    for (long i = 0; i < steps; ++i) {
      const List u0 = path(static_cast<double>(i) * h);
      const List u1 = path(static_cast<double>(i + 1) * h);
      List coefficients = u0;
      for (std::size_t k = 0; k < 6; ++k) coefficients.push_back((u1[k] - u0[k]) / h);
      EXPECT_TRUE(subsystem->step(0.0, h, InputView{coefficients.data(), 6, 1}).ok);
      imbalance = std::max(imbalance, std::abs(balance_J(*subsystem, u1) - start));
    }
    return imbalance;
  };
  const double coarse = worst(2e-3, 2e-3);
  EXPECT_LT(coarse, 20.0);  // of several kJ
  EXPECT_NEAR(coarse / worst(1e-3, 1e-3), 2.0, 0.3);
  EXPECT_NEAR(coarse / worst(2e-3, 1e-3), 2.0, 0.3);
}

// Brought to rest, it sags between level ends as a shallow string: T d = w l²/8 with T = EA ε, ε = (8/3)(d/l)², so
// d³ = 3 w l⁴/(64 EA); each end carries half of the weight.
TEST(CableSubsystem, SagsAsAShallowString) {
  constexpr double l = 8.0, E = 2e7, density = 72.0;
  const auto subsystem = make_model(
      "cable.ancf",
      {{"b", List{l, 0.0, 0.0}}, {"radius", 0.02}, {"density", density}, {"E", E}, {"elements", 6.0}});
  const double area = M_PI * 4e-4;
  const double w = density * area * 9.81;
  const double sag = std::cbrt(3.0 * w * std::pow(l, 4) / (64.0 * E * area));
  const std::vector<double> u = {0.0, 0.0, 0.0};
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(step_held(*subsystem, 2e-4, u).ok);
    auto data = state_row(*subsystem);
    for (std::size_t k = 14 * 3; k < 2 * 14 * 3; ++k) data[k] *= 0.998;  // takes away some of the velocities
    set_state_row(*subsystem, data);
  }
  const auto y = outputs(*subsystem, u);
  EXPECT_NEAR(-y[6 + 3 * 3 + 1], sag, 0.005 * sag);
  EXPECT_NEAR(y[1], -0.5 * w * l, 1e-4 * w * l);            // A is pulled down
  EXPECT_NEAR(y[4], -0.5 * w * l, 1e-4 * w * l);            // and so is B
  EXPECT_NEAR(y[0], w * l * l / (8.0 * sag), 0.01 * y[0]);  // and inwards
}

TEST(CableSubsystem, AStepAboveTheStabilityLimitIsRefusedWithTheLimit) {
  const auto subsystem = make_model("cable.ancf", published_values);
  const double limit = 2.0 / Cable(published()).highest_frequency_rad_s();
  const StepStatus status = step_held(*subsystem, 1.01 * limit, {0.0, 0.0, 0.0});
  EXPECT_FALSE(status.ok);
  EXPECT_NE(std::string(status.reason).find("stability limit of"), std::string::npos);
  EXPECT_TRUE(step_held(*subsystem, 0.5 * limit, {0.0, 0.0, 0.0}).ok);
  const std::string text =
      refusal("cable.ancf", published_values, {}, {.method = "semi-implicit-euler", .step_s = 1.01 * limit});
  EXPECT_NE(text.find("stability limit of"), std::string::npos) << text;
}

// Within 1e-6 of its length, here 8 m. An end that is not moved stays where it is.
TEST(CableSubsystem, LedEndsMustStartWhereTheCableIs) {
  Values values = published_values;
  values.emplace_back("a", List{0.0, 0.0, 0.0});
  values.emplace_back("driven", std::string("both"));
  const auto subsystem = make_model("cable.ancf", values);
  const StartCondition& cable = *subsystem->start_condition();
  const auto inconsistency = [&](const List& u) { return cable.inconsistency_at_start(u.data()); };
  EXPECT_EQ(inconsistency({0.0, 0.0, 0.0, 8.0, 0.0, 0.0}), "");
  EXPECT_EQ(inconsistency({0.0, 7e-6, 0.0, 8.0, 0.0, -7e-6}), "");
  EXPECT_EQ(inconsistency({0.0, 0.0, 9e-6, 8.0, 0.0, 0.0}),
            "end A of the cable is at (0, 0, 0) m, but 'a_position' at (0, 0, 9e-06) m");
  EXPECT_EQ(inconsistency({0.0, 0.0, 0.0, 7.5, 0.0, 0.0}),
            "end B of the cable is at (8, 0, 0) m, but 'b_position' at (7.5, 0, 0) m");
  EXPECT_NE(inconsistency({std::nan(""), 0.0, 0.0, 8.0, 0.0, 0.0}), "");
}

TEST(CableSubsystem, UnphysicalCablesAreRefused) {
  EXPECT_NE(refusal("cable.ancf", {{"b", List{0.0, 0.0, 0.0}}}).find("one point"), std::string::npos);
  EXPECT_NE(refusal("cable.ancf", {{"length", 15.0}}).find("starts straight"), std::string::npos);
  EXPECT_NE(refusal("cable.ancf", {{"elements", 2.5}}).find("whole number"), std::string::npos);
  EXPECT_NE(refusal("cable.ancf", {{"elements", 401.0}}).find("matrices are dense"), std::string::npos);
  for (const auto& [name, value] : {std::pair{"radius", 1e-200}, std::pair{"density", 1e-320}}) {
    EXPECT_NE(refusal("cable.ancf", {{name, value}}).find("highest natural frequency"), std::string::npos)
        << name;
  }
  EXPECT_NE(refusal("cable.ancf", {{"E", 0.0}}).find("'E'"), std::string::npos);
  EXPECT_NE(refusal("cable.ancf", {{"radius", -0.1}}).find("'radius'"), std::string::npos);
  EXPECT_NE(refusal("cable.ancf", {}, {}, {.method = "rk4"}).find("Take semi-implicit-euler."),
            std::string::npos);
}

}  // namespace
}  // namespace ergon
