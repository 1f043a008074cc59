#include "ergon/fmi/archive/extract.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "support/fmi_kit.hpp"

namespace ergon::fmi {
namespace {

namespace fs = std::filesystem;

TEST(ArchiveNames, StayInsideOfTheirFolder) {
  EXPECT_EQ(safe_entry_path("binaries/linux64/a.so"), "binaries/linux64/a.so");
  EXPECT_EQ(safe_entry_path("binaries\\linux64\\a.so"), "binaries/linux64/a.so");
  EXPECT_EQ(safe_entry_path("./modelDescription.xml"), "modelDescription.xml");
  EXPECT_EQ(safe_entry_path("a//b/"), "a/b");
  for (const char* bad :
       {"/etc/passwd", "../x", "a/../../x", "a\\..\\..\\x", "C:\\x", "c:/x", "\\\\host\\x", "a/\nb", ""})
    EXPECT_EQ(safe_entry_path(bad), "") << bad;
  EXPECT_EQ(safe_entry_path(std::string(5000, 'a')), "");
  EXPECT_EQ(safe_entry_path("a..b/..c"), "a..b/..c");
}

class BadArchive : public testing::TestWithParam<std::string> {};

TEST_P(BadArchive, IsRefusedAndLeavesNothing) {
  const PrivateFolder folder("test");
  const fs::path target = folder.path() / "a" / "b" / "c";
  fs::create_directories(target);
  ProblemList problems;
  EXPECT_FALSE(extract_archive(kit_file(GetParam()), target, {}, problems));
  ASSERT_TRUE(problems.has_errors());
  EXPECT_NE(problems.all().front().where.file.find(GetParam()), std::string::npos);
  EXPECT_FALSE(problems.all().front().remedy.empty());
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().string().find("escaped"), std::string::npos) << entry.path();
  }
  EXPECT_FALSE(fs::exists("/tmp/ergon-escaped.txt"));
}
INSTANTIATE_TEST_SUITE_P(Kits, BadArchive,
                         testing::Values("kit2_path_escape", "kit2_backslash_escape", "kit2_absolute_path",
                                         "kit2_link", "kit2_truncated", "kit2_zip_bomb", "kit3_path_escape",
                                         "kit3_backslash_escape", "kit3_absolute_path", "kit3_link",
                                         "kit3_truncated", "kit3_zip_bomb"));

TEST(Archive, IsLimitedInEntriesAndBytes) {
  for (const bool entries : {true, false}) {
    const PrivateFolder folder("test");
    ArchiveLimits limits;
    (entries ? limits.entries : limits.total_bytes) = 2;
    ProblemList problems;
    EXPECT_FALSE(extract_archive(kit_file("kit2"), folder.path(), limits, problems));
    EXPECT_TRUE(problems.has_errors());
  }
}

TEST(Archive, IsUnpackedOnceForAllThatUseItAndRemovedWithTheLast) {
  ProblemList problems;
  auto first = UnpackedFmu::open(kit_file("kit2"), problems);
  const auto second = UnpackedFmu::open(kit_file("kit2"), problems);
  ASSERT_TRUE(first);
  EXPECT_EQ(first, second);
  const fs::path folder = first->folder();
  EXPECT_TRUE(fs::exists(folder / "modelDescription.xml"));
  EXPECT_EQ(fs::status(folder.parent_path()).permissions() & fs::perms::mask, fs::perms::owner_all);
  first.reset();
  EXPECT_TRUE(fs::exists(folder));
  const_cast<std::shared_ptr<const UnpackedFmu>&>(second).reset();
  EXPECT_FALSE(fs::exists(folder.parent_path()));
}

TEST(Archive, NewContentUnderAnOldNameIsUnpackedAnew) {
  const PrivateFolder folder("test");
  const fs::path file = folder.path() / "a.fmu";
  fs::copy_file(kit_file("kit2"), file);
  ProblemList problems;
  const auto first = UnpackedFmu::open(file, problems);
  fs::copy_file(kit_file("kit3"), file, fs::copy_options::overwrite_existing);
  const auto second = UnpackedFmu::open(file, problems);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first, second);
  EXPECT_NE(first->sha256(), second->sha256());
}

/// A kit FMU whose entries "one" and "two" (names of equal length) become the same entry.
fs::path with_entry_twice(const fs::path& folder, const std::string& kit, const std::string& one,
                          const std::string& two) {
  std::ifstream in(kit_file(kit), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t at = 0; (at = bytes.find(two, at)) != std::string::npos; at += two.size())
    bytes.replace(at, two.size(), one);
  fs::path file = folder / "twice.fmu";
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

TEST(Archive, TheSameFilePackedTwiceIsAccepted) {
  const PrivateFolder folder("test");
  ProblemList problems;
  const auto fmu = UnpackedFmu::open(
      with_entry_twice(folder.path(), "kit2_repeated", "resources/first.txt", "resources/again.txt"),
      problems);
  ASSERT_TRUE(fmu) << text_of(problems);
  EXPECT_TRUE(fs::exists(fmu->folder() / "resources" / "first.txt"));
  EXPECT_NE(text_of(problems).find("twice, with the same content"), std::string::npos) << text_of(problems);
}

TEST(Archive, TwoFilesUnderOneNameAreRefused) {
  const PrivateFolder folder("test");
  ProblemList problems;
  EXPECT_FALSE(UnpackedFmu::open(
      with_entry_twice(folder.path(), "kit2_repeated", "resources/first.txt", "resources/other.txt"),
      problems));
  EXPECT_NE(text_of(problems).find("that is there twice"), std::string::npos) << text_of(problems);
}

TEST(Archive, BackslashesAndDotsInNamesAreAccepted) {
  for (const char* name : {"kit2_backslash", "kit3_dot_slash"}) {
    ProblemList problems;
    const auto fmu = UnpackedFmu::open(kit_file(name), problems);
    ASSERT_TRUE(fmu) << name;
    EXPECT_TRUE(fs::exists(fmu->folder() / "resources" / "note.txt"));
  }
}

TEST(Archive, WhatIsNoFmuIsToldAsSuch) {
  ProblemList problems;
  EXPECT_FALSE(UnpackedFmu::open("no-such.fmu", problems));
  EXPECT_FALSE(UnpackedFmu::open("/", problems));
  EXPECT_EQ(problems.all().size(), 2U);
}

}  // namespace
}  // namespace ergon::fmi
