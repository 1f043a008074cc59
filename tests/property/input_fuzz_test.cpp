// Whatever strangers write is read or refused with a message, and nothing else happens: scenarios, machines, descriptions of FMUs,
// archives, systems of other tools with the files that they name, events. The tests named Long take up to a minute each (make test-long).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/description/grammar.hpp"
#include "ergon/fmi/description/read_description.hpp"
#include "ergon/fmi/description/rules.hpp"
#include "ergon/fmi/subsystem/bond_proposals.hpp"
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/scenario/events/yaml_reader.hpp"
#include "ergon/scenario/file/machine_file.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/scenario/ssp/write_ssp.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

std::string damaged(std::string text, std::mt19937& random) {
  for (std::size_t n = 1 + random() % 6; n > 0; --n) {
    if (text.empty()) text = "\n";
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(random() % 64, text.size() - at);
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1U << random() % 8));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 4:
        text.replace(at, length, std::to_string(static_cast<std::int64_t>(random()) << (random() % 32)));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

/// Calls `once` until the time is over, at least ten times.
void repeat(double seconds, const std::function<void(std::mt19937&)>& once) {
  std::mt19937 random(20260101);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < 10 || std::chrono::steady_clock::now() < end; ++i) once(random);
}

void fuzz_descriptions(double seconds) {
  std::vector<std::string> originals;
  for (const char* name : {"kit2", "kit3", "kit3_clock", "kit2_latin1"}) {
    ProblemList problems;
    const auto files = fmi::UnpackedFmu::open(std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu", problems);
    ASSERT_TRUE(files);
    originals.push_back(read(files->folder() / "modelDescription.xml"));
  }
  repeat(seconds, [&](std::mt19937& random) {
    const std::string text = damaged(originals[random() % originals.size()], random);
    ProblemList problems;
    const auto model = fmi::parse_description(text, "damaged.xml", problems);
    EXPECT_EQ(model.has_value(), !problems.has_errors());
    if (model) {
      check_rules(*model, problems);
      (void)propose_bonds(*model);
    }
    fmi::XmlFile file;
    if (file.parse(text, "damaged.xml", problems)) check_grammar(file, problems);
  });
}

void fuzz_archives(double seconds) {
  const std::string original = read(std::string(ERGON_TEST_FMUS) + "/kit2.fmu");
  const fmi::PrivateFolder folder("fuzz");
  const fs::path file = folder.path() / "damaged.fmu";
  repeat(seconds, [&](std::mt19937& random) {
    std::ofstream(file, std::ios::binary) << damaged(original, random);
    const fs::path target = folder.path() / "a" / "b";
    fs::create_directories(target);
    ProblemList problems;
    const bool good = fmi::extract_archive(file, target, {}, problems);
    EXPECT_EQ(good, !problems.has_errors());
    std::size_t beside = 0;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      (void)entry;
      ++beside;
    }
    EXPECT_EQ(beside, 3U);  // the file, our folder, the lock
    fs::remove_all(folder.path() / "a");
  });
}

void fuzz_scenarios(double seconds) {
  std::vector<fs::path> files;
  for (const char* below : {"examples", "benchmarks/lim-oscillator"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ERGON_SOURCE_DIR) / below)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  const fmi::PrivateFolder folder("fuzz");
  repeat(seconds, [&](std::mt19937& random) {
    const fs::path file = folder.path() / "damaged.toml";
    std::ofstream(file, std::ios::binary) << damaged(read(files[random() % files.size()]), random);
    ProblemList problems;
    (void)load_scenario(file.string(), {}, problems);
  });
}

/// A number of the text becomes one that arithmetic does not survive, or hardly.
std::string with_extreme_number(std::string text, std::mt19937& random) {
  const char* const extremes[] = {"inf", "-inf", "nan", "1e300", "-1e300", "1e-300", "1e15", "1e-15", "0"};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::size_t first = random() % text.size();
    const std::size_t line = text.rfind('\n', first);
    if (!is_digit(text[first]) || text.find('=', line == std::string::npos ? 0 : line) > first) continue;
    const std::string in_numbers = "0123456789.e-";
    while (first > 0 && in_numbers.find(text[first - 1]) != std::string::npos) --first;
    const std::size_t last = std::min(text.find_first_not_of(in_numbers, first), text.size());
    return text.replace(first, last - first, extremes[random() % std::size(extremes)]);
  }
  return text;
}

void fuzz_machines(double seconds) {
  std::vector<std::string> originals;
  for (const auto& entry : fs::directory_iterator(fs::path(ERGON_SOURCE_DIR) / "examples" / "machines"))
    originals.push_back(read(entry.path()));
  std::sort(originals.begin(), originals.end());
  long made = 0;
  repeat(seconds, [&](std::mt19937& random) {
    std::string text = originals[random() % originals.size()];
    if (random() % 2 == 0) {
      text = damaged(std::move(text), random);
    } else {
      for (std::size_t n = 1 + random() % 3; n > 0; --n) text = with_extreme_number(std::move(text), random);
    }
    ProblemList problems;
    const auto description = read_machine(text, "damaged.toml", problems);
    EXPECT_EQ(description != nullptr, !problems.has_errors()) << text;
    const auto ready = description ? make_ready(*description, problems) : std::nullopt;
    if (!description || !ready) {
      EXPECT_TRUE(problems.has_errors()) << text;
      return;
    }
    ++made;
    NonsmoothMachine machine({ready->machine, ready->state, {}});
    const Description ports = machine.describe();
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    for (const Port& port : ports.inputs) inputs += port.size;
    for (const Port& port : ports.outputs) outputs += port.size;
    std::vector<double> u(inputs, 0.0);
    std::vector<double> y(outputs, 0.0);
    bool ok = true;
    for (int i = 0; i < 3 && ok; ++i) ok = machine.step(1e-3 * i, 1e-3, {u.data(), inputs, 0}).ok;
    machine.outputs(3e-3, u.data(), y.data());
  });
  EXPECT_GT(made, 0);  // or the damage is too wild to reach beyond the reader
}

const char* const some_ssd = R"(<?xml version="1.0"?>
<ssd:SystemStructureDescription name="s" version="2.0"><ssd:System name="s">
<ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real unit="mN"/></ssd:Connector></ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding source="p.ssv"><ssd:ParameterMapping source="m.ssm"/></ssd:ParameterBinding>
</ssd:ParameterBindings><ssd:Elements><ssd:Component name="kit" source="kit2.fmu"/>
<ssd:SignalDictionaryReference name="bus" dictionary="d"><ssd:Connectors><ssd:Connector name="f" kind="inout"/>
</ssd:Connectors></ssd:SignalDictionaryReference>
<ssd:System name="inner"><ssd:Elements><ssd:Component name="kit" source="kit2.fmu"/></ssd:Elements></ssd:System>
</ssd:Elements><ssd:Connections>
<ssd:Connection startConnector="u" endElement="kit" endConnector="force"><ssc:LinearTransformation factor="2"/>
</ssd:Connection></ssd:Connections><ssd:SignalDictionaries><ssd:SignalDictionary name="d" source="d.ssb"/>
</ssd:SignalDictionaries></ssd:System><ssd:Units><ssc:Unit name="mN"><ssc:BaseUnit kg="1" m="1" s="-2" factor="0.001"/></ssc:Unit>
</ssd:Units><ssd:DefaultExperiment stopTime="1"/></ssd:SystemStructureDescription>
)";
const char* const some_parameters = R"(<?xml version="1.0"?>
<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="mass"><ssv:Real value="1" unit="g"/>
</ssv:Parameter><ssv:Parameter name="kit.k"><ssv:Float64 value="10"/></ssv:Parameter></ssv:Parameters>
<ssv:Units><ssc:Unit name="g"><ssc:BaseUnit kg="1" factor="0.001"/></ssc:Unit></ssv:Units></ssv:ParameterSet>
)";
const char* const some_mapping = R"(<?xml version="1.0"?>
<ssm:ParameterMapping version="1.0"><ssm:MappingEntry source="mass" target="kit.m" suppressUnitConversion="false">
<ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry></ssm:ParameterMapping>
)";
const char* const some_dictionary = R"(<?xml version="1.0"?>
<ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="f"><ssc:Real unit="N"/></ssb:DictionaryEntry>
</ssb:SignalDictionary>
)";
const char* const some_osp = R"(<?xml version="1.0"?>
<OspSystemStructure version="0.1"><EndTime>1</EndTime><BaseStepSize>1e-3</BaseStepSize><Algorithm>ecco</Algorithm>
<Simulators><Simulator name="kit" source="kit2.fmu" stepSize="2e-3"><InitialValues><InitialValue variable="m">
<Real value="1"/></InitialValue></InitialValues></Simulator><Simulator name="other" source="kit2.fmu"/></Simulators>
<Functions><Sum name="s" inputCount="2"/><VectorSum name="v" inputCount="2" dimension="3"/></Functions>
<Connections><VariableConnection powerBond="p"><Variable simulator="kit" name="velocity"/>
<Variable simulator="other" name="force"/></VariableConnection><VariableGroupConnection>
<VariableGroup simulator="kit" name="in"/><VariableGroup simulator="other" name="out"/></VariableGroupConnection>
<SignalConnection><Variable simulator="kit" name="position"/><Signal function="s" name="in[1]"/></SignalConnection>
</Connections><EccoConfiguration><StepSize>1e-3</StepSize></EccoConfiguration></OspSystemStructure>
)";
const char* const some_groups = R"(<?xml version="1.0"?>
<OspModelDescription version="1.0"><VariableGroups><LinearMechanicalPort name="port"><Force name="f">
<Variable ref="force" unit="N"/></Force><LinearVelocity name="v"><Variable ref="velocity" unit="m/s"/></LinearVelocity>
</LinearMechanicalPort><Generic name="in"><Variable ref="force"/></Generic><Generic name="out">
<Variable ref="position"/></Generic></VariableGroups></OspModelDescription>
)";
const char* const some_log = R"(<?xml version="1.0"?>
<configuration timestampedFilenames="false"/>
<simulators><simulator name="kit" decimationFactor="2"><variable name="position"/></simulator></simulators>
)";
const char* const some_events = R"({"defaults": {"model": "kit", "action": "override"},
 "events": [{"time": 0.5, "variable": "force", "value": 1}, {"time": 1e3, "list": [1, {"a": "b"}, "c"]}], "end": 2}
)";

/// One of the files of a system is damaged, the others are as they were.
void fuzz_systems(double seconds) {
  const std::vector<std::pair<std::string, std::string>> originals = {
      {"a.ssd", some_ssd},        {"p.ssv", some_parameters}, {"m.ssm", some_mapping},
      {"d.ssb", some_dictionary}, {"o.xml", some_osp},        {"kit2_OspModelDescription.xml", some_groups},
      {"LogConfig.xml", some_log}};
  const fmi::PrivateFolder folder("fuzz");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  };
  for (const auto& [name, text] : originals) write(name, text);
  fs::copy_file(std::string(ERGON_TEST_FMUS) + "/kit2.fmu", folder.path() / "kit2.fmu");
  for (const char* name : {"a.ssd", "o.xml"}) {
    ProblemList problems;
    ASSERT_TRUE(read_system((folder.path() / name).string(), problems));
    ASSERT_FALSE(problems.has_errors()) << to_string(problems.all().back());
  }
  repeat(seconds, [&](std::mt19937& random) {
    const auto& [name, text] = originals[random() % originals.size()];
    write(name, damaged(text, random));
    for (const char* system : {"a.ssd", "o.xml"}) {
      ProblemList problems;
      const auto read = read_system((folder.path() / system).string(), problems);
      EXPECT_TRUE(read || problems.has_errors());
      if (read) {
        EXPECT_FALSE(to_toml(read->document).empty());
      }
    }
    write(name, text);
  });
}

void fuzz_packed_systems(double seconds) {
  const fmi::PrivateFolder folder("fuzz");
  std::ofstream(folder.path() / "a.ssd", std::ios::binary)
      << R"(<SystemStructureDescription name="s" version="1.0"><System name="s"><Elements><Component name="kit" source=")"
      << ERGON_TEST_FMUS << R"(/kit2.fmu"/></Elements></System></SystemStructureDescription>)";
  ProblemList problems;
  const auto system = read_system((folder.path() / "a.ssd").string(), problems);
  ASSERT_TRUE(system);
  const fs::path file = folder.path() / "damaged.ssp";
  write_ssp(file.string(), make_ssp(*system, folder.path().string(), "s", problems));
  const std::string original = read(file);
  repeat(seconds, [&](std::mt19937& random) {
    std::ofstream(file, std::ios::binary) << damaged(original, random);
    ProblemList of_damaged;
    EXPECT_TRUE(read_system(file.string(), of_damaged) || of_damaged.has_errors());
  });
}

void fuzz_events(double seconds) {
  repeat(seconds, [&](std::mt19937& random) {
    ProblemList problems;
    const auto events = parse_yaml(damaged(some_events, random), "e.json", problems);
    EXPECT_TRUE(events || problems.has_errors());
  });
}

TEST(InputFuzz, Systems) {
  fuzz_systems(0.5);
}
TEST(InputFuzz, PackedSystems) {
  fuzz_packed_systems(0.5);
}
TEST(InputFuzz, Events) {
  fuzz_events(0.2);
}
TEST(LongInputFuzz, Systems) {
  fuzz_systems(40.0);
}
TEST(LongInputFuzz, PackedSystems) {
  fuzz_packed_systems(15.0);
}
TEST(LongInputFuzz, Events) {
  fuzz_events(10.0);
}
TEST(InputFuzz, Machines) {
  fuzz_machines(0.5);
}
TEST(LongInputFuzz, Machines) {
  fuzz_machines(60.0);
}
TEST(InputFuzz, DescriptionsOfFmus) {
  fuzz_descriptions(0.5);
}
TEST(InputFuzz, Archives) {
  fuzz_archives(0.5);
}
TEST(InputFuzz, Scenarios) {
  fuzz_scenarios(0.5);
}
TEST(LongInputFuzz, DescriptionsOfFmus) {
  fuzz_descriptions(60.0);
}
TEST(LongInputFuzz, Archives) {
  fuzz_archives(60.0);
}
TEST(LongInputFuzz, Scenarios) {
  fuzz_scenarios(60.0);
}

}  // namespace
}  // namespace ergon
