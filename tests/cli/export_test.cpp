// `ergon export` as a user meets it, and what it writes as other tools meet it: by schema, by its libraries, and by a C program
// that shares no line with our importer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include "cli/exported_scenario.hpp"
#include "ergon/models/registry.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

const std::string exported_scenario = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";

class Export : public testing::Test {
 protected:
  TemporaryDirectory folder_;

  std::string exported(const std::string& what, int fmi, const std::string& name) {
    const std::string file = (folder_ / name).string();
    const Outcome outcome = ergon("export " + what + " --fmi " + std::to_string(fmi) + " -o " + file);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return file;
  }
  /// The folder that the FMU is unpacked into.
  fs::path unpacked(const std::string& file) {
    fs::path target = file + ".unpacked";
    fs::create_directories(target);
    const Outcome outcome = shell("cd " + target.string() + " && " + ERGON_CMAKE + " -E tar xf " + file);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return target;
  }
  static fs::path library_in(const fs::path& unpacked) {
    for (const auto& entry : fs::recursive_directory_iterator(unpacked / "binaries"))
      if (entry.path().extension() == ".so") return entry.path();
    return {};
  }
};

// The mass is pushed by `force`, which somebody should feed, and by `external_force`, which nobody needs to.
TEST_F(Export, OptionalInputsStayOptional) {
  for (const int fmi : {2, 3}) {
    const std::string file = exported("oscillator.mass", fmi, "optional" + std::to_string(fmi) + ".fmu");
    EXPECT_EQ(ergon("validate " + file).exit_code, 0) << fmi;
    const Outcome done =
        ergon("run-single " + file + " --stop-time 0.01 --out " + (folder_ / "out").string());
    ASSERT_EQ(done.exit_code, 0) << done.output;
    EXPECT_NE(done.output.find("'fmu.force' is not connected"), std::string::npos) << fmi << done.output;
    EXPECT_EQ(done.output.find("'fmu.external_force' is not connected"), std::string::npos)
        << fmi << done.output;
  }
}

// MIT and BSD ask that their texts go with what was built from them.
TEST_F(Export, CarriesTheLicencesOfWhatTheLibraryHolds) {
  for (const int fmi : {2, 3}) {
    const fs::path texts =
        unpacked(exported("oscillator.mass", fmi, "licensed" + std::to_string(fmi) + ".fmu")) /
        "documentation/licenses";
    const std::map<std::string, std::vector<std::string>> expected = {
        {"license.txt", {"SUNDIALS", "Eigen", "fmt", "toml++", "eigen.tuxfamily.org"}},
        {"ergon.txt", {"Permission is hereby granted", "THE SOFTWARE IS PROVIDED"}},
        {"sundials.txt", {"Lawrence Livermore", "Redistributions in binary form", "Southern Methodist"}},
        {"fmt.txt", {"Victor Zverovich", "Permission is hereby granted"}},
        {"tomlplusplus.txt", {"Mark Gillard", "Permission is hereby granted"}},
        {"eigen.txt", {"Gael Guennebaud", "MPL"}}};
    for (const auto& [name, words] : expected) {
      const std::string text = read_file(texts / name);
      for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << name << ": " << word;
    }
  }
}

class IndependentProgram : public Export, public testing::WithParamInterface<std::tuple<int, std::string>> {};

// The oscillator of lim2021 out of FMUs, driven by tests/drive/drive.c, against the native run: every bit of every number.
TEST_P(IndependentProgram, ReachesTheTrajectoryOfTheNativeRun) {
  const auto& [fmi, feedthrough] = GetParam();
  const fs::path left = unpacked(exported(exported_scenario + " --subsystem left", fmi, "left.fmu"));
  const fs::path right = unpacked(exported(exported_scenario + " --subsystem right", fmi, "right.fmu"));
  const Outcome run = ergon("run " + exported_scenario + " --set bond.coupling.feedthrough=" + feedthrough +
                            " -q -o " + (folder_ / "native").string());
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const Outcome driven = shell(std::string(ERGON_DRIVE) + " " + std::to_string(fmi) + " " + feedthrough +
                               " " + left.string() + " " + right.string() + " 10000 1e-3");
  ASSERT_EQ(driven.exit_code, 0) << driven.output;
  auto native = csv_columns(read_file(folder_ / "native/results.csv"));
  auto ours = csv_columns(driven.output);
  ASSERT_EQ(ours["time"].size(), 10001U);
  expect_same(native, ours, {"right.position", "right.velocity", "left.force"});
}
INSTANTIATE_TEST_SUITE_P(Versions, IndependentProgram,
                         testing::Combine(testing::Values(2, 3), testing::Values("stale", "refresh")));

/// What a machine that has only its C library can load.
TEST_F(Export, NeedsTheCLibraryAlone) {
  const fs::path library = library_in(unpacked(exported("oscillator.mass", 3, "mass.fmu")));
  const Outcome needed =
      shell("LC_ALL=C objdump -p " + library.string() + " | grep NEEDED | sed 's/.*NEEDED *//' | sort");
  std::string others = needed.output;
  for (const char* ours : {"libc.so.6\n", "libm.so.6\n", "ld-linux-x86-64.so.2\n"}) {
    const auto at = others.find(ours);
    if (at != std::string::npos) others.erase(at, std::string(ours).size());
  }
  const bool sanitized =
      others.find("libasan") != std::string::npos || others.find("libubsan") != std::string::npos;
  if (sanitized) GTEST_SKIP() << "built with sanitizers";
  EXPECT_EQ(others, "");
  const Outcome symbols = shell("nm -D --defined-only " + library.string() + " | sed 's/.* //'");
  std::istringstream names(symbols.output);
  int two = 0;
  int three = 0;
  for (std::string name; names >> name;) {
    two += name.starts_with("fmi2") ? 1 : 0;
    three += name.starts_with("fmi3") ? 1 : 0;
    EXPECT_TRUE(name.starts_with("fmi")) << name << " could clash with others";
  }
  EXPECT_EQ(two, 34);
  EXPECT_EQ(three, 75);
}

std::string argument_of(const ModelInfo& info) {
  return info.name + (info.takes_description ? " --set description=" + std::string(ERGON_SOURCE_DIR) +
                                                   "/examples/machines/excavator.toml"
                                             : "");
}

// Every model of the registry, in both versions, against the schemas of the standard.
TEST_F(Export, DescriptionsFollowTheSchema) {
  const char* schemas = std::getenv("ERGON_FMI_SCHEMAS");
  if (schemas == nullptr) GTEST_SKIP() << "ERGON_FMI_SCHEMAS names no folder with the schemas of FMI";
  for (const ModelInfo& info : models()) {
    if (info.name.starts_with("logic.")) continue;  // refused
    for (const int fmi : {2, 3}) {
      const fs::path fmu =
          unpacked(exported(argument_of(info), fmi, info.name + std::to_string(fmi) + ".fmu"));
      const std::string schema = "fmi" + std::to_string(fmi) + "ModelDescription.xsd";
      const Outcome checked = shell("xmllint --noout --schema $(find " + std::string(schemas) + " -name " +
                                    schema + " | head -n 1) " + (fmu / "modelDescription.xml").string());
      EXPECT_EQ(checked.exit_code, 0) << info.name << ": " << checked.output;
    }
  }
}

TEST_F(Export, FilesThatParametersNameAreInside) {
  const std::string table = folder_.write("signal.csv", "time,a\n0,1\n1,2\n");
  const fs::path fmu = unpacked(exported("source.table --set file=" + table, 2, "table.fmu"));
  EXPECT_EQ(read_file(fmu / "resources/file_signal.csv"), "time,a\n0,1\n1,2\n");
  const std::string text = read_file(fmu / "resources/model.toml");
  EXPECT_EQ(text.find(folder_.write("", "")), std::string::npos) << "no path of this machine: " << text;
}

TEST_F(Export, TheSameModelGivesTheSameBytes) {
  const std::string one = read_file(exported("oscillator.mass --set m=2", 3, "mass.fmu"));
  const std::string again = read_file(exported("oscillator.mass --set m=2", 3, "mass.fmu"));
  EXPECT_TRUE(one == again);
  const std::string other = read_file(exported("oscillator.mass --set m=3", 3, "mass.fmu"));
  EXPECT_FALSE(one == other);
}

TEST_F(Export, MistakesAreToldAndNothingIsWritten) {
  const std::string file = (folder_ / "no.fmu").string();
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome = ergon("export " + arguments + " -o " + file);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << arguments << "\n" << outcome.output;
    EXPECT_FALSE(fs::exists(file)) << arguments;
  };
  refused("oscillator.mas", "Did you mean 'oscillator.mass'?");
  refused("oscillator.mass --set mm=2", "no parameter, initial value or key 'mm'");
  refused("oscillator.mass --set m=-2", "'m' (mass, kg) is -2");
  refused("oscillator.mass --set m=-2", "oscillator.mass");
  refused("oscillator.mass --set initial.forc=1", "has no initial value or input 'forc'");
  refused("oscillator.mass --fmi 4", "--fmi");
  refused(exported_scenario, "--subsystem left or --subsystem right");
  refused(exported_scenario + " --subsystem middle", "There is no subsystem 'middle'.");
  refused("multibody.nonsmooth", "description");
  refused("logic.counter", "is of type");
  refused("source.table --set file=nowhere.csv", "nowhere.csv");
  const Outcome outcome = ergon("export oscillator.mass -o " + (folder_ / "no/such/folder.fmu").string());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
}

}  // namespace
}  // namespace ergon::cli
