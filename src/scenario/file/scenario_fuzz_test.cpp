#include <gtest/gtest.h>

#include <random>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"
#include "support/scenario_opening.hpp"

namespace ergon::test {
namespace {

const std::string elements_too = two_masses + R"(
[[element]]
name = "kc"
law = "spring-damper"
ends = ["right:external_force", "third"]
parameters = { k = 100.0 }

[[subsystem]]
name = "third"
model = "oscillator.mass"
integrator = { method = "newmark", step = 1e-5 }

[[subsystem]]
name = "wave"
model = "source.sine"

[[connection]]
from = ["wave.value", "kc.force_i"]
to = "left.external_force"
gain = 0.5
)";

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
      const std::size_t at = below(text.size());
      const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 = 0: the first line
      const std::size_t length = std::min(text.find('\n', at), text.size() - 1) + 1 - line;
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(line, text.substr(line, length));
          break;
        case 3:
          text.erase(line, length);
          break;
        case 4:
          text.insert(at, 1, "[]{}=\".,'\\#-\n09e"[below(16)]);
          break;
        default:
          text.insert(below(text.size()), text.substr(line, length));
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::mt19937 random_;  // the same numbers on every platform, unlike the distributions
};

TEST(ScenarioFuzz, EveryMutationLoadsOrIsReported) {
  const TemporaryFolder folder;
  std::size_t built = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Opened o = open_file(folder.write("fuzz.toml", Mutator(seed)(elements_too)));
    ASSERT_EQ(o.built.has_value(), !o.problems.has_errors()) << "seed " << seed << "\n" << o.all();
    for (const Problem& p : o.problems.all()) EXPECT_FALSE(p.what.empty());
    if (!o.built) continue;
    ++built;
    const std::string text = resolved_toml(o.scenario, "1");
    const Opened again = open_file(folder.write("again.toml", text));
    ASSERT_TRUE(again.built) << "seed " << seed << "\n" << again.all() << text;
    ASSERT_EQ(resolved_toml(again.scenario, "1"), text) << "seed " << seed;
  }
  EXPECT_GT(built, 20U);  // or the mutations are too wild to reach beyond the parser
}

TEST(ScenarioFuzz, AbsurdNestingIsReported) {
  std::string dots = "a";
  for (int i = 0; i < 200000; ++i) dots += ".a";
  for (const std::string& text : {dots + " = 1", "[" + dots + "]", "a = " + std::string(200000, '['),
                                  "a = " + std::string(200000, '{')}) {
    ProblemList problems;
    EXPECT_FALSE(parse_document(text, "f", problems));
    EXPECT_TRUE(problems.has_errors());
  }
}

}  // namespace
}  // namespace ergon::test
