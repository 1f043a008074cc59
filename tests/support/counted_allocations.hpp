#pragma once

// Counts every malloc, calloc, realloc and aligned_alloc of the process, be it by operator new, Eigen or shared libraries: glibc lets a
// program replace them. Sanitizers replace them too: there ERGON_COUNTS_ALLOCATIONS is 0 and nothing is counted.
// For one source file of a test executable only.
#include <features.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ERGON_COUNTS_ALLOCATIONS 1

#include <atomic>
#include <cstddef>

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

#else
#define ERGON_COUNTS_ALLOCATIONS 0
#endif
