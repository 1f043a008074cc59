#include "app/line_mender.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "ergon/run/record/csv_writer.hpp"
#include "support/fake_step_record.hpp"

namespace ergon::app {
namespace {

using namespace std::chrono_literals;

std::string mended(const std::string& text, bool ours = true) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  std::ofstream(file) << text;
  {
    const LineMender mender(file.parent_path(), {"a.csv", "missing.csv"});
    if (ours) mender.take_over();
  }
  return content_of(file);
}

TEST(LineMender, CutsAnIncompleteLastLine) {
  EXPECT_EQ(mended("a,b\n1,2\n3"), "a,b\n1,2\n");
  EXPECT_EQ(mended("a,b\n1,2\n"), "a,b\n1,2\n");
  EXPECT_EQ(mended(""), "");
  EXPECT_EQ(mended("a\n" + std::string(10'000, 'x')), "a\n");
  EXPECT_EQ(mended(std::string(4095, 'x') + "\n" + std::string(4096, 'y')), std::string(4095, 'x') + "\n");
}

// A file without a single line break is not one of ours.
TEST(LineMender, LeavesOtherFilesAlone) {
  EXPECT_EQ(mended("no line"), "no line");
  EXPECT_EQ(mended("a,b\n1,2", false), "a,b\n1,2") << "a run that was refused has written nothing";
}

// At the full speed of the writer about one kill in ten leaves half a line to mend.
TEST(LineMender, ProcessesKilledAtFullSpeedLeaveCompleteLines) {
  for (int round = 0; round < 20; ++round) {
    const ScratchDirectory directory;
    const std::filesystem::path file = directory / "a.csv";
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::setpgid(0, 0);
      const LineMender mender(file.parent_path(), {"a.csv"});
      mender.take_over();
      const std::vector<std::string> names = {"sine", "third"};
      CsvWriter writer(file, names);
      for (double k = 0.0;; k += 1.0) {
        const std::span<double> row = writer.next_row().values;
        row[0] = k;
        row[1] = std::sin(k);
        row[2] = k / 3.0;
        writer.commit();
      }
    }
    std::error_code not_yet;
    for (int i = 0; i < 1000 && !(std::filesystem::file_size(file, not_yet) > 100'000 && !not_yet); ++i) {
      std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(round * 100us);
    ASSERT_EQ(::kill(-child, SIGKILL), 0) << "the whole process group";
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    std::string text = content_of(file);
    for (int i = 0; i < 100 && !text.ends_with('\n'); ++i) {
      std::this_thread::sleep_for(10ms);  // the mender is another process and may still be at it
      text = content_of(file);
    }
    ASSERT_TRUE(text.ends_with('\n')) << "round " << round;
    const std::vector<std::vector<std::string>> lines = csv_of(file);
    ASSERT_GT(lines.size(), 1000U);
    ASSERT_EQ(lines.back().size(), 3U);
    ASSERT_EQ(std::stod(lines.back()[0]), static_cast<double>(lines.size() - 2));
  }
}

}  // namespace
}  // namespace ergon::app
