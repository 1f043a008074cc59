// How often the bars of convergence studies hold the true error: random two-mass systems against their exact motion.
//   convergence SEEDS-FROM [SYSTEMS]      seeds are drawn from the text, such as the hash of the commit that last touched the bars
#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/verdict/convergence_bars.hpp"
#include "benchmarks/verdict/families/families_table.hpp"

namespace {

using namespace ergon::bench;

void print(const char* what, const std::vector<ConvergenceBar>& bars) {
  const BarFigures figures = figures_of(bars);
  fmt::print(
      "{:<34} {:>6} bars, {:.1f} % hold the true error, median {:.2f} x, nine tenths below {:.2f} x the "
      "error; {} without a bar\n",
      what, figures.bars, figures.holding_percent(), figures.median_ratio, figures.ninth_decile_ratio,
      figures.not_given);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: convergence SEEDS-FROM [SYSTEMS]\n");
    return EXIT_FAILURE;
  }
  const unsigned systems = argc > 2 ? static_cast<unsigned>(std::max(1, std::atoi(argv[2]))) : 200;
  std::string folder = (std::filesystem::temp_directory_path() / "ergon-convergence-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  const auto scenario = benchmarks_folder() / "verdict" / "f-s.toml";
  std::vector<ConvergenceBar> all, coarse, fine, with_order, without;
  for (const unsigned seed : drawn_seeds(argv[1], systems)) {
    for (const ConvergenceBar& bar : convergence_bars(scenario, folder, seed)) {
      all.push_back(bar);
      (bar.finest ? fine : coarse).push_back(bar);
      (bar.has_order ? with_order : without).push_back(bar);
    }
  }
  std::filesystem::remove_all(folder);
  fmt::print("{} systems drawn from {}\n", systems, argv[1]);
  print("all", all);
  print("at the largest step", coarse);
  print("at the smallest step", fine);
  print("where an order holds to the end", with_order);
  print("where it does not", without);
  return EXIT_SUCCESS;
}
