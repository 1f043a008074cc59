#include "ergon/models/instance_pool.hpp"

namespace ergon {

std::pmr::memory_resource& instance_pool() {
#if defined(__SANITIZE_ADDRESS__)
  return *std::pmr::new_delete_resource();  // whose errors it finds
#else
  // Never destroyed: instances may outlive whatever is static.
  static auto& pool = *new std::pmr::synchronized_pool_resource(
      {.max_blocks_per_chunk = 1024, .largest_required_pool_block = 4096});
  return pool;
#endif
}

}  // namespace ergon
