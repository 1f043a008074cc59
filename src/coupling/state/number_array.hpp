#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

namespace ergon {

/// For arrays of numbers that are read and written side by side, several numbers at a time. Each begins where a cache line does, so
/// that nothing is in two lines; and long ones a few lines further into their page than the one before: a processor takes a read for one
/// of what it is about to write where both are as far into a page, and waits.
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
    const bool is_long = count * sizeof(T) >= page / 4;
    const std::size_t before = is_long ? line * (1 + lines_apart * arrays++ % (page / line - 1)) : line;
    const std::align_val_t alignment{is_long ? page : line};
    auto* const block = static_cast<std::byte*>(::operator new(before + count * sizeof(T), alignment));
    T* const numbers = reinterpret_cast<T*>(block + before);
    *note_of(numbers) = {block, alignment};
    return numbers;
  }
  void deallocate(T* numbers, std::size_t /*count*/) {
    const Note note = *note_of(numbers);
    ::operator delete(note.block, note.alignment);
  }
  bool operator==(const SideBySideAllocator&) const = default;

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t page = 4096;
  /// In the line before the numbers.
  struct Note {
    std::byte* block;
    std::align_val_t alignment;
  };
  static Note* note_of(T* numbers) { return reinterpret_cast<Note*>(numbers) - 1; }
};

/// One number per bond, or per component of all bonds.
using NumberArray = std::vector<double, SideBySideAllocator<double>>;

}  // namespace ergon
