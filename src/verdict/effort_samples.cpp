#include "ergon/verdict/effort_samples.hpp"

#include <algorithm>

#include "ergon/numerics/lanes.hpp"

namespace ergon {
struct EffortSamples::Adding {
  const double* efforts;
  const double* first;
  double* last;
  double* sum;
  double* square;
  double* change2;

  template <class Number>
  [[gnu::always_inline]] static void add(double* to, const Number& amount) {
    Number total;
    lanes::load(total, to);
    total += amount;
    lanes::store(to, total);
  }
  template <class Number>
  [[gnu::always_inline]] void at(std::size_t i) const {
    Number effort;
    Number d;
    Number change;
    lanes::load(effort, efforts + i);
    lanes::load(d, first + i);
    lanes::load(change, last + i);
    d = effort - d;
    change = effort - change;
    add(sum + i, d);
    add(square + i, Number(d * d));
    add(change2 + i, Number(change * change));
    lanes::store(last + i, effort);
  }
};

[[gnu::always_inline]] inline EffortSamples::Adding EffortSamples::adding(std::span<const double> efforts) {
  return {efforts.data(), first_.data(), last_.data(), sum_.data(), square_.data(), change2_.data()};
}

EffortSamples::EffortSamples(std::size_t components)
    : known_(components, 0),
      first_(components, 0.0),
      last_(components, 0.0),
      sum_(components, 0.0),
      square_(components, 0.0),
      change2_(components, 0.0) {}

void EffortSamples::observe(std::span<const double> efforts) {
  if (!all_known_) {
    observe(efforts, 0, efforts.size());
    all_known_ = true;
    return;
  }
  ++of_all_;
  lanes::treat(
      efforts.size(), [&]() __attribute__((always_inline)) { return adding(efforts); });
}

void EffortSamples::observe(std::span<const double> efforts, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (known(i) == 0) first_[i] = last_[i] = efforts[i];
    ++known_[i];
    adding(efforts).at<double>(i);
  }
}

double EffortSamples::square_about_mean(std::size_t component) const {
  const auto n = static_cast<double>(known(component));
  return n > 0.0 ? std::max(0.0, square_[component] - sum_[component] * sum_[component] / n) : 0.0;
}

void EffortSamples::archive(Archive& archive) {
  archive(all_known_);
  archive(of_all_);
  archive(std::span(known_));
  for (NumberArray* numbers : {&first_, &last_, &sum_, &square_, &change2_}) archive(std::span(*numbers));
}

}  // namespace ergon
