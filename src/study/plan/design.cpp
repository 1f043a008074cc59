#include "ergon/study/plan/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <utility>

#include "ergon/core/problem.hpp"
#include "ergon/study/plan/sobol_sequence.hpp"

namespace ergon::study {
namespace {

constexpr std::size_t most_runs = 10'000'000;
constexpr std::array<std::pair<std::string_view, Design>, 6> design_names = {
    {{"cartesian", Design::cartesian},
     {"zip", Design::zip},
     {"random", Design::random},
     {"lhs", Design::lhs},
     {"sobol", Design::sobol},
     {"saltelli", Design::saltelli}}};

/// The same on every platform.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : generator_(seed) {}
  /// In (0, 1).
  double unit() { return (static_cast<double>(generator_() >> 12U) + 0.5) * 0x1p-52; }
  std::size_t below(std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(unit() * static_cast<double>(count)));
  }

 private:
  std::mt19937_64 generator_;
};

/// A Sobol point may be 0, where distributions have no quantile.
double inside(double u) {
  return std::clamp(u, 0x1p-53, 1.0 - 0x1p-53);
}

void require_count(std::size_t runs) {
  if (runs > most_runs)
    throw InputError({}, fmt::format("This plan has {} runs, more than {}.", runs, most_runs),
                     "Take fewer values, or draw them: --plan lhs --samples 1000.");
}

Plan cartesian(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.size();
    require_count(count);
  }
  Plan plan;
  plan.runs.resize(count);
  // The last axis changes fastest, as nested loops in the order of the axes would have it.
  for (std::size_t run = 0; run < count; ++run) {
    std::size_t rest = run;
    plan.runs[run].resize(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
      plan.runs[run][i] = axes[i].value(rest % axes[i].size());
      rest /= axes[i].size();
    }
  }
  return plan;
}

Plan zipped(const std::vector<Axis>& axes) {
  Plan plan;
  plan.design = Design::zip;
  for (const Axis& axis : axes) {
    if (axis.size() != axes.front().size())
      throw InputError({},
                       fmt::format("'{}' has {} values, '{}' has {}: they cannot be zipped.",
                                   axes.front().setting, axes.front().size(), axis.setting, axis.size()),
                       "Give all of them the same number of values.");
  }
  plan.runs.resize(axes.front().size());
  for (std::size_t run = 0; run < plan.runs.size(); ++run) {
    for (const Axis& axis : axes) plan.runs[run].push_back(axis.value(run));
  }
  return plan;
}

Plan drawn(const std::vector<Axis>& axes, Design design, const DesignOptions& options) {
  const std::size_t d = axes.size();
  const std::size_t n = options.samples;
  if (n == 0)
    throw InputError({}, fmt::format("The plan '{}' does not say how many runs it has.", name_of(design)),
                     "Add --samples, such as --samples 200.");
  require_count(n);
  Plan plan;
  plan.design = design;
  plan.samples = n;
  const auto row = [&](std::span<const double> point) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < d; ++i) values.push_back(axes[i].quantile(point[i]));
    return values;
  };
  if (design != Design::saltelli) {
    const auto points = unit_points(design, n, d, options.seed);
    for (std::size_t k = 0; k < n; ++k) plan.runs.push_back(row(std::span(points).subspan(k * d, d)));
    return plan;
  }
  require_count(n * (d + 2));
  const auto points = unit_points(Design::sobol, n, 2 * d, options.seed);
  for (std::size_t k = 0; k < n; ++k) {
    const auto both = std::span(points).subspan(2 * k * d, 2 * d);
    std::vector<double> mixed(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(d));
    plan.runs.push_back(row(mixed));
    plan.runs.push_back(row(both.subspan(d)));
    for (std::size_t i = 0; i < d; ++i) {
      const double own = std::exchange(mixed[i], both[d + i]);
      plan.runs.push_back(row(mixed));
      mixed[i] = own;
    }
  }
  return plan;
}

}  // namespace

std::optional<Design> design_of(std::string_view name) {
  for (const auto& [known, design] : design_names) {
    if (known == name) return design;
  }
  return std::nullopt;
}

std::string_view name_of(Design design) {
  for (const auto& [name, known] : design_names) {
    if (known == design) return name;
  }
  return {};
}

std::vector<double> unit_points(Design design, std::size_t samples, std::size_t dimensions,
                                std::uint64_t seed) {
  std::vector<double> points(samples * dimensions);
  if (design == Design::sobol) {
    if (dimensions > SobolSequence::most_dimensions)
      throw InputError({},
                       fmt::format("This plan needs {} dimensions of a Sobol sequence; there are {}.",
                                   dimensions, SobolSequence::most_dimensions),
                       "Vary fewer settings, or take --plan lhs.");
    SobolSequence sequence(dimensions, seed);
    for (std::size_t k = 0; k < samples; ++k)
      sequence.next(std::span(points).subspan(k * dimensions, dimensions));
    for (double& u : points) u = inside(u);
    return points;
  }
  Draws draws(seed);
  if (design == Design::random) {
    for (double& u : points) u = draws.unit();
    return points;
  }
  std::vector<std::size_t> strata(samples);
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (std::size_t k = 0; k < samples; ++k) strata[k] = k;
    for (std::size_t k = samples; k > 1; --k) std::swap(strata[k - 1], strata[draws.below(k)]);
    for (std::size_t k = 0; k < samples; ++k)
      points[k * dimensions + i] =
          inside((static_cast<double>(strata[k]) + draws.unit()) / static_cast<double>(samples));
  }
  return points;
}

Plan make_plan(const std::vector<Axis>& axes, const DesignOptions& options) {
  if (axes.empty())
    throw InputError({}, "Nothing varies.", "Add --vary PATH=VALUES, such as --vary right.m=0.01,0.1,1.");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (axes[i].setting == axes[k].setting)
        throw InputError({}, fmt::format("'{}' varies twice.", axes[i].setting), "Remove one of them.");
    }
  }
  const bool all_values =
      std::all_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.has_values(); });
  const Design design =
      options.design.value_or(all_values && options.samples == 0 ? Design::cartesian : Design::random);
  if (design != Design::cartesian && design != Design::zip) return drawn(axes, design, options);
  if (!all_values)
    throw InputError({},
                     fmt::format("A distribution has no list of values for the plan '{}'.", name_of(design)),
                     "Take --plan random, lhs or sobol, with --samples.");
  if (options.samples != 0)
    throw InputError(
        {},
        fmt::format("The plan '{}' takes no number of samples: its values say how many runs there are.",
                    name_of(design)),
        "Remove --samples, or take --plan random, lhs or sobol.");
  return design == Design::cartesian ? cartesian(axes) : zipped(axes);
}

}  // namespace ergon::study
