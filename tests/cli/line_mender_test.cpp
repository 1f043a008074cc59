#include "app/line_mender.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "ergon/run/record/csv_writer.hpp"
#include "ergon/run/record/output_directory.hpp"
#include "support/fake_step_record.hpp"

namespace ergon::app {
namespace {

using namespace std::chrono_literals;

/// What the file becomes within two seconds: the mender is another process.
std::string settled(const std::filesystem::path& file, const std::string& before) {
  for (int i = 0; i < 200 && content_of(file) == before; ++i) std::this_thread::sleep_for(10ms);
  return content_of(file);
}

/// A process that has the lock of the folder of `file`, has written `text` to it, and is killed. `before_death` is called in it.
template <typename F>
void leave_behind(const std::filesystem::path& file, const std::string& text, F&& before_death) {
  const pid_t run = ::fork();
  ASSERT_GE(run, 0);
  if (run == 0) {
    const LineMender mender(file.parent_path(), {"a.csv", "missing.csv"});
    const OutputDirectory directory(file.parent_path());
    std::ofstream(file) << text << std::flush;
    before_death(mender);
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(run, nullptr, 0), run);
}

std::string mended(const std::string& text, bool ours = true) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  leave_behind(file, text, [&](const LineMender& mender) {
    if (ours) mender.take_over();
  });
  // Where nothing is to be cut, the lock goes nevertheless, once the files have been looked at.
  for (int i = 0; i < (ours ? 200 : 20) && std::filesystem::exists(directory / ".ergon-lock"); ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(std::filesystem::exists(directory / ".ergon-lock"), !ours);
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

TEST(LineMender, LeavesARunAloneThatComesToItsEnd) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  std::ofstream(file) << "of another run by now\nwhich is under way";
  {
    const LineMender mender(file.parent_path(), {"a.csv"});
    mender.take_over();
  }
  EXPECT_EQ(content_of(file), "of another run by now\nwhich is under way");
}

/// A copy of this process that keeps the lock, or the descriptors of all its files, for a while.
void fork_holder(std::chrono::milliseconds time, bool of_all_files) {
  if (::fork() != 0) return;
  for (int i = 3; i < 100 && !of_all_files; ++i) {
    std::error_code closed;
    const auto name = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(i), closed);
    if (name.filename() != lock_file_name) ::close(i);
  }
  std::this_thread::sleep_for(time);
  ::_exit(0);
}

// The kernel closes files of a dying process one after the other: the mender is woken before the lock is free.
TEST(LineMender, WaitsForTheLockOfADyingRun) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  const std::string broken = "a,b\n1,2\n3";
  const auto begin = std::chrono::steady_clock::now();
  leave_behind(file, broken, [](const LineMender& mender) {
    mender.take_over();
    fork_holder(300ms, false);
  });
  EXPECT_EQ(settled(file, broken), "a,b\n1,2\n");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 250ms) << "while the lock was held nothing was touched";
  EXPECT_FALSE(std::filesystem::exists(directory / ".ergon-lock"));
}

// What an FMU has forked lives on with descriptors of the run, and need not end ever.
TEST(LineMender, DoesNotWaitForChildrenOfARunThatIsGone) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  const std::string broken = "a,b\n1,2\n3";
  leave_behind(file, broken, [](const LineMender& mender) {
    mender.take_over();
    fork_holder(4s, true);
  });
  EXPECT_EQ(settled(file, broken), "a,b\n1,2\n");
}

TEST(LineMender, LeavesTheFilesOfTheNextRunAlone) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  const std::string next = "of the next run\nwhich is under";
  leave_behind(file, "a,b\n1,2\n3", [&](const LineMender& mender) {
    mender.take_over();
    // The next run has the lock before the mender gets its turn.
    std::filesystem::remove(directory / ".ergon-lock");
    const pid_t other = ::fork();
    if (other == 0) {
      const OutputDirectory taken(file.parent_path());
      std::ofstream(file) << next << std::flush;
      std::ofstream(directory / "ready") << "\n";
      std::this_thread::sleep_for(500ms);
      ::_exit(0);
    }
    for (int i = 0; i < 200 && !std::filesystem::exists(directory / "ready"); ++i)
      std::this_thread::sleep_for(5ms);
  });
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(content_of(file), next);
  EXPECT_TRUE(std::filesystem::exists(directory / ".ergon-lock"));
}

TEST(LineMender, FollowsNoLinkAndWaitsForNoPipe) {
  const ScratchDirectory directory;
  const std::string text = "kept\nwithout an end";
  std::ofstream(directory / "precious") << text;
  std::filesystem::create_symlink("precious", directory / "link");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  cut_incomplete_line((directory / "link").c_str());
  cut_incomplete_line((directory / "pipe").c_str());
  EXPECT_EQ(content_of(directory / "precious"), text);
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
