// Systems of strangers that are invalid, half-written or meant to harm: a message with file and line, exit code 2, and nothing left.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

class HostileSystems : public testing::Test {
 protected:
  HostileSystems() { fs::create_directories(folder_ / "tmp"); }
  [[nodiscard]] static std::string kit(const std::string& variant = "") {
    return std::string(ERGON_TEST_FMUS) + "/kit2" + (variant.empty() ? "" : "_" + variant) + ".fmu";
  }
  [[nodiscard]] Outcome ergon_here(const std::string& arguments) const {
    return shell("TMPDIR=" + (folder_ / "tmp").string() + " " + ERGON_COMMAND + " " + arguments);
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
  void expect_refused(const std::string& system, const std::string& message) const {
    const Outcome outcome = ergon_here("run " + system + " -o " + (folder_ / "out").string());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << message << "\n  is not in\n"
                                                               << outcome.output;
    expect_nothing_left();
  }
  /// An .ssd of one component; `inside` begins in line 5.
  [[nodiscard]] std::string ssd(const std::string& inside, const std::string& name = "a.ssd") const {
    return folder_.write(name, ssd_text(inside));
  }
  [[nodiscard]] static std::string ssd_text(const std::string& inside) {
    return R"(<?xml version="1.0"?>
<ssd:SystemStructureDescription name="s" version="1.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"><ssd:System name="s">
<ssd:Elements><ssd:Component name="kit" source=")" +
           kit() + "\"/></ssd:Elements>\n" + inside +
           "</ssd:System><ssd:DefaultExperiment stopTime=\"0.1\"/></ssd:SystemStructureDescription>\n";
  }
  [[nodiscard]] static std::string osp_text(const std::string& inside) {
    return R"(<?xml version="1.0"?>
<OspSystemStructure xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure" version="0.1">
<EndTime>0.1</EndTime><BaseStepSize>1e-2</BaseStepSize>
<Simulators><Simulator name="kit" source=")" +
           kit() + "\"/></Simulators>\n" + inside + "</OspSystemStructure>\n";
  }
  TemporaryDirectory folder_;
};

TEST_F(HostileSystems, WhatTheSchemasForbidIsRefusedInItsLine) {
  const Outcome good = ergon_here("run " + ssd("") + " --step-size 1e-2 -q -o " + (folder_ / "out").string());
  ASSERT_EQ(good.exit_code, 0) << good.output;
  fs::remove_all(folder_ / "out");
  const std::pair<const char*, const char*> of_ssp[] = {
      {"<ssd:Conections/>",
       "a.ssd:5: error: <ssd:Conections> is not an element of <ssd:System> in SSP 1.0 and 2.0. Did "
       "you mean 'Connections'?"},
      {"<ssd:Connection startElement='kit'/>",
       "a.ssd:5: error: <ssd:Connection> does not belong into <ssd:System>. Put it "
       "into <Connections>."},
      {"<ssd:Connections>\n<ssd:Connection startElement='kit' startConector='a' endElement='kit' "
       "endConnector='force'/>"
       "</ssd:Connections>",
       "a.ssd:6: error: <ssd:Connection> has no attribute 'startConector' in SSP 1.0 and 2.0. Did you mean "
       "'startConnector'?"},
      {"<ssd:Connections/>\n<ssd:Connections/>",
       "a.ssd:6: error: <ssd:System> has a second <ssd:Connections>."},
      {"<ssd:Connectors><ssd:Connector name='x' kind='in'/></ssd:Connectors>",
       "a.ssd:5: error: 'kind' of <ssd:Connector> "
       "is \"in\". Did you mean 'input'?"},
      {"<ssd:Connectors><ssd:Connector kind='input'/></ssd:Connectors>",
       "a.ssd:5: error: <ssd:Connector> has no 'name'."},
      {"kit.force = 1", "a.ssd:5: error: <ssd:System> holds the text 'kit.force = 1'."},
      {"<ssd:ParameterBindings><ssd:ParameterBinding>\n<ssd:ParameterValues><ssv:ParameterSet version='1.0' "
       "name='p'>"
       "<ssv:Parameters><ssv:Parameter name='kit.m'>\n<ssv:Real valu='1'/></ssv:Parameter></ssv:Parameters>"
       "</ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>",
       "a.ssd:7: error: <ssv:Real> has no attribute 'valu' in SSP 1.0 and 2.0. Did you mean 'value'?"},
  };
  for (const auto& [inside, message] : of_ssp) expect_refused(ssd(inside), message);
  const std::pair<const char*, const char*> of_osp[] = {
      {"<Conections/>",
       "o.xml:5: error: <Conections> is not an element of <OspSystemStructure> in OspSystemStructure 0.1. "
       "Did you mean 'Connections'?"},
      {"<StartTime>soon</StartTime>", "o.xml:5: error: <StartTime>: 'soon' is not a finite number."},
      {"<Functions><Sum name='s' inputcount='2'/></Functions>",
       "o.xml:5: error: <Sum> has no attribute 'inputcount' in OspSystemStructure 0.1. Did you mean "
       "'inputCount'?"},
      {"<EndTime>7</EndTime>", "o.xml:5: error: <OspSystemStructure> has a second <EndTime>. Join them"},
      {"<Algorithm>fixed</Algorithm>", "o.xml:5: error: There is no algorithm 'fixed'."},
      {"<Connections>\n<VariableConnection><Variable simulator='kit' "
       "name='force'/></VariableConnection></Connections>",
       "o.xml:6: error: <VariableConnection> has 1 ends."},
  };
  for (const auto& [inside, message] : of_osp)
    expect_refused(folder_.write("o.xml", osp_text(inside)), message);
  (void)folder_.write("LogConfig.xml", "<simulators>\n<simulator name='kit' decimation='2'/></simulators>");
  expect_refused(
      folder_.write("o.xml", osp_text("")),
      "LogConfig.xml:2: error: <simulator> has no attribute 'decimation' in LogConfig. Did you mean "
      "'decimationFactor'?");
}

TEST_F(HostileSystems, FilesThatASystemNamesAreCheckedToo) {
  const auto bound = [&](const std::string& file) {
    return ssd("<ssd:ParameterBindings><ssd:ParameterBinding source='" + file +
               "'/></ssd:ParameterBindings>\n");
  };
  (void)folder_.write("p.ssv", "<?xml version='1.0'?>\n<ssm:ParameterMapping version='1.0'/>");
  expect_refused(bound("p.ssv"),
                 "p.ssv:2: error: <ssm:ParameterMapping> is not a ParameterSet. Name a file that begins "
                 "with <ParameterSet>.");
  (void)folder_.write(
      "half.ssv",
      "<?xml version='1.0'?>\n<ssv:ParameterSet version='1.0' name='p'>\n<ssv:Parameters><ssv:Para");
  expect_refused(bound("half.ssv"), "half.ssv:3: error: This is not XML");
  (void)folder_.write("typo.ssv",
                      "<?xml version='1.0'?>\n<ssv:ParameterSet version='1.0' name='p'><ssv:Parameters>\n"
                      "<ssv:Paramter name='kit.m'/></ssv:Parameters></ssv:ParameterSet>");
  expect_refused(bound("typo.ssv"),
                 "typo.ssv:3: error: <ssv:Paramter> is not an element of <ssv:Parameters>");
  // Nothing is fetched, and a folder is not a file.
  expect_refused(bound("http://127.0.0.1:9/p.ssv"),
                 "a.ssd:5: error: 'http://127.0.0.1:9/p.ssv' is not a file that belongs");
  expect_refused(bound("tmp"), "a.ssd:5: error: There is no file");
}

// Every place where a file can end too early, and then none of it is used.
TEST_F(HostileSystems, HalfWrittenFilesAreRefused) {
  for (const bool is_osp : {false, true}) {
    const std::string text = is_osp ? osp_text("<Connections/>\n") : ssd_text("<ssd:Connections/>\n");
    const std::string name = is_osp ? "o.xml" : "a.ssd";
    for (std::size_t eighth = 0; eighth < 8; ++eighth) {
      const std::string part = text.substr(0, text.size() * eighth / 8);
      expect_refused(folder_.write(name, part), name + ":");
    }
    expect_refused(folder_.write(name, text.substr(0, text.size() - 3)), name + ":");
  }
}

TEST_F(HostileSystems, ArchivesThatAreDamagedOrMeantToHarmLeaveNothing) {
  for (const std::string variant :
       {"path_escape", "backslash_escape", "absolute_path", "link", "truncated", "zip_bomb"}) {
    const fs::path archive = folder_ / (variant + ".ssp");
    fs::copy_file(kit(variant), archive);
    expect_refused(archive.string(), variant + ".ssp: error: ");
    // The same as a member of a system.
    const std::string outer =
        "<SystemStructureDescription version='1.0' name='s'><System name='s'><Elements>\n<Component "
        "name='x' type='application/x-ssp-package' source='" +
        archive.string() + "'/></Elements></System></SystemStructureDescription>";
    expect_refused(folder_.write("outer.ssd", outer), "outer.ssd:2: error: ");
  }
  expect_refused(folder_.write("empty.ssp", ""), "empty.ssp: error: This is not a readable archive");
  fs::create_directories(folder_ / "folder.ssp");
  expect_refused((folder_ / "folder.ssp").string(), "folder.ssp: error: ");
  fs::copy_file(kit(), folder_ / "fmu.ssp");
  expect_refused((folder_ / "fmu.ssp").string(),
                 "fmu.ssp: error: The archive has no 'SystemStructure.ssd' at its top.");
  expect_refused("'" + (folder_ / "fmu.ssp").string() + "#../a.ssd'",
                 "fmu.ssp: error: The archive has no '../a.ssd'");
}

// A byte of an archive that is wrong is found by its checksum or changes nothing; an archive that ends early is none.
TEST_F(HostileSystems, DamagedArchivesAreRefused) {
  const fs::path whole = folder_ / "whole.ssp";
  const Outcome packed = ergon_here("convert " + ssd("") + " " + whole.string());
  ASSERT_EQ(packed.exit_code, 0) << packed.output;
  const std::string bytes = read_file(whole);
  for (std::size_t part = 1; part < 8; ++part) {
    std::ofstream(folder_ / "part.ssp", std::ios::binary) << bytes.substr(0, bytes.size() * part / 8);
    expect_refused((folder_ / "part.ssp").string(), "part.ssp: error: ");
  }
  for (std::size_t i = 0; i < 16; ++i) {
    std::string damaged = bytes;
    damaged[bytes.size() * (2 * i + 1) / 32] ^= '\x41';
    std::ofstream(folder_ / "damaged.ssp", std::ios::binary) << damaged;
    const Outcome outcome = ergon_here("inspect " + (folder_ / "damaged.ssp").string());
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2) << i << ": " << outcome.output;
    if (outcome.exit_code == 2) {
      EXPECT_NE(outcome.output.find("damaged.ssp"), std::string::npos) << outcome.output;
    }
    expect_nothing_left();
  }
}

TEST_F(HostileSystems, XmlThatIsMeantToHarmIsRefused) {
  expect_refused(
      folder_.write("laughs.ssd", "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]>\n<a>&d;</a>"),
      "laughs.ssd:1: error: ");
  std::string deep = "<ssd:SystemStructureDescription version='1.0' name='s'>";
  for (int i = 0; i < 20000; ++i) deep += "<ssd:System name='s'><ssd:Elements>";
  expect_refused(folder_.write("deep.ssd", deep), "deep.ssd:1: error: ");
  std::string nested, closing;
  for (int i = 0; i < 100; ++i) {
    nested += "<ssd:System name='s'><ssd:Elements>\n";
    closing += "</ssd:Elements></ssd:System>";
  }
  expect_refused(folder_.write("nested.ssd", "<ssd:SystemStructureDescription version='1.0' name='s'>" +
                                                 nested + closing + "</ssd:SystemStructureDescription>"),
                 "nested.ssd:");
  // Two files that contain each other.
  const auto containing = [](const std::string& other) {
    return "<SystemStructureDescription version='1.0' name='s'><System name='s'><Elements>\n<Component "
           "name='x' source='" +
           other + "' type='application/x-ssp-definition'/></Elements></System></SystemStructureDescription>";
  };
  (void)folder_.write("one.ssd", containing("two.ssd"));
  expect_refused(folder_.write("two.ssd", containing("one.ssd")), "The system contains itself");
  // A schema location is a name, nothing that is fetched.
  const std::string located =
      folder_.write("located.xml",
                    "<OspSystemStructure xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
                    "xsi:schemaLocation='http://127.0.0.1:9/a "
                    "http://127.0.0.1:9/a.xsd' "
                    "version='0.1'><EndTime>0.1</EndTime><BaseStepSize>0.01</BaseStepSize><Simulators>"
                    "<Simulator name='kit' source='" +
                        kit() + "'/></Simulators></OspSystemStructure>");
  EXPECT_EQ(ergon_here("inspect " + located).exit_code, 0);
}

TEST_F(HostileSystems, NothingIsConvertedOfWhatIsRefused) {
  const std::string bad = ssd("<ssd:Conections/>\n");
  for (const std::string target : {"b.ssp", "b.toml"}) {
    const Outcome outcome = ergon_here("convert " + bad + " " + (folder_ / target).string());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find("a.ssd:5: error: "), std::string::npos) << outcome.output;
    EXPECT_FALSE(fs::exists(folder_ / target));
    expect_nothing_left();
  }
  EXPECT_EQ(ergon_here("inspect " + bad).exit_code, 2);
  EXPECT_EQ(ergon_here("variables " + bad).exit_code, 2);
}

}  // namespace
}  // namespace ergon::cli
