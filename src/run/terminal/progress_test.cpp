#include "ergon/run/terminal/progress.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

using namespace std::chrono_literals;

class Stream {
 public:
  ~Stream() { std::fclose(file); }
  [[nodiscard]] std::string text() const {
    std::fflush(file);
    std::rewind(file);
    std::string result;
    for (int c; (c = std::fgetc(file)) != EOF;) result += static_cast<char>(c);
    return result;
  }
  std::FILE* file = std::tmpfile();
};

void run_to(Progress& progress, Tick end, std::chrono::milliseconds pause) {
  FakeStepRecord record;
  progress.start(0.0, 0.01);
  for (Tick k = 0; k <= end; ++k) {
    record.now = k;
    progress.inspect(record);
    std::this_thread::sleep_for(pause);
  }
  progress.finish(record.time_s());
}

TEST(Progress, MachineModeWritesLines) {
  const Stream stream;
  Progress progress(ProgressMode::machine, stream.file);
  run_to(progress, 4, 60ms);
  const std::string text = stream.text();
  EXPECT_TRUE(text.starts_with("@progress ")) << text;
  EXPECT_TRUE(text.ends_with("@progress 40.0 0.004\n")) << text;
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 2) << text;
  // Five points of 60 ms: a line at most every second point, and the last.
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(Progress, IsSilentInAPipe) {
  const Stream stream;
  Progress progress(ProgressMode::automatic, stream.file);
  run_to(progress, 4, 60ms);
  EXPECT_EQ(stream.text(), "");
}

TEST(Progress, TheBarEndsWithItsLine) {
  const Stream stream;
  Progress progress(ProgressMode::bar, stream.file);
  run_to(progress, 10, 0ms);
  EXPECT_EQ(stream.text(), "\r[##############################] 100 %  t = 0.01 of 0.01 s\x1b[K\n");
}

TEST(Progress, AFastRunIsShownOnceAtItsEnd) {
  const Stream stream;
  Progress progress(ProgressMode::machine, stream.file);
  run_to(progress, 10, 0ms);
  EXPECT_EQ(stream.text(), "@progress 100.0 0.01\n");
}

TEST(Progress, GoesOnWhileTheMotionIsChecked) {
  const Stream stream;
  Progress progress(ProgressMode::machine, stream.file);
  run_to(progress, 10, 0ms);
  progress.checking(0.1);  // at once after the end: not worth a line
  std::this_thread::sleep_for(120ms);
  progress.checking(0.5);
  progress.checking(1.0);
  EXPECT_EQ(stream.text(), "@progress 100.0 0.01\n@check 50.0\n@check 100.0\n");
  const Stream terminal;
  Progress bar(ProgressMode::bar, terminal.file);
  run_to(bar, 10, 0ms);
  bar.checking(1.0);
  const std::string shown = terminal.text();
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1) << "nobody had to wait";
}

// A program that watches may lose interest: `ergon run --progress machine | head -1`.
TEST(Progress, EndsWithItsReader) {
  auto* const handler = std::signal(SIGPIPE, SIG_IGN);
  int pipe[2] = {-1, -1};
  ASSERT_EQ(::pipe(pipe), 0);
  std::FILE* stream = ::fdopen(pipe[1], "w");
  ASSERT_NE(stream, nullptr);
  Progress progress(ProgressMode::machine, stream);
  ::close(pipe[0]);
  progress.start(0.0, 0.01);
  progress.finish(0.001);
  std::clearerr(stream);
  progress.finish(0.01);
  progress.checking(1.0);
  EXPECT_EQ(std::ferror(stream), 0) << "nothing more is written once a write has failed";
  std::fclose(stream);
  std::signal(SIGPIPE, handler);
}

TEST(Progress, KnowsItsModes) {
  EXPECT_EQ(progress_mode("auto"), ProgressMode::automatic);
  EXPECT_EQ(progress_mode("machine"), ProgressMode::machine);
  EXPECT_EQ(progress_mode("loud"), std::nullopt);
}

}  // namespace
}  // namespace ergon
