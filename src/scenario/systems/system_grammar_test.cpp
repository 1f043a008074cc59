// A name that is misspelt in a system of another tool is reported in its line: read as if it were not there, it would change the run
// without a word. Every name of the files below is misspelt once.
#include "ergon/scenario/systems/system_grammar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "ergon/scenario/systems/system_document.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::test {
namespace {

const std::string ssd = R"(<?xml version="1.0"?>
<ssd:SystemStructureDescription name="s" version="2.0" generationTool="t"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">
<ssd:System name="s" description="d">
<ssd:Connectors>
<ssd:Connector name="u" kind="input"><ssc:Real unit="mm"/>
<ssd:ConnectorGeometry x="0" y="0.5"/></ssd:Connector>
<ssd:Connector name="n" kind="parameter"><ssc:Enumeration name="e"/></ssd:Connector>
</ssd:Connectors>
<ssd:ParameterBindings>
<ssd:ParameterBinding prefix="a." sourceBase="SSD"><ssd:ParameterValues>
<ssv:ParameterSet version="2.0" name="p"><ssv:Parameters>
<ssv:Parameter name="m"><ssv:Float64 value="1 2" unit="kg"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet>
</ssd:ParameterValues>
<ssd:ParameterMapping>
<ssm:ParameterMapping version="2.0">
<ssm:MappingEntry source="a.m" target="u" suppressUnitConversion="true">
<ssc:LinearTransformation factor="2" offset="1"/>
</ssm:MappingEntry></ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding>
</ssd:ParameterBindings>
<ssd:ElementGeometry x1="0" y1="0" x2="1" y2="1"/>
<ssd:Elements>
<ssd:Component name="a" type="application/x-fmu-sharedlibrary" implementation="CoSimulation"><ssd:Connectors>
<ssd:Connector name="y" kind="output"/><ssd:Connector name="u" kind="input"/></ssd:Connectors>
<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform"><osp:StepSizeHint value="1e-3"/>
</ssc:Annotation></ssd:Annotations></ssd:Component>
<ssd:SignalDictionaryReference name="bus" dictionary="signals"/>
<ssd:System name="b" id="b"/>
</ssd:Elements>
<ssd:Connections>
<ssd:Connection startConnector="u" startElement="b" endElement="a" endConnector="u" suppressUnitConversion="true"/>
</ssd:Connections>
<ssd:SignalDictionaries><ssd:SignalDictionary name="signals">
<ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="force"><ssc:Real unit="N"/></ssb:DictionaryEntry>
</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>
</ssd:System>
<ssd:Enumerations><ssc:Enumeration name="e"><ssc:Item name="one" value="1"/></ssc:Enumeration></ssd:Enumerations>
<ssd:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit></ssd:Units>
<ssd:DefaultExperiment startTime="0" stopTime="1">
<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">
<osp:Algorithm><osp:FixedStepAlgorithm baseStepSize="1e-3" numWorkerThreads="2"/></osp:Algorithm>
</ssc:Annotation></ssd:Annotations>
</ssd:DefaultExperiment></ssd:SystemStructureDescription>
)";

const std::string osp = R"(<?xml version="1.0"?>
<OspSystemStructure version="0.1">
<StartTime>0</StartTime><EndTime>1</EndTime>
<BaseStepSize>1e-3</BaseStepSize><Algorithm>ecco</Algorithm>
<Simulators>
<Simulator name="a" source="a.fmu" stepSize="2e-3"><InitialValues><InitialValue variable="m"><Real value="1"/>
</InitialValue></InitialValues></Simulator>
<Simulator name="b" source="b.fmu"/></Simulators>
<Functions><Sum name="s" inputCount="2"/>
<VectorSum name="v" inputCount="2" dimension="3"/>
<LinearTransformation name="l" factor="2" offset="1"/></Functions>
<Connections>
<VariableConnection powerBond="p"><Variable simulator="a" name="x"/><Variable simulator="b" name="y"/></VariableConnection>
<SignalConnection><Variable simulator="a" name="x"/><Signal function="s" name="in[1]"/></SignalConnection>
<VariableGroupConnection><VariableGroup simulator="a" name="g"/>
<VariableGroup simulator="b" name="g"/></VariableGroupConnection>
<SignalGroupConnection><SignalGroup function="v" name="out"/>
<VariableGroup simulator="b" name="g"/></SignalGroupConnection>
</Connections>
<EccoConfiguration><SafetyFactor>0.99</SafetyFactor><StepSize>1e-3</StepSize>
<MinimumStepSize>1e-4</MinimumStepSize><MaximumStepSize>1e-2</MaximumStepSize>
<RelativeTolerance>1e-3</RelativeTolerance><AbsoluteTolerance>1e-3</AbsoluteTolerance></EccoConfiguration>
</OspSystemStructure>
)";

const std::string parameters = R"(<?xml version="1.0"?>
<ssv:ParameterSet version="1.0" name="p">
<ssv:Parameters><ssv:Parameter name="m">
<ssv:Real value="1" unit="kg"/></ssv:Parameter></ssv:Parameters>
<ssv:Units><ssc:Unit name="kg"><ssc:BaseUnit kg="1"/></ssc:Unit></ssv:Units></ssv:ParameterSet>
)";
const std::string mapping = R"(<?xml version="1.0"?>
<ssm:ParameterMapping version="1.0">
<ssm:MappingEntry source="m" target="mass"/></ssm:ParameterMapping>
)";
const std::string dictionary = R"(<?xml version="1.0"?>
<ssb:SignalDictionary version="1.0">
<ssb:DictionaryEntry name="force"><ssc:Real unit="N"/></ssb:DictionaryEntry></ssb:SignalDictionary>
)";
const std::string groups = R"(<?xml version="1.0"?>
<OspModelDescription version="1.0">
<VariableGroups><LinearMechanicalPort name="p">
<Force name="f"><Variable ref="force" unit="N"/></Force>
<LinearVelocity name="v"><Variable ref="velocity"/></LinearVelocity>
</LinearMechanicalPort></VariableGroups></OspModelDescription>
)";
const std::string log = R"(<?xml version="1.0"?>
<simulators>
<simulator name="a" decimationFactor="2"><variable name="x"/></simulator></simulators>
)";
const std::string names_the_others =
    R"(<ssd:SystemStructureDescription name="s" version="1.0"><ssd:System name="s">
<ssd:ParameterBindings><ssd:ParameterBinding source="p.ssv"><ssd:ParameterMapping source="m.ssm"/>
</ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="a" source="a.fmu"/></ssd:Elements>
<ssd:SignalDictionaries><ssd:SignalDictionary name="d" source="d.ssb"/></ssd:SignalDictionaries>
</ssd:System></ssd:SystemStructureDescription>
)";

/// A file in which names are misspelt, and the system that is read.
struct Written {
  const char* file;
  const std::string* text;
  const char* system;
};

class Misspelt : public testing::TestWithParam<Written> {
 protected:
  Misspelt() {
    for (const auto& [name, text] : {std::pair{"s.ssd", &ssd},
                                     {"OspSystemStructure.xml", &osp},
                                     {"p.ssv", &parameters},
                                     {"m.ssm", &mapping},
                                     {"d.ssb", &dictionary},
                                     {"all.ssd", &names_the_others},
                                     {"a_OspModelDescription.xml", &groups},
                                     {"LogConfig.xml", &log}})
      write(name, *text);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] ProblemList problems_of(const std::string& system) const {
    ProblemList problems;
    (void)read_system((folder_ / system).string(), problems);
    return problems;
  }
  /// What is reported of one line of one file, errors and warnings.
  [[nodiscard]] static std::string messages_at(const ProblemList& problems, const std::string& file,
                                               int line) {
    std::string text;
    for (const Problem& p : problems.all()) {
      if (p.severity != Severity::note && p.where.line == line && p.where.file.ends_with(file))
        text += p.what + " " + p.remedy + "\n";
    }
    return text;
  }
  ScratchDirectory folder_;
};

TEST_P(Misspelt, NamesAreReportedInTheirLine) {
  const Written& written = GetParam();
  const std::string& text = *written.text;
  const ProblemList before = problems_of(written.system);
  const std::regex names(R"((<(\w+:)?(\w+))|(\s(\w+)=))");
  int misspelt = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), names), end; it != end; ++it) {
    const bool is_element = (*it)[3].matched;
    const std::string name = (*it)[is_element ? 3 : 5];
    const auto at = static_cast<std::size_t>(it->position(is_element ? 3 : 5));
    if (name == "xml" || at < text.find("?>")) continue;
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + it->position(is_element ? 3 : 5), '\n'));
    std::string changed = text;
    changed.insert(at + name.size(), "y");
    if (is_element) {
      // The end of the same element: the next "/>" or "</name>" that belongs to it.
      int depth = 1;
      std::size_t from = at + name.size() + 1;
      const std::string prefix = (*it)[2];
      if (changed.substr(changed.find('>', from) - 1, 2) != "/>") {
        while (depth > 0) {
          const std::size_t opened = changed.find("<" + prefix + name, from);
          const std::size_t closed = changed.find("</" + prefix + name + ">", from);
          ASSERT_NE(closed, std::string::npos) << name;
          if (opened < closed) {
            const char after = changed[opened + 1 + prefix.size() + name.size()];
            const bool is_same = after == '>' || after == ' ';
            const bool is_empty = changed[changed.find('>', opened) - 1] == '/';
            depth += is_same && !is_empty ? 1 : 0;
            from = opened + 1;
          } else if (--depth == 0) {
            changed.insert(closed + 2 + prefix.size() + name.size(), "y");
          } else {
            from = closed + 1;
          }
        }
      }
    }
    write(written.file, changed);
    const ProblemList after = problems_of(written.system);
    EXPECT_TRUE(after.has_errors()) << name << " in line " << line;
    const std::string said = messages_at(after, written.file, line);
    EXPECT_NE(said, messages_at(before, written.file, line)) << name << " in line " << line;
    EXPECT_NE(said.find(name), std::string::npos) << name << " in line " << line << ": " << said;
    ++misspelt;
  }
  EXPECT_GE(misspelt, 5);
}
INSTANTIATE_TEST_SUITE_P(
    Files, Misspelt,
    testing::Values(Written{"s.ssd", &ssd, "s.ssd"},
                    Written{"OspSystemStructure.xml", &osp, "OspSystemStructure.xml"},
                    Written{"p.ssv", &parameters, "all.ssd"}, Written{"m.ssm", &mapping, "all.ssd"},
                    Written{"d.ssb", &dictionary, "all.ssd"},
                    Written{"a_OspModelDescription.xml", &groups, "OspSystemStructure.xml"},
                    Written{"LogConfig.xml", &log, "OspSystemStructure.xml"}),
    [](const auto& written) {
      const std::string file = written.param.file;
      return file.substr(0, file.find('.')) + "_" + file.substr(file.find('.') + 1);
    });

// The public system embrace of OMSimulator has 419 parameters in "[m]".
TEST(SspUnits, ThatAreNotDefinedAreWarnedOfOnce) {
  const ScratchDirectory folder;
  std::ofstream(folder / "a.ssd")
      << "<SystemStructureDescription name='s' version='1.0'><System name='s'><Connectors>\n"
         "<Connector name='a' kind='input'><Real unit='[m]'/></Connector>\n"
         "<Connector name='b' kind='input'><Real unit='[m]'/></Connector>\n"
         "<Connector name='c' kind='input'><Real unit='[kg]'/></Connector></Connectors>\n"
         "</System></SystemStructureDescription>";
  ProblemList problems;
  (void)read_system((folder / "a.ssd").string(), problems);
  std::vector<int> lines;
  for (const Problem& p : problems.all()) {
    if (p.what.find("is not defined") != std::string::npos) lines.push_back(p.where.line);
  }
  EXPECT_EQ(lines, (std::vector<int>{2, 4}));
}

class Grammar : public testing::Test {
 protected:
  /// What is wrong with an .ssd, one per line, without its folder.
  static std::string messages(const std::string& text) {
    fmi::XmlFile xml;
    ProblemList problems;
    EXPECT_TRUE(xml.parse(text, "a.ssd", problems));
    const XmlView view(xml, problems);
    (void)check_system_grammar(view, xml.root());
    std::string all;
    for (const Problem& p : problems.all()) all += to_string(p) + "\n";
    return all;
  }
  static std::string in_system(const std::string& inside, const std::string& version = "1.0") {
    return "<SystemStructureDescription name='s' version='" + version + "'><System name='s'>\n" + inside +
           "</System></SystemStructureDescription>";
  }
};

TEST_F(Grammar, KnowsWhatTheSchemasKnow) {
  EXPECT_EQ(messages(ssd), "");
  EXPECT_EQ(messages(osp), "");
  EXPECT_EQ(messages(groups), "");
  EXPECT_EQ(messages(log), "");
  EXPECT_EQ(messages(parameters) + messages(mapping) + messages(dictionary), "");
}

TEST_F(Grammar, NamesPlacesTwinsValuesAndText) {
  EXPECT_EQ(messages(in_system("<Connection startConnector='a' endConnector='b'/>")),
            "a.ssd:2: error: <Connection> does not belong into <System>. Put it into <Connections>.\n");
  EXPECT_EQ(messages(in_system("<Connections/>\n<Connections/>")),
            "a.ssd:3: error: <System> has a second <Connections>. Join them: only one is read.\n");
  EXPECT_EQ(messages(in_system("<Connectors><Connector name='a' kind='inpt'/></Connectors>")),
            "a.ssd:2: error: 'kind' of <Connector> is \"inpt\". Did you mean 'input'?\n");
  EXPECT_EQ(messages(in_system("<Elements><Component name='a' name='b'/></Elements>")),
            "a.ssd:2: error: <Component> has 'name' twice. Keep one of them.\n");
  EXPECT_EQ(messages(in_system("<Elements>left</Elements>")),
            "a.ssd:2: error: <Elements> holds the text 'left'. Put it into an element or an attribute; text "
            "by itself is "
            "not read.\n");
}

// Attributes with a prefix, and what annotations hold, are other people's; a version that is not known may have more.
TEST_F(Grammar, LeavesToOthersWhatIsTheirs) {
  EXPECT_EQ(
      messages(in_system("<Annotations><Annotation type='x'><Connexion starts='1'>t</Connexion></Annotation>"
                         "</Annotations><Elements xsi:type='y'/>")),
      "");
  EXPECT_EQ(
      messages(in_system("<Annotations><Annotation type='com.opensimulationplatform'><osp:Colour red='1'/>"
                         "</Annotation></Annotations>")),
      "");
  const std::string later = messages(in_system("<Weather/>", "3.0"));
  EXPECT_EQ(later.find("a.ssd:2: warning: <Weather> is not an element of <System>"), 0U) << later;
}

}  // namespace
}  // namespace ergon::test
