// results.h5: what it holds, who reads it, and what is left of it after a kill.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

namespace fs = std::filesystem;

/// An interpreter with h5py; empty: none.
const std::string& python() {
  static const std::string found = [] {
    for (const char* candidate : {"python3", "/usr/bin/python3"})
      if (shell(std::string(candidate) + " -c 'import h5py'").exit_code == 0) return std::string(candidate);
    return std::string();
  }();
  return found;
}

/// A run in the background.
class Child {
 public:
  explicit Child(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::execv(arguments.front(), arguments.data());
      ::_exit(127);
    }
  }
  ~Child() { end(SIGKILL); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void end(int signal) {
    if (process_ <= 0) return;
    ::kill(process_, signal);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
};

class Hdf5 : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome =
        run("simulation = { stop_time = 1, step_size = 1 }\nsubsystem = [ { name = \"m\", model = "
            "\"oscillator.mass\", initial = { force = 0.0 } } ]\noutput = { format = \"hdf5\" }\n",
            "probe");
    if (outcome.output.find("HDF5 files cannot be read or written") != std::string::npos)
      GTEST_SKIP() << "this build has no HDF5 (tools/setup.sh test installs it)";
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Outcome run(const std::string& scenario, const std::string& name, const std::string& options = "") const {
    return ergon("run " + folder_.write(name + ".toml", scenario) + " -q --out " + at(name) + " " + options);
  }
  [[nodiscard]] Outcome read(const std::string& program, const std::string& arguments) const {
    return shell(python() + " " + folder_.write("read.py", program) + " " + arguments);
  }
  TemporaryDirectory folder_;
};

/// Two masses at two rates, a switch and a counter.
std::string fast_and_slow(double stop_time_s, const std::string& output) {
  return fmt::format(
      "simulation = {{ stop_time = {}, step_size = 1e-3 }}\noutput = {{ {} }}\n"
      "[[subsystem]]\nname = \"fast\"\nmodel = \"oscillator.mass\"\nparameters = {{ k = 40.0 }}\ninitial = "
      "{{ x = 0.1 }}\n"
      "[[subsystem]]\nname = \"slow\"\nmodel = \"oscillator.mass\"\nstep_size = 1e-2\nparameters = {{ m = "
      "3.0, k = 7.0 }}\n"
      "initial = {{ x = -0.2 }}\n"
      "[[element]]\nname = \"spring\"\nlaw = \"spring-damper\"\nends = [\"fast\", \"slow\"]\nparameters = {{ "
      "k = 5.0 }}\n",
      stop_time_s, output);
}

// Every column of every CSV file against its dataset, all bits; the attributes and scales that readers of the Scientific Data Format want.
const char* const compare_with_csv = R"(
import csv, re, sys, h5py, numpy
folder = sys.argv[1]
compared = 0
with h5py.File(folder + "/results.h5", "r") as f:
    for table in sys.argv[2:]:
        group = next(g for g in f.values() if isinstance(g, h5py.Group) and (g.attrs.get("NAME") or g.name[1:]) == table)
        with open(f"{folder}/{table}.csv") as file:
            rows = list(csv.reader(file))
        units = rows.pop(1)
        assert list(group)[0] == "time"
        by_name = {}
        for key, data in group.items():
            assert re.fullmatch("[a-zA-Z][a-zA-Z0-9_]*", key), key
            name = data.attrs.get("NAME", key)
            by_name[name if isinstance(name, str) else name.decode()] = data
        assert list(by_name) == rows[0], (list(by_name), rows[0])
        for i, name in enumerate(rows[0]):
            data = by_name[name]
            assert len(data) == len(rows) - 1, (table, name, len(data), len(rows))
            assert data.attrs.get("UNIT", "") == units[i], (name, data.attrs.get("UNIT"), units[i])
            if name != "time":
                assert data.dims[0][0] == group["time"], name
            values = data[()]
            for value, row in zip(values, rows[1:]):
                if data.dtype == bool:
                    assert row[i] == ("true" if value else "false"), (name, row[i], value)
                elif data.attrs.get("TYPE") == "text":
                    ends = f["texts/ends"][()]
                    begin = ends[value - 1] if value else 0
                    assert bytes(f["texts/bytes"][begin:ends[value]]).decode() == row[i]
                elif data.attrs.get("TYPE") == "enumeration":
                    items = dict(line.split(" ", 1) for line in data.attrs["ITEMS"].splitlines())
                    assert items[str(value)] == row[i]
                else:
                    text = float(row[i]) if row[i] else float("nan")
                    assert value == text or (value != value and text != text), (name, value, text)
                compared += 1
        assert numpy.all(numpy.diff(group["time"][()]) > 0)
        assert len(group["time"].attrs["REFERENCE_LIST"]) == len(by_name) - 1
print(compared)
)";

TEST_F(Hdf5, HoldsWhatTheCsvFilesHold) {
  if (python().empty()) GTEST_SKIP() << "there is no python3 with h5py (tools/setup.sh test installs it)";
  for (const char* compression : {"0", "1", "9"}) {
    const std::string name = std::string("both") + compression;
    ASSERT_EQ(
        run(fast_and_slow(
                10.0,
                std::string("format = [\"csv\", \"hdf5\"], units = true, by_rate = true, compression = ") +
                    compression),
            name)
            .exit_code,
        0);
    const Outcome outcome =
        read(compare_with_csv, at(name) + " results results.every-0.01s bonds energy motion");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_GT(std::stod(outcome.output), 50'000.0);
  }
}

TEST_F(Hdf5, HoldsIntegersBooleansEnumerationsAndTexts) {
  if (python().empty()) GTEST_SKIP() << "there is no python3 with h5py (tools/setup.sh test installs it)";
  const Outcome made = run(R"(
[simulation]
stop_time = 100
step_size = 1e-2
check = "off"
[output]
format = ["csv", "hdf5"]
units = true
[[subsystem]]
name = "clock"
model = "logic.clock"
parameters = { period_s = 0.05 }
[[subsystem]]
name = "state"
model = "logic.state_machine"
parameters = { states = "idle, up, down", transitions = "idle -> up: go, up -> down: go, down -> idle: go" }
[[connection]]
from = "clock.tick"
to = "state.go"
)",
                           "typed");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const Outcome outcome = read(compare_with_csv, at("typed") + " results");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_GT(std::stod(outcome.output), 50'000.0);
  const std::string header = read_file(at("typed") + "/results.csv").substr(0, 200);
  for (const char* column : {"clock.tick", "state.state", "state.name"})
    EXPECT_NE(header.find(column), std::string::npos) << header;
  // Our own reader gives the texts that CSV has.
  std::filesystem::copy_file(at("typed") + "/results.h5", at("typed.h5"));
  const Outcome same = ergon("compare " + at("typed.h5") + " " + at("typed") + " --tolerance 0");
  EXPECT_EQ(same.exit_code, 0) << same.output;
}

// One file is a whole result: by itself and in its folder it gives what the CSV files give.
TEST_F(Hdf5, IsReadAsTheCsvFilesAre) {
  ASSERT_EQ(run(fast_and_slow(2.0, "by_rate = true"), "csv").exit_code, 0);
  ASSERT_EQ(run(fast_and_slow(2.0, "by_rate = true, format = \"hdf5\""), "hdf5").exit_code, 0);
  EXPECT_FALSE(fs::exists(at("hdf5") + "/results.csv"));
  fs::copy_file(at("hdf5") + "/results.h5", at("alone.h5"));
  const std::string listed = ergon("variables " + at("csv")).output;
  EXPECT_NE(listed.find("slow.position"), std::string::npos) << listed;
  EXPECT_EQ(ergon("variables " + at("hdf5")).output, listed);
  EXPECT_EQ(ergon("variables " + at("alone.h5")).output, listed);
  for (const std::string& other : {at("hdf5"), at("alone.h5")}) {
    const Outcome compared = ergon("compare " + other + " " + at("csv") + " --tolerance 0");
    EXPECT_EQ(compared.exit_code, 0) << compared.output;
    EXPECT_NE(compared.output.find("slow.position"), std::string::npos) << compared.output;
  }
  // Pages show the same.
  const auto page = [&](const std::string& from, const std::string& options) {
    const Outcome made = ergon("report " + from + " --exact -o " + at("page.html") + " " + options);
    EXPECT_EQ(made.exit_code, 0) << made.output;
    const std::string text = read_file(at("page.html"));
    const std::string begin = "id=\"page\">";
    const auto data = text.find(begin) + begin.size();
    const auto end = text.find("</script>", data);
    const nlohmann::json json = nlohmann::json::parse(text.substr(data, end - data));
    // The tables, and the blocks of numbers behind them.
    return json["runs"][0]["tables"].dump() + text.substr(end, text.find("<script>", end) - end);
  };
  const std::string of_csv = page(at("csv"), "");
  EXPECT_GT(of_csv.size(), 10'000U);
  EXPECT_TRUE(page(at("hdf5"), "") == of_csv);
  EXPECT_TRUE(page(at("alone.h5"), "") == of_csv);
  const std::string part_of_csv = page(at("csv"), "--from 0.5 --to 0.75");
  EXPECT_LT(part_of_csv.size(), of_csv.size());
  EXPECT_TRUE(page(at("hdf5"), "--from 0.5 --to 0.75") == part_of_csv);
}

TEST_F(Hdf5, MistakesAreNamed) {
  const Outcome format = run(fast_and_slow(1.0, "format = \"hdf\""), "format");
  EXPECT_EQ(format.exit_code, 2);
  EXPECT_NE(format.output.find("format.toml:2:"), std::string::npos) << format.output;
  EXPECT_NE(format.output.find("Available: csv, hdf5, mat"), std::string::npos) << format.output;
  const Outcome level = run(fast_and_slow(1.0, "format = \"hdf5\", compression = 10"), "level");
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_NE(level.output.find("whole number from 0 to 9"), std::string::npos) << level.output;
  const Outcome window = ergon("report " + at("probe") + " --from 2 --to 1");
  EXPECT_EQ(window.exit_code, 2);
  EXPECT_NE(window.output.find("--from 2 is after --to 1"), std::string::npos) << window.output;
  const Outcome outside = ergon("report " + at("probe") + " --from 7");
  EXPECT_EQ(outside.exit_code, 2);
  EXPECT_NE(outside.output.find("no rows"), std::string::npos) << outside.output;
  fs::resize_file(at("probe") + "/results.h5", 700);
  const Outcome damaged = ergon("compare " + at("probe") + " " + at("probe"));
  EXPECT_EQ(damaged.exit_code, 2) << damaged.output;
  EXPECT_NE(damaged.output.find("results.h5"), std::string::npos) << damaged.output;
}

// Other forms of an earlier run would be taken for results of this one.
TEST_F(Hdf5, ResultsOfAnEarlierRunInAnotherFormAreRemoved) {
  const std::string csv = folder_.write("a.toml", fast_and_slow(0.1, "by_rate = true"));
  const std::string hdf5 = folder_.write("b.toml", fast_and_slow(0.1, "format = \"hdf5\""));
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(ergon("run " + csv + " -q --out " + at("out")).exit_code, 0);
    EXPECT_TRUE(fs::exists(at("out") + "/bonds.csv"));
    EXPECT_FALSE(fs::exists(at("out") + "/results.h5"));
    ASSERT_EQ(ergon("run " + hdf5 + " -q --out " + at("out")).exit_code, 0);
    for (const char* file : {"results.csv", "bonds.csv", "energy.csv", "motion.csv", "variables.csv"})
      EXPECT_FALSE(fs::exists(at("out") + "/" + file)) << file;
    EXPECT_TRUE(fs::exists(at("out") + "/results.h5"));
  }
}

// A reader of another library follows a run, sees whole rows only, and the file that SIGKILL leaves.
const char* const follow = R"(
import sys, time, h5py, numpy
path, rows_wanted = sys.argv[1], int(sys.argv[2])
seen = []
end = time.monotonic() + 60
while time.monotonic() < end:
    try:
        f = h5py.File(path, "r", swmr=True)
        break
    except OSError:
        time.sleep(0.01)
data = f["results/fast_position"]
velocity = f["results/fast_velocity"]
scale = f["results/time"]
while time.monotonic() < end and (not seen or seen[-1] < rows_wanted or len(set(seen)) < 3):
    for d in (data, velocity, scale):
        d.refresh()
    rows = min(len(data), len(velocity), len(scale))
    t = scale[:rows]
    assert numpy.array_equal(t, numpy.arange(rows) / 1000), (rows, t[-3:])
    x, v = data[:rows], velocity[:rows]
    assert numpy.all(numpy.isfinite(x)) and (rows < 1000 or numpy.count_nonzero(x) > 0.99 * rows)
    seen.append(rows)
    time.sleep(0.05)
assert len(set(seen)) >= 3 and seen == sorted(seen), seen
print(seen[-1])
)";

TEST_F(Hdf5, IsReadByOthersWhileItGrowsAndAfterSigkill) {
  if (python().empty()) GTEST_SKIP() << "there is no python3 with h5py (tools/setup.sh test installs it)";
  const std::string file =
      folder_.write("long.toml", fast_and_slow(1e6, "format = \"hdf5\", variables = [\"fast.*\"]"));
  Child child(
      {ERGON_COMMAND, "run", file, "-q", "--check", "off", "--out", at("long"), "--checkpoint-every", "0.2"});
  const Outcome followed = read(follow, at("long") + "/results.h5 20000");
  EXPECT_EQ(followed.exit_code, 0) << followed.output;
  child.end(SIGKILL);
  const Outcome after = read(
      "import sys, h5py, numpy\nf = h5py.File(sys.argv[1], 'r', swmr=True)\nn = min(len(d) for d in "
      "f['results'].values())\n"
      "assert n >= int(sys.argv[2]), n\nassert numpy.array_equal(f['results/time'][:n], numpy.arange(n) / "
      "1000)\n",
      at("long") + "/results.h5 " + (followed.exit_code == 0 ? followed.output : "0"));
  EXPECT_EQ(after.exit_code, 0) << after.output;
  const Outcome ours = ergon("variables " + at("long"));
  EXPECT_EQ(ours.exit_code, 0) << ours.output;
  EXPECT_NE(ours.output.find("fast.position"), std::string::npos);
}

/// The most memory that a command has taken, in MB.
double peak_MB(const std::string& arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", ("exec " + std::string(ERGON_COMMAND) + " " + arguments).c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// From 10^6 to 10^7 points, with the check run.
TEST_F(Hdf5, MemoryOfARunDoesNotGrowWithItsLength) {
  for (const char* format : {"hdf5", "csv"}) {
    const auto of_points = [&](int points) {
      const std::string file = folder_.write(
          "points.toml",
          fmt::format("simulation = {{ stop_time = {}, step_size = 1e-3 }}\noutput = {{ format = \"{}\", "
                      "compression = 0 }}\n"
                      "[[subsystem]]\nname = \"m\"\nmodel = \"oscillator.mass\"\nparameters = {{ k = 3.0 }}\n"
                      "initial = {{ x = 0.1, force = 0.0 }}\n",
                      points / 1000, format));
      return peak_MB("run " + file + " -q --out " + at("points"));
    };
    const double few_MB = of_points(1'000'000);
    EXPECT_LT(of_points(10'000'000), few_MB + 4.0) << format << ": " << few_MB << " MB for a million points";
  }
}

}  // namespace
}  // namespace ergon::cli
