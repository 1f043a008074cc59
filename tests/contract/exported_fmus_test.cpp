// Every native model and law as an FMU: the functions of the library of exported FMUs, called as an importer calls them, give what the
// model gives, bit for bit.
#include <functional>
#include <map>
#include <optional>

#include "contract/bare_importer.hpp"
#include "ergon/models/law_model.hpp"

namespace ergon::contract {
namespace {

/// Models with other ports are refused (tests/cli/export_test.cpp).
bool has_real_ports(const Variant& variant) {
  ProblemList problems;
  const Example example = example_of(variant.info->examples, variant.example);
  const ModelInfo& info = *variant.info;
  const auto made = find_model(info.name) != nullptr
                        ? make(variant)
                        : info.make({info.name,
                                     ParameterSet(info.parameters, example.parameters, info.name, problems),
                                     ParameterSet({}, {}, info.name, problems),
                                     {},
                                     {},
                                     {}},
                                    problems);
  EXPECT_NE(made, nullptr) << text_of(problems);
  const Description description = made->describe();
  const auto is_real = [](const Port& port) { return port.type == PortType::real; };
  return std::all_of(description.inputs.begin(), description.inputs.end(), is_real) &&
         std::all_of(description.outputs.begin(), description.outputs.end(), is_real);
}

/// A model that needs a file gets one of the examples; a body in joints is not a model of its own.
std::optional<Exported> exported(const Variant& variant) {
  const Example example = example_of(variant.info->examples, variant.example);
  if (!example.joints.empty() || example.machine || !has_real_ports(variant)) return std::nullopt;
  GivenParameters parameters = example.parameters;
  if (variant.info->takes_description)
    parameters["description"] = {std::string(ERGON_SOURCE_DIR) + "/examples/machines/excavator.toml", {}};
  ProblemList problems;
  Exported result;
  result.model = exported_model(*variant.info, parameters, example.initial, variant.integrator, problems);
  result.model.token = "{" + variant.info->name + "}";
  result.native = make_exported(result.model, "/", problems);
  EXPECT_NE(result.native, nullptr) << text_of(problems);
  EXPECT_TRUE(result.native->initialize({}).ok);
  return result;
}

/// A pairing without a model stands for all laws of elements: they are many, and each is checked in no time.
std::vector<Variant> exported_variants(const Pairing& pairing) {
  if (pairing.info != nullptr) return variants_of(pairing);
  std::vector<Variant> all;
  for (const ModelInfo& law : element_models()) {
    for (int example = -1; example < static_cast<int>(law.examples.size()); ++example)
      all.push_back({&law, example, {}});
  }
  return all;
}

class ExportedFmus : public ::testing::TestWithParam<Pairing> {
 protected:
  static void for_all(const std::function<void(Importer&, const Exported&, RandomInputs&)>& check) {
    for (const Variant& variant : exported_variants(GetParam())) {
      for (const ExportFormat version : {ExportFormat::fmi2, ExportFormat::fmi3}) {
        auto made = exported(variant);
        if (!made) continue;
        SCOPED_TRACE(name_of(variant) + (version == ExportFormat::fmi2 ? ", FMI 2" : ", FMI 3"));
        const Description description = made->native->describe();
        Importer fmu(version, made->model, description, made->native->energy_account() != nullptr);
        ASSERT_NE(fmu.instance(), nullptr);
        RandomInputs random(description.inputs, 17);
        check(fmu, *made, random);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
  /// A cable starts where its ends are.
  static std::vector<double> first_inputs(const Exported& made, RandomInputs& random) {
    const bool is_cable = made.model.parameters.contains("driven");
    if (!is_cable) return random.values();
    std::vector<double> ends;
    for (const char* end : {"a", "b"}) {
      const auto& point = std::get<std::vector<double>>(made.model.parameters.at(end));
      ends.insert(ends.end(), point.begin(), point.end());
    }
    ends.resize(scalars(made.native->describe().inputs));
    return ends;
  }
  static constexpr int steps = 6;
};

TEST_P(ExportedFmus, GiveTheOutputsOfTheModelBitForBit) {
  for_all([](Importer& fmu, const Exported& made, RandomInputs& random) {
    Subsystem& native = *made.native;
    ASSERT_EQ(fmu.start(), 0) << last_message;
    std::vector<double> u = first_inputs(made, random);
    ASSERT_EQ(fmu.set(u), 0);
    EXPECT_TRUE(same_bits(fmu.get(), outputs(native, u)));
    ASSERT_EQ(fmu.begin_steps(), 0) << last_message;
    for (int k = 0; k < steps; ++k) {
      const double t = k * h;
      ASSERT_EQ(fmu.step(t, h), 0) << last_message;
      ASSERT_TRUE(native.step(t, h, InputView{u.data(), u.size(), 0}).ok);
      EXPECT_TRUE(same_bits(fmu.get(), outputs(native, u, t + h))) << "with the inputs of the step";
      // Refresh: other inputs, without a step.
      u = random.values();
      ASSERT_EQ(in_order({fmu.enter_event_mode(), fmu.set(u)}), 0);
      EXPECT_TRUE(same_bits(fmu.get(), outputs(native, u, t + h))) << "with new inputs";
      if (native.energy_account() != nullptr) {
        const AccountSample sample = account_of(native, u);
        EXPECT_TRUE(same_bits(fmu.energies(), {sample.stored_J, sample.dissipated_J, sample.supplied_J}));
      }
      ASSERT_EQ(fmu.leave_event_mode(), 0);
    }
  });
}

TEST_P(ExportedFmus, RepeatStepsFromASavedStateAndInAnotherInstance) {
  for_all([](Importer& fmu, const Exported& made, RandomInputs& random) {
    ASSERT_EQ(in_order({fmu.start(), fmu.set(first_inputs(made, random))}), 0);
    ASSERT_EQ(fmu.begin_steps(), 0) << last_message;
    ASSERT_EQ(fmu.step(0.0, h), 0);
    void* state = fmu.save();
    const std::vector<std::uint8_t> bytes = fmu.to_bytes(state);
    const std::vector<double> u = random.values();
    ASSERT_EQ(in_order({fmu.set(u), fmu.step(h, h)}), 0);
    const std::vector<double> y = fmu.get();
    ASSERT_EQ(fmu.restore(state), 0);
    ASSERT_EQ(in_order({fmu.set(u), fmu.step(h, h)}), 0);
    EXPECT_TRUE(same_bits(fmu.get(), y));
    // What is saved again goes into the same state; its bytes are those of before.
    ASSERT_EQ(fmu.restore(state), 0);
    EXPECT_EQ(fmu.save(state), state);
    EXPECT_EQ(fmu.to_bytes(state), bytes);
    void* read = fmu.from_bytes(bytes);
    ASSERT_NE(read, nullptr);
    ASSERT_EQ(in_order({fmu.restore(read), fmu.set(u), fmu.step(h, h)}), 0);
    EXPECT_TRUE(same_bits(fmu.get(), y));
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, bytes.size() - 1}) {
      EXPECT_EQ(fmu.from_bytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), nullptr);
    }
    fmu.release(read);
    fmu.release(state);
  });
}

TEST_P(ExportedFmus, GiveTheDerivativesOfTheModel) {
  for_all([](Importer& fmu, const Exported& made, RandomInputs& random) {
    Subsystem& native = *made.native;
    if (native.differentiable() == nullptr || fmu.input_count() == 0) return;
    const std::vector<double> u = first_inputs(made, random);
    ASSERT_EQ(in_order({fmu.start(), fmu.set(u)}), 0);
    const std::vector<double> seed = random.values();
    const std::size_t rows = scalars(native.describe().outputs);
    std::vector<double> jacobian(rows * u.size(), 0.0);
    native.differentiable()->output_jacobian(0.0, u.data(), jacobian.data());
    const std::vector<double> change = fmu.derivative(seed);
    for (std::size_t r = 0; r < rows; ++r) {
      double expected = 0.0;
      for (std::size_t c = 0; c < u.size(); ++c) expected += jacobian[r * u.size() + c] * seed[c];
      EXPECT_EQ(change[r], expected);
    }
  });
}

TEST_P(ExportedFmus, StartWithTheValuesOfTheirDescription) {
  for_all([](Importer& fmu, const Exported& /*made*/, RandomInputs& /*random*/) {
    std::map<std::string, int> names;
    for (std::size_t i = 0; i < fmu.variables().size(); ++i) {
      const ExportedVariable& variable = fmu.variables()[i];
      EXPECT_EQ(++names[variable.name], 1) << variable.name << " is there twice";
      if (variable.start.empty() || variable.type != ExportedVariable::Type::real) continue;
      EXPECT_TRUE(same_bits(fmu.get({static_cast<std::uint32_t>(i)}, variable.size), variable.start))
          << variable.name;
    }
  });
}

TEST_P(ExportedFmus, FollowInputsThatAreGivenWithTheirDerivatives) {
  for_all([](Importer& fmu, const Exported& made, RandomInputs& random) {
    Subsystem& native = *made.native;
    if (!fmu.two() || fmu.input_count() == 0) return;
    ASSERT_EQ(in_order({fmu.start(), fmu.set(first_inputs(made, random))}), 0);
    ASSERT_EQ(fmu.begin_steps(), 0) << last_message;
    constexpr int degree = 2;
    const std::vector<double> u = random.polynomial(degree);
    const std::size_t n = fmu.input_count();
    for (int d = 1; d <= degree; ++d) {
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i)
        values.push_back(u[static_cast<std::size_t>(d) * n + i] * d);  // d! of 1 and 2
      const std::vector<int> orders(n, d);
      ASSERT_EQ(
          fmi2SetRealInputDerivatives(fmu.instance(), fmu.inputs().data(), n, orders.data(), values.data()),
          fmi2OK);
    }
    ASSERT_EQ(in_order({fmu.set({u.begin(), u.begin() + static_cast<std::ptrdiff_t>(n)}), fmu.step(0.0, h)}),
              0);
    const InputView polynomial = InputView{u.data(), n, degree};
    ASSERT_TRUE(native.step(0.0, h, polynomial).ok);
    std::vector<double> end;
    for (std::size_t i = 0; i < n; ++i) end.push_back(polynomial(i, h));
    EXPECT_TRUE(same_bits(fmu.get(), outputs(native, end, h)));
  });
}

TEST_P(ExportedFmus, FollowInputsThatTheImporterGivesWithinAStep) {
  for_all([](Importer& fmu, const Exported& made, RandomInputs& random) {
    Subsystem& native = *made.native;
    if (fmu.two() || fmu.input_count() == 0) return;
    ASSERT_EQ(in_order({fmu.start(), fmu.set(first_inputs(made, random))}), 0);
    ASSERT_EQ(fmu.begin_steps(), 0) << last_message;
    const std::size_t n = fmu.input_count();
    const std::vector<double> u = random.polynomial(3);
    const InputView polynomial = InputView{u.data(), n, 3};
    fmu.follow(&polynomial, 0.0);
    ASSERT_EQ(in_order({fmu.set({u.begin(), u.begin() + static_cast<std::ptrdiff_t>(n)}), fmu.step(0.0, h)}),
              0);
    fmu.follow(nullptr, 0.0);
    ASSERT_TRUE(native.step(0.0, h, polynomial).ok);
    std::vector<double> end;
    const bool held = native.describe().samples_input == InputSampling::start;
    for (std::size_t i = 0; i < n; ++i) end.push_back(polynomial(i, held ? 0.0 : h));
    const std::vector<double> expected = outputs(native, end, h);
    const std::vector<double> y = fmu.get();
    // Interpolation rounds; solvers with error control may choose other steps for it.
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_NEAR(y[i], expected[i], 1e-6 * (1e-3 + std::abs(expected[i]))) << "output " << i;
  });
}

INSTANTIATE_TEST_SUITE_P(Models, ExportedFmus, ::testing::ValuesIn(pairings()),
                         [](const auto& tested) { return test_name(tested.param); });
INSTANTIATE_TEST_SUITE_P(Laws, ExportedFmus, ::testing::Values(Pairing{}),
                         [](const auto&) { return std::string("elements"); });

}  // namespace
}  // namespace ergon::contract
