#include "ergon/study/sobol_indices.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace ergon::study {
namespace {

constexpr int resamples = 400;
constexpr double low_quantile = 0.025, high_quantile = 0.975;

struct Indices {
  std::vector<double> first, total;
};

/// Of the rows that are named, some of them several times.
Indices estimated(std::span<const double> values, std::size_t d, std::span<const std::size_t> rows) {
  const std::size_t width = d + 2;
  const auto n = static_cast<double>(rows.size());
  double mean = 0.0;
  for (const std::size_t row : rows) mean += values[row * width] + values[row * width + 1];
  mean /= 2.0 * n;
  double variance = 0.0;
  for (const std::size_t row : rows) {
    for (const std::size_t k : {0U, 1U}) {
      const double distance = values[row * width + k] - mean;
      variance += distance * distance;
    }
  }
  variance /= 2.0 * n;
  Indices indices{std::vector<double>(d, 0.0), std::vector<double>(d, 0.0)};
  if (!(variance > 0.0)) return indices;
  for (const std::size_t row : rows) {
    const double a = values[row * width];
    const double b = values[row * width + 1];
    for (std::size_t i = 0; i < d; ++i) {
      const double mixed = values[row * width + 2 + i];
      // The mean may be taken off: it changes nothing but the noise.
      indices.first[i] += (b - mean) * (mixed - a);
      indices.total[i] += 0.5 * (a - mixed) * (a - mixed);
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    indices.first[i] /= n * variance;
    indices.total[i] /= n * variance;
  }
  return indices;
}

double quantile_of(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

std::vector<SobolIndex> sobol_indices(std::span<const double> outcomes, std::size_t settings,
                                      std::uint64_t seed) {
  const std::size_t width = settings + 2;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; (row + 1) * width <= outcomes.size(); ++row) {
    const auto of_row = outcomes.subspan(row * width, width);
    if (std::all_of(of_row.begin(), of_row.end(), [](double v) { return std::isfinite(v); }))
      rows.push_back(row);
  }
  if (rows.size() < 2) return {};
  const auto [low, high] = std::minmax_element(outcomes.begin(), outcomes.end());
  if (*low == *high) return {};
  const Indices whole = estimated(outcomes, settings, rows);
  std::vector<std::vector<double>> first(settings), total(settings);
  std::mt19937_64 generator(seed);
  std::vector<std::size_t> drawn(rows.size());
  for (int k = 0; k < resamples; ++k) {
    for (std::size_t& row : drawn)
      row = rows[static_cast<std::size_t>(static_cast<double>(generator() >> 11U) * 0x1p-53 *
                                          static_cast<double>(rows.size()))];
    const Indices one = estimated(outcomes, settings, drawn);
    for (std::size_t i = 0; i < settings; ++i) {
      first[i].push_back(one.first[i]);
      total[i].push_back(one.total[i]);
    }
  }
  std::vector<SobolIndex> indices(settings);
  for (std::size_t i = 0; i < settings; ++i) {
    indices[i] = {whole.first[i], quantile_of(first[i], low_quantile), quantile_of(first[i], high_quantile),
                  whole.total[i], quantile_of(total[i], low_quantile), quantile_of(total[i], high_quantile)};
  }
  return indices;
}

}  // namespace ergon::study
