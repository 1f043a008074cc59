// Functions of exported FMUs that are called out of turn, with what does not belong there, and again.
#include "contract/bare_importer.hpp"

namespace ergon::contract {
namespace {

/// The simplest model there is.
Exported mass(const GivenParameters& parameters = {}) {
  ProblemList problems;
  Exported result;
  result.model = exported_model(*find_model("oscillator.mass"), parameters, {}, {}, problems);
  result.model.token = "{mass}";
  result.native = make_exported(result.model, "/", problems);
  return result;
}

class IllegalCalls : public ::testing::TestWithParam<ExportFormat> {
 protected:
  Exported made_ = mass();
  Importer fmu_{GetParam(), made_.model, made_.native->describe(), true};
  [[nodiscard]] std::uint32_t reference(const std::string& name) const {
    for (std::size_t i = 0; i < fmu_.variables().size(); ++i)
      if (fmu_.variables()[i].name == name) return static_cast<std::uint32_t>(i);
    ADD_FAILURE() << name;
    return 0;
  }
  int set_one(const std::string& name, double value) {
    const std::uint32_t vr = reference(name);
    return fmu_.two() ? static_cast<int>(fmi2SetReal(fmu_.instance(), &vr, 1, &value))
                      : static_cast<int>(fmi3SetFloat64(fmu_.instance(), &vr, 1, &value, 1));
  }
};
constexpr int error = 3;

TEST_P(IllegalCalls, AreErrors) {
  EXPECT_EQ(fmu_.instantiate("{another}"), nullptr);
  EXPECT_EQ(fmu_.step(0.0, 1e-3), error) << "before initialization";
  EXPECT_EQ(set_one("position", 1.0), error) << "an output";
  EXPECT_EQ(set_one("time", 1.0), error);
  EXPECT_EQ(set_one("force", std::nan("")), error);
  EXPECT_EQ(set_one("m", -1.0), 0) << "known to be wrong when the model is made";
  EXPECT_EQ(fmu_.start(), error);
  EXPECT_EQ(set_one("m", 2.0), 0);
  ASSERT_EQ(fmu_.start(), 0);
  EXPECT_EQ(fmu_.start(), error) << "twice";
  ASSERT_EQ(fmu_.begin_steps(), 0);
  EXPECT_EQ(set_one("m", 3.0), error) << "fixed after initialization";
  EXPECT_EQ(fmu_.step(0.0, 0.0), error);
  EXPECT_EQ(fmu_.step(0.5, 1e-3), error) << "not where it is";
  EXPECT_EQ(fmu_.step(0.0, std::nan("")), error);
  EXPECT_EQ(fmu_.step(0.0, 1e-3), 0) << "and none of that did any harm";
  const std::uint32_t unknown = 999;
  double value = 0.0;
  if (fmu_.two()) {
    EXPECT_EQ(fmi2GetReal(fmu_.instance(), &unknown, 1, &value), fmi2Error);
    EXPECT_EQ(fmi2GetReal(nullptr, &unknown, 1, &value), fmi2Error);
    fmi2FreeInstance(nullptr);
  } else {
    EXPECT_EQ(fmi3GetFloat64(fmu_.instance(), &unknown, 1, &value, 1), fmi3Error);
    const std::uint32_t position = reference("position");
    EXPECT_EQ(fmi3GetFloat64(fmu_.instance(), &position, 1, &value, 0), fmi3Error) << "no room";
    EXPECT_EQ(fmi3EnterStepMode(fmu_.instance()), fmi3Error) << "it is in step mode";
    EXPECT_EQ(fmi3SetTime(fmu_.instance(), 1.0), fmi3Error) << "of model exchange";
    EXPECT_EQ(last_message, "this FMU is for co-simulation");
    fmi3FreeInstance(nullptr);
  }
}

TEST_P(IllegalCalls, ResetBeginsAnew) {
  ASSERT_EQ(in_order({set_one("m", 2.0), fmu_.start(), fmu_.set({1.0, 0.5}), fmu_.begin_steps(),
                      fmu_.step(0.0, 1e-3)}),
            0);
  ASSERT_EQ(fmu_.two() ? static_cast<int>(fmi2Reset(fmu_.instance()))
                       : static_cast<int>(fmi3Reset(fmu_.instance())),
            0);
  ASSERT_EQ(in_order({fmu_.start(), fmu_.set({1.0, 0.5}), fmu_.begin_steps(), fmu_.step(0.0, 1e-3)}), 0);
  const std::vector<double> u = {1.0, 0.5};
  ASSERT_TRUE(made_.native->initialize({}).ok);
  ASSERT_TRUE(made_.native->step(0.0, 1e-3, InputView{u.data(), 2, 0}).ok);
  EXPECT_TRUE(same_bits(fmu_.get(), outputs(*made_.native, u, 1e-3))) << "with the mass as exported";
}

TEST_P(IllegalCalls, ParametersAreThoseOfTheModel) {
  const Exported heavy = mass({{"m", {2.5, {}}}});
  ASSERT_TRUE(heavy.native->initialize({}).ok);
  ASSERT_EQ(in_order({set_one("m", 2.5), fmu_.start(), fmu_.set({1.0, 0.5}), fmu_.begin_steps(),
                      fmu_.step(0.0, 1e-3)}),
            0);
  const std::vector<double> u = {1.0, 0.5};
  ASSERT_TRUE(heavy.native->step(0.0, 1e-3, InputView{u.data(), 2, 0}).ok);
  EXPECT_TRUE(same_bits(fmu_.get(), outputs(*heavy.native, u, 1e-3)));
  // A state remembers the parameters that it was saved with, even when they are others now.
  void* state = fmu_.save();
  const std::vector<double> y = fmu_.get();
  ASSERT_EQ(fmu_.two() ? static_cast<int>(fmi2Reset(fmu_.instance()))
                       : static_cast<int>(fmi3Reset(fmu_.instance())),
            0);
  ASSERT_EQ(in_order({fmu_.start(), fmu_.begin_steps(), fmu_.restore(state)}), 0);
  EXPECT_TRUE(same_bits(fmu_.get(), y));
  fmu_.release(state);
}

INSTANTIATE_TEST_SUITE_P(Versions, IllegalCalls, ::testing::Values(ExportFormat::fmi2, ExportFormat::fmi3));

}  // namespace
}  // namespace ergon::contract
