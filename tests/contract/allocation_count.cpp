#include "support/counted_allocations.hpp"

#include "contract/allocation_count.hpp"

namespace ergon::contract {

#if ERGON_COUNTS_ALLOCATIONS
bool counts_allocations() {
  return true;
}
long allocations_so_far() {
  return allocations;
}
#else
bool counts_allocations() {
  return false;
}
long allocations_so_far() {
  return 0;
}
#endif

}  // namespace ergon::contract
