#include "ergon/study/plan/sobol_sequence.hpp"

#include <bit>
#include <initializer_list>
#include <random>
#include <stdexcept>

namespace ergon::study {
namespace {

/// Primitive polynomial x^s + … + 1 with the inner coefficients as the bits of a, and the first s direction numbers.
struct Row {
  int s;
  unsigned a;
  std::initializer_list<unsigned> m;
};
// new-joe-kuo-6 of [joe2008], dimensions 2 to 21.
const Row joe_kuo_rows[] = {{1, 0, {1}},
                            {2, 1, {1, 3}},
                            {3, 1, {1, 3, 1}},
                            {3, 2, {1, 1, 1}},
                            {4, 1, {1, 1, 3, 3}},
                            {4, 4, {1, 3, 5, 13}},
                            {5, 2, {1, 1, 5, 5, 17}},
                            {5, 4, {1, 1, 5, 5, 5}},
                            {5, 7, {1, 1, 7, 11, 19}},
                            {5, 11, {1, 1, 5, 1, 1}},
                            {5, 13, {1, 1, 1, 3, 11}},
                            {5, 14, {1, 3, 5, 5, 31}},
                            {6, 1, {1, 3, 3, 9, 7, 49}},
                            {6, 13, {1, 1, 1, 15, 21, 21}},
                            {6, 16, {1, 3, 1, 13, 27, 49}},
                            {6, 19, {1, 1, 1, 15, 7, 5}},
                            {6, 22, {1, 3, 1, 15, 13, 25}},
                            {6, 25, {1, 1, 5, 5, 19, 61}},
                            {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                            {7, 4, {1, 3, 7, 13, 13, 15, 69}}};
static_assert(std::size(joe_kuo_rows) + 1 == SobolSequence::most_dimensions);

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed)
    : directions_(dimensions), state_(dimensions, 0), shift_(dimensions, 0) {
  if (dimensions > most_dimensions) throw std::invalid_argument("too many dimensions for a Sobol sequence");
  for (std::size_t d = 0; d < dimensions; ++d) {
    auto& v = directions_[d];
    if (d == 0) {  // van der Corput
      for (int i = 0; i < bits; ++i) v[static_cast<std::size_t>(i)] = std::uint64_t{1} << (bits - 1 - i);
      continue;
    }
    const Row& row = joe_kuo_rows[d - 1];
    const auto s = static_cast<std::size_t>(row.s);
    std::size_t i = 0;
    for (const unsigned m : row.m) {
      v[i] = static_cast<std::uint64_t>(m) << (bits - 1 - i);
      ++i;
    }
    // v_i = a_1 v_{i−1} ⊕ … ⊕ a_{s−1} v_{i−s+1} ⊕ v_{i−s} ⊕ v_{i−s} / 2^s
    for (; i < bits; ++i) {
      v[i] = v[i - s] ^ (v[i - s] >> s);
      for (std::size_t k = 1; k < s; ++k) {
        if ((row.a >> (s - 1 - k)) & 1U) v[i] ^= v[i - k];
      }
    }
  }
  if (seed == 0) return;
  std::mt19937_64 generator(seed);
  for (std::uint64_t& shift : shift_) shift = generator() >> (64 - bits);
}

void SobolSequence::next(std::span<double> point) {
  for (std::size_t d = 0; d < state_.size(); ++d)
    point[d] = static_cast<double>(state_[d] ^ shift_[d]) * 0x1p-52;
  const int changed = std::countr_one(index_++);
  for (std::size_t d = 0; d < state_.size(); ++d)
    state_[d] ^= directions_[d][static_cast<std::size_t>(changed)];
}

}  // namespace ergon::study
