// Registers a name that is taken.
#include "ergon/plugin/plugin.hpp"

namespace {

void register_all() {
  ergon::register_model(*ergon::find_model("oscillator.mass"));
}

}  // namespace

ERGON_PLUGIN(register_all)
