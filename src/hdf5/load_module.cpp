#include "ergon/hdf5/load_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <system_error>

#include "ergon/core/problem.hpp"

namespace ergon::hdf5 {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  const Hdf5Module* module = nullptr;
  std::string why_not;
};

/// Beside the library or program that this function is in, or where it is installed.
fs::path module_file() {
  constexpr const char* name = "ergon_hdf5.so";
  Dl_info here{};
  std::error_code error;
  fs::path folder;
  if (::dladdr(reinterpret_cast<const void*>(&is_hdf5_file), &here) != 0 && here.dli_fname != nullptr)
    folder = fs::canonical(here.dli_fname, error).parent_path();
  for (const fs::path& place :
       {folder, folder / "ergon", folder.parent_path() / "lib" / "ergon", folder.parent_path() / "app"}) {
    if (fs::is_regular_file(place / name, error)) return place / name;
  }
  return {};
}

Loaded load() {
  const fs::path file = module_file();
  if (file.empty()) return {nullptr, "this build has no ergon_hdf5.so"};
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return {nullptr, reason != nullptr ? reason : "it cannot be loaded"};
  }
  const auto entry = reinterpret_cast<const Hdf5Module* (*)()>(::dlsym(library, "ergon_hdf5_module"));
  if (entry == nullptr || entry()->interface_number != module_interface)
    return {nullptr, fmt::format("'{}' is of another version of Ergon", file.string())};
  return {entry(), {}};
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

const Hdf5Module& load_module() {
  if (loaded().module != nullptr) return *loaded().module;
  throw InputError({}, fmt::format("HDF5 files cannot be read or written: {}.", loaded().why_not),
                   "Install libhdf5-dev and build again, or write CSV: [output] format = \"csv\".");
}

std::string why_not_available() {
  return loaded().why_not;
}

bool is_hdf5_file(const fs::path& file) {
  constexpr std::array<char, 8> signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> bytes{};
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  return stream.read(bytes.data(), bytes.size()) && bytes == signature;
}

}  // namespace ergon::hdf5
