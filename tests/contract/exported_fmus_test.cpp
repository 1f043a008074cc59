// Every native model as an FMU: the functions of the library of exported FMUs, called as an importer calls them, give what the
// model gives, bit for bit.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "contract/models_support.hpp"
#include "ergon/export/model/variables.hpp"

#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"
#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

namespace ergon::contract {
namespace {

namespace fs = std::filesystem;
using Role = ExportedVariable::Role;

/// A folder with the resources of one exported model.
class Resources {
 public:
  explicit Resources(const ExportedModel& model) {
    std::string pattern = (fs::temp_directory_path() / "ergon-export-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::ofstream(path_ / "model.toml") << to_text(model);
  }
  ~Resources() { fs::remove_all(path_); }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string last_message;
void log_2(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String /*"%s"*/, ...) {}
void log_3(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String message) {
  last_message = message;
}

/// The worst of several calls, which are made in this order.
int in_order(std::initializer_list<int> statuses) {
  return *std::max_element(statuses.begin(), statuses.end());
}

/// One instance through the bare functions of a version.
class Importer {
 public:
  Importer(FmiVersion version, const ExportedModel& model, const Description& description, bool account)
      : version_(version),
        variables_(exported_variables(model, description, account, version)),
        resources_(model) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const auto reference = static_cast<std::uint32_t>(i);
      if (variables_[i].role == Role::input) inputs_.push_back(reference);
      if (variables_[i].role == Role::output) outputs_.push_back(reference);
      if (variables_[i].role == Role::energy) energies_.push_back(reference);
    }
    input_count_ = scalars(description.inputs);
    output_count_ = scalars(description.outputs);
    instance_ = instantiate(model.token);
    EXPECT_NE(instance_, nullptr) << last_message;
  }
  ~Importer() { two() ? fmi2FreeInstance(instance_) : fmi3FreeInstance(instance_); }
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  void* instantiate(const std::string& token) {
    static const fmi2CallbackFunctions callbacks = {log_2, calloc, free, nullptr, nullptr};
    if (two()) {
      return fmi2Instantiate("tested", fmi2CoSimulation, token.c_str(),
                             ("file://" + resources_.path()).c_str(), &callbacks, fmi2False, fmi2False);
    }
    return fmi3InstantiateCoSimulation("tested", token.c_str(), (resources_.path() + "/").c_str(), false,
                                       false, true, false, nullptr, 0, this, log_3, &intermediate_update);
  }
  int start() {
    if (two()) {
      return in_order({fmi2SetupExperiment(instance_, fmi2False, 0.0, 0.0, fmi2False, 0.0),
                       fmi2EnterInitializationMode(instance_)});
    }
    return fmi3EnterInitializationMode(instance_, false, 0.0, 0.0, false, 0.0);
  }
  int begin_steps() {
    if (two()) return fmi2ExitInitializationMode(instance_);
    return in_order({fmi3ExitInitializationMode(instance_), leave_event_mode()});
  }
  int enter_event_mode() { return two() ? 0 : fmi3EnterEventMode(instance_); }
  int leave_event_mode() {
    if (two()) return 0;
    fmi3Boolean answers[5];
    double next = 0.0;
    return in_order({fmi3UpdateDiscreteStates(instance_, answers, answers + 1, answers + 2, answers + 3,
                                              answers + 4, &next),
                     fmi3EnterStepMode(instance_)});
  }
  int set(const std::vector<double>& u) {
    return two() ? static_cast<int>(fmi2SetReal(instance_, inputs_.data(), inputs_.size(), u.data()))
                 : static_cast<int>(
                       fmi3SetFloat64(instance_, inputs_.data(), inputs_.size(), u.data(), u.size()));
  }
  std::vector<double> get() { return get(outputs_, output_count_); }
  std::vector<double> energies() { return get(energies_, energies_.size()); }
  std::vector<double> get(const std::vector<std::uint32_t>& references, std::size_t count) {
    std::vector<double> y(count);
    const int status =
        two() ? static_cast<int>(fmi2GetReal(instance_, references.data(), references.size(), y.data()))
              : static_cast<int>(
                    fmi3GetFloat64(instance_, references.data(), references.size(), y.data(), count));
    EXPECT_EQ(status, 0) << last_message;
    return y;
  }
  int step(double t, double step_s) {
    if (two()) return fmi2DoStep(instance_, t, step_s, fmi2True);
    fmi3Boolean event = true;
    fmi3Boolean terminate = true;
    fmi3Boolean early = true;
    double last = 0.0;
    const int status = fmi3DoStep(instance_, t, step_s, true, &event, &terminate, &early, &last);
    EXPECT_FALSE(event || terminate || early);
    if (status == 0) {
      EXPECT_EQ(last, t + step_s);
    }
    return status;
  }
  void* save(void* state = nullptr) {
    EXPECT_EQ(two() ? static_cast<int>(fmi2GetFMUstate(instance_, &state))
                    : static_cast<int>(fmi3GetFMUState(instance_, &state)),
              0);
    return state;
  }
  int restore(void* state) {
    return two() ? static_cast<int>(fmi2SetFMUstate(instance_, state))
                 : static_cast<int>(fmi3SetFMUState(instance_, state));
  }
  void release(void* state) {
    two() ? static_cast<void>(fmi2FreeFMUstate(instance_, &state))
          : static_cast<void>(fmi3FreeFMUState(instance_, &state));
    EXPECT_EQ(state, nullptr);
  }
  std::vector<std::uint8_t> to_bytes(void* state) {
    std::size_t size = 0;
    two() ? static_cast<void>(fmi2SerializedFMUstateSize(instance_, state, &size))
          : static_cast<void>(fmi3SerializedFMUStateSize(instance_, state, &size));
    std::vector<std::uint8_t> bytes(size);
    const int status = two() ? static_cast<int>(fmi2SerializeFMUstate(
                                   instance_, state, reinterpret_cast<char*>(bytes.data()), size))
                             : static_cast<int>(fmi3SerializeFMUState(instance_, state, bytes.data(), size));
    EXPECT_EQ(status, 0);
    return bytes;
  }
  /// Null where the bytes are refused.
  void* from_bytes(const std::vector<std::uint8_t>& bytes) {
    void* state = nullptr;
    const int status =
        two() ? static_cast<int>(fmi2DeSerializeFMUstate(
                    instance_, reinterpret_cast<const char*>(bytes.data()), bytes.size(), &state))
              : static_cast<int>(fmi3DeserializeFMUState(instance_, bytes.data(), bytes.size(), &state));
    EXPECT_EQ(status == 0, state != nullptr);
    return state;
  }
  /// ∂y/∂u in the direction `seed`.
  std::vector<double> derivative(const std::vector<double>& seed) {
    std::vector<double> result(output_count_);
    const int status = two() ? static_cast<int>(fmi2GetDirectionalDerivative(
                                   instance_, outputs_.data(), outputs_.size(), inputs_.data(),
                                   inputs_.size(), seed.data(), result.data()))
                             : static_cast<int>(fmi3GetDirectionalDerivative(
                                   instance_, outputs_.data(), outputs_.size(), inputs_.data(),
                                   inputs_.size(), seed.data(), seed.size(), result.data(), result.size()));
    EXPECT_EQ(status, 0) << last_message;
    return result;
  }
  /// What an importer of FMI 3 is asked for within a step that begins at t.
  void follow(const InputView* polynomial, double t) {
    polynomial_ = polynomial;
    step_start_ = t;
  }
  static void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                  fmi3Boolean set_requested, fmi3Boolean /*get_allowed*/,
                                  fmi3Boolean /*step_finished*/, fmi3Boolean /*can_return*/,
                                  fmi3Boolean* /*early_return*/, fmi3Float64* /*early_return_time*/) {
    auto* self = static_cast<Importer*>(environment);
    EXPECT_TRUE(set_requested);
    if (self->polynomial_ == nullptr) return;
    std::vector<double> u(self->input_count_);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = (*self->polynomial_)(i, time - self->step_start_);
    EXPECT_EQ(self->set(u), 0);
  }
  [[nodiscard]] bool two() const { return version_ == FmiVersion::two; }
  [[nodiscard]] const std::vector<ExportedVariable>& variables() const { return variables_; }
  [[nodiscard]] void* instance() const { return instance_; }
  [[nodiscard]] std::size_t input_count() const { return input_count_; }
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }

 private:
  FmiVersion version_;
  std::vector<ExportedVariable> variables_;
  Resources resources_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<std::uint32_t> energies_;
  std::size_t input_count_ = 0;
  std::size_t output_count_ = 0;
  void* instance_ = nullptr;
  const InputView* polynomial_ = nullptr;
  double step_start_ = 0.0;
};

struct Exported {
  ExportedModel model;
  std::unique_ptr<Subsystem> native;
};

/// Models with other ports are refused (tests/cli/export_test.cpp).
bool has_real_ports(const Variant& variant) {
  const Description description = make(variant)->describe();
  const auto is_real = [](const Port& port) { return port.type == PortType::real; };
  return std::all_of(description.inputs.begin(), description.inputs.end(), is_real) &&
         std::all_of(description.outputs.begin(), description.outputs.end(), is_real);
}

/// A model that needs a file gets one of the examples; a body in joints is no model of its own.
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

class ExportedFmus : public testing::TestWithParam<Pairing> {
 protected:
  static void for_all(const std::function<void(Importer&, const Exported&, RandomInputs&)>& check) {
    for (const Variant& variant : variants_of(GetParam())) {
      for (const FmiVersion version : {FmiVersion::two, FmiVersion::three}) {
        auto made = exported(variant);
        if (!made) continue;
        SCOPED_TRACE(name_of(variant) + (version == FmiVersion::two ? ", FMI 2" : ", FMI 3"));
        const Description description = made->native->describe();
        Importer fmu(version, made->model, description, made->native->energy_account() != nullptr);
        ASSERT_NE(fmu.instance(), nullptr);
        RandomInputs random(description.inputs, 17);
        check(fmu, *made, random);
        if (testing::Test::HasFailure()) return;
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
        EXPECT_TRUE(same_bits(fmu.energies(), {sample.stored_J, sample.dissipated_J}));
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

INSTANTIATE_TEST_SUITE_P(Models, ExportedFmus, testing::ValuesIn(pairings()),
                         [](const auto& tested) { return test_name(tested.param); });

/// The simplest model there is.
Exported mass(const GivenParameters& parameters = {}) {
  ProblemList problems;
  Exported result;
  result.model = exported_model(*find_model("oscillator.mass"), parameters, {}, {}, problems);
  result.model.token = "{mass}";
  result.native = make_exported(result.model, "/", problems);
  return result;
}

class IllegalCalls : public testing::TestWithParam<FmiVersion> {
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

INSTANTIATE_TEST_SUITE_P(Versions, IllegalCalls, testing::Values(FmiVersion::two, FmiVersion::three));

}  // namespace
}  // namespace ergon::contract
