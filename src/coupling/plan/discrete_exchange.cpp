#include "ergon/coupling/plan/discrete_exchange.hpp"

namespace ergon {

void DiscreteExchange::add_integer(std::uint32_t slot, const std::vector<IntegerTerm>& terms) {
  integers_.push_back(
      {slot, static_cast<std::uint32_t>(terms_.size()), static_cast<std::uint32_t>(terms.size())});
  terms_.insert(terms_.end(), terms.begin(), terms.end());
}

void DiscreteExchange::add_text(std::uint32_t slot, std::uint32_t stage, std::uint32_t source) {
  texts_.push_back({slot, stage, source});
}

template <class AgeOf>
std::optional<std::uint32_t> DiscreteExchange::build_with(const SampleRings& rings, AgeOf&& age_of,
                                                          DiscreteValues& inputs) const {
  for (const IntegerInput& input : integers_) {
    std::int64_t total = 0;
    bool overflows = false;
    for (std::uint32_t t = input.first_term; t < input.first_term + input.terms; ++t) {
      const IntegerTerm& term = terms_[t];
      const SampleRing& ring = *rings[term.stage];
      std::int64_t value = ring.integers(age_of(ring))[term.source];
      overflows = __builtin_mul_overflow(value, term.gain, &value) || overflows;
      overflows = __builtin_add_overflow(value, term.offset, &value) || overflows;
      overflows = __builtin_add_overflow(total, value, &total) || overflows;
    }
    if (overflows) return input.slot;
    inputs.integers[input.slot] = total;
  }
  for (const TextInput& input : texts_) {
    const SampleRing& ring = *rings[input.stage];
    inputs.texts[input.slot] = ring.texts(age_of(ring))[input.source];
  }
  return std::nullopt;
}

std::optional<std::uint32_t> DiscreteExchange::build(const SampleRings& rings, Tick k,
                                                     DiscreteValues& inputs) const {
  return build_with(
      rings, [k](const SampleRing& ring) { return ring.age_at(k); }, inputs);
}

std::optional<std::uint32_t> DiscreteExchange::build_all_newest(const SampleRings& rings,
                                                                DiscreteValues& inputs) const {
  return build_with(
      rings, [](const SampleRing&) { return std::size_t{0}; }, inputs);
}

}  // namespace ergon
