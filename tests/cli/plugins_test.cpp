// Plug-ins of the command (docs/library.md): what they add is found, a scenario by itself runs no code, and what is wrong with a file
// is reported before anything is written.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

std::string plugin(const std::string& name) {
  return std::string(ERGON_TEST_PLUGINS_FOLDER) + "/" + name + ".so";
}

class Plugins : public testing::Test {
 protected:
  /// Two masses; `simulation`, `model` and `bond` stand in their tables.
  std::string scenario(const std::string& simulation, const std::string& model = "oscillator.mass",
                       const std::string& bond = "") {
    return folder_.write("scenario.toml",
                         "[simulation]\nstop_time = 0.1\nstep_size = 1e-3\ncheck = \"off\"\n" + simulation +
                             "\n[[subsystem]]\nname = \"left\"\nmodel = \"oscillator.force_output\"\n"
                             "initial = { v = 1.0 }\n[[subsystem]]\nname = \"right\"\nmodel = \"" +
                             model +
                             "\"\n[[bond]]\nname = \"spring\"\n"
                             "a = { effort = \"left.force\", flow = \"left.velocity_in\", "
                             "displacement = \"left.position_in\" }\n"
                             "b = { effort = \"right.force\", flow = \"right.velocity\", "
                             "displacement = \"right.position\" }\n" +
                             bond);
  }
  [[nodiscard]] std::string mark() const { return (folder_ / "mark").string(); }
  Outcome run(const std::string& arguments, const std::string& environment = "") const {
    return shell("ERGON_TEST_MARK=" + mark() + " " + environment + " " ERGON_COMMAND " run " + arguments +
                 " --out " + (folder_ / "out").string());
  }
  [[nodiscard]] std::string rows() const { return read_file(folder_ / "out" / "results.csv"); }

  TemporaryDirectory folder_;
};

TEST_F(Plugins, BringModelsSchemesAndCorrectorsForTheRun) {
  const Outcome native = run(scenario(""));
  ASSERT_EQ(native.exit_code, 0) << native.output;
  const std::string expected = rows();
  const std::string file =
      scenario("", "plugin.mass",
               "correction = { method = \"plugin-nothing\" }\n[coupling]\nscheme = \"plugin-jacobi\"\n");
  const Outcome without = run(file);
  EXPECT_EQ(without.exit_code, 2) << without.output;
  EXPECT_NE(without.output.find("plugin.mass"), std::string::npos) << without.output;
  const Outcome with = run(file + " --plugin " + plugin("good"));
  ASSERT_EQ(with.exit_code, 0) << with.output;
  EXPECT_EQ(rows(), expected);
  const std::string resolved = read_file(folder_ / "out" / "scenario.toml");
  EXPECT_NE(resolved.find("good.so"), std::string::npos) << resolved;
  const Outcome checked = ergon("check " + file + " --plugin " + plugin("good"));
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  const Outcome listed = ergon("models --plugin " + plugin("good"));
  EXPECT_NE(listed.output.find("plugin.mass"), std::string::npos) << listed.output;
  // What the run wrote down repeats it, for somebody who trusts the plug-in.
  const Outcome again =
      ergon("check " + (folder_ / "out/scenario.toml").string() + " --trust " + ERGON_TEST_PLUGINS_FOLDER);
  EXPECT_EQ(again.exit_code, 0) << again.output;
}

TEST_F(Plugins, OfAScenarioAreLoadedFromTrustedFoldersAlone) {
  const std::string file = scenario("plugins = [\"" + plugin("good") + "\"]\n", "plugin.mass");
  const Outcome refused = run(file);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("scenario.toml:5:12"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find(std::string("--trust ") + ERGON_TEST_PLUGINS_FOLDER), std::string::npos)
      << refused.output;
  EXPECT_FALSE(fs::exists(mark())) << "its code was run";
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  // A folder beside it whose name begins alike, and one that lies in it: trust is for whole folders.
  fs::create_directory(folder_ / "empty");
  for (const std::string& other : {(folder_ / "empty").string(), std::string("/dev")}) {
    EXPECT_EQ(run(file + " --trust " + other).exit_code, 2) << other;
    EXPECT_FALSE(fs::exists(mark())) << other;
  }
  EXPECT_EQ(run(file, "ERGON_TRUST=:/nowhere").exit_code, 2);
  EXPECT_FALSE(fs::exists(mark()));

  const Outcome trusted = run(file + " --trust " + ERGON_TEST_PLUGINS_FOLDER);
  EXPECT_EQ(trusted.exit_code, 0) << trusted.output;
  EXPECT_TRUE(fs::exists(mark()));
  const Outcome by_environment = run(file, std::string("ERGON_TRUST=/nowhere:") + ERGON_TEST_PLUGINS_FOLDER);
  EXPECT_EQ(by_environment.exit_code, 0) << by_environment.output;
}

TEST_F(Plugins, ALinkInATrustedFolderIsNotTrusted) {
  fs::create_directory(folder_ / "trusted");
  fs::create_symlink(plugin("good"), folder_ / "trusted" / "link.so");
  const Outcome refused =
      run(scenario("plugins = \"trusted/link.so\"\n") + " --trust " + (folder_ / "trusted").string());
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_FALSE(fs::exists(mark()));
  // A file in it is, by a name that starts at the scenario.
  fs::copy(plugin("good"), folder_ / "trusted" / "copy.so");
  const Outcome trusted = run(scenario("plugins = \"trusted/copy.so\"\n", "plugin.mass") + " --trust " +
                              (folder_ / "trusted").string());
  EXPECT_EQ(trusted.exit_code, 0) << trusted.output;
}

TEST_F(Plugins, CannotBeSetBehindTheFile) {
  const Outcome refused = run(scenario("") + " --set 'simulation.plugins=[\"" + plugin("good") + "\"]'");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_NE(refused.output.find("--plugin"), std::string::npos) << refused.output;
  EXPECT_FALSE(fs::exists(mark()));
}

TEST_F(Plugins, TheirModelsAreNotExported) {
  const std::string file = scenario("plugins = [\"" + plugin("good") + "\"]\n", "plugin.mass");
  const std::string export_it = "ERGON_TRUST=" ERGON_TEST_PLUGINS_FOLDER " " ERGON_COMMAND " export " + file +
                                " -o " + (folder_ / "it.fmu").string() + " --subsystem ";
  const Outcome refused = shell(export_it + "right");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_NE(refused.output.find("model of a plug-in"), std::string::npos) << refused.output;
  EXPECT_FALSE(fs::exists(folder_ / "it.fmu"));
  const Outcome exported = shell(export_it + "left");
  EXPECT_EQ(exported.exit_code, 0) << exported.output;
}

TEST_F(Plugins, FilesThatAreNoneAreReported) {
  const std::string text = folder_.write("text.so", "no library");
  const struct {
    std::string file;
    const char* message;
  } cases[] = {{(folder_ / "missing.so").string(), "cannot be opened"},
               {(folder_ / "").string(), "is not a file"},
               {text, "cannot be loaded"},
               {plugin("no_plugin"), "no function 'ergon_plugin'"},
               {plugin("old_interface"), "another version of Ergon"},
               {plugin("failing"), "the name 'oscillator.mass' is taken"}};
  for (const auto& wrong : cases) {
    const Outcome outcome = run(scenario("") + " --plugin " + wrong.file);
    EXPECT_EQ(outcome.exit_code, 2) << wrong.file;
    EXPECT_NE(outcome.output.find(wrong.message), std::string::npos) << wrong.file << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find("--plugin " + wrong.file), std::string::npos) << outcome.output;
    EXPECT_FALSE(fs::exists(folder_ / "out")) << wrong.file;
  }
}

}  // namespace
}  // namespace ergon::cli
