#include "benchmarks/verdict/agreement.hpp"

namespace ergon::bench {

bool agrees(VerdictValue value, double error) {
  switch (value) {
    case VerdictValue::reliable:
    case VerdictValue::consistent:
      return error < 0.05;
    case VerdictValue::doubtful:
      return error >= 0.02 && error <= 0.2;
    case VerdictValue::unreliable:
      return error > 0.1;
    case VerdictValue::not_monitored:
      break;
  }
  return false;
}

Expectation at_most(double max) {
  Expectation e;
  e.max = max;
  return e;
}

Expectation at_least(double min) {
  Expectation e;
  e.min = min;
  return e;
}

}  // namespace ergon::bench
