// Built for another version: its classes may be others.
#include "ergon/plugin/plugin.hpp"

extern "C" ERGON_API const ergon::Plugin* ergon_plugin() {
  static const ergon::Plugin plugin = {ergon::plugin_interface + 1, 0, nullptr, nullptr};
  return &plugin;
}
