#pragma once

#include <csetjmp>
#include <cstdint>
#include <memory>
#include <string>

namespace ergon::fmi {

/// Runs code of an FMU in this process so that `exit` in it fails the call and not the process. What the FMU had under way when it
/// called `exit` is given up where it is (longjmp): the FMU, and every other instance of its library, must not be called again.
/// `_exit`, `quick_exit` and `abort` end the process before anybody can ask.
class CallGuard {
 public:
  /// False: `work` has called `exit`; with what, says `exit_code`.
  template <class Work>
  static bool run(const Work& work) {
    return run([](const void* context) { (*static_cast<const Work*>(context))(); }, std::addressof(work));
  }
  /// What the last call on this thread that ended by `exit` gave to it.
  [[nodiscard]] static int exit_code();
  /// Some call has ended so. Such a process is best ended by `_exit`: libraries are in the middle of what they did.
  [[nodiscard]] static bool has_caught();

  /// Names who did it in `report`, the first alone.
  static void note(const std::string& name, const std::string& fmu);
  [[nodiscard]] static std::string report();

  /// For who takes the place of `exit`. Does not return where a guarded call is under way on this thread.
  static void leave(int code);

  /// What the C library does at `exit` begins with the last that was registered: called again with every library and at the start of a
  /// run, so that nothing is taken down before this.
  static void come_first_at_exit();

  /// While one of these lives, what its thread does cannot be given up (the loader holds its lock): `exit` says who called it and
  /// ends the process with exit code 1.
  class Loading {
   public:
    explicit Loading(const char* what);
    ~Loading();
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;
  };

 private:
  static bool run(void (*work)(const void*), const void* context);
};

inline constexpr const char* float_control_text =
    "it changed how floating-point numbers are rounded or trapped; Ergon restores that after its calls";
inline constexpr const char* float_control_of_group_text =
    "it, or an FMU that is stepped together with it, changed how floating-point numbers are trapped or "
    "flushed to 0; Ergon restores "
    "that after its calls";

/// How this thread computes with floating-point numbers: rounding, traps, and what becomes of denormal numbers; not the flags that
/// say what has happened.
struct FloatControl {
#if defined(__x86_64__)
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;
  [[nodiscard]] static FloatControl now() {
    constexpr std::uint32_t flags = 0x3f;
    FloatControl control;
    control.sse = __builtin_ia32_stmxcsr() & ~flags;
    asm volatile("fnstcw %0" : "=m"(control.x87));
    return control;
  }
  void restore() const {
    __builtin_ia32_ldmxcsr(sse);
    asm volatile("fldcw %0" : : "m"(x87));
  }
  /// Whether sums are rounded to the nearest number. Reading the control word takes as long as a step of a small FMU (6 ns on some
  /// processors), two sums a fraction of it: 1 ± 2⁻⁶⁰ is 1 where numbers are rounded to the nearest, and in no other mode.
  [[nodiscard]] static bool rounds_to_nearest() {
    double one = 1.0;
    double little = 0x1p-60;
    asm volatile("" : "+x"(one), "+x"(little));
    const double above = one + little;
    const double below = one - little;
    return above == below;
  }
#else
  [[nodiscard]] static bool rounds_to_nearest() {
    return false;
  }
  int rounding = 0;
  [[nodiscard]] static FloatControl now();
  void restore() const;
#endif
  bool operator==(const FloatControl&) const = default;
};

}  // namespace ergon::fmi
