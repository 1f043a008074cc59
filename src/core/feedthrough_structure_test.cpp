#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ergon/core/system_graph.hpp"
#include "support/stub_subsystem.hpp"

namespace ergon {
namespace {

using testing::port;
using testing::stub;
using testing::stub_element;

const Rational step(1, 1000);

void wire(SystemGraph& graph, const std::string& from, const std::string& to) {
  ConnectionSpec spec;
  spec.from = {from};
  spec.to = to;
  graph.connect(spec);
}

std::unique_ptr<CoupledSystem> freeze(SystemGraph graph) {
  ProblemList problems;
  auto system = graph.freeze(problems);
  EXPECT_NE(system, nullptr) << InputError(problems).what();
  return system;
}

int level(const CoupledSystem& system, const std::string& output) {
  return system.output_level[*system.find_output(output)];
}

TEST(FeedthroughStructure, LevelIsTheDepthOfTheChainBehindAnOutput) {
  SystemGraph graph;
  graph.add("state", stub({port("u")}, {port("y")}), step);  // no feed-through: cuts every chain
  graph.add("d1", stub({port("u")}, {port("y"), port("x")}, {{0, 0}}), step);
  graph.add("d2", stub({port("u")}, {port("y")}, {{0, 0}}), step);
  graph.add("alone", stub({port("u")}, {port("y")}, {{0, 0}}), step);  // unconnected, but needs its input
  wire(graph, "state.y", "d1.u");
  wire(graph, "d1.y", "d2.u");
  wire(graph, "d2.y", "state.u");
  const auto system = freeze(std::move(graph));
  EXPECT_EQ(level(*system, "state.y"), 0);
  EXPECT_EQ(level(*system, "d1.x"), 0);
  EXPECT_EQ(level(*system, "d1.y"), 1);
  EXPECT_EQ(level(*system, "d2.y"), 2);
  EXPECT_EQ(level(*system, "alone.y"), 1);
  EXPECT_EQ(system->max_level, 2);
  EXPECT_TRUE(system->loops.empty());
}

TEST(FeedthroughStructure, FindsLoopsAndWhatLiesBehindThem) {
  SystemGraph graph;
  for (const char* name : {"a", "b", "behind"})
    graph.add(name, stub({port("u")}, {port("y")}, {{0, 0}}), step);
  wire(graph, "a.y", "b.u");
  wire(graph, "b.y", "a.u");
  wire(graph, "b.y", "behind.u");
  const auto system = freeze(std::move(graph));
  ASSERT_EQ(system->loops.size(), 1U);
  EXPECT_EQ(system->loops[0], (std::vector<Index>{*system->find_output("a.y"), *system->find_output("b.y")}));
  EXPECT_EQ(level(*system, "a.y"), level(*system, "b.y"));
  EXPECT_EQ(level(*system, "behind.y"), level(*system, "a.y") + 1);
}

TEST(FeedthroughStructure, AnOutputThatFeedsItsOwnInputIsALoop) {
  SystemGraph graph;
  graph.add("a", stub({port("u")}, {port("y")}, {{0, 0}}), step);
  wire(graph, "a.y", "a.u");
  EXPECT_EQ(freeze(std::move(graph))->loops.size(), 1U);
}

// a and b read each other, but through different channels: a.x → b → a.y is a chain, not a loop.
TEST(FeedthroughStructure, SubsystemsThatReadEachOtherNeedNotBeALoop) {
  SystemGraph graph;
  graph.add("s", stub({}, {port("y")}), step);
  graph.add("a", stub({port("u"), port("v")}, {port("x"), port("y")}, {{0, 0}, {1, 1}}), step);
  graph.add("b", stub({port("u")}, {port("y")}, {{0, 0}}), step);
  wire(graph, "s.y", "a.u");
  wire(graph, "a.x", "b.u");
  wire(graph, "b.y", "a.v");
  const auto system = freeze(std::move(graph));
  EXPECT_TRUE(system->loops.empty());
  EXPECT_EQ(level(*system, "a.x"), 1);
  EXPECT_EQ(level(*system, "b.y"), 2);
  EXPECT_EQ(level(*system, "a.y"), 3);
}

// The deep loop sorts before the shallow one by name and is found first; they must be solved shallow before deep.
TEST(FeedthroughStructure, LoopsComeInOrderOfDepth) {
  SystemGraph graph;
  graph.add("source", stub({}, {port("y")}), step);
  for (const char* name : {"c1", "c2", "a", "z"})
    graph.add(name, stub({port("u")}, {port("y")}, {{0, 0}}), step);
  graph.add("b", stub({port("u"), port("w")}, {port("y")}, {{0, 0}, {0, 1}}), step);
  wire(graph, "source.y", "c1.u");
  wire(graph, "c1.y", "c2.u");
  wire(graph, "c2.y", "b.w");
  wire(graph, "a.y", "b.u");
  wire(graph, "b.y", "a.u");
  wire(graph, "z.y", "z.u");
  const auto system = freeze(std::move(graph));
  ASSERT_EQ(system->loops.size(), 2U);
  EXPECT_EQ(system->loops[0], std::vector<Index>{*system->find_output("z.y")});
  EXPECT_EQ(level(*system, "z.y"), 1);
  EXPECT_EQ(level(*system, "a.y"), 3);
}

// One entry for all inputs stands for a pair with each: levels and loops of random graphs are the same, written either way.
TEST(FeedthroughStructure, OutputsOfAllInputsAreAsPairsWithEach) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::size_t loops = 0;
  std::size_t deepest = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SystemGraph by_pairs;
    SystemGraph by_entries;
    struct Shape {
      std::size_t inputs, outputs;
    };
    std::vector<Shape> shapes(2 + below(6));
    for (std::size_t n = 0; n < shapes.size(); ++n) {
      shapes[n] = {below(4), 1 + below(4)};
      Description d;
      for (std::size_t i = 0; i < shapes[n].inputs; ++i)
        d.inputs.push_back(port("u" + std::to_string(i), "", 1 + below(2)));
      for (std::size_t o = 0; o < shapes[n].outputs; ++o) d.outputs.push_back(port("y" + std::to_string(o)));
      Description pairs = d;
      for (std::size_t o = 0; o < shapes[n].outputs; ++o) {
        const std::size_t kind = below(3);  // of its state, of all inputs, of one
        if (kind == 1) d.outputs_of_all_inputs.push_back(o);
        for (std::size_t i = 0; kind == 1 && i < shapes[n].inputs; ++i) pairs.feedthrough.push_back({o, i});
        if (kind != 2 || shapes[n].inputs == 0) continue;
        d.feedthrough.push_back({o, below(shapes[n].inputs)});
        pairs.feedthrough.push_back(d.feedthrough.back());
      }
      const std::string name = "n" + std::to_string(n);
      by_entries.add(name, std::make_unique<testing::StubSubsystem>(d), step);
      by_pairs.add(name, std::make_unique<testing::StubSubsystem>(pairs), step);
    }
    for (std::size_t n = 0; n < shapes.size(); ++n) {
      for (std::size_t i = 0; i < shapes[n].inputs; ++i) {
        if (below(4) == 0) continue;
        const std::size_t from = below(shapes.size());
        const std::string output =
            "n" + std::to_string(from) + ".y" + std::to_string(below(shapes[from].outputs));
        const std::string input = "n" + std::to_string(n) + ".u" + std::to_string(i) + "[0]";
        for (SystemGraph* graph : {&by_pairs, &by_entries}) wire(*graph, output, input);
      }
    }
    const auto pairs = freeze(std::move(by_pairs));
    const auto entries = freeze(std::move(by_entries));
    EXPECT_EQ(entries->output_level, pairs->output_level);
    EXPECT_EQ(entries->max_level, pairs->max_level);
    auto found = entries->loops;
    auto expected = pairs->loops;
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
    loops += expected.size();
    deepest = std::max(deepest, static_cast<std::size_t>(pairs->max_level));
  }
  EXPECT_GT(loops, 100U);  // the trials meet what they are about
  EXPECT_GT(deepest, 4U);
}

TEST(FeedthroughStructure, ALawWithoutDeclaredFeedthroughDependsOnAllItsInputs) {
  SystemGraph graph;
  graph.add("s", stub({}, {port("y")}), step);
  graph.add_element("law", stub_element({port("u"), port("v")}, {port("y")}));
  wire(graph, "s.y", "law.v");
  const auto system = freeze(std::move(graph));
  EXPECT_EQ(level(*system, "law.y"), 1);
  EXPECT_EQ(system->nodes[*system->find_node("law")].description->feedthrough.size(), 2U);
}

// A recursive search would need ten thousand stack frames (and a million for ports of size 100).
TEST(FeedthroughStructure, AChainOfTenThousandLawsNeedsNoRecursion) {
  constexpr int n = 10000;
  SystemGraph graph;
  graph.add("e", stub({}, {port("y")}), step);
  for (int i = 0; i < n; ++i)
    graph.add_element("e" + std::to_string(i), stub_element({port("u")}, {port("y")}));
  for (int i = 0; i < n; ++i) {
    wire(graph, i == 0 ? "e.y" : "e" + std::to_string(i - 1) + ".y", "e" + std::to_string(i) + ".u");
  }
  const auto system = freeze(std::move(graph));
  EXPECT_EQ(system->max_level, n);
  EXPECT_EQ(level(*system, "e4999.y"), 5000);
}

}  // namespace
}  // namespace ergon
