#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

/// Collects which functions a library lacks. Standards demand all; libraries lack those that nobody calls.
class FunctionChecker {
 public:
  template <class Function>
  void needs(const char* name, Function* function) {
    if (function == nullptr) missing_.emplace_back(name);
  }
  template <class Function>
  void claimed(const char* capability, const char* name, Function* function) {
    if (function == nullptr) missing_.push_back(fmt::format("{} (which '{}' promises)", name, capability));
  }
  [[nodiscard]] std::string complaint() const {
    if (missing_.empty()) return {};
    return fmt::format("its library lacks {}", fmt::join(missing_, ", "));
  }

 private:
  std::vector<std::string> missing_;
};

/// The functions of a library, looked up once per process. Empty, or why it cannot be loaded.
template <class Functions, class LookUp>
std::string bind_functions(const InstanceSetup& setup, std::shared_ptr<const SharedLibrary>& library,
                           const Functions*& functions, const LookUp& look_up) {
  static std::mutex mutex;
  static std::map<const SharedLibrary*, std::unique_ptr<const Functions>> known;  // libraries stay
  std::string why;
  library = SharedLibrary::open(setup.library, why);
  if (!library) return fmt::format("its library cannot be loaded: {}", why);
  const std::lock_guard guard(mutex);
  std::unique_ptr<const Functions>& found = known[library.get()];
  if (!found) {
    auto looked_up = std::make_unique<Functions>();
    look_up(*library, *looked_up);
    found = std::move(looked_up);
  }
  functions = found.get();
  return {};
}

}  // namespace ergon::fmi
