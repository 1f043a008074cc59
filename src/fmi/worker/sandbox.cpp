#include "ergon/fmi/worker/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

namespace ergon::fmi {
namespace {

// The interface of the kernel (linux/landlock.h), of which older headers know less than newer kernels do.
constexpr long syscall_create_ruleset = 444;
constexpr long syscall_add_rule = 445;
constexpr long syscall_restrict_self = 446;
constexpr std::uint32_t ask_for_version = 1;
constexpr int rule_path_beneath = 1;
struct LandlockRuleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // from version 4 on
  std::uint64_t scoped = 0;   // from version 6 on
};
struct [[gnu::packed]] LandlockPath {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};
constexpr std::uint64_t may_write_file = 1U << 1U;
constexpr std::uint64_t may_read_file = 1U << 2U;
constexpr std::uint64_t may_read_folder = 1U << 3U;
constexpr std::uint64_t may_truncate = 1U << 14U;
constexpr std::uint64_t connect_and_bind_tcp = 3;
constexpr std::uint64_t abstract_sockets_and_signals = 3;

int landlock_version() {
  const long version = ::syscall(syscall_create_ruleset, nullptr, std::size_t{0}, ask_for_version);
  return version > 0 ? static_cast<int>(version) : 0;
}

/// Rights over files that a version knows: those of the first, and one or two more in 2, 3 and 5.
std::uint64_t known_file_rights(int version) {
  std::uint64_t rights = (1U << 13U) - 1U;
  if (version >= 2) rights |= 1U << 13U;  // to link between folders
  if (version >= 3) rights |= may_truncate;
  if (version >= 5) rights |= 1U << 15U;  // ioctl of devices
  return rights;
}

void allow(int ruleset, const std::string& path, std::uint64_t rights) {
  LandlockPath rule;
  rule.allowed = rights;
  rule.folder = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.folder < 0) return;  // what is not there needs no permission
  (void)::syscall(syscall_add_rule, ruleset, rule_path_beneath, &rule, 0U);
  ::close(rule.folder);
}

std::string keep_files(const std::string& folder) {
  const int version = landlock_version();
  LandlockRuleset rights;
  rights.files = known_file_rights(version);
  if (version >= 4) rights.network = connect_and_bind_tcp;
  if (version >= 6) rights.scoped = abstract_sockets_and_signals;
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(::syscall(syscall_create_ruleset, &rights, size, 0U));
  if (ruleset < 0) return fmt::format("Landlock refuses its rules: {}", std::strerror(errno));
  constexpr std::uint64_t read_all = may_read_file | may_read_folder;
  for (const char* place :
       {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"})
    allow(ruleset, place, read_all);
  for (const char* file : {"/etc/ld.so.cache", "/dev/urandom", "/dev/random", "/dev/zero"})
    allow(ruleset, file, may_read_file);
  allow(ruleset, "/dev/null", may_read_file | may_write_file);
  allow(ruleset, folder, read_all);
  const char* const said = std::getenv("LD_LIBRARY_PATH");
  std::istringstream places(said != nullptr ? said : "");
  for (std::string place; std::getline(places, place, ':');) {
    if (!place.empty()) allow(ruleset, place, read_all);
  }
  const long done = ::syscall(syscall_restrict_self, ruleset, 0U);
  const int why = errno;
  ::close(ruleset);
  return done == 0 ? std::string{} : fmt::format("Landlock refuses: {}", std::strerror(why));
}

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t own_architecture = 0;
#endif

/// Calls of the kernel that fail with EACCES. All but those of this architecture fail: they have other numbers.
std::string keep_calls(std::uint32_t parts) {
  std::vector<std::uint32_t> refused;
  if ((parts & sandbox_network) != 0) refused = {SYS_socket, SYS_io_uring_setup};
  if ((parts & sandbox_processes) != 0)
    refused.insert(refused.end(), {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev});
  const auto field = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  const auto line = [](unsigned code, std::uint32_t k, unsigned yes = 0, unsigned no = 0) {
    return sock_filter{static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes),
                       static_cast<std::uint8_t>(no), k};
  };
  const std::uint32_t no = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(EACCES);
  std::vector<sock_filter> program;
  program.push_back(line(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, arch))));
  program.push_back(line(BPF_JMP | BPF_JEQ | BPF_K, own_architecture, 1, 0));
  program.push_back(line(BPF_RET | BPF_K, no));
  program.push_back(line(BPF_LD | BPF_W | BPF_ABS, field(offsetof(seccomp_data, nr))));
#if defined(__x86_64__)
  constexpr std::uint32_t x32_calls = 0x40000000;
  program.push_back(line(BPF_JMP | BPF_JGE | BPF_K, x32_calls, 0, 1));
  program.push_back(line(BPF_RET | BPF_K, no));
#endif
  for (const std::uint32_t number : refused) {
    program.push_back(line(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(line(BPF_RET | BPF_K, no));
  }
  program.push_back(line(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0) return {};
  return fmt::format("seccomp refuses: {}", std::strerror(errno));
}

bool has_seccomp() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return own_architecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace

std::uint32_t available_sandbox() {
  std::uint32_t parts = 0;
  if (landlock_version() > 0) parts |= sandbox_files;
  if (has_seccomp()) parts |= sandbox_network | sandbox_processes;
  return parts;
}

std::string describe_sandbox(std::uint32_t parts) {
  std::string text;
  const auto add = [&](SandboxPart part, const char* what) {
    if ((parts & part) == 0) return;
    text += (text.empty() ? "" : "; ");
    text += what;
  };
  add(sandbox_files, "no files but its own folder and system libraries, read-only");
  add(sandbox_network, "no network");
  add(sandbox_processes, "no access to other processes");
  return text;
}

std::string enter_sandbox(std::uint32_t parts, const std::string& folder) {
  if (parts == 0) return {};
  // Nothing that it starts gains rights: both means ask for it.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return std::strerror(errno);
  if ((parts & sandbox_files) != 0) {
    if (std::string why = keep_files(folder); !why.empty()) return why;
  }
  return (parts & (sandbox_network | sandbox_processes)) != 0 ? keep_calls(parts) : std::string{};
}

}  // namespace ergon::fmi
