#include "ergon/plugin/load_plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <set>
#include <system_error>

#include "ergon/plugin/plugin.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

std::string last_error_of_loader() {
  const char* const error = ::dlerror();
  return error != nullptr ? error : "no reason is known";
}

}  // namespace

const void* plugin_library() {
  static const char here = 0;
  return &here;
}

void load_plugin(const std::string& file, const SourceLocation& where) {
  static std::set<std::string> loaded;
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error)
    throw InputError(where, fmt::format("The plug-in '{}' cannot be opened: {}.", file, error.message()),
                     "Name a shared object, as in: --plugin build/my_models.so.");
  if (!fs::is_regular_file(path, error))
    throw InputError(where, fmt::format("The plug-in '{}' is not a file.", file),
                     "Name a shared object, as in: --plugin build/my_models.so.");
  if (loaded.count(path.string()) > 0) return;
  // Private: FMUs of the process do not find its names. It stays loaded, since the registries point into it.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw InputError(where,
                     fmt::format("The plug-in '{}' cannot be loaded: {}.", file, last_error_of_loader()),
                     "Build it as a shared object that links Ergon::ergon (docs/library.md).");
  const auto entry = reinterpret_cast<const Plugin* (*)()>(::dlsym(library, "ergon_plugin"));
  if (entry == nullptr)
    throw InputError(where, fmt::format("'{}' is not a plug-in: it has no function 'ergon_plugin'.", file),
                     "Write ERGON_PLUGIN(function) in one of its files (docs/library.md).");
  const Plugin& plugin = *entry();
  if (plugin.interface_number != plugin_interface || plugin.layout != plugin_layout())
    throw InputError(
        where,
        fmt::format("The plug-in '{}' was built for another version of Ergon, compiler or standard "
                    "library (interface {}, layout {:016x}; here {}, {:016x}).",
                    file, plugin.interface_number, plugin.layout, plugin_interface, plugin_layout()),
        "Build it again, against the headers of this version.");
  if (plugin.library != plugin_library())
    throw InputError(
        where, fmt::format("The plug-in '{}' calls another copy of libergon.so than this process.", file),
        "Link plug-in and program with the same libergon.so.");
  try {
    plugin.register_all();
  } catch (const std::exception& exception) {
    throw InputError(where, fmt::format("The plug-in '{}' failed to register: {}.", file, exception.what()),
                     "Each name may be registered once; see what the plug-in registers.");
  }
  loaded.insert(path.string());
}

}  // namespace ergon
