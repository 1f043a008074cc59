#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "ergon/coupling/state/failure.hpp"
#include "ergon/coupling/state/failures.hpp"

namespace ergon {

/// What a subsystem threw where no failure can be returned: on the way to whoever can.
class SubsystemFailure : public std::runtime_error {
 public:
  SubsystemFailure(std::string subsystem, double time_s, const std::string& what)
      : std::runtime_error("'" + subsystem + "': " + what),
        failure_{std::move(subsystem), "", time_s, what, false} {}
  explicit SubsystemFailure(const Failure& failure)
      : std::runtime_error("'" + failure.subsystem + "': " + failure.what), failure_(failure) {}
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// Calls something of a subsystem; whatever that throws goes on as its failure.
template <class Call>
decltype(auto) blaming(const std::string& subsystem, double time_s, Call&& call) {
  try {
    return call();
  } catch (...) {
    throw SubsystemFailure(subsystem, time_s, current_exception_text());
  }
}

}  // namespace ergon
