// Δstored + Δdissipated = Δreceived + Δsupplied, dissipated and supplied never negative and never falling, for every model that keeps an account, whatever its inputs do.

#include <cmath>

#include "contract/models_support.hpp"

namespace ergon::contract {
namespace {

constexpr int steps = 20;

/// How far stored + dissipated − supplied − received strays over random inputs of the degree, relative to the energy that moved.
/// Each input acts for `parts` steps. Inputs jump from step to step; the account is asked with yet other inputs.
double worst_imbalance(const Variant& variant, int degree, int parts) {
  const auto subsystem = make(variant);
  if (subsystem->energy_account() == nullptr) return 0.0;
  const Description description = subsystem->describe();
  const std::size_t inputs = scalars(description.inputs);
  RandomInputs random(description.inputs, 7);
  const auto u0 = random.values();
  const double start = balance_J(*subsystem, u0);
  double worst = 0.0;
  double moved = 1e-3;
  std::vector<double> received;
  AccountSample before = account_of(*subsystem, u0, received);
  EXPECT_EQ(before.dissipated_J, 0.0);
  EXPECT_EQ(before.supplied_J, 0.0);
  for (int i = 0; i < steps; ++i) {
    const auto coefficients = random.polynomial(degree);
    for (int part = 0; part < parts; ++part) {
      EXPECT_TRUE(step_with(*subsystem, 0.0, h / parts, coefficients, inputs, degree).ok);
    }
    const auto u = random.values();
    worst = std::max(worst, std::abs(balance_J(*subsystem, u) - start));
    const AccountSample now = account_of(*subsystem, u, received);
    moved = std::max(moved, now.stored_J);
    EXPECT_GE(now.dissipated_J, 0.0);
    EXPECT_GE(now.supplied_J, 0.0);
    // A machine has one sum for all of its dampers, contacts and joints, which their integration error moves both ways.
    if (!variant.info->takes_description) {
      EXPECT_GE(now.dissipated_J, before.dissipated_J - 1e-9 * moved);
      EXPECT_GE(now.supplied_J, before.supplied_J - 1e-9 * moved);
    }
    before = now;
    for (double work : received) moved = std::max(moved, std::abs(work));
  }
  return worst / moved;
}

class EnergyAccountContract : public ::testing::TestWithParam<Pairing> {};

TEST_P(EnergyAccountContract, StoredAndDissipatedIsWhatWasReceivedAndSupplied) {
  const std::string& method = GetParam().integrator->name;
  // Methods of low order stray by their integration error, which must go away with the step as their order says.
  const double order = method == "newmark" ? 2.0 : method.ends_with("euler") ? 1.0 : 0.0;
  for (Variant variant : variants_of(GetParam())) {
    if (variant.integrator.step_s) continue;
    SCOPED_TRACE(name_of(variant));
    if (order > 0.0) {
      const double coarse = worst_imbalance(variant, 0, 1);
      const double fine = worst_imbalance(variant, 0, 16);
      // Explicit Euler books a force at the velocity before the step: pushed at random from rest, a model receives next to
      // nothing by its books, and moves all the same.
      EXPECT_LE(coarse, method == "explicit-euler" ? 2.0 : 0.2);
      EXPECT_LE(fine, 1e-11 + coarse / std::pow(16.0, order - 0.2));
      // With internal steps the inputs move within the step.
      variant.integrator.step_s = h / 4.0;
      const double coarse_substeps = worst_imbalance(variant, 2, 1);
      variant.integrator.step_s = h / 64.0;
      EXPECT_LE(worst_imbalance(variant, 2, 1), 1e-11 + coarse_substeps / std::pow(16.0, order - 0.2));
      continue;
    }
    variant.integrator.rtol = 1e-11;
    variant.integrator.atol = 1e-15;
    if (!GetParam().integrator->variable_step) variant.integrator.step_s = h / 100.0;
    for (int degree = 0; degree <= 2; ++degree) {
      EXPECT_LE(worst_imbalance(variant, degree, 1), 1e-8) << "degree " << degree;
    }
  }
}

/// The inputs of this test jump: nothing for models with prescribed paths, see ModelInfo::has_prescribed_paths.
std::vector<Pairing> pairings_that_may_jump() {
  std::vector<Pairing> all = pairings();
  std::erase_if(all, [](const Pairing& pairing) { return pairing.info->has_prescribed_paths; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EnergyAccountContract, ::testing::ValuesIn(pairings_that_may_jump()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace ergon::contract
