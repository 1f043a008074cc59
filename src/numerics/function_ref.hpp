#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ergon::numerics {

template <typename Signature>
class FunctionRef;

/// A non-owning reference to a callable: two pointers, no allocation. The callable must outlive the
/// reference: it is meant for parameters ("call this while I run"), and for members of objects that live no longer
/// than such a call.
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  // The constraint excludes FunctionRef itself, so copies stay copies.
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& callable)  // NOLINT(bugprone-forwarding-reference-overload)
  noexcept {                     // NOLINT(google-explicit-constructor): a lambda converts in a call
    using Callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Callable>) {
      target_.function = reinterpret_cast<void (*)()>(&callable);
      call_ = [](Target target, Args... args) -> R {
        return static_cast<R>(reinterpret_cast<Callable*>(target.function)(std::forward<Args>(args)...));
      };
    } else {
      target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
      call_ = [](Target target, Args... args) -> R {
        return static_cast<R>((*static_cast<Callable*>(target.object))(std::forward<Args>(args)...));
      };
    }
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  // A function pointer does not portably fit a void*, hence the union.
  union Target {
    void* object;
    void (*function)();
  };

  Target target_;
  R (*call_)(Target, Args...);
};

}  // namespace ergon::numerics
