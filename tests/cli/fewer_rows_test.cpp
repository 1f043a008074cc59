// [output] intervals, envelope, change, and trajectories for Modelica tools: against the file with all rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>

#include "cli/exported_scenario.hpp"

namespace ergon::cli {
namespace {

using AllColumns = std::map<std::string, std::vector<double>>;

class FewerRows : public testing::Test {
 protected:
  /// A fast and a slow oscillation.
  Outcome run(const std::string& output, const std::string& name) const {
    const std::string scenario = folder_.write(
        name + ".toml", "simulation = { stop_time = 4, step_size = 1e-3, check = \"off\" }\noutput = { " +
                            output +
                            " }\n[[subsystem]]\nname = \"fast\"\nmodel = \"oscillator.mass\"\nparameters = { "
                            "k = 4000.0 }\ninitial = { x = 0.1, "
                            "force = 0.0 }\n[[subsystem]]\nname = \"slow\"\nmodel = "
                            "\"oscillator.mass\"\nparameters = { k = 2.0 }\ninitial = { x = "
                            "0.3, force = 0.0 }\n");
    return ergon("run " + scenario + " -q --out " + (folder_ / name).string());
  }
  AllColumns columns(const std::string& name, const std::string& file = "results.csv") const {
    return csv_columns(read_file(folder_ / name / file));
  }
  TemporaryDirectory folder_;
};

TEST_F(FewerRows, AnEnvelopeLosesNoPeak) {
  ASSERT_EQ(run("", "all").exit_code, 0);
  ASSERT_EQ(run("interval = 0.05, envelope = true", "envelope").exit_code, 0);
  AllColumns all = columns("all");
  AllColumns reduced = columns("envelope");
  ASSERT_EQ(reduced["time"].size(), 81U);
  for (const std::string name : {"fast.position", "slow.velocity"}) {
    std::size_t from = 0;
    for (std::size_t row = 0; row < reduced["time"].size(); ++row) {
      std::size_t to = from;
      while (to < all["time"].size() && all["time"][to] <= reduced["time"][row]) ++to;
      const auto [least, largest] = std::minmax_element(all[name].begin() + static_cast<std::ptrdiff_t>(from),
                                                        all[name].begin() + static_cast<std::ptrdiff_t>(to));
      ASSERT_EQ(reduced[name + ".min"][row], *least) << name << " " << row;
      ASSERT_EQ(reduced[name + ".max"][row], *largest) << name << " " << row;
      ASSERT_EQ(reduced[name][row], all[name][to - 1]);
      from = to;
    }
  }
  const auto peak = std::max_element(all["fast.position"].begin(), all["fast.position"].end());
  const std::vector<double>& peaks = reduced["fast.position.max"];
  EXPECT_EQ(*std::max_element(peaks.begin(), peaks.end()), *peak);
}

TEST_F(FewerRows, OutputsHaveIntervalsOfTheirOwn) {
  ASSERT_EQ(run("", "all").exit_code, 0);
  const Outcome outcome = run("intervals = { \"slow.*\" = 0.1, \"slow.velocity\" = \"1/2\" }", "intervals");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  AllColumns all = columns("all");
  AllColumns fast = columns("intervals");
  AllColumns slow = columns("intervals", "results.interval-0.1s.csv");
  AllColumns slower = columns("intervals", "results.interval-0.5s.csv");
  EXPECT_EQ(fast["time"], all["time"]);
  EXPECT_EQ(fast["fast.position"], all["fast.position"]);
  EXPECT_FALSE(fast.contains("slow.position"));
  ASSERT_EQ(slow["time"].size(), 41U);
  ASSERT_EQ(slower["time"].size(), 9U);
  for (std::size_t row = 0; row < 41; ++row)
    EXPECT_EQ(slow["slow.position"][row], all["slow.position"][100 * row]);
  for (std::size_t row = 0; row < 9; ++row)
    EXPECT_EQ(slower["slow.velocity"][row], all["slow.velocity"][500 * row]);
  const Outcome listed = ergon("variables " + (folder_ / "intervals").string());
  EXPECT_NE(listed.output.find("slow.velocity"), std::string::npos) << listed.output;
  const Outcome none = run("intervals = { \"slwo.*\" = 0.1 }", "none");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.output.find("fits no output that is recorded"), std::string::npos) << none.output;
  const Outcome bad = run("intervals = { \"slow.*\" = -0.1 }", "bad");
  EXPECT_EQ(bad.exit_code, 2) << bad.output;
  const Outcome alone = run("envelope = true", "alone");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.output.find("no interval to be taken over"), std::string::npos) << alone.output;
}

// Straight lines between the rows that are left are off by at most twice the part that was asked for.
TEST_F(FewerRows, RowsWithoutAChangeAreLeftOut) {
  ASSERT_EQ(run("variables = [\"slow.*\"]", "all").exit_code, 0);
  for (const double part : {0.01, 0.05}) {
    const std::string name = fmt::format("change{}", part);
    const Outcome outcome = run(fmt::format("variables = [\"slow.*\"], change = {}", part), name);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    AllColumns all = columns("all");
    AllColumns reduced = columns(name);
    const std::vector<double>& t = reduced["time"];
    EXPECT_LT(t.size(), all["time"].size() / 2);
    EXPECT_EQ(t.front(), 0.0);
    EXPECT_EQ(t.back(), 4.0);
    for (const std::string variable : {"slow.position", "slow.velocity"}) {
      const std::vector<double>& y = all[variable];
      const auto [least, largest] = std::minmax_element(y.begin(), y.end());
      double worst = 0.0;
      std::size_t row = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        while (row + 1 < t.size() && t[row + 1] < all["time"][i]) ++row;
        const std::size_t next = std::min(row + 1, t.size() - 1);
        const double part_of_way = next == row ? 0.0 : (all["time"][i] - t[row]) / (t[next] - t[row]);
        const double line =
            reduced[variable][row] + part_of_way * (reduced[variable][next] - reduced[variable][row]);
        worst = std::max(worst, std::abs(line - y[i]));
      }
      EXPECT_LE(worst, 2.0 * part * (*largest - *least)) << variable;
      EXPECT_GT(worst, 0.0);
    }
  }
}

// What a run that was killed or branched goes on with is in the checkpoint, too.
TEST_F(FewerRows, GoOnFromACheckpoint) {
  for (const std::string output :
       {"interval = 0.05, envelope = true", "change = 0.03", "format = [\"csv\", \"mat\"]"}) {
    ASSERT_EQ(run(output, "whole").exit_code, 0);
    const std::string part = (folder_ / "part").string();
    std::filesystem::remove_all(part);
    std::filesystem::remove_all(part + "-branch");
    ASSERT_EQ(ergon("run " + (folder_ / "whole.toml").string() + " -q --checkpoint-at 1.234 --out " + part)
                  .exit_code,
              0);
    const Outcome branch = ergon("branch " + part + " --at 1.234 -q --out " + part + "-branch");
    ASSERT_EQ(branch.exit_code, 0) << branch.output;
    for (const char* file : {"results.csv", "results.mat"})
      EXPECT_TRUE(read_file(folder_ / "part-branch" / file) == read_file(folder_ / "whole" / file))
          << output << file;
  }
}

/// The matrices of a MAT file of version 4, by its published layout.
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<double> numbers;
  std::string characters;
};
std::map<std::string, Matrix> matrices(const std::string& bytes) {
  std::map<std::string, Matrix> found;
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t size) {
    ASSERT_LE(at + size, bytes.size());
    std::memcpy(to, bytes.data() + at, size);
    at += size;
  };
  while (at < bytes.size()) {
    std::int32_t header[5] = {};
    take(header, sizeof header);
    std::string name(static_cast<std::size_t>(header[4]), '\0');
    take(name.data(), name.size());
    name.resize(std::strlen(name.c_str()));
    Matrix& matrix = found[name];
    matrix.rows = header[1];
    matrix.columns = header[2];
    const int precision = header[0] / 10 % 10;
    for (int i = 0; i < matrix.rows * matrix.columns; ++i) {
      double real = 0.0;
      std::int32_t integer = 0;
      char character = 0;
      if (precision == 0) take(&real, sizeof real);
      if (precision == 2) take(&integer, sizeof integer);
      if (precision == 5) take(&character, sizeof character);
      matrix.numbers.push_back(precision == 0 ? real : integer);
      matrix.characters += character;
    }
  }
  return found;
}

TEST_F(FewerRows, TrajectoriesOfModelicaHoldTheSame) {
  ASSERT_EQ(run("format = [\"csv\", \"mat\"]", "both").exit_code, 0);
  ASSERT_EQ(run("format = \"mat\"", "mat").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "mat" / "results.csv"));
  EXPECT_TRUE(read_file(folder_ / "mat" / "results.mat") == read_file(folder_ / "both" / "results.mat"));
  AllColumns expected = columns("both");
  const auto file = matrices(read_file(folder_ / "both" / "results.mat"));
  ASSERT_TRUE(file.contains("Aclass") && file.contains("data_2"));
  std::string type;
  for (int column = 0; column < 11; ++column)
    type += file.at("Aclass").characters[static_cast<std::size_t>(4 * column + 3)];
  EXPECT_EQ(type, "binTrans   ");
  const Matrix& names = file.at("name");
  const Matrix& info = file.at("dataInfo");
  const Matrix& data = file.at("data_2");
  ASSERT_EQ(static_cast<std::size_t>(names.columns), expected.size());
  ASSERT_EQ(data.rows, names.columns);
  ASSERT_EQ(static_cast<std::size_t>(data.columns), expected["time"].size());
  EXPECT_EQ(file.at("data_1").numbers, (std::vector<double>{0.0, 4.0}));
  for (int i = 0; i < names.columns; ++i) {
    std::string name = names.characters.substr(static_cast<std::size_t>(i * names.rows),
                                               static_cast<std::size_t>(names.rows));
    name.erase(name.find_last_not_of(' ') + 1);
    if (i == 0) {
      EXPECT_EQ(name, "Time");
      name = "time";
    }
    ASSERT_TRUE(expected.contains(name)) << name;
    EXPECT_EQ(info.numbers[static_cast<std::size_t>(4 * i)], i == 0 ? 0.0 : 2.0);
    const auto row = static_cast<std::size_t>(info.numbers[static_cast<std::size_t>(4 * i + 1)]) - 1;
    for (std::size_t k = 0; k < expected[name].size(); ++k)
      ASSERT_EQ(data.numbers[k * static_cast<std::size_t>(data.rows) + row], expected[name][k])
          << name << " " << k;
  }
}

}  // namespace
}  // namespace ergon::cli
