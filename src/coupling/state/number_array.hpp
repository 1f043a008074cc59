#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace ergon {

/// Begins where a cache line does: what is read and written several numbers at a time is then never in two of them.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* numbers, std::size_t count) { ::operator delete(numbers, count * sizeof(T), line); }
  bool operator==(const CacheLineAllocator&) const = default;
};

/// One number per bond, or per component of all bonds.
using NumberArray = std::vector<double, CacheLineAllocator<double>>;

}  // namespace ergon
