// Systems and events that strangers wrote and somebody damaged are read or refused with a message, and nothing else happens.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "ergon/scenario/events/yaml_reader.hpp"
#include "ergon/scenario/systems/system_document.hpp"
#include "support/scratch_directory.hpp"

namespace ergon::test {
namespace {

const std::string some_ssd = R"(<?xml version="1.0"?>
<ssd:SystemStructureDescription name="s" version="2.0"><ssd:System name="s">
<ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real unit="mm"/></ssd:Connector></ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding prefix="a."><ssd:ParameterValues><ssv:ParameterSet><ssv:Parameters>
<ssv:Parameter name="m"><ssv:Real value="1 2" unit="kg"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
</ssd:ParameterValues><ssd:ParameterMapping><ssm:ParameterMapping><ssm:MappingEntry source="a.m" target="u"/>
</ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="a" source="a.fmu"><ssd:Connectors><ssd:Connector name="y" kind="output"/>
<ssd:Connector name="u" kind="input"/></ssd:Connectors></ssd:Component><ssd:System name="b" id="b"/>
<ssd:Component name="c" type="application/x-ssp-definition" source="#b"/></ssd:Elements><ssd:Connections>
<ssd:Connection startConnector="u" endElement="a" endConnector="u"><ssc:LinearTransformation factor="2"/></ssd:Connection>
</ssd:Connections></ssd:System><ssd:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit></ssd:Units>
<ssd:DefaultExperiment stopTime="1"/></ssd:SystemStructureDescription>
)";
const std::string some_osp = R"(<?xml version="1.0"?>
<OspSystemStructure version="0.1"><EndTime>1</EndTime><BaseStepSize>1e-3</BaseStepSize><Algorithm>ecco</Algorithm>
<Simulators><Simulator name="a" source="a.fmu" stepSize="2e-3"><InitialValues><InitialValue variable="m"><Real value="1"/>
</InitialValue></InitialValues></Simulator><Simulator name="b" source="b.fmu"/></Simulators>
<Functions><Sum name="s" inputCount="2"/><VectorSum name="v" inputCount="2" dimension="3"/></Functions>
<Connections><VariableConnection powerBond="p"><Variable simulator="a" name="x"/><Variable simulator="b" name="y"/>
</VariableConnection><SignalConnection><Variable simulator="a" name="x"/><Signal function="s" name="in[1]"/>
</SignalConnection></Connections></OspSystemStructure>
)";
const std::string some_yaml =
    "---\ndefaults: {model: a, action: \"override\"}\nevents:\n  - time: 0.5\n    value: 1\n"
    "  - time: 1e3  # later\n    list: [1, {a: b}, 'c']\nend: 2\n";

std::string damaged_text(std::string text, std::mt19937& random) {
  for (std::size_t n = 1 + random() % 5; n > 0 && !text.empty(); --n) {
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
        text.insert(random() % text.size(), text.substr(at, length));
        break;
      default:
        text.replace(at, length, std::to_string(static_cast<std::int64_t>(random()) << (random() % 32)));
        break;
    }
  }
  return text;
}

TEST(SystemsFuzz, DamagedSystemsAreReadOrRefusedWithAMessage) {
  const ScratchDirectory folder;
  std::mt19937 random(20260101);
  for (int i = 0; i < 600; ++i) {
    const bool is_osp = i % 2 != 0;
    const auto file = folder / (is_osp ? "a.xml" : "a.ssd");
    std::ofstream(file, std::ios::binary) << damaged_text(is_osp ? some_osp : some_ssd, random);
    ProblemList problems;
    const auto system = read_system(file.string(), problems);
    if (!system) {
      EXPECT_TRUE(problems.has_errors());
    } else {
      EXPECT_FALSE(to_toml(system->document).empty());
    }
  }
}

TEST(SystemsFuzz, DamagedEventsAreReadOrRefusedWithTheirLine) {
  std::mt19937 random(20260102);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    ProblemList problems;
    if (parse_yaml(damaged_text(some_yaml, random), "e.yml", problems)) continue;
    ++refused;
    ASSERT_TRUE(problems.has_errors());
    EXPECT_GT(problems.all().front().where.line, 0);
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 2900);
}

TEST(YamlReader, ReadsBlocksAndBracketsAlike) {
  ProblemList problems;
  const auto block = parse_yaml(some_yaml, "e.yml", problems);
  const auto flow = parse_yaml(R"({"defaults": {"model": "a", "action": "override"},
    "events": [{"time": 0.5, "value": 1}, {"time": 1e3, "list": [1, {"a": "b"}, "c"]}], "end": 2})",
                               "e.json", problems);
  ASSERT_TRUE(block && flow) << problems.all().size();
  EXPECT_EQ(to_toml(*block), to_toml(*flow));
  EXPECT_EQ(block->find("events")->value.items[1].where.line, 6);
}

}  // namespace
}  // namespace ergon::test
