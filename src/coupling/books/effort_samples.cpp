#include "ergon/coupling/books/effort_samples.hpp"

#include <algorithm>

namespace ergon {

EffortSamples::EffortSamples(std::size_t components)
    : known_(components, 0),
      first_(components, 0.0),
      last_(components, 0.0),
      sum_(components, 0.0),
      square_(components, 0.0),
      change2_(components, 0.0) {}

void EffortSamples::learn(std::span<const double> efforts) {
  if (!all_known_) {
    learn(efforts, 0, efforts.size());
    all_known_ = true;
    return;
  }
  const double* const __restrict__ e = efforts.data();
  const double* const __restrict__ first = first_.data();
  double* const __restrict__ last = last_.data();
  double* const __restrict__ sum = sum_.data();
  double* const __restrict__ square = square_.data();
  double* const __restrict__ change2 = change2_.data();
  std::uint64_t* const __restrict__ known = known_.data();
  // In pairs, which is what a register holds.
  const std::size_t pairs = efforts.size() / 2 * 2;
  for (std::size_t i = 0; i < pairs; i += 2) {
    for (std::size_t j = i; j < i + 2; ++j) {
      const double d = e[j] - first[j];
      const double change = e[j] - last[j];
      sum[j] += d;
      square[j] += d * d;
      change2[j] += change * change;
      last[j] = e[j];
      ++known[j];
    }
  }
  learn(efforts, pairs, efforts.size());
}

void EffortSamples::learn(std::span<const double> efforts, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const double effort = efforts[i];
    if (known_[i]++ == 0) first_[i] = last_[i] = effort;
    const double d = effort - first_[i];
    sum_[i] += d;
    square_[i] += d * d;
    change2_[i] += (effort - last_[i]) * (effort - last_[i]);
    last_[i] = effort;
  }
}

double EffortSamples::square_about_mean(std::size_t component) const {
  const auto n = static_cast<double>(known_[component]);
  return n > 0.0 ? std::max(0.0, square_[component] - sum_[component] * sum_[component] / n) : 0.0;
}

void EffortSamples::archive(Archive& archive) {
  archive(all_known_);
  archive(std::span(known_));
  for (std::vector<double>* numbers : {&first_, &last_, &sum_, &square_, &change2_})
    archive(std::span(*numbers));
}

}  // namespace ergon
