// The correction of held_effort.hpp as a plug-in: a shared object that the command loads (docs/library.md).
//   ergon run scenario.toml --plugin build/example/own_methods.so --set 'bond.coupling.correction={method="held-effort"}'
#include "ergon/plugin/plugin.hpp"
#include "held_effort.hpp"

namespace {

void register_methods() {
  ergon::register_corrector(held_effort_corrector());
}

}  // namespace

ERGON_PLUGIN(register_methods)
