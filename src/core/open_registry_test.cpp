#include "ergon/core/open_registry.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ergon::test {
namespace {

struct Method {
  std::string name;
  int number = 0;
};

std::string name_of(const Method& method) {
  return method.name;
}

TEST(OpenRegistry, KeepsTheOrderAndTheAddressesOfItsEntries) {
  OpenRegistry<Method> registry("method", {{"first", 1}, {"second", 2}});
  const Method* first = &registry.entries()[0];
  for (int i = 3; i <= 500; ++i) registry.add({"number " + std::to_string(i), i}, name_of);
  ASSERT_EQ(registry.entries().size(), 500U);
  EXPECT_EQ(&registry.entries()[0], first);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(registry.entries()[static_cast<std::size_t>(i)].number, i + 1);
}

TEST(OpenRegistry, RefusesANameThatIsTaken) {
  OpenRegistry<Method> registry("method", {{"first", 1}});
  registry.add({"second", 2}, name_of);
  for (const char* taken : {"first", "second"}) {
    try {
      registry.add({taken, 3}, name_of);
      ADD_FAILURE() << taken;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()),
                "the name '" + std::string(taken) + "' is taken by another method");
    }
  }
  EXPECT_EQ(registry.entries().size(), 2U);
}

TEST(OpenRegistry, MovesNothingWhereItIsFull) {
  OpenRegistry<Method> registry("method", {{"first", 1}});
  const Method* first = &registry.entries()[0];
  int added = 0;
  EXPECT_THROW(
      for (;; ++added) {
        registry.add({std::to_string(added), added}, name_of);
      },
      std::length_error);
  EXPECT_GE(added, 500);
  EXPECT_EQ(&registry.entries()[0], first);
}

}  // namespace
}  // namespace ergon::test
