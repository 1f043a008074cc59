#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

const std::vector<const Scheme*>& schemes() {
  static const std::vector<const Scheme*> all = {&jacobi_scheme(), &gauss_seidel_scheme(),
                                                 &semi_implicit_scheme(), &implicit_scheme()};
  return all;
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme* scheme : schemes()) {
    if (scheme->name() == name) return scheme;
  }
  return nullptr;
}

}  // namespace ergon
