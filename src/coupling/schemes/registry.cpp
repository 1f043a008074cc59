#include "ergon/core/open_registry.hpp"
#include "ergon/coupling/schemes/register_scheme.hpp"

namespace ergon {

namespace {

OpenRegistry<const Scheme*>& all_schemes() {
  static OpenRegistry<const Scheme*> all(
      "scheme", {&jacobi_scheme(), &gauss_seidel_scheme(), &semi_implicit_scheme(), &implicit_scheme()});
  return all;
}

}  // namespace

const std::vector<const Scheme*>& schemes() {
  return all_schemes().entries();
}

void register_scheme(const Scheme& scheme) {
  all_schemes().add(&scheme, [](const Scheme* known) { return known->name(); });
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme* scheme : schemes()) {
    if (scheme->name() == name) return scheme;
  }
  return nullptr;
}

}  // namespace ergon
