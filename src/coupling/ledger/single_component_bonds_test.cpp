#include "ergon/coupling/ledger/single_component_bonds.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "support/force_giver.hpp"
#include "support/lane_widths.hpp"

namespace ergon {
namespace {

using namespace testing;

class GivingElement final : public Element {
 public:
  [[nodiscard]] Description describe() const override {
    Description d = ports_of_force_giver();
    d.feedthrough = {{0, 0}, {0, 1}};
    return d;
  }
  void evaluate(const double* u, double* y) const override { y[0] = u[0]; }
};

/// What makes a bond another kind of plain bond.
struct Kind {
  bool element = false;
  bool observed_only = false;
  bool has_flow_input = true;
  bool samples_start = true;
  bool whole_step = true;  ///< the receiver's last step is as long as the time between the points
  bool in_SI = true;
};

/// Bonds between pairs of their own, in one stage.
struct Pairs {
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<CouplingPlan> plan;

  Pairs(std::size_t count, bool element) {
    SystemGraph graph;
    ProblemList problems;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string e = "e" + std::to_string(i);
      const std::string f = "f" + std::to_string(i);
      const auto zero = [](double) { return 0.0; };
      if (element)
        graph.add_element(e, std::make_unique<GivingElement>());
      else
        graph.add(e, std::make_unique<ForceGiver>(zero), milliseconds(1));
      graph.add(f, std::make_unique<Motion>(zero, zero), milliseconds(1));
      BondSpec bond;
      bond.name = "b" + std::to_string(i);
      bond.a = {{e + ".force"}, {e + ".velocity_in"}, {e + ".position_in"}};
      bond.b = {{f + ".force"}, {f + ".velocity"}, {f + ".position"}};
      graph.bond(bond);
    }
    system = graph.freeze(problems);
    if (!system) throw InputError(problems);
    const TimeGrid grid(Rational{}, Rational(1, 1), std::vector{milliseconds(1)});
    SchemeLayout layout;  // all start together
    layout.scheme = "jacobi";
    StageGroup& all = layout.groups.emplace_back();
    all.period = grid.ticks(milliseconds(1));
    for (Index node = 0; node < system->nodes.size(); ++node) {
      if (!system->nodes[node].description->algebraic) all.nodes.push_back(node);
    }
    plan = std::make_unique<CouplingPlan>(*system, grid, CouplingOptions{}, layout, problems);
    if (problems.has_errors()) throw InputError(problems);
  }
};

std::vector<double> random_numbers(std::size_t count, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  // Zeros, too, of both signs: a sum begins with 0.
  for (double& number : numbers) {
    const double x = normal(random);
    number = x > 1.5 ? 0.0 : x < -1.5 ? -0.0 : 1e3 * x;
  }
  return numbers;
}

/// One set of books for `count` bonds of a kind: updated together, or one by one.
class KindOfBooks {
 public:
  KindOfBooks(const Pairs& pairs, const Kind& kind)
      : rows_(pairs.plan->bonds().rows().begin(), pairs.plan->bonds().rows().end()),
        components_(rows_.size()),
        figures_(rows_.size()) {
    efforts_.resize(rows_.size());
    flows_.resize(rows_.size());
    displacements_.resize(rows_.size());
    changes_.resize(rows_.size());
    records_.resize(rows_.size());
    figures_.last_points = {-4};
    for (Index b = 0; b < rows_.size(); ++b) {
      BondRow& bond = rows_[b];
      bond.components = std::span(components_).subspan(b, 1);
      bond.observed_only = kind.observed_only;
      bond.sign_into_b = b == 5 ? -1.0 : 1.0;  // the others go through it in two runs
      bond.scale = kind.in_SI ? 1.0 : 0.3;
      bond.receiver_samples_start = kind.samples_start;
      BondComponentRow& c = components_[b];
      c = pairs.plan->bonds().row(b).components.front();
      c.has_flow_input = kind.has_flow_input;
      if (!kind.in_SI) c.effort.to_SI = 1e3;
      if (!kind.in_SI) c.effort_input.to_SI = 0.7;
      if (!kind.in_SI) c.flow.to_SI = 1.1;
      if (!kind.in_SI) c.flow_input.to_SI = 60.0;
      monitors_.emplace_back(
          bond,
          BondMonitor::Share{std::span(efforts_).subspan(b, 1), std::span(flows_).subspan(b, 1),
                             std::span(displacements_).subspan(b, 1), std::span(changes_).subspan(b, 1)});
      const auto key = SingleComponentBonds::key_of(bond);
      if (!key) throw std::logic_error("this is not a plain bond");
      if (!single_component_)
        single_component_.emplace(*key, SingleComponentBonds::Arrays{efforts_, flows_, figures_});
      single_component_->add(bond);
    }
  }
  void fill(std::uint32_t seed) {
    std::mt19937 random(seed);
    for (NumberArray* numbers : {&efforts_, &flows_, &figures_.exchanged_energy_J,
                                 &figures_.residual_energy_J, &figures_.interface_energy_J}) {
      const std::vector<double> values = random_numbers(numbers->size(), random);
      numbers->assign(values.begin(), values.end());
    }
  }
  void update_together(const Point& point, std::span<const StageNumbers> numbers) {
    single_component_->update(point, numbers);
  }
  void update_apart(const Point& point, std::span<const StageNumbers> numbers) {
    for (Index b = 0; b < monitors_.size(); ++b)
      monitors_[b].update(point, numbers, {4, point.duration_s(4)}, {}, {b, figures_, records_[b]});
  }
  [[nodiscard]] std::vector<std::uint64_t> bits() const {
    std::vector<std::uint64_t> all;
    for (const NumberArray* numbers :
         {&efforts_, &flows_, &figures_.power_into_b_W, &figures_.exchanged_energy_J,
          &figures_.residual_power_W, &figures_.residual_energy_J, &figures_.interface_power_W,
          &figures_.interface_energy_J}) {
      for (const double value : *numbers) all.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return all;
  }

 private:
  std::vector<BondRow> rows_;
  std::vector<BondComponentRow> components_;
  BondFigures figures_;
  NumberArray efforts_;
  NumberArray flows_;
  NumberArray displacements_;
  std::vector<double> changes_;
  std::vector<BondRecord> records_;
  std::vector<BondMonitor> monitors_;
  std::optional<SingleComponentBonds> single_component_;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (unsigned bits = 0; bits < 64; ++bits) {
    const Kind kind = {(bits & 1U) != 0, (bits & 2U) != 0,  (bits & 4U) != 0,
                       (bits & 8U) != 0, (bits & 16U) != 0, (bits & 32U) != 0};
    kinds.push_back(kind);
  }
  return kinds;
}

// Every kind, in numbers that no register holds exactly, with a change of sign amid them: all bits of all figures.
TEST(SingleComponentBonds, TogetherAreWhatTheyAreOneByOne) {
  for (const bool element : {false, true}) {
    for (std::size_t count = 1; count <= 11; ++count) {
      const Pairs pairs(count, element);
      const CouplingState state(*pairs.plan);
      const Point point(*pairs.plan, state);
      for (const Kind& kind : all_kinds()) {
        if (kind.element != element) continue;
        std::mt19937 random(17);
        std::vector<std::vector<double>> values;
        std::vector<StageNumbers> numbers;
        for (std::size_t s = 0; s < pairs.plan->stages().size(); ++s) {
          for (int i = 0; i < 3; ++i) values.push_back(random_numbers(4 * count, random));
          numbers.push_back({values[3 * s].data(), values[3 * s + 1].data(), values[3 * s + 2].data(),
                             kind.whole_step ? 4 : 1, true});
        }
        KindOfBooks apart(pairs, kind);
        apart.fill(99);
        apart.update_apart(point, numbers);
        for_all_lane_widths([&] {
          KindOfBooks together(pairs, kind);
          together.fill(99);
          together.update_together(point, numbers);
          EXPECT_EQ(together.bits(), apart.bits())
              << count << " bonds" << (kind.element ? ", element" : "")
              << (kind.observed_only ? ", observed" : "") << (kind.has_flow_input ? ", flow input" : "")
              << (kind.samples_start ? ", samples the start" : "") << (kind.whole_step ? ", whole step" : "")
              << (kind.in_SI ? ", in SI" : "");
        });
      }
    }
  }
}

}  // namespace
}  // namespace ergon
