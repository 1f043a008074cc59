#include "ergon/run/record/csv_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <random>
#include <thread>

#include "ergon/core/problem.hpp"
#include "support/fake_step_record.hpp"

namespace ergon {
namespace {

using namespace std::chrono_literals;

void add_row(CsvWriter& writer, std::initializer_list<double> values) {
  const std::span<double> row = writer.next_row().values;
  ASSERT_EQ(row.size(), values.size());
  std::copy(values.begin(), values.end(), row.begin());
  writer.commit();
}

double parse(const std::string& text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(error, std::errc{}) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

TEST(CsvWriter, WritesHeaderAndShortestDigits) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"left.x", "right.v"};
  CsvWriter writer(directory / "a.csv", names);
  add_row(writer, {0.0, 0.1, -1e-5});
  add_row(writer, {0.001, 1.0 / 3.0, 2.0});
  EXPECT_EQ(writer.close(), std::nullopt);
  EXPECT_EQ(writer.close(), std::nullopt);
  EXPECT_EQ(content_of(directory / "a.csv"),
            "time,left.x,right.v\n0,0.1,-1e-05\n0.001,0.3333333333333333,2\n");
}

TEST(CsvWriter, WritesWhatIsNotANumber) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CsvWriter writer(directory / "a.csv", names);
  add_row(writer, {nan, -nan, infinity, -infinity, RowWriter::empty_field()});
  EXPECT_EQ(writer.close(), std::nullopt);
  EXPECT_EQ(content_of(directory / "a.csv"), "time,a,b,c,d\nnan,nan,inf,-inf,\n");
}

TEST(CsvWriter, QuotesNames) {
  EXPECT_EQ(csv_field("a.b[1]"), "a.b[1]");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a;b"),
            "\"a;b\"");  // else readers would take a first line with it for one with semicolons
  EXPECT_EQ(csv_field("5\" bore"), "\"5\"\" bore\"");
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"x,y", "z"};
  CsvWriter writer(directory / "a.csv", names);
  writer.close();
  EXPECT_EQ(content_of(directory / "a.csv"), "time,\"x,y\",z\n");
}

// Random bit patterns cover every exponent, subnormal numbers included; enough rows to go round the ring.
TEST(CsvWriter, EveryValueReadsBackToTheSameBits) {
  const ScratchDirectory directory;
  const std::vector<std::string> names(7, "x");
  constexpr std::size_t rows = 20'000;
  std::mt19937_64 random(7);
  std::vector<double> values;
  while (values.size() < rows * 8) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  values[0] = -0.0;
  values[1] = std::numeric_limits<double>::denorm_min();
  values[2] = -std::numeric_limits<double>::max();
  values[3] = -std::numeric_limits<double>::min();
  CsvWriter writer(directory / "a.csv", names);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(values.data() + 8 * i, 8, writer.next_row().values.begin());
    writer.commit();
  }
  ASSERT_EQ(writer.close(), std::nullopt);
  const auto lines = csv_of(directory / "a.csv");
  ASSERT_EQ(lines.size(), rows + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_EQ(lines[i + 1].size(), 8U);
    for (std::size_t j = 0; j < 8; ++j) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(parse(lines[i + 1][j])),
                std::bit_cast<std::uint64_t>(values[8 * i + j]));
    }
  }
}

// Rows of 320 kB: eight of them are more than the ring is meant to hold.
TEST(CsvWriter, KeepsVeryLongRowsWhole) {
  const ScratchDirectory directory;
  const std::vector<std::string> names(40'000, "x");
  CsvWriter writer(directory / "a.csv", names);
  for (int i = 0; i < 20; ++i) {
    for (double& value : writer.next_row().values) value = i;
    writer.commit();
  }
  ASSERT_EQ(writer.close(), std::nullopt);
  const auto lines = csv_of(directory / "a.csv");
  ASSERT_EQ(lines.size(), 21U);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), 40'001U);
    EXPECT_EQ(lines[i].back(), std::to_string(i - 1));
  }
}

TEST(CsvWriter, RowsReachTheFileWhileTheRunIsSlow) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"x"};
  CsvWriter writer(directory / "a.csv", names);
  add_row(writer, {0.0, 1.0});
  for (int i = 0; i < 100 && csv_of(directory / "a.csv").size() < 2; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(content_of(directory / "a.csv"), "time,x\n0,1\n");
}

TEST(CsvWriter, AKilledProcessLeavesCompleteLines) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::vector<std::string> names = {"sine", "third"};
    CsvWriter writer(file, names);
    for (double k = 0.0;; k += 1.0) {
      add_row(writer, {k, std::sin(k), k / 3.0});
      // Not at full speed: a kill during a write is the business of LineMender.
      if (std::fmod(k, 10.0) == 0.0) ::usleep(1000);
    }
  }
  std::this_thread::sleep_for(400ms);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));

  const std::string text = content_of(file);
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  const auto lines = csv_of(file);
  ASSERT_GT(lines.size(), 100U);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), 3U);
    const double k = parse(lines[i][0]);
    ASSERT_EQ(k, static_cast<double>(i - 1));
    ASSERT_EQ(parse(lines[i][1]), std::sin(k));
    ASSERT_EQ(parse(lines[i][2]), k / 3.0);
  }
}

/// Files of this process become no longer than this while it lives: what a full disk is to the writer, without one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit { bytes, before_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  struct rlimit before_ {};
};

TEST(CsvWriter, AFullDiskIsToldAtTheEnd) {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory / "a.csv";
  const std::vector<std::string> names = {"x"};
  const FileSizeLimit limit(100'000);
  CsvWriter writer(file, names);
  for (int i = 0; i < 200'000; ++i) add_row(writer, {1.0 * i, 2.0});
  const std::optional<std::string> error = writer.close();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(*error, "'" + file.string() + "' is incomplete: File too large.");
  EXPECT_EQ(writer.close(), error);
  EXPECT_TRUE(content_of(file).ends_with(",2\n"));
}

TEST(CsvWriter, FollowsNoLinkAndWaitsForNoPipe) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"x"};
  std::ofstream(directory / "precious") << "kept";
  std::filesystem::create_symlink("precious", directory / "link.csv");
  ASSERT_EQ(::mkfifo((directory / "pipe.csv").c_str(), 0600), 0);
  EXPECT_THROW(CsvWriter(directory / "link.csv", names), InputError);
  EXPECT_THROW(CsvWriter(directory / "pipe.csv", names), InputError);
  EXPECT_EQ(content_of(directory / "precious"), "kept");
}

TEST(CsvWriter, RefusesAFileThatCannotBeOpened) {
  const ScratchDirectory directory;
  const std::vector<std::string> names = {"x"};
  try {
    const CsvWriter writer(directory / "missing/a.csv", names);
    FAIL() << "opened";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a.csv' cannot be written: No such file"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ergon
