#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support/model_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Row = std::vector<double>;

/// Case 2 of [lim2021, Table 1].
constexpr const char* lim_constants =
    "m1 = 1, m2 = 1, k1 = 10, kc = 100, k2 = 1000, c1 = 0.01, cc = 0.01, c2 = 0.01";

// M q̈ + C q̇ + K q = f [lim2021, (1), (2)] and ż = A z [lim2021, (3)–(5)], both as printed, against the native masses.
TEST(LinearModels, TheOscillatorOfLimMovesAlikeInAllForms) {
  for (const char* method : {"semi-implicit-euler", "explicit-euler", "rk4", "newmark"}) {
    const IntegratorOptions integrator{.method = method};
    const auto native = make_model("oscillator.chain",
                                   {{"m", Row{1.0, 1.0}},
                                    {"k", Row{10.0, 1000.0}},
                                    {"c", Row{0.01, 0.01}},
                                    {"kc", Row{100.0}},
                                    {"cc", Row{0.01}}},
                                   {{"x", Row{0.0, 0.0}}, {"v", Row{100.0, -100.0}}}, integrator);
    const auto mechanical = make_model("equations.mechanical",
                                       {{"M", "m1, 0; 0, m2"},
                                        {"C", "c1 + cc, -cc; -cc, c2 + cc"},
                                        {"K", "k1 + kc, -kc; -kc, k2 + kc"},
                                        {"constants", lim_constants}},
                                       {{"v", Row{100.0, -100.0}}}, integrator);
    const auto state_space =
        make_model("equations.state_space",
                   {{"A",
                     "0, 0, 1, 0\n 0, 0, 0, 1\n -(k1 + kc)/m1, kc/m1, -(c1 + cc)/m1, cc/m1\n"
                     "kc/m2, -(k2 + kc)/m2, cc/m2, -(c2 + cc)/m2"},
                    {"B", ""},
                    {"constants", lim_constants}},
                   {{"x", Row{0.0, 0.0, 100.0, -100.0}}}, integrator);
    const Row forces(2, 0.0);  // one on each mass
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(step_held(*native, 1e-3, forces).ok);
      ASSERT_TRUE(step_held(*mechanical, 1e-3, {0.0, 0.0}).ok);
      ASSERT_TRUE(step_held(*state_space, 1e-3, {}).ok);
    }
    const auto expected = state_row(*native);
    const auto a = state_row(*mechanical);
    const auto b = state_row(*state_space);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(a[i], expected[i], 1e-9 * (1.0 + std::abs(expected[i]))) << method;
      EXPECT_NEAR(b[i], expected[i], 1e-9 * (1.0 + std::abs(expected[i]))) << method;
    }
    // The account of the native masses: dissipated so far.
    EXPECT_NEAR(account_of(*mechanical, {0.0, 0.0}).stored_J, account_of(*native, forces).stored_J, 1e-4)
        << method;
  }
}

// [rodriguez2022, (1)]: x₊ = A x + B u, y = C x + D u, by hand.
TEST(LinearModels, ADiscreteSystemTakesItsSamples) {
  const auto model =
      make_model("equations.state_space",
                 {{"A", "0.5, 1; 0, -0.25"}, {"B", "1; 2"}, {"C", "1, 1"}, {"D", "3"}, {"sample_time", 0.1}},
                 {{"x", Row{1.0, 2.0}}});
  EXPECT_EQ(outputs(*model, {4.0}, 0.0), (Row{15.0}));  // 3 + 3·4
  double u = 4.0;
  ASSERT_TRUE(model->step(0.0, 0.1, InputView{&u, 1, 0}).ok);
  // x = (0.5 + 2 + 4, −0.5 + 8)
  EXPECT_EQ(outputs(*model, {-1.0}, 0.1), (Row{6.5 + 7.5 - 3.0}));
  EXPECT_EQ(outputs(*model, {-1.0}, 0.15), (Row{3.0 + 12.0})) << "held between instants: what was sampled";
  // Half steps: the sample at 0.1 is taken once.
  u = -1.0;
  ASSERT_TRUE(model->step(0.1, 0.05, InputView{&u, 1, 0}).ok);
  EXPECT_EQ(outputs(*model, {9.0}, 0.15), (Row{11.0}));
  u = 9.0;
  ASSERT_TRUE(model->step(0.15, 0.05, InputView{&u, 1, 0}).ok);
  // x = (3.25 + 7.5 − 1, −1.875 − 2)
  EXPECT_NEAR(outputs(*model, {0.0}, 0.2)[0], 9.75 - 3.875, 1e-14);
}

// The response to a sine, after a long time, is |G(iω)| and arg G(iω).
TEST(LinearModels, ATransferFunctionHasItsFrequencyResponse) {
  using Complex = std::complex<double>;
  const Row b = {0.5, 1.0, 3.0};
  const Row a = {0.2, 0.9, 2.4, 5.0};
  const auto model = make_model("equations.transfer_function", {{"numerator", b}, {"denominator", a}}, {},
                                {.method = "rk4"});
  const double omega = 2.5;
  const auto polynomial = [&](const Row& coefficients) {
    Complex value = 0.0;
    for (const double c : coefficients) value = value * Complex(0.0, omega) + c;
    return value;
  };
  const Complex gain = polynomial(b) / polynomial(a);
  constexpr double h = 1e-3;
  const int steps = 60000;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const double u[3] = {std::sin(omega * t), omega * std::cos(omega * t),
                         -0.5 * omega * omega * std::sin(omega * t)};
    ASSERT_TRUE(model->step(t, h, InputView{u, 1, 2}).ok);
  }
  const double t = steps * h;
  EXPECT_NEAR(outputs(*model, {std::sin(omega * t)}, t)[0],
              std::abs(gain) * std::sin(omega * t + std::arg(gain)), 1e-6);
}

TEST(LinearModels, MatricesComeFromFilesToo) {
  const auto folder = std::filesystem::temp_directory_path() / "ergon_matrix_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "A.csv") << "# oscillator\n0, 1\n-k, 0\n";
  std::ofstream(folder / "bad.csv") << "0, 1\n-4, zero\n";
  ProblemList problems;
  const auto model =
      make_model("equations.state_space", given({{"A", "A.csv"}, {"B", ""}, {"constants", "k = 9"}}),
                 given({{"x", Row{0.0, 3.0}}}), {.method = "rk4"}, problems, folder.string());
  ASSERT_NE(model, nullptr) << text_of(problems);
  ASSERT_TRUE(model->initialize({}).ok);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(step_held(*model, 1e-3, {}).ok);
  EXPECT_NEAR(outputs(*model, {})[0], std::sin(3.0), 1e-10);
  EXPECT_EQ(make_model("equations.state_space", given({{"A", "bad.csv"}, {"B", ""}}), {}, {}, problems,
                       folder.string()),
            nullptr);
  EXPECT_NE(text_of(problems).find("bad.csv:2:5"), std::string::npos) << text_of(problems);
  std::filesystem::remove_all(folder);
}

TEST(LinearModels, MistakesAreRefused) {
  const auto space = [](const Values& values) { return refusal("equations.state_space", values); };
  EXPECT_NE(
      space({{"A", "1, 2; 3"}}).find("line 1, column 7 of 'A': This row has 1 entries, those above have 2."),
      std::string::npos);
  EXPECT_NE(space({{"A", "1, 2"}}).find("'A' is a 1 x 2 matrix, but must be 1 x 1."), std::string::npos)
      << space({{"A", "1, 2"}});
  EXPECT_NE(space({{"A", "k"}}).find("'k' is not defined"), std::string::npos);
  EXPECT_NE(space({{"A", "0, 1; 1, 0"}, {"B", "1"}}).find("'B' is a 1 x 1 matrix, but must be 2 x 1."),
            std::string::npos);
  EXPECT_NE(space({{"A", "missing.csv"}}).find("cannot be read"), std::string::npos);
  EXPECT_NE(space({{"inputs", "a, b"}}).find("'inputs' has 2 names, but the matrices want 1."),
            std::string::npos);
  EXPECT_NE(space({{"inputs", "a"}, {"outputs", "a"}}).find("both named 'a'"), std::string::npos);
  EXPECT_NE(space({{"constants", "m = "}}).find("column 5 of 'constants'"), std::string::npos);
  EXPECT_NE(
      refusal("equations.mechanical", {{"M", "1, 0; 0, -1"}}).find("not symmetric and positive definite"),
      std::string::npos);
  EXPECT_NE(refusal("equations.mechanical", {{"M", "1, 0; 0, 1"}, {"K", "1, 2; 0, 1"}})
                .find("'K' is not symmetric"),
            std::string::npos);
  EXPECT_NE(refusal("equations.transfer_function", {{"numerator", Row{1.0, 0.0, 0.0}}})
                .find("degrees of numerator"),
            std::string::npos);
}

}  // namespace
}  // namespace ergon
