// Reports and comparisons as a user meets them: files, messages, exit codes.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

const std::string reported_oscillator = std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml";
const std::string examples_folder = std::string(ERGON_SOURCE_DIR) + "/examples/";

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream fields(line);
  for (std::string field; std::getline(fields, field, ',');) numbers.push_back(std::stod(field));
  return numbers;
}

std::string run_to(const TemporaryDirectory& directory, const std::string& name, const std::string& more) {
  const std::string folder = (directory / name).string();
  const Outcome outcome =
      ergon("run " + reported_oscillator + " --quiet --stop-time 1 --out " + folder + " " + more);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  return folder;
}

TEST(Report, ARunTellsUnitsWiringAndEnergies) {
  const TemporaryDirectory directory;
  const std::string folder = run_to(directory, "run", "");
  const auto system = nlohmann::json::parse(read_file(folder + "/system.json"));
  ASSERT_EQ(system["bonds"].size(), 1U);
  EXPECT_EQ(system["bonds"][0]["effort_from"], "left");
  EXPECT_EQ(system["bonds"][0]["flow_from"], "right");
  EXPECT_EQ(system["bonds"][0]["effort_unit"], "N");
  EXPECT_TRUE(system["signals"].empty()) << "all wires belong to the bond";
  EXPECT_EQ(system["variables"][0]["unit"], "m");
  EXPECT_FALSE(system.contains("scene"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/geometry.csv"));
  // Energies over time end where the summary says.
  const auto summary = nlohmann::json::parse(read_file(folder + "/summary.json"));
  const std::string energy = read_file(folder + "/energy.csv");
  EXPECT_TRUE(
      energy.starts_with("time,left.stored,left.dissipated,left.received,left.supplied,right.stored,"))
      << energy.substr(0, 99);
  const std::string last = energy.substr(energy.rfind('\n', energy.size() - 2) + 1);
  const std::string stored = last.substr(last.find(',') + 1);
  EXPECT_DOUBLE_EQ(std::stod(stored),
                   summary["subsystems"]["left"]["energy"]["final_stored_J"].get<double>());
}

/// Two masses that show nothing of themselves, and what the scenario says of how they look.
std::string with_shapes(const TemporaryDirectory& directory, const std::string& shapes) {
  std::string text = read_file(reported_oscillator);
  const std::string file = (directory / "shapes.toml").string();
  std::ofstream(file) << text << "\n" << shapes;
  return file;
}

TEST(Report, ShapesFollowOutputs) {
  const TemporaryDirectory directory;
  const std::string file = with_shapes(directory,
                                       "[[shape]]\nname = \"cart\"\nkind = \"box\"\nsize = [0.5, 0.3, "
                                       "0.2]\nposition = [\"left.position\", 1.5]\n"
                                       "orientation = [0.5]\n"
                                       "[[shape]]\nname = \"spring\"\nkind = \"line\"\nsize = "
                                       "[0.02]\nposition = [\"left.position\", 0.0, 0.25]\n"
                                       "end = [\"right.position\", 0.0, 0.0]\n");
  const std::string folder = (directory / "run").string();
  const Outcome outcome = ergon("run " + file + " --quiet --stop-time 0.02 --out " + folder);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto scene = nlohmann::json::parse(read_file(folder + "/system.json"))["scene"];
  ASSERT_FALSE(scene.is_null());
  std::istringstream drawn(read_file(folder + "/geometry.csv"));
  std::istringstream recorded(read_file(folder + "/results.csv"));
  std::string head, line, result;
  std::getline(drawn, head);
  EXPECT_EQ(head,
            "time,/cart.x,/cart.y,/cart.z,/cart.qw,/cart.qx,/cart.qy,/cart.qz,/spring[0].x,/spring[0].y,/"
            "spring[0].z,"
            "/spring[1].x,/spring[1].y,/spring[1].z");
  std::map<double, std::pair<double, double>> positions;  // of both masses, by time
  std::getline(recorded, result);
  ASSERT_TRUE(result.starts_with("time,left.position,left.velocity,left.force,right.position,")) << result;
  while (std::getline(recorded, result)) {
    const auto v = numbers_of(result);
    positions[v[0]] = {v[1], v[4]};
  }
  int frames = 0;
  for (; std::getline(drawn, line); ++frames) {
    const auto v = numbers_of(line);
    ASSERT_TRUE(positions.contains(v[0])) << line;
    const auto [left, right] = positions[v[0]];
    EXPECT_FLOAT_EQ(static_cast<float>(v[1]), static_cast<float>(left));
    EXPECT_DOUBLE_EQ(v[2], 1.5);
    EXPECT_NEAR(v[4], std::cos(0.25), 1e-6) << "half the angle about z";
    EXPECT_NEAR(v[7], std::sin(0.25), 1e-6);
    EXPECT_FLOAT_EQ(static_cast<float>(v[8]), static_cast<float>(left));
    EXPECT_DOUBLE_EQ(v[10], 0.25);
    EXPECT_FLOAT_EQ(static_cast<float>(v[11]), static_cast<float>(right));
  }
  EXPECT_GT(frames, 10);
  // The resolved scenario shows the same again.
  const std::string again = (directory / "again").string();
  ASSERT_EQ(ergon("run " + folder + "/scenario.toml --quiet --out " + again).exit_code, 0);
  EXPECT_EQ(read_file(again + "/geometry.csv"), read_file(folder + "/geometry.csv"));
}

TEST(Report, MistakesInShapesAreToldWithTheirLines) {
  const TemporaryDirectory directory;
  const auto told = [&](const std::string& shape) {
    const Outcome outcome = ergon("check " + with_shapes(directory, "[[shape]]\nname = \"s\"\n" + shape));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find("shapes.toml:"), std::string::npos) << outcome.output;
    return outcome.output;
  };
  const auto expect = [](const std::string& output, const char* part) {
    EXPECT_NE(output.find(part), std::string::npos) << output;
  };
  expect(told("kind = \"sphere\"\nsize = [1.0]\nposition = [\"left.position\"]\n"), "has 1 component");
  expect(told("kind = \"sphere\"\nsize = [1.0, 2.0]\nposition = [0, 0]\n"), "does not fit a sphere");
  expect(told("kind = \"sphere\"\nsize = [-1.0]\nposition = [0, 0]\n"), "does not fit a sphere");
  expect(told("kind = \"sphere\"\nsize = [1.0]\nposition = [\"left.positoin\", 0]\n"), "left.position");
  expect(told("kind = \"sphere\"\nsize = [1.0]\nposition = [true, 0]\n"), "a list of outputs and numbers");
  expect(told("kind = \"cone\"\nsize = [1.0]\nposition = [0, 0]\n"), "Unknown kind 'cone'");
  expect(told("kind = \"line\"\nsize = [1.0]\nposition = [0, 0]\n"), "other end");
  expect(told("kind = \"box\"\nsize = [1, 1, 1]\nposition = [0, 0]\norientation = [1, 0]\n"), "quaternion");
}

TEST(Report, OfARunIsOneFile) {
  const TemporaryDirectory directory;
  const std::string folder = run_to(directory, "run", "--report");
  EXPECT_TRUE(read_file(folder + "/report.html").starts_with("<!doctype html>"));
  const Outcome outcome = ergon("report " + folder + " --out " + (directory / "page.html").string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("report: " + (directory / "page.html").string()), std::string::npos);
  EXPECT_EQ(read_file(directory / "page.html"), read_file(folder + "/report.html")) << "made of files alone";
}

TEST(Report, OfAnInterruptedOrOldFolderShowsWhatThereIs) {
  const TemporaryDirectory directory;
  const std::string folder = run_to(directory, "run", "");
  for (const char* name : {"summary.json", "system.json", "scenario.toml", "bonds.csv", "energy.csv"})
    std::filesystem::remove(folder + "/" + name);
  EXPECT_EQ(ergon("report " + folder).exit_code, 0);
}

TEST(Report, WhatIsNoResultIsRefused) {
  const TemporaryDirectory directory;
  Outcome outcome = ergon("report " + (directory / "nowhere").string());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("There is no folder"), std::string::npos) << outcome.output;
  std::filesystem::create_directory(directory / "empty");
  outcome = ergon("report " + (directory / "empty").string());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("neither results.csv nor results.h5"), std::string::npos) << outcome.output;
  const std::string folder = run_to(directory, "damaged", "");
  static_cast<void>(directory.write("damaged/summary.json", "{\"status\": "));
  outcome = ergon("report " + folder);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("summary.json:1:1: error"), std::string::npos) << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(folder + "/report.html"));
}

TEST(Report, MachinesAndCablesCanBeSeen) {
  const TemporaryDirectory directory;
  const auto scene_of = [&](const std::string& example, const std::string& more) {
    const std::string folder = (directory / example).string();
    const Outcome outcome =
        ergon("run " + examples_folder + example + ".toml --quiet --out " + folder + " " + more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_GT(read_file(folder + "/geometry.csv").size(), 1000U);
    return nlohmann::json::parse(read_file(folder + "/system.json"))["scene"];
  };
  const auto stack = scene_of("stack", "--stop-time 0.2");
  EXPECT_EQ(stack[0]["owner"], "stack");
  EXPECT_GE(stack[0]["arrows"].size(), 1U) << "contacts";
  const auto cable = scene_of("cable-and-mass", "--stop-time 0.05");
  EXPECT_FALSE(cable.dump().find("\"cable\"") == std::string::npos);
  static_cast<void>(scene_of("double-pendulum", "--stop-time 0.1"));
}

TEST(Compare, ToleranceDecidesTheExitCode) {
  const TemporaryDirectory directory;
  const std::string coarse = run_to(directory, "coarse", "--set bond.coupling.feedthrough=stale");
  const std::string fine = run_to(directory, "fine", "--set bond.coupling.feedthrough=refresh");
  Outcome outcome = ergon("compare " + coarse + " " + fine);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("right.position"), std::string::npos) << outcome.output;
  EXPECT_EQ(ergon("compare " + coarse + " " + fine + " --tolerance 1").exit_code, 0);
  outcome = ergon("compare " + coarse + " " + fine + " --tolerance 1e-6");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("beyond the tolerance"), std::string::npos);
  // A run agrees with itself to the bit, by folder and by file.
  EXPECT_EQ(ergon("compare " + fine + " " + fine + "/results.csv --tolerance 0").exit_code, 0);
}

TEST(Compare, WithTheTableOfAnotherTool) {
  const TemporaryDirectory directory;
  const std::string folder = run_to(directory, "run", "");
  // x₁ and x₂ of the run itself at some points, in another dress.
  std::istringstream rows(read_file(folder + "/results.csv"));
  std::string line, table = "Time;x\n";
  std::getline(rows, line);
  for (int row = 0; std::getline(rows, line); ++row) {
    if (row % 100 != 0) continue;
    const auto first = line.find(',');
    table +=
        line.substr(0, first) + ";" + line.substr(first + 1, line.find(',', first + 1) - first - 1) + "\n";
  }
  const std::string other = directory.write("other.csv", table);
  EXPECT_EQ(
      ergon("compare " + folder + " " + other + " --rename x=left.position --tolerance 1e-12").exit_code, 0);
  Outcome outcome = ergon("compare " + folder + " " + other + " --tolerance 1e-12");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.output.find("no variable in common"), std::string::npos) << outcome.output;
  EXPECT_EQ(ergon("compare " + folder).exit_code, 2);
}

TEST(Compare, WritesAPageOfAllRuns) {
  const TemporaryDirectory directory;
  const std::string a = run_to(directory, "a", "");
  const std::string b = run_to(directory, "b", "--step-size 5e-4");
  const std::string page = (directory / "compare.html").string();
  EXPECT_EQ(ergon("compare " + a + " " + b + " --out " + page).exit_code, 0);
  EXPECT_NE(read_file(page).find("\"kind\":\"compare\""), std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The file was read as a whole and all columns were kept: 108 MB for 4·10⁵ rows of 20 columns, which take 64 MB as numbers.
TEST(ReportCommand, TakesMemoryForThePageAndAFewColumns) {
  const TemporaryDirectory directory;
  constexpr int rows = 400000;
  constexpr unsigned columns = 20;
  std::string table = "time";
  for (unsigned i = 1; i < columns; ++i) table += ",c" + std::to_string(i);
  table += '\n';
  for (int row = 0; row < rows; ++row) {
    table += std::to_string(row);
    for (unsigned i = 1; i < columns; ++i) {
      table += ',';
      table += static_cast<char>('0' + (row >> i & 7));
    }
    table += '\n';
  }
  const std::string file = directory.write("table.csv", table);
  const std::string page = (directory / "page.html").string();
  constexpr int limit_KiB = 64000000 / 1024;
  const Outcome outcome = shell("ulimit -v " + std::to_string(limit_KiB) +
                                "; exec " ERGON_COMMAND " report " + file + " --out " + page);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(read_file(page).find("\"rows\":400000"), std::string::npos);
}

#endif

}  // namespace
}  // namespace ergon::cli
