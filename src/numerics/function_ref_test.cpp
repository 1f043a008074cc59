#include "ergon/numerics/function_ref.hpp"

#include <gtest/gtest.h>

namespace ergon::numerics {
namespace {

int twice(int value) {
  return 2 * value;
}

int apply(FunctionRef<int(int)> function, int value) {
  return function(value);
}

TEST(FunctionRef, CallsLambdaWithCapture) {
  int offset = 3;
  EXPECT_EQ(apply([&offset](int value) { return value + offset; }, 4), 7);
}

TEST(FunctionRef, CallsPlainFunction) {
  EXPECT_EQ(apply(twice, 21), 42);
}

TEST(FunctionRef, CallsFunctionPointer) {
  EXPECT_EQ(apply(&twice, 21), 42);
}

TEST(FunctionRef, RefersAndDoesNotCopy) {
  auto counter = [count = 0](int step) mutable { return count += step; };
  FunctionRef<int(int)> reference(counter);
  FunctionRef<int(int)> copy = reference;
  EXPECT_EQ(reference(1), 1);
  EXPECT_EQ(copy(1), 2);
  EXPECT_EQ(counter(1), 3);
}

TEST(FunctionRef, CallsConstCallable) {
  const auto negate = [](int value) { return -value; };
  EXPECT_EQ(apply(negate, 5), -5);
}

TEST(FunctionRef, DiscardsResultForVoid) {
  int calls = 0;
  auto count = [&calls](int) { return ++calls; };
  FunctionRef<void(int)> reference(count);
  reference(0);
  EXPECT_EQ(calls, 1);
}

TEST(FunctionRef, IsTwoPointers) {
  EXPECT_EQ(sizeof(FunctionRef<int(int)>), 2 * sizeof(void*));
}

}  // namespace
}  // namespace ergon::numerics
