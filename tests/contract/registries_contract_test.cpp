// What the registries of native models and elements must keep as a whole. Each model by itself: models_contract_test.cpp.

#include <cmath>
#include <set>

#include "contract/declared_ports.hpp"

namespace ergon::contract {
namespace {

// Some setting of each model must show every feed-through it declares: what never shows should not be declared.
TEST(ModelRegistry, EveryDeclaredFeedthroughShowsSomewhere) {
  for (const ModelInfo& info : models()) {
    std::set<std::pair<std::string, std::string>> missing;
    std::set<std::pair<std::string, std::string>> seen;
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      const auto subsystem = make({&info, example});
      const Description description = subsystem->describe();
      RandomInputs random(description.inputs, 8);
      const auto named = [&](const auto& pair) {
        return std::pair{description.outputs[pair.first].name, description.inputs[pair.second].name};
      };
      for (const auto& pair : perturbed_pairs(
               description, random, [&](const std::vector<double>& u) { return outputs(*subsystem, u); })) {
        seen.insert(named(pair));
      }
      for (const auto& pair : declared_pairs(description)) missing.insert(named(pair));
    }
    for (const auto& pair : seen) missing.erase(pair);
    for (const auto& [output, input] : missing)
      ADD_FAILURE() << info.name << ": " << input << " to " << output;
  }
}

/// Every parameter, misspelt, must be refused with the right name as remedy.
template <typename Refuse>
void expect_slips_are_caught(const std::string& owner, const std::vector<ParameterInfo>& infos,
                             Refuse refuse) {
  for (const ParameterInfo& info : infos) {
    const std::string slip = info.name + "q";
    const std::string text = refuse(GivenParameters{{slip, {info.standard, {"scenario.toml", 7, 3}}}});
    EXPECT_NE(text.find("'" + slip + "'"), std::string::npos) << owner << ": " << text;
    EXPECT_NE(text.find("Did you mean"), std::string::npos) << owner << ": " << text;
    EXPECT_NE(text.find("scenario.toml:7:3"), std::string::npos) << owner << ": " << text;
  }
  EXPECT_NE(refuse(GivenParameters{{"zzzzzzzzzz", {1.0, {}}}}).find("'zzzzzzzzzz'"), std::string::npos)
      << owner;
}

TEST(ModelRegistry, UnknownParametersAreRefusedWithASuggestion) {
  for (const ModelInfo& info : models()) {
    expect_slips_are_caught(info.name, info.parameters, [&](const GivenParameters& parameters) {
      ProblemList problems;
      EXPECT_EQ(make_model(info.name, parameters, {}, {}, problems), nullptr);
      return text_of(problems);
    });
    expect_slips_are_caught(info.name, info.initial, [&](const GivenParameters& initial) {
      ProblemList problems;
      EXPECT_EQ(make_model(info.name, {}, initial, {}, problems), nullptr);
      return text_of(problems);
    });
  }
}

TEST(ModelRegistry, UnknownIntegratorsAreRefusedWithASuggestion) {
  for (const ModelInfo& info : models()) {
    if (!info.integrated) continue;
    ProblemList problems;
    EXPECT_EQ(make_model(info.name, {}, {}, {.method = "cvode-bfd"}, problems), nullptr) << info.name;
    EXPECT_NE(text_of(problems).find("'cvode-bdf'"), std::string::npos) << text_of(problems);
  }
}

TEST(ModelRegistry, IntegratorsThatAModelDoesNotTakeAreRefusedWithThoseThatItDoes) {
  for (const ModelInfo& info : models()) {
    for (const IntegratorInfo& integrator : integrators()) {
      if (info.takes_integrator(integrator.name)) continue;
      ProblemList problems;
      EXPECT_EQ(make_model(info.name, {}, {}, {.method = integrator.name}, problems), nullptr) << info.name;
      EXPECT_NE(text_of(problems).find(info.integrators.front()), std::string::npos) << text_of(problems);
    }
  }
}

TEST(ElementRegistry, ElementsKeepTheirContract) {
  for (const ElementInfo& info : elements()) {
    // By name: settings of one law may have different ports.
    std::set<std::pair<std::string, std::string>> seen;
    std::set<std::pair<std::string, std::string>> declared_somewhere;
    for (int example = -1; example < static_cast<int>(info.examples.size()); ++example) {
      SCOPED_TRACE(info.name + " " + std::to_string(example));
      ProblemList problems;
      const ParameterSet parameters(info.parameters, example_of(info.examples, example).parameters, "'e'",
                                    problems);
      const auto element = info.make(parameters, problems);
      ASSERT_FALSE(problems.has_errors()) << text_of(problems);
      const Description description = element->describe();
      EXPECT_TRUE(description.algebraic);
      RandomInputs random(description.inputs, 9);
      const auto evaluate = [&](const std::vector<double>& u) { return outputs(*element, u); };
      const auto pairs = perturbed_pairs(description, random, evaluate);
      const auto declared = declared_pairs(description);
      const auto named = [&](const auto& pair) {
        return std::pair{description.outputs[pair.first].name, description.inputs[pair.second].name};
      };
      for (const auto& pair : pairs) {
        EXPECT_TRUE(declared.contains(pair)) << named(pair).first << " depends on " << named(pair).second;
        seen.insert(named(pair));
      }
      for (const auto& pair : declared) declared_somewhere.insert(named(pair));
      if (element->differentiable() != nullptr) {
        expect_jacobian(*element->differentiable(), random.values(), evaluate);
      }
      EXPECT_TRUE(std::isfinite(element->stored_J(random.values().data())));
      EXPECT_TRUE(std::isfinite(element->dissipation_W(random.values().data())));
    }
    EXPECT_EQ(seen, declared_somewhere) << info.name;
    expect_slips_are_caught(info.name, info.parameters, [&](const GivenParameters& parameters) {
      ProblemList problems;
      const ParameterSet set(info.parameters, parameters, "'e'", problems);
      return text_of(problems);
    });
  }
}

}  // namespace
}  // namespace ergon::contract
