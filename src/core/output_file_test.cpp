#include "ergon/core/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "support/scratch_directory.hpp"

namespace ergon {
namespace {

void put(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string text_in(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes "new" to it, or says why that is refused.
std::string written(const std::filesystem::path& file) {
  const OpenedFile opened = open_output_file(file);
  if (opened.descriptor < 0) return opened.why_not;
  EXPECT_EQ(::write(opened.descriptor, "new", 3), 3);
  ::close(opened.descriptor);
  return text_in(file);
}

TEST(OutputFile, IsMadeOrEmptied) {
  const ScratchDirectory scratch;
  EXPECT_EQ(written(scratch / "a"), "new");
  put(scratch / "a", "something longer");
  EXPECT_EQ(written(scratch / "a"), "new");
  EXPECT_EQ(written(scratch / "missing/a"), "No such file or directory");
}

TEST(OutputFile, NoLinkIsFollowed) {
  const ScratchDirectory scratch;
  put(scratch / "target", "precious");
  std::filesystem::create_symlink("target", scratch / "link");
  std::filesystem::create_symlink("nowhere", scratch / "dangling");
  EXPECT_EQ(written(scratch / "link"), "it is a symbolic link");
  EXPECT_EQ(written(scratch / "dangling"), "it is a symbolic link");
  EXPECT_EQ(text_in(scratch / "target"), "precious");
  EXPECT_FALSE(std::filesystem::exists(scratch / "nowhere"));
}

TEST(OutputFile, AFileWithAnotherNameKeepsItsContentThere) {
  const ScratchDirectory scratch;
  put(scratch / "backup", "precious");
  std::filesystem::create_hard_link(scratch / "backup", scratch / "a");
  EXPECT_EQ(written(scratch / "a"), "new");
  EXPECT_EQ(text_in(scratch / "backup"), "precious");
}

// Opened without O_NONBLOCK, a pipe waits for its other end for ever.
TEST(OutputFile, WhatIsNotARegularFileIsRefusedAtOnce) {
  const ScratchDirectory scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(obstacle_at(scratch / "pipe"), "is a pipe");
  EXPECT_NE(open_output_file(scratch / "pipe").descriptor, 0);
  EXPECT_EQ(open_output_file(scratch / "pipe").descriptor, -1);
  EXPECT_EQ(written("/dev/null"), "it is a device");
  std::filesystem::create_directory(scratch / "folder");
  EXPECT_EQ(written(scratch / "folder"), "it is a directory");
  EXPECT_EQ(obstacle_at(scratch / "missing"), "");
}

TEST(OutputFile, TemporaryNamesAreNewAndRecognised) {
  const ScratchDirectory scratch;
  std::filesystem::path first;
  std::filesystem::path second;
  for (std::filesystem::path* name : {&first, &second}) {
    const OpenedFile opened = open_temporary_file(scratch / "a.json", *name);
    ASSERT_GE(opened.descriptor, 0) << opened.why_not;
    ::close(opened.descriptor);
    EXPECT_TRUE(is_temporary_name(name->filename().string())) << *name;
    EXPECT_EQ(name->parent_path(), (scratch / "a.json").parent_path());
  }
  EXPECT_NE(first, second);
  for (const char* other : {".ergon-lock", "summary.json.tmp", ".ergon-0123456789abcdeX.tmp", ".ergon-.tmp"})
    EXPECT_FALSE(is_temporary_name(other)) << other;
}

}  // namespace
}  // namespace ergon
