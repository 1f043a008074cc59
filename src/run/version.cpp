#include "ergon/run/version.hpp"

namespace ergon {

std::string_view version() {
  return ERGON_VERSION;
}

}  // namespace ergon
