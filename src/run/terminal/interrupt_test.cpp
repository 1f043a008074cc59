#include "ergon/run/terminal/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ergon {
namespace {

TEST(InterruptGuard, NotesTheFirstSignal) {
  const InterruptGuard guard;
  EXPECT_FALSE(interrupted());
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(interrupted());
}

TEST(InterruptGuard, StartsAfresh) {
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
  }
  const InterruptGuard guard;
  EXPECT_FALSE(interrupted());
}

TEST(InterruptGuard, ASecondSignalEndsTheProcess) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const InterruptGuard guard;
    std::raise(SIGINT);
    if (!interrupted()) ::_exit(7);
    std::raise(SIGINT);
    ::_exit(8);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "exit status " << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(InterruptGuard, LeavesAnIgnoredSignalIgnored) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
    EXPECT_FALSE(interrupted());
  }
  struct sigaction after {};
  sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace ergon
