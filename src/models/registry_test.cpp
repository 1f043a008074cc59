#include "ergon/models/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ergon {
namespace {

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const ModelInfo& info : models()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_model(info.name), &info);
    EXPECT_FALSE(info.summary.empty()) << info.name;
  }
  names.clear();
  for (const ElementInfo& info : elements()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_element(info.name), &info);
    EXPECT_FALSE(info.summary.empty()) << info.name;
  }
  EXPECT_EQ(find_model("oscillator.mas"), nullptr);
  EXPECT_EQ(find_element("gian"), nullptr);
}

TEST(Registry, EveryParameterIsExplainedAndNamedOnce) {
  const auto check = [](const std::string& owner, const std::vector<ParameterInfo>& infos) {
    std::set<std::string> names;
    for (const ParameterInfo& info : infos) {
      EXPECT_TRUE(names.insert(info.name).second) << owner << ' ' << info.name;
      EXPECT_FALSE(info.help.empty()) << owner << ' ' << info.name;
      EXPECT_TRUE(info.unit.empty() || Unit::parse(info.unit))
          << owner << ' ' << info.name << ' ' << info.unit;
    }
  };
  for (const ModelInfo& info : models()) {
    check(info.name, info.parameters);
    check(info.name, info.initial);
  }
  for (const ElementInfo& info : elements()) check(info.name, info.parameters);
}

}  // namespace
}  // namespace ergon
