#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/description/grammar.hpp"
#include "ergon/fmi/description/read_description.hpp"
#include "ergon/fmi/description/rules.hpp"
#include "support/fmi_kit.hpp"

namespace ergon::fmi {
namespace {

const char* const small2 = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="small" guid="{g}">
  <CoSimulation modelIdentifier="small" canGetAndSetFMUstate="true"/>
  <UnitDefinitions><Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1000"/></Unit></UnitDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input"><Real start="0" unit="kN"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output" initial="calculated"><Real/></ScalarVariable>
    <ScalarVariable name="p" valueReference="3" causality="parameter" variability="fixed"><Real start="2"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="1" causality="output" initial="calculated"><Integer/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies="1"/><Unknown index="4" dependencies=""/></Outputs>
    <InitialUnknowns><Unknown index="2"/><Unknown index="4"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string all_of(const ProblemList& problems) {
  std::string text;
  for (const Problem& p : problems.all()) text += to_string(p) + "\n";
  return text;
}

std::string complaints(const std::string& xml) {
  ProblemList problems;
  if (const auto model = parse_description(xml, "small.xml", problems)) check_rules(*model, problems);
  XmlFile file;
  ProblemList again;
  if (file.parse(xml, "small.xml", again)) check_grammar(file, problems);
  return all_of(problems);
}

TEST(Description, SaysWhatTheFileSays) {
  ProblemList problems;
  const auto model = parse_description(small2, "small.xml", problems);
  ASSERT_TRUE(model) << all_of(problems);
  EXPECT_EQ(model->version, FmiVersion::fmi2);
  EXPECT_EQ(model->token, "{g}");
  EXPECT_TRUE(model->co_simulation->can_save_state);
  EXPECT_FALSE(model->co_simulation->variable_step);
  ASSERT_EQ(model->variables.size(), 4U);
  EXPECT_EQ(model->variables[0].causality, Causality::input);
  EXPECT_EQ(model->variables[0].line, 6);
  EXPECT_EQ(unit_of(*model, model->variables[0]).to_SI(), 1000.0);
  EXPECT_TRUE(unit_of(*model, model->variables[0]).same_dimension(Unit::of("N")));
  // What FMI 2 has as default for all types cannot be meant for integers.
  EXPECT_EQ(model->variables[3].variability, Variability::discrete);
  ASSERT_EQ(model->outputs.size(), 2U);
  EXPECT_EQ(*model->outputs[0].dependencies, std::vector<std::size_t>{0});
  EXPECT_EQ(complaints(small2), "");
}

struct Mistake {
  const char* from;
  const char* to;
  const char* told;
};

class DescriptionMistake : public testing::TestWithParam<Mistake> {};

TEST_P(DescriptionMistake, IsTold) {
  const std::string said = complaints(replaced(small2, GetParam().from, GetParam().to));
  EXPECT_NE(said.find(GetParam().told), std::string::npos) << said;
}
INSTANTIATE_TEST_SUITE_P(
    Each, DescriptionMistake,
    testing::Values(Mistake{"name=\"y\"", "name=\"u\"", "taken already"},
                    Mistake{"start=\"0\" ", "", "must have a start value"},
                    Mistake{"<Real/>", "<Real start=\"1\"/>", "must not have a start value"},
                    Mistake{"variability=\"fixed\"", "variability=\"continuous\"", "cannot be continuous"},
                    Mistake{"<Unknown index=\"2\" dependencies=\"1\"/>", "", "does not list it"},
                    Mistake{"<Unknown index=\"2\"/>", "", "as an initial unknown"},
                    Mistake{"dependencies=\"1\"", "dependencies=\"1\" dependenciesKind=\"odd\"",
                            "not a kind of dependency"},
                    Mistake{"unit=\"kN\"", "unit=\"furlong\"", "is not defined"},
                    Mistake{"valueReference=\"3\"", "valueReference=\"1\"", "both can be set"},
                    Mistake{"modelIdentifier=\"small\"", "modelIdentifier=\"a b\"", "not a name of C"},
                    Mistake{"guid=\"{g}\"", "", "has no 'guid'"},
                    Mistake{"modelIdentifier=\"small\"", "modelIdentifier=\"small\" colour=\"red\"",
                            "not known there"},
                    Mistake{"<ModelVariables>", "<Colour/><ModelVariables>", "has no place"},
                    Mistake{"valueReference=\"2\"", "valueReference=\"two\"", "wrong type"},
                    Mistake{"fmiVersion=\"2.0\"", "fmiVersion=\"0.9\"", "is not supported"},
                    Mistake{"start=\"0\" unit", "start=\"0\" min=\"1\" unit", "outside of its limits"},
                    Mistake{"<Integer/>", "", "has no type"},
                    Mistake{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                            "<?xml version=\"1.0\"?><!DOCTYPE a []>", "DOCTYPE"},
                    Mistake{"encoding=\"UTF-8\"", "encoding=\"EBCDIC\"", "is not known"},
                    Mistake{"guid=\"{g}\"", "guid=\"{g}\" variableNamingConvention=\"odd\"", "wrong type"},
                    Mistake{"initial=\"calculated\"", "initial=\"odd\"", "is none of exact, approx"},
                    Mistake{"</ModelVariables>", "", "not XML"}));

constexpr const char* small3 = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="small" instantiationToken="t">
  <CoSimulation modelIdentifier="small"/>
  <TypeDefinitions><EnumerationType name="Gear"><Item name="low" value="1"/></EnumerationType></TypeDefinitions>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="y" valueReference="1" causality="output" initial="exact" start="1"><Alias name="z" displayUnit="m"/></Float64>
    <Boolean name="b" valueReference="2" causality="parameter" variability="fixed" start="true"><Alias name="c"/></Boolean>
    <Enumeration name="g" valueReference="3" causality="parameter" variability="fixed" declaredType="Gear" start="1"/>
    <Int8 name="i" valueReference="4" causality="parameter" variability="fixed" start="-128"/>
    <UInt16 name="k" valueReference="5" causality="parameter" variability="fixed" start="65535"/>
  </ModelVariables>
  <ModelStructure><Output valueReference="1"/></ModelStructure>
</fmiModelDescription>)";

// What the schema of FMI 3.0 says and rules of variables do not.
TEST(Description, IsHeldToTheSchemaOfVersion3) {
  EXPECT_EQ(complaints(small3), "");
  EXPECT_EQ(complaints(replaced(small3, "\"3.0\"", "\"3.0.2-rc.1\"")), "");
  const Mistake mistakes[] = {{"fmiVersion=\"3.0\"", "fmiVersion=\"3.0.x\"", "is not 1.0, 2.0 or 3.x"},
                              {"fmiVersion=\"3.0\"", "fmiVersion=\"3.01\"", "is not 1.0, 2.0 or 3.x"},
                              {"<Alias name=\"c\"", "<Alias name=\"c\" displayUnit=\"m\"", "not known there"},
                              {"<Alias name=\"c\"/>", "<Alias name=\"c\"><Annotations/></Alias>", "no place"},
                              {"</ModelStructure>", "<Annotations/></ModelStructure>", "no place"},
                              {"start=\"true\"", "start=\"maybe\"", "wrong type"},
                              {"start=\"-128\"", "start=\"-129\"", "is not a value of its type"},
                              {"start=\"65535\"", "start=\"65536\"", "is not a value of its type"},
                              {"start=\"65535\"", "start=\"-1\"", "is not a value of its type"},
                              {"declaredType=\"Gear\" ", "", "has no attribute 'declaredType'"}};
  for (const Mistake& m : mistakes) {
    const std::string said = complaints(replaced(small3, m.from, m.to));
    EXPECT_NE(said.find(m.told), std::string::npos) << m.to << ": " << said;
  }
}

TEST(Description, OfEveryKitIsReadAndFollowsTheRules) {
  for (const char* name : {"kit2", "kit3", "kit2_latin1", "kit3_latin1", "kit3_clock"}) {
    ProblemList problems;
    const auto files = UnpackedFmu::open(kit_file(name), problems);
    ASSERT_TRUE(files) << name;
    const auto model = read_description(files->folder(), name, problems);
    ASSERT_TRUE(model) << all_of(problems);
    check_rules(*model, problems);
    XmlFile file;
    ASSERT_TRUE(file.load(files->folder() / "modelDescription.xml", name, problems));
    check_grammar(file, problems);
    EXPECT_EQ(all_of(problems), "") << name;
    if (std::string(name).ends_with("latin1")) {
      EXPECT_EQ(model->description, "Größe");
    }
  }
}

TEST(Description, FindsArraysStructuralParametersAndClocks) {
  ProblemList problems;
  const auto files = UnpackedFmu::open(kit_file("kit3_clock"), problems);
  const auto model = read_description(files->folder(), "kit3_clock", problems);
  ASSERT_TRUE(model);
  const Variable& array = model->variables[*model->find("array_in")];
  EXPECT_EQ(element_count(*model, array), 3U);
  const Variable& length = model->variables[*model->find("length")];
  EXPECT_EQ(element_count(*model, array, {{length.reference, 5}}), 5U);
  EXPECT_FALSE(element_count(*model, array, {{length.reference, std::uint64_t{1} << 40}}));
  EXPECT_EQ(model->variables[*model->find("matrix")].start.size(), 6U);
  EXPECT_EQ(model->find("place"), model->find("position"));
  EXPECT_EQ(model->variables[*model->find("clock")].clock->interval_s, 0.1);
  EXPECT_EQ(model->variables[*model->find("text_in")].start_texts.size(), 1U);
}

TEST(XmlFile, ReadsWhatItCanAndConvertsIt) {
  using namespace std::string_literals;
  EXPECT_EQ(*decode_xml("<?xml encoding='ISO-8859-1'?><a b='\xE9'/>").text,
            "<?xml encoding='ISO-8859-1'?><a b='é'/>");
  EXPECT_EQ(*decode_xml("\xEF\xBB\xBF<a/>").text, "<a/>");
  EXPECT_EQ(*decode_xml("\xFF\xFE<\0a\0/\0>\0"s).text, "<a/>");
  EXPECT_EQ(*decode_xml("\xFE\xFF\0<\0\xE9\0/\0>"s).text, "<é/>");
  const Decoded wrong = decode_xml("<a b='\xE9'/>");
  EXPECT_TRUE(wrong.repaired);
  EXPECT_EQ(*wrong.text, "<a b='é'/>");
  EXPECT_FALSE(decode_xml("<?xml encoding='UTF-7'?><a/>").text);
}

TEST(XmlFile, IsNotFooledByDepth) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  ProblemList problems;
  XmlFile file;
  EXPECT_FALSE(file.parse(deep, "deep.xml", problems));
}

/// Whoever reads the description may follow all its numbers without asking.
void expect_usable(const ModelDescription& model) {
  EXPECT_FALSE(model.model_name.empty() && model.token.empty());
  for (const Variable& v : model.variables) {
    EXPECT_FALSE(v.name.empty());
    for (const double start : v.start) EXPECT_FALSE(std::isnan(start)) << v.name;
    EXPECT_TRUE(element_count(model, v).has_value()) << v.name;
  }
  for (const auto* list : {&model.outputs, &model.derivatives, &model.initial_unknowns}) {
    for (const Unknown& unknown : *list) {
      EXPECT_LT(unknown.variable, model.variables.size());
      if (!unknown.dependencies) continue;
      for (const std::size_t dependency : *unknown.dependencies)
        EXPECT_LT(dependency, model.variables.size());
    }
  }
}

/// A message says where and what, an error also what to do.
void expect_located(const ProblemList& problems, std::ptrdiff_t lines) {
  for (const Problem& problem : problems.all()) {
    EXPECT_EQ(problem.where.file, "damaged.xml") << problem.what;
    EXPECT_GE(problem.where.line, 0) << problem.what;
    EXPECT_LE(problem.where.line, lines) << problem.what;
    EXPECT_FALSE(problem.what.empty());
    EXPECT_FALSE(problem.severity == Severity::error && problem.remedy.empty()) << problem.what;
  }
}

struct Damaged {
  int accepted = 0;
  int refused = 0;
};

/// Descriptions with one to eight damages each.
Damaged damage(const std::string& original, unsigned seed, int rounds) {
  Damaged outcome;
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::string text = original;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int c = 0; c < changes; ++c) {
      const std::size_t at = random() % text.size();
      const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), length));
          break;
        default:
          text.replace(at, length, std::to_string(random()));
          break;
      }
      if (text.empty()) text = "<";
    }
    ProblemList problems;
    const auto model = parse_description(text, "damaged.xml", problems);
    EXPECT_EQ(model.has_value(), !problems.has_errors());
    ++(model ? outcome.accepted : outcome.refused);
    if (model) {
      expect_usable(*model);
      check_rules(*model, problems);
    }
    XmlFile file;
    if (file.parse(text, "damaged.xml", problems)) check_grammar(file, problems);
    expect_located(problems, std::count(text.begin(), text.end(), '\n') + 1);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "round " << round << ":\n" << text << "\n" << text_of(problems);
      return outcome;
    }
  }
  return outcome;
}

TEST(Description, DamageIsRefusedWithAPlaceOrLeavesADescriptionThatCanBeUsed) {
  const Damaged outcome = damage(small2, 1, 2000);
  EXPECT_EQ(outcome.accepted + outcome.refused, 2000);
  EXPECT_GT(outcome.accepted, 20) << "or nothing was claimed of what is accepted";
  EXPECT_GT(outcome.refused, 1000) << "most damage is to names, numbers and brackets that matter";
}

}  // namespace
}  // namespace ergon::fmi
