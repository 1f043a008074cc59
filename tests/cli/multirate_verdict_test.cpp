// Reasons of the verdict in runs whose bonds have points of their own, against the columns of bonds.csv.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

using Columns = std::map<std::string, std::vector<double>>;

Columns columns_of(const std::filesystem::path& file) {
  std::istringstream stream(read_file(file));
  std::string line, field;
  std::vector<std::string> names;
  Columns columns;
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    for (std::size_t i = 0; std::getline(fields, field, ','); ++i) {
      if (columns.size() <= i && !columns.contains(field) && names.size() <= i) {
        names.push_back(field);
        columns[field];
      } else {
        columns[names[i]].push_back(field.empty() ? std::nan("") : std::stod(field));
      }
    }
  }
  return columns;
}

/// Two pairs of masses that do not know of each other; the ends of one have different steps, and those of the other again others.
std::string two_pairs(const std::string& steps_a, const std::string& steps_b, const std::string& steps_cd) {
  const auto mass = [](const std::string& name, const std::string& step, const std::string& rest) {
    return "[[subsystem]]\nname = \"" + name + "\"\nstep_size = " + step + "\n" + rest + "\n";
  };
  const auto bond = [](const std::string& name, const std::string& giver, const std::string& mover) {
    return "[[bond]]\nname = \"" + name + "\"\nfeedthrough = \"stale\"\na = { effort = \"" + giver +
           ".force\", flow = \"" + giver + ".velocity_in\", displacement = \"" + giver +
           ".position_in\" }\nb = { effort = \"" + mover + ".force\", flow = \"" + mover +
           ".velocity\", displacement = \"" + mover + ".position\" }\n";
  };
  return "simulation = { stop_time = 6.0, step_size = 2e-3 }\n" +
         mass("a", steps_a,
              "model = \"oscillator.mass\"\nparameters = { k = 40.0 }\ninitial = { x = 0.1, v = 1.0 }") +
         mass("b", steps_b,
              "model = \"oscillator.force_output\"\nparameters = { m = 2.0, k = 90.0, kc = 120.0 }\n"
              "initial = { x = -0.2, v = -1.0 }") +
         mass("c", steps_cd,
              "model = \"oscillator.mass\"\nparameters = { k = 10.0 }\ninitial = { v = 1.0 }") +
         mass("d", steps_cd,
              "model = \"oscillator.force_output\"\nparameters = { m = 3.0, k = 20.0, kc = 50.0 }\n"
              "initial = { v = -0.5 }") +
         bond("ab", "b", "a") + bond("cd", "d", "c");
}

/// "up to +126.31 J (… of the reference energy 8.8443 J)"
struct Amounts {
  double wrong_J = 0.0;
  double scale_J = 0.0;
};
Amounts amounts_of(const std::string& what) {
  std::smatch found;
  const std::regex both(R"(up to ([-+.e\d]+) J.* reference energy ([-+.e\d]+) J)");
  if (!std::regex_search(what, found, both)) {
    ADD_FAILURE() << what;
    return {};
  }
  return {std::stod(found[1]), std::stod(found[2])};
}

// No damper anywhere: what a group has too much is what its bond has created, residual (3). The verdict looks at every sixteenth
// point at least, so that it may miss a little of what grows, and tells times to a window of the 128 that a run has.
TEST(MultirateVerdict, ReasonsAreWhatTheColumnsOfTheBondsSay) {
  struct Case {
    const char* a;
    const char* b;
    const char* cd;
  };
  for (const Case& c : {Case{"2e-3", "6e-3", "5e-3"}, Case{"6e-3", "2e-3", "5e-3"},
                        Case{"4e-3", "4e-3", "2e-3"}, Case{"3e-3", "2e-3", "1e-2"}}) {
    SCOPED_TRACE(std::string(c.a) + ", " + c.b + ", " + c.cd);
    const TemporaryDirectory directory;
    const std::string file = directory.write("pairs.toml", two_pairs(c.a, c.b, c.cd));
    const Outcome outcome =
        ergon("run " + file + " --quiet --check=off --out " + (directory / "out").string());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    const Columns bonds = columns_of(directory / "out/bonds.csv");
    const auto verdict = nlohmann::json::parse(read_file(directory / "out/summary.json"))["verdict"];
    std::map<std::string, int> told;
    for (const auto& reason : verdict["reasons"]) {
      if (reason["kind"] != "energy-balance") continue;
      const std::string bond = reason["bond"];
      ++told[bond];
      const Amounts amounts = amounts_of(reason["what"]);
      const auto& created_J = bonds.at(bond + ".imbalance_energy");
      const auto& time_s = bonds.at("time");
      double most_J = 0.0;
      for (const double J : created_J) most_J = std::max(most_J, std::abs(J));
      EXPECT_GT(amounts.wrong_J, 0.97 * most_J) << reason["what"];
      EXPECT_LT(amounts.wrong_J, 1.02 * most_J) << reason["what"];
      EXPECT_NEAR(reason["ratio"].get<double>(), amounts.wrong_J / amounts.scale_J,
                  2e-3 * amounts.wrong_J / amounts.scale_J);
      // From where the column passes the limit.
      const double limit_J = reason["limit"].get<double>() * amounts.scale_J;
      std::size_t row = 0;
      while (row < created_J.size() && std::abs(created_J[row]) <= limit_J) ++row;
      ASSERT_LT(row, created_J.size());
      EXPECT_NEAR(reason["from_s"].get<double>(), time_s[row], 6.0 / 64.0 + 16 * 1e-2) << reason["what"];
      EXPECT_NEAR(reason["to_s"].get<double>(), 6.0, 6.0 / 64.0) << "it grows to the end";
    }
    EXPECT_EQ(told, (std::map<std::string, int>{{"ab", 1}, {"cd", 1}}));
  }
}

// The effort of a pair whose ends hardly feel each other is a sine of known period, sampled at the points of its own bond: with
// T/H samples per period, however many points others have in between.
TEST(MultirateVerdict, SamplesPerPeriodAreThoseOfTheBond) {
  const TemporaryDirectory directory;
  // ω = 2π/0.8 s at steps of 0.1 s and 0.2 s; a pair beside it at 1 ms.
  for (const auto& [step, samples] : {std::pair("0.1", 8.0), std::pair("0.2", 4.0)}) {
    std::string text = two_pairs("1e-3", "1e-3", step);
    const auto replace = [&](const std::string& from, const std::string& to) {
      const auto at = text.find(from);
      ASSERT_NE(at, std::string::npos);
      text.replace(at, from.size(), to);
    };
    replace("stop_time = 6.0", "stop_time = 80.0");
    replace("parameters = { m = 3.0, k = 20.0, kc = 50.0 }\ninitial = { v = -0.5 }",
            "parameters = { m = 1.0, k = 61.68502750680849, kc = 1e-6 }\ninitial = { v = 1.0 }\n"
            "integrator = { method = \"rk4\", step = 1e-3 }");
    replace("parameters = { k = 10.0 }\ninitial = { v = 1.0 }",
            "parameters = { m = 1e6 }\ninitial = { v = 0.0 }");
    const std::string file = directory.write("slow.toml", text);
    const std::string out = (directory / step).string();
    ASSERT_EQ(ergon("run " + file + " --quiet --check=off --out " + out).exit_code, 0);
    const auto verdict = nlohmann::json::parse(read_file(out + "/summary.json"))["verdict"];
    int told = 0;
    for (const auto& reason : verdict["reasons"]) {
      if (reason["kind"] != "too-few-samples") continue;
      ++told;
      EXPECT_EQ(reason["bond"], "cd");
      EXPECT_NEAR(reason["ratio"].get<double>(), samples, 0.02 * samples);
    }
    EXPECT_EQ(told, 1) << verdict.dump(1);
  }
}

}  // namespace
}  // namespace ergon::cli
