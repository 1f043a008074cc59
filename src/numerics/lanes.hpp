#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

/// Numbers of neighbours that go through the same operations side by side: what comes out is what each would give alone, bit for
/// bit, since nothing is contracted or put in another order (-ffp-contract=off).
namespace ergon::lanes {

/// What a register of every machine of today holds, …
using Two [[gnu::vector_size(16)]] = double;
/// … and of most.
using Four [[gnu::vector_size(32)]] = double;

template <class Number>
constexpr std::size_t width = sizeof(Number) / sizeof(double);

// All take and give by reference: how a register of four is passed depends on what a function is compiled for.

template <class Number>
[[gnu::always_inline]] inline void load(Number& number, const double* from) {
  std::memcpy(&number, from, sizeof number);
}
template <class Number>
[[gnu::always_inline]] inline void store(double* to, const Number& number) {
  std::memcpy(to, &number, sizeof number);
}
/// From anywhere in an array. (The one instruction that gathers four takes as long as four loads.)
template <class Number>
[[gnu::always_inline]] inline void gather(Number& number, const double* from, const std::uint32_t* at) {
  if constexpr (width<Number> == 4)
    number = Number{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
  else if constexpr (width<Number> == 2)
    number = Number{from[at[0]], from[at[1]]};
  else
    number = from[*at];
}
/// |x|
template <class Number>
[[gnu::always_inline]] inline void magnitude(Number& of, const Number& x) {
  if constexpr (width<Number> == 1) {
    of = std::abs(x);
  } else {
    using Bits [[gnu::vector_size(sizeof(Number))]] = std::int64_t;
    Bits bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= std::numeric_limits<std::int64_t>::max();
    std::memcpy(&of, &bits, sizeof bits);
  }
}

/// `work.at<Number>(i)` treats the numbers from the i-th on, as many as a Number holds.
template <class Number, class Work>
[[gnu::always_inline]] inline void treat_all(Work work, std::size_t count) {
  std::size_t i = 0;
  if constexpr (width < Number >> 1) {
    for (; i + width<Number> <= count; i += width<Number>) work.template at<Number>(i);
  }
  for (; i < count; ++i) work.template at<double>(i);
}

template <class Work>
[[gnu::noinline]] void treat_twos(const Work& work, std::size_t count) {
  treat_all<Two>(work, count);
}
#if defined(__x86_64__)
/// This machine has registers of four; tests also do without.
inline bool four_at_once = __builtin_cpu_supports("avx2") != 0;
template <class Work>
[[gnu::noinline, gnu::target("avx2")]] void treat_fours(const Work& work, std::size_t count) {
  treat_all<Four>(work, count);
}
#endif

/// `work()` gives what treats them: made where it is used, so that of a few numbers nothing but they passes through memory.
template <class MakeWork>
[[gnu::always_inline]] inline void treat(std::size_t count, const MakeWork& work) {
  if (count < width<Four>) return treat_all<double>(work(), count);
#if defined(__x86_64__)
  if (four_at_once) return treat_fours(work(), count);
#endif
  treat_twos(work(), count);
}

}  // namespace ergon::lanes
