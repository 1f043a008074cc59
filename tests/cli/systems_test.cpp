// Systems of FMUs as other tools write them: SSP and OSP. FMUs are exported by the command itself, so that the run of the same system
// as a native scenario is the reference, bit by bit.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

const std::string native = R"(simulation = { stop_time = 0.2, step_size = 1e-3 }

[[subsystem]]
name = "left"
model = "oscillator.force_output"
parameters = { m = 1.0, k = 10.0, kc = 100.0 }
initial = { v = 100.0 }

[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 2.0, k = 1000.0 }
initial = { v = -100.0 }

[[connection]]
from = "left.force"
to = "right.force"

[[connection]]
from = "right.velocity"
to = "left.velocity_in"

[[connection]]
from = "right.position"
to = "left.position_in"
)";

const std::string head = R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name="oscillators" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping">
)";
const std::string tail = R"(  <ssd:DefaultExperiment startTime="0" stopTime="0.2">
    <ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">
      <osp:Algorithm><osp:FixedStepAlgorithm baseStepSize="1e-3"/></osp:Algorithm>
    </ssc:Annotation></ssd:Annotations>
  </ssd:DefaultExperiment>
</ssd:SystemStructureDescription>
)";

std::string connection(const std::string& from, const std::string& to, const std::string& inside = "") {
  const auto end = [](const std::string& which, const std::string& port) {
    const auto dot = port.find('.');
    const std::string element = dot == 0 ? "" : which + "Element=\"" + port.substr(0, dot) + "\" ";
    return element + which + "Connector=\"" + port.substr(dot + 1) + "\" ";
  };
  return "<ssd:Connection " + end("start", from) + end("end", to) + ">" + inside + "</ssd:Connection>\n";
}

const std::string flat_connections =
    connection("left.force", "right.force") +
    connection("left.velocity_in", "right.velocity") +  // ends do not say the way
    connection("right.position", "left.position_in");

class Systems : public testing::Test {
 protected:
  void SetUp() override { native_ = folder_.write("native.toml", native); }
  void export_both() {
    for (const std::string name : {"left", "right"}) {
      const Outcome made =
          ergon("export " + native_ + " --subsystem " + name + " -o " + (folder_ / (name + ".fmu")).string());
      ASSERT_EQ(made.exit_code, 0) << made.output;
    }
  }
  /// results.csv with the names of systems taken out of its heading.
  std::string results(const std::string& system, const std::string& options = "") {
    const auto out = folder_ / "out";
    const Outcome run = ergon(
        "run " + system + " -q --check off -o " + out.string() +
        " --set 'output.variables=[\"*left.force\",\"*left.position\",\"*right.position\"]' " + options);
    EXPECT_EQ(run.exit_code, 0) << run.output;
    std::string text = read_file(out / "results.csv");
    for (const std::string outer : {"a/b/c/", "package/"}) {
      for (auto at = text.find(outer); at != std::string::npos; at = text.find(outer))
        text.erase(at, outer.size());
    }
    return text;
  }
  void expect_refused(const std::string& system, const std::string& message) {
    const Outcome outcome = ergon("run " + system + " -o " + (folder_ / "refused").string());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
  }
  TemporaryDirectory folder_;
  std::string native_;
};

TEST_F(Systems, FlatSspGivesTheBitsOfNativeModelsAndComesBackFromAnArchive) {
  export_both();
  const std::string ssd = folder_.write("SystemStructure.ssd", head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="left" source="left.fmu"/><ssd:Component name="right" source="right.fmu"/></ssd:Elements>
<ssd:Connections>)" + flat_connections + "</ssd:Connections></ssd:System>" +
                                                                   tail);
  const std::string expected = results(native_);
  EXPECT_EQ(results(ssd), expected);
  const std::string ssp = (folder_ / "packed.ssp").string();
  const std::string toml = (folder_ / "back.toml").string();
  ASSERT_EQ(ergon("convert " + ssd + " " + ssp).exit_code, 0);
  ASSERT_EQ(ergon("convert " + ssp + " " + toml).exit_code, 0);
  EXPECT_EQ(results(ssp), expected);
  EXPECT_EQ(results(toml), expected);
  // FMUs are named as members of the archive, not by the folder that they were unpacked to.
  const Outcome checked = ergon("check " + ssp);
  EXPECT_NE(checked.output.find(ssp + "#resources/left.fmu) re-evaluates"), std::string::npos)
      << checked.output;
  EXPECT_EQ(checked.output.find("ergon-fmu-files"), std::string::npos) << checked.output;
  // The resolved scenario of such a run is run again.
  std::filesystem::copy_file(folder_ / "out" / "scenario.toml", folder_ / "again.toml");
  EXPECT_EQ(results((folder_ / "again.toml").string()), expected);
  // An archive as a component of another system.
  const std::string outer = folder_.write("outer.ssd", head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="package" source="packed.ssp" type="application/x-ssp-package"/></ssd:Elements></ssd:System>)" +
                                                           tail);
  EXPECT_EQ(results(outer), expected);
}

// The left mass lies three systems deep; its signals go through connectors of systems and through a signal dictionary.
TEST_F(Systems, NestedSystemsAndSignalDictionariesGiveTheSameBits) {
  export_both();
  const std::string connectors =
      R"(<ssd:Connectors><ssd:Connector name="f" kind="output"><ssc:Real/></ssd:Connector>
<ssd:Connector name="v" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="x" kind="input"><ssc:Real unit="mm"/></ssd:Connector></ssd:Connectors>)";
  const auto system = [&](const std::string& name, const std::string& elements, const std::string& inner) {
    return "<ssd:System name=\"" + name + "\">" + connectors + "<ssd:Elements>" + elements +
           "</ssd:Elements><ssd:Connections>" + inner + "</ssd:Connections></ssd:System>\n";
  };
  const auto through = [&](const std::string& child, bool is_leaf) {
    return connection(child + (is_leaf ? ".force" : ".f"), ".f") +
           connection(".v", child + (is_leaf ? ".velocity_in" : ".v")) +
           connection(".x", child + (is_leaf ? ".position_in" : ".x"));
  };
  const std::string c =
      system("c", "<ssd:Component name=\"left\" source=\"left.fmu\"/>", through("left", true));
  const std::string b = system("b", c, through("c", false));
  const std::string a = system("a", b, through("b", false));
  const std::string ssd = folder_.write(
      "nested.ssd", head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="right" source="right.fmu"/>
<ssd:SignalDictionaryReference name="bus" dictionary="signals"><ssd:Connectors>
<ssd:Connector name="force" kind="inout"/></ssd:Connectors></ssd:SignalDictionaryReference>)" +
                        a + "</ssd:Elements><ssd:Connections>" + connection("a.f", "bus.force") +
                        connection("bus.force", "right.force") + connection("right.velocity", "a.v") +
                        connection("right.position", "a.x") + R"(</ssd:Connections>
<ssd:SignalDictionaries><ssd:SignalDictionary name="signals">
<ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="force"><ssc:Real unit="N"/></ssb:DictionaryEntry>
</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries></ssd:System>)" +
                        tail);
  EXPECT_EQ(results(ssd), results(native_));
}

// Two transformations that are powers of two and their inverse change no bit.
TEST_F(Systems, TransformationsOnBothSidesOfASystemCancel) {
  export_both();
  const std::string ssd = folder_.write(
      "twice.ssd",
      head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="left" source="left.fmu"/>
<ssd:System name="package"><ssd:Connectors><ssd:Connector name="f" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="v" kind="output"><ssc:Real unit="km/h"/></ssd:Connector>
<ssd:Connector name="x" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:Elements><ssd:Component name="right" source="right.fmu"/></ssd:Elements><ssd:Connections>)" +
          connection(".f", "right.force", "<ssc:LinearTransformation factor=\"0.25\" offset=\"-1\"/>") +
          connection("right.velocity", ".v") +
          connection("right.position", ".x", "<ssc:LinearTransformation factor=\"1024\"/>") +
          "</ssd:Connections></ssd:System></ssd:Elements><ssd:Connections>" +
          connection("left.force", "package.f", "<ssc:LinearTransformation factor=\"4\" offset=\"4\"/>") +
          connection("package.v", "left.velocity_in") +
          connection("package.x", "left.position_in", "<ssc:LinearTransformation factor=\"0.0009765625\"/>") +
          "</ssd:Connections></ssd:System>" + tail);
  const Outcome told = ergon("inspect " + ssd);
  EXPECT_EQ(told.exit_code, 0) << told.output;
  EXPECT_NE(told.output.find("  left.force → package/right.force\n"), std::string::npos) << told.output;
  EXPECT_EQ(results(ssd), results(native_));
}

// A position becomes a force, number by number: m·(x₊ − 2x + x₋)/h² + k·x is what arrived (semi-implicit Euler).
TEST_F(Systems, SuppressedUnitConversionPassesTheNumber) {
  export_both();
  std::string path = connection("left.position", "right.force");
  path.insert(path.find('>'), "suppressUnitConversion=\"true\"");
  const std::string ssd = folder_.write("suppressed.ssd", head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="left" source="left.fmu"/><ssd:Component name="right" source="right.fmu"/></ssd:Elements>
<ssd:Connections>)" + path + "</ssd:Connections></ssd:System>" +
                                                              tail);
  const auto columns = csv_columns(results(ssd));
  const auto& x = columns.at("right.position");
  const auto& sent = columns.at("left.position");
  for (std::size_t i = 10; i < 190; ++i) {
    const double force = 2.0 * (x[i + 1] - 2.0 * x[i] + x[i - 1]) / 1e-6 + 1000.0 * x[i];
    EXPECT_NEAR(force, sent[i], 1e-5) << i;
  }
}

// Values of FMUs with other defaults: from a file with a prefix, through a mapping with a transformation, with a unit, and by the
// outer of two systems, which wins.
TEST_F(Systems, ParameterFilesMappingsAndUnitsGiveTheSameBits) {
  for (const auto& [model, name] :
       {std::pair{"oscillator.force_output", "left"}, {"oscillator.mass", "right"}})
    ASSERT_EQ(
        ergon(std::string("export ") + model + " -o " + (folder_ / (std::string(name) + ".fmu")).string())
            .exit_code,
        0);
  const std::string set = R"(<ssv:ParameterSet version="1.0" name="p"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssv:Parameters>
<ssv:Parameter name="left.m"><ssv:Real value="1000" unit="g"/></ssv:Parameter>
<ssv:Parameter name="left.k"><ssv:Real value="10"/></ssv:Parameter>
<ssv:Parameter name="left.kc"><ssv:Real value="100"/></ssv:Parameter>
<ssv:Parameter name="left.initial.v"><ssv:Real value="100"/></ssv:Parameter>
<ssv:Parameter name="left.nothing"><ssv:Real value="1"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet>)";
  (void)folder_.write("left.ssv", set);
  (void)folder_.write("right.ssm", R"(<ssm:ParameterMapping version="1.0"
  xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping">
<ssm:MappingEntry source="p.half" target="m"><ssc:LinearTransformation factor="2" offset="0"/></ssm:MappingEntry>
<ssm:MappingEntry source="p.stiffness" target="k"/>
<ssm:MappingEntry source="p.speed" target="initial.v" suppressUnitConversion="true"/></ssm:ParameterMapping>)");
  const std::string inline_set =
      R"(<ssd:ParameterBindings><ssd:ParameterBinding prefix="p."><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="q"><ssv:Parameters>
<ssv:Parameter name="half"><ssv:Real value="1"/></ssv:Parameter>
<ssv:Parameter name="stiffness"><ssv:Real value="1000"/></ssv:Parameter>
<ssv:Parameter name="speed"><ssv:Real value="-100" unit="km/h"/></ssv:Parameter>
<ssv:Parameter name="x"><ssv:Real value="17"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
<ssd:ParameterMapping source="right.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings>)";
  const std::string overridden = R"(<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="r"><ssv:Parameters>
<ssv:Parameter name="k"><ssv:Real value="77"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>)";
  const std::string ssd = folder_.write(
      "parameters.ssd",
      head + "<ssd:System name=\"s\"><ssd:ParameterBindings><ssd:ParameterBinding source=\"left.ssv\"/>" +
          "</ssd:ParameterBindings><ssd:Elements><ssd:Component name=\"left\" source=\"left.fmu\">" +
          overridden + "</ssd:Component><ssd:Component name=\"right\" source=\"right.fmu\">" + inline_set +
          "</ssd:Component></ssd:Elements><ssd:Connections>" + flat_connections +
          "</ssd:Connections></ssd:System>" + tail);
  EXPECT_EQ(results(ssd), results(native_));
}

std::string osp_structure(const std::string& inside) {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<OspSystemStructure xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure" version="0.1">
<StartTime>0.0</StartTime><EndTime>0.2</EndTime><BaseStepSize>1e-3</BaseStepSize>
)" + inside +
         "</OspSystemStructure>\n";
}
const std::string osp_simulators = R"(<Simulators><Simulator name="left" source="left.fmu"/>
<Simulator name="right" source="right.fmu"><InitialValues><InitialValue variable="k"><Real value="1000"/></InitialValue>
</InitialValues></Simulator></Simulators>
)";
std::string osp_connection(const std::string& one, const std::string& other, const std::string& bond = "") {
  const auto end = [](const std::string& port) {
    const auto dot = port.find('.');
    return "<Variable simulator=\"" + port.substr(0, dot) + "\" name=\"" + port.substr(dot + 1) + "\"/>";
  };
  return "<VariableConnection" + (bond.empty() ? "" : " powerBond=\"" + bond + "\"") + ">" + end(one) +
         end(other) + "</VariableConnection>\n";
}

TEST_F(Systems, OspGivesTheBitsOfNativeModelsAndIsConvertedToSsp) {
  export_both();
  const std::string osp = folder_.write(
      "OspSystemStructure.xml",
      osp_structure(osp_simulators + R"(<Functions><LinearTransformation name="half" factor="0.5" offset="0"/>
<Sum name="both" inputCount="2"/></Functions><Connections>
<SignalConnection><Variable simulator="left" name="force"/><Signal function="half" name="in"/></SignalConnection>
<SignalConnection><Signal function="both" name="out"/><Variable simulator="right" name="force"/></SignalConnection>
)" + osp_connection("left.velocity_in", "right.velocity") +
                    osp_connection("right.position", "left.position_in") + "</Connections>"));
  // Unconnected inputs of a sum are 0: half the force arrives. The other half comes when both inputs are connected.
  std::string text = read_file(osp);
  const std::string before = "<SignalConnection><Signal function=\"both\"";
  std::string halves;
  for (const char* input : {"in[0]", "in[1]"})
    halves +=
        std::string(
            "<SignalConnection><Signal function=\"half\" name=\"out\"/><Signal function=\"both\" name=\"") +
        input + "\"/></SignalConnection>\n";
  text.insert(text.find(before), halves);
  (void)folder_.write("OspSystemStructure.xml", text);
  const std::string expected = results(native_);
  EXPECT_EQ(results(osp), expected);
  EXPECT_EQ(results(folder_ / ""), expected);  // the folder itself
  const std::string ssp = (folder_ / "osp.ssp").string();
  const std::string toml = (folder_ / "osp.toml").string();
  ASSERT_EQ(ergon("convert " + osp + " " + ssp).exit_code, 0);
  ASSERT_EQ(ergon("convert " + ssp + " " + toml).exit_code, 0);
  EXPECT_EQ(results(toml), expected);
}

TEST_F(Systems, PowerBondsOfEccoAndProposedBondsAreMonitored) {
  export_both();
  const std::string others = osp_connection("right.position", "left.position_in") + "</Connections>";
  const std::string declared = folder_.write(
      "declared.xml",
      osp_structure(osp_simulators + "<Connections>" + osp_connection("left.force", "right.force", "spring") +
                    osp_connection("right.velocity", "left.velocity_in", "spring") + others));
  const Outcome checked = ergon("check " + declared);
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_NE(checked.output.find("bond spring: left gives the effort, right the flow"), std::string::npos)
      << checked.output;
  const std::string plain = folder_.write(
      "plain.xml",
      osp_structure(osp_simulators + "<Connections>" + osp_connection("left.force", "right.force") +
                    osp_connection("right.velocity", "left.velocity_in") + others));
  const Outcome proposed = ergon("check " + plain);
  EXPECT_NE(
      proposed.output.find(
          R"(a = { displacement = "left.position_in", effort = "left.force", flow = "left.velocity_in" })"),
      std::string::npos)
      << proposed.output;
  const Outcome taken = ergon("check " + plain + " --bonds");
  EXPECT_NE(taken.output.find("bond left-right: left gives the effort, right the flow"), std::string::npos)
      << taken.output;
}

// What a file says of ECCO can be switched off: the steps then are those of the algorithm with fixed steps.
TEST_F(Systems, OspRunsWithFixedStepsInPlaceOfEcco) {
  export_both();
  const std::string connections = "<Connections>" + osp_connection("left.force", "right.force", "spring") +
                                  osp_connection("right.velocity", "left.velocity_in", "spring") +
                                  osp_connection("right.position", "left.position_in") + "</Connections>";
  const std::string ecco =
      "<Algorithm>ecco</Algorithm><EccoConfiguration><StepSize>1e-3</StepSize>"
      "<RelativeTolerance>1e-6</RelativeTolerance></EccoConfiguration>";
  const std::string controlled =
      folder_.write("ecco.xml", osp_structure(ecco + osp_simulators + connections));
  const std::string fixed = folder_.write("fixed.xml", osp_structure(osp_simulators + connections));
  // ECCO's bonds send outputs as they were at the end of the step.
  const std::string expected = results(fixed, "--set bond.spring.feedthrough=stale");
  EXPECT_NE(results(controlled), expected);
  EXPECT_EQ(results(controlled, "--set step_control.method=fixed"), expected);
}

// A proxy on this machine is an isolated FMU; a step that is not a multiple of the base step is rounded down.
TEST_F(Systems, LocalProxiesAreIsolatedFmusAndStepsAreRoundedDown) {
  export_both();
  const auto with = [](const std::string& left, const std::string& right) {
    return osp_structure("<Simulators><Simulator name=\"left\" source=\"" + left +
                         "\"/><Simulator name=\"right\" source=\"right.fmu\" " + right +
                         "/></Simulators><Connections>" + osp_connection("left.force", "right.force") +
                         osp_connection("right.velocity", "left.velocity_in") +
                         osp_connection("right.position", "left.position_in") + "</Connections>");
  };
  const std::string plain = folder_.write("plain.xml", with("left.fmu", ""));
  const std::string proxied = folder_.write("proxied.xml", with("proxyfmu://localhost?file=left.fmu", ""));
  EXPECT_EQ(results(proxied), results(plain));
  const Outcome seen = ergon("convert " + proxied + " " + (folder_ / "proxied.toml").string());
  ASSERT_EQ(seen.exit_code, 0) << seen.output;
  EXPECT_NE(read_file(folder_ / "proxied.toml").find("isolate = true"), std::string::npos);
  const std::string twice = folder_.write("twice.xml", with("left.fmu", "stepSize=\"2e-3\""));
  const std::string more = folder_.write("more.xml", with("left.fmu", "stepSize=\"2.9e-3\""));
  EXPECT_EQ(results(more), results(twice));
  EXPECT_NE(results(twice), results(plain));
}

// m·x″ = −k·x + F with the input F that nothing feeds: an override of F is the native change, a bias adds to 0, a reset returns.
TEST_F(Systems, EventsOfLibcosimAreChanges) {
  const std::string mass = R"(simulation = { stop_time = 0.2, step_size = 1e-3 }
output = { variables = ["*.position"] }
[[subsystem]]
name = "right"
model = "oscillator.mass"
parameters = { m = 2.0, k = 1000.0 }
initial = { force = 0.0 }
)";
  const std::string with_events = folder_.write("events.toml", mass);
  const std::string by_hand = folder_.write("hand.toml", mass + R"(
[[change]]
time = 0.05
parameter = "right.force"
value = 5.0
[[change]]
time = 0.1
parameter = "right.force"
value = 0.0
)");
  const std::string yaml = folder_.write("e.yml",
                                         "---\ndefaults:\n  model: right\n  variable: force  # N\nevents:\n"
                                         "  - time: 0.05\n    action: override\n    value: 5\n"
                                         "  - {time: 0.1, action: override, value: 0.0}\nend: 1\n");
  const std::string json = folder_.write("e.json", R"({"defaults": {"model": "right", "action": "override"},
 "events": [{"time": 0.1, "variable": "force", "value": 0}, {"time": 0.05, "variable": "force", "value": 5.0}]})");
  const auto run = [&](const std::string& arguments) {
    const Outcome outcome = ergon("run " + arguments + " -q --check off -o " + (folder_ / "e").string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return read_file(folder_ / "e" / "results.csv");
  };
  const std::string expected = run(by_hand);
  EXPECT_NE(expected, run(with_events));
  EXPECT_EQ(expected, run(with_events + " --scenario " + json));
  const Outcome bad = ergon("run " + with_events + " --scenario " +
                            folder_.write("bad.yml", "events:\n  - time: 1\n   x: 2\n"));
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.output.find("bad.yml:3"), std::string::npos) << bad.output;
  const Outcome yaml_run =
      ergon("run " + with_events + " -q --check off -o " + (folder_ / "y").string() + " --scenario " + yaml);
  // 'end' resets, which needs the value without events: that of a native input is not known.
  EXPECT_EQ(yaml_run.exit_code, 2) << yaml_run.output;
}

// A connected signal goes through an element: from 0.05 s to 0.1 s the force is 5 N whatever the left mass gives.
TEST_F(Systems, EventsChangeConnectedSignals) {
  export_both();
  const std::string osp =
      folder_.write("o.xml", osp_structure(osp_simulators + "<Connections>" +
                                           osp_connection("left.force", "right.force") + "</Connections>"));
  const std::string events =
      folder_.write("o.yml",
                    "events:\n- {time: 0.05, model: right, variable: force, action: override, value: 5}\n"
                    "- {time: 0.1, model: right, variable: force, action: reset}\n");
  const std::string without = results(osp);
  const std::string with = results(osp, "--scenario " + events);
  const auto columns = csv_columns(with);
  const auto plain = csv_columns(without);
  ASSERT_EQ(columns.at("time").size(), plain.at("time").size());
  for (std::size_t i = 0; i < columns.at("time").size(); ++i) {
    const double t = columns.at("time")[i];
    if (t <= 0.05) {
      EXPECT_EQ(columns.at("right.position")[i], plain.at("right.position")[i]) << t;
    }
  }
  EXPECT_NE(columns.at("right.position").back(), plain.at("right.position").back());
  // m·a = F − k·x by differences of positions, semi-implicit Euler: x₊ − 2x + x₋ = h²·a(x).
  const auto& x = columns.at("right.position");
  for (std::size_t i = 60; i < 90; ++i) {
    const double force = 2.0 * (x[i + 1] - 2.0 * x[i] + x[i - 1]) / 1e-6 + 1000.0 * x[i];
    EXPECT_NEAR(force, 5.0, 1e-5) << i;
  }
}

TEST_F(Systems, MistakesAreToldWithFileAndLine) {
  export_both();
  const auto ssd = [&](const std::string& connections) {
    return folder_.write("bad.ssd",
                         head +
                             "<ssd:System name=\"s\"><ssd:Elements>\n"
                             "<ssd:Component name=\"left\" source=\"left.fmu\"/>\n"
                             "<ssd:Component name=\"right\" source=\"right.fmu\"/></ssd:Elements>\n"
                             "<ssd:Connections>" +
                             connections + "</ssd:Connections></ssd:System>" + tail);
  };
  expect_refused(ssd(connection("left.forse", "right.force")),
                 "bad.ssd:10: error: The FMU of 'left' has no variable 'forse'. Did you mean 'force'?");
  expect_refused(ssd(connection("left.force", "right.velocity")),
                 "bad.ssd:10: error: 'left.force' and 'right.velocity' are both outputs.");
  expect_refused(ssd(connection("left.force", "middle.force")), "has no element 'middle'");
  expect_refused(ssd(connection("left.force", "right.force") + connection("left.position", "right.force")),
                 "bad.ssd:11: error: Two connections end at 'right.force'");
  expect_refused(ssd(connection("left.position", "right.force")),
                 "'left.position' [m] feeds 'right.force' [N].");
  expect_refused(ssd(connection("left.force", "right.force", "<ssc:BooleanMappingTransformation/>")),
                 "is not available");
  const auto with = [&](const std::string& inside, const std::string& annotations = "") {
    return folder_.write(
        "with.ssd",
        head + "<ssd:System name=\"s\"><ssd:Elements>\n<ssd:Component name=\"left\" source=\"left.fmu\">" +
            inside + "</ssd:Component></ssd:Elements></ssd:System>" + annotations + tail);
  };
  const auto binding = [](const std::string& attributes, const std::string& parameter) {
    return "<ssd:ParameterBindings>\n<ssd:ParameterBinding " + attributes + ">" + parameter +
           "</ssd:ParameterBinding></ssd:ParameterBindings>";
  };
  expect_refused(
      with(binding("source=\"none.ssv\"", "")),
      "with.ssd:9: error: There is no file '" + (folder_ / "none.ssv").string() + "'. Check its name");
  expect_refused(
      with(binding("",
                   "<ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\"><ssv:Parameters>\n"
                   "<ssv:Parameter name=\"m\"><ssv:Real value=\"heavy\"/></ssv:Parameter></ssv:Parameters>"
                   "</ssv:ParameterSet></ssd:ParameterValues>")),
      "with.ssd:10: error: <ssv:Real>: 'heavy' is not a finite number.");
  expect_refused(
      with("",
           "<ssd:Annotations><ssc:Annotation type=\"org.ergon\">\n<e:Scenario xmlns:e=\"urn:ergon:scenario\">"
           "[coupling]\nscheme = \n</e:Scenario></ssc:Annotation></ssd:Annotations>"),
      "with.ssd:10:");
  expect_refused(folder_.write("half.ssd", head + "<ssd:System"), "half.ssd:7: error: This is not XML");
  expect_refused(folder_.write("doctype.ssd", "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>"), "DOCTYPE");
  expect_refused(folder_.write("other.xml", "<?xml version=\"1.0\"?>\n<fmi/>"),
                 "other.xml:2: error: <fmi> is not an OspSystemStructure.");
  expect_refused(folder_.write("text.ssp", "no archive"), "text.ssp");
  expect_refused(folder_.write("itself.ssd", head + R"(<ssd:System name="s"><ssd:Elements>
<ssd:Component name="x" source="itself.ssd" type="application/x-ssp-definition"/></ssd:Elements></ssd:System>)" +
                                                 tail),
                 "The system contains itself");
  expect_refused(
      folder_.write("bad.xml", osp_structure(osp_simulators + "<Connections>\n" +
                                             osp_connection("left.force", "rigth.force") + "</Connections>")),
      "bad.xml:8: error: There is no simulator 'rigth'. Did you mean 'right'?");
  expect_refused(
      folder_.write(
          "remote.xml",
          osp_structure(
              "<Simulators>\n<Simulator name=\"a\" source=\"proxyfmu://host?file=a.fmu\"/></Simulators>")),
      "remote.xml:5: error: 'proxyfmu://host?file=a.fmu' is not a file.");
}

TEST_F(Systems, WhatIsErgonsAloneComesBackFromTheAnnotation) {
  export_both();
  const std::string toml =
      folder_.write("bonds.toml", R"(simulation = { stop_time = 0.2, step_size = "1/1000" }
coupling = { extrapolation = "linear" }
[[subsystem]]
name = "left"
fmu = "left.fmu"
[[subsystem]]
name = "right"
fmu = "right.fmu"
[[bond]]
name = "spring"
a = { effort = "left.force", flow = "left.velocity_in", displacement = "left.position_in" }
b = { effort = "right.force", flow = "right.velocity", displacement = "right.position" }
extrapolation = "quadratic"
)");
  const std::string ssp = (folder_ / "bonds.ssp").string();
  const Outcome converted = ergon("convert " + toml + " " + ssp);
  ASSERT_EQ(converted.exit_code, 0) << converted.output;
  EXPECT_NE(converted.output.find("bond 'spring' (its connections are there)"), std::string::npos)
      << converted.output;
  EXPECT_NE(converted.output.find("[coupling]"), std::string::npos);
  const std::string expected = results(toml);
  const std::string bonds = read_file(folder_ / "out" / "bonds.csv");
  EXPECT_EQ(results(ssp), expected);
  EXPECT_EQ(read_file(folder_ / "out" / "bonds.csv"), bonds);
  // A native scenario goes there and back as a whole.
  const std::string native_ssp = (folder_ / "native.ssp").string();
  ASSERT_EQ(ergon("convert " + native_ + " " + native_ssp).exit_code, 0);
  EXPECT_EQ(results(native_ssp), results(native_));
  // Nothing is written where the target is not one.
  EXPECT_EQ(ergon("convert " + native_ + " " + (folder_ / "x.zip").string()).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.zip"));
  EXPECT_EQ(ergon("convert " + native_ + " " + native_).exit_code, 2);
}

// The table stays where it is, and is found from the folder of what was written.
TEST_F(Systems, FilesOfNativeModelsAreFoundFromWhatIsConverted) {
  std::filesystem::create_directories(folder_ / "tables");
  std::filesystem::create_directories(folder_ / "there" / "deep");
  (void)folder_.write("tables/push.csv", "time,force\n0,1\n0.1,5\n0.2,0\n");
  const std::string toml = folder_.write("pushed.toml", R"(simulation = { stop_time = 0.2, step_size = 1e-3 }
connection = [ { from = "push.value", to = "right.force" } ]
[[subsystem]]
name = "push"
model = "source.table"
parameters = { file = "tables/push.csv", column = "force", unit = "N" }
[[subsystem]]
name = "right"
model = "oscillator.mass"
)");
  const std::string ssp = (folder_ / "there" / "pushed.ssp").string();
  const std::string back = (folder_ / "there" / "deep" / "back.toml").string();
  const Outcome packed = ergon("convert " + toml + " " + ssp);
  ASSERT_EQ(packed.exit_code, 0) << packed.output;
  EXPECT_NE(packed.output.find("'../tables/push.csv' stays outside"), std::string::npos) << packed.output;
  ASSERT_EQ(ergon("convert " + ssp + " " + back).exit_code, 0);
  const auto run = [&](const std::string& system) {
    const Outcome outcome = ergon("run " + system + " -q --check off -o " + (folder_ / "pushed").string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return read_file(folder_ / "pushed" / "results.csv");
  };
  const std::string expected = run(toml);
  EXPECT_EQ(run(ssp), expected);
  EXPECT_EQ(run(back), expected);
}

}  // namespace
}  // namespace ergon::cli
