#include "ergon/fmi/worker/worker_command.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>

#include "ergon/fmi/worker/worker.hpp"

namespace ergon::fmi {
namespace {

constexpr const char* lean_worker = "ergon-worker";

struct WorkerChoice {
  std::mutex mutex;
  std::string told;
  std::string found;
  bool is_own_worker = false;
};
WorkerChoice& worker_choice() {
  static WorkerChoice choice;
  return choice;
}

bool is_program(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool is_in_search_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(std::filesystem::path(folder) / name)) return true;
  }
  return false;
}

/// Beside the library that this function is in: a program that links it, such as an interpreter, is elsewhere.
std::string beside_this_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&is_program), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  const auto worker = library.parent_path() / lean_worker;
  return !error && is_program(worker) ? worker.string() : std::string();
}

std::string find_worker_command(bool is_own_worker) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && is_program(self.parent_path() / lean_worker))
    return (self.parent_path() / lean_worker).string();
  if (std::string beside = beside_this_library(); !beside.empty()) return beside;
  if (is_own_worker) return "/proc/self/exe";
  if (is_in_search_path(lean_worker)) return lean_worker;
  if (!error && is_program(self.parent_path() / "ergon")) return (self.parent_path() / "ergon").string();
  return "ergon";
}

}  // namespace

std::string worker_command() {
  WorkerChoice& choice = worker_choice();
  const std::lock_guard guard(choice.mutex);
  if (!choice.told.empty()) return choice.told;
  if (choice.found.empty()) choice.found = find_worker_command(choice.is_own_worker);
  return choice.found;
}

void set_worker_command(std::string path) {
  WorkerChoice& choice = worker_choice();
  const std::lock_guard guard(choice.mutex);
  choice.told = std::move(path);
}

void set_own_worker() {
  WorkerChoice& choice = worker_choice();
  const std::lock_guard guard(choice.mutex);
  choice.is_own_worker = true;
  choice.found.clear();
}

}  // namespace ergon::fmi
