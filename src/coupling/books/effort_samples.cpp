#include "ergon/coupling/books/effort_samples.hpp"

#include <algorithm>
#include <cstring>

namespace ergon {
namespace {

/// What a register of any machine of today holds.
using Pair [[gnu::vector_size(16)]] = double;
Pair pair_at(const double* numbers) {
  Pair pair;
  std::memcpy(&pair, numbers, sizeof pair);
  return pair;
}
void put(const Pair& pair, double* numbers) {
  std::memcpy(numbers, &pair, sizeof pair);
}

}  // namespace

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
  ++of_all_;
  const std::size_t pairs = efforts.size() / 2 * 2;
  const double* e = efforts.data();
  const double* first = first_.data();
  double* last = last_.data();
  double* sum = sum_.data();
  double* square = square_.data();
  double* change2 = change2_.data();
  for (std::size_t i = 0; i < pairs; i += 2) {
    const Pair effort = pair_at(e + i);
    const Pair d = effort - pair_at(first + i);
    const Pair change = effort - pair_at(last + i);
    put(pair_at(sum + i) + d, sum + i);
    put(pair_at(square + i) + d * d, square + i);
    put(pair_at(change2 + i) + change * change, change2 + i);
    put(effort, last + i);
  }
  for (std::size_t i = pairs; i < efforts.size(); ++i) add(i, e[i]);
}

void EffortSamples::learn(std::span<const double> efforts, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (known(i) == 0) first_[i] = last_[i] = efforts[i];
    ++known_[i];
    add(i, efforts[i]);
  }
}

void EffortSamples::add(std::size_t i, double effort) {
  const double d = effort - first_[i];
  sum_[i] += d;
  square_[i] += d * d;
  change2_[i] += (effort - last_[i]) * (effort - last_[i]);
  last_[i] = effort;
}

double EffortSamples::square_about_mean(std::size_t component) const {
  const auto n = static_cast<double>(known(component));
  return n > 0.0 ? std::max(0.0, square_[component] - sum_[component] * sum_[component] / n) : 0.0;
}

void EffortSamples::archive(Archive& archive) {
  archive(all_known_);
  archive(of_all_);
  archive(std::span(known_));
  for (std::vector<double>* numbers : {&first_, &last_, &sum_, &square_, &change2_})
    archive(std::span(*numbers));
}

}  // namespace ergon
