#include "ergon/run/checkpoint/checkpoint.hpp"

#include <gtest/gtest.h>

#include "ergon/coupling/state/archive.hpp"

namespace ergon {
namespace {

Checkpoint an_example() {
  Checkpoint c;
  c.ergon_version = "1.2.3";
  c.time_s = 0.1 + 0.2;
  c.tick = 300;
  c.at_end = true;
  c.scenario_sha256 = std::string(64, 'a');
  c.inputs = {{"/a/b.fmu", std::string(64, 'b')}, {"/a/c.csv", ""}};
  c.warnings = {"first.toml:3: warning", ""};
  c.caller = "2 accuracy";
  for (int i = 0; i < 300; ++i) c.state.push_back(static_cast<std::byte>(i & 255));
  return c;
}

TEST(CheckpointBytes, ComeBackAsTheyWere) {
  Checkpoint original = an_example();
  const Checkpoint back = checkpoint_from(to_bytes(original));
  EXPECT_EQ(back.ergon_version, original.ergon_version);
  EXPECT_EQ(back.time_s, original.time_s);
  EXPECT_EQ(back.tick, original.tick);
  EXPECT_EQ(back.at_end, original.at_end);
  EXPECT_EQ(back.scenario_sha256, original.scenario_sha256);
  EXPECT_EQ(back.inputs, original.inputs);
  EXPECT_EQ(back.warnings, original.warnings);
  EXPECT_EQ(back.caller, original.caller);
  EXPECT_EQ(back.state, original.state);
}

TEST(CheckpointBytes, AnyDamageIsFound) {
  Checkpoint original = an_example();
  const std::vector<std::byte> bytes = to_bytes(original);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(checkpoint_from(damaged)), ArchiveError) << i;
  }
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(static_cast<void>(checkpoint_from(std::span(bytes).first(length))), ArchiveError) << length;
}

}  // namespace
}  // namespace ergon
