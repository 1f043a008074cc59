// Whatever strangers write is read or refused with a message, and nothing else happens: scenarios, machines, descriptions of FMUs,
// archives. The
// tests named Long take a minute each (make test-long).
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
#include "ergon/scenario/file/machine_file.hpp"
#include "ergon/scenario/scenario.hpp"

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
