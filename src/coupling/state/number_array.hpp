#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

namespace ergon {

/// For arrays of numbers that are read and written side by side, several numbers at a time. Each begins where a cache line does, so
/// that nothing is in two lines; and a few lines further into its page than the one before: a processor takes a read for one of what it
/// is about to write where both are as far into a page, and waits.
template <class T>
class SideBySideAllocator {
 public:
  using value_type = T;

  SideBySideAllocator() = default;
  template <class U>
  SideBySideAllocator(const SideBySideAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    static std::atomic<unsigned> arrays = 0;
    constexpr unsigned lines_apart = 7;
    const std::size_t before = line * (1 + lines_apart * arrays++ % (page / line - 1));
    auto* const block =
        static_cast<std::byte*>(::operator new (before + count * sizeof(T), std::align_val_t{page}));
    T* const numbers = reinterpret_cast<T*>(block + before);
    *start_of(numbers) = block;
    return numbers;
  }
  void deallocate(T* numbers, std::size_t /*count*/) {
    ::operator delete (*start_of(numbers), std::align_val_t{page});
  }
  bool operator==(const SideBySideAllocator&) const = default;

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t page = 4096;
  /// Kept in the line before the numbers.
  static std::byte** start_of(T* numbers) { return reinterpret_cast<std::byte**>(numbers) - 1; }
};

/// One number per bond, or per component of all bonds.
using NumberArray = std::vector<double, SideBySideAllocator<double>>;

}  // namespace ergon
