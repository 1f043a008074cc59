#include "ergon/numerics/nonlinear_solver.hpp"

#include <kinsol/kinsol.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "ergon/numerics/sundials_handles.hpp"

namespace ergon::numerics {

namespace {

using Residual = FunctionRef<bool(const double*, double*)>;

struct Problem {
  std::size_t size;
  Residual residual;

  /// Max norm of the residual; NaN if it is not evaluable.
  double norm(const double* x, double* r) const {
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    if (!residual(x, r)) return undefined;
    double largest = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      if (!std::isfinite(r[i])) return undefined;
      largest = std::max(largest, std::abs(r[i]));
    }
    return largest;
  }
};

int evaluate(N_Vector x, N_Vector r, void* user_data) noexcept {
  const auto& problem = *static_cast<const Problem*>(user_data);
  const double norm = problem.norm(N_VGetArrayPointer(x), N_VGetArrayPointer(r));
  return std::isnan(norm) ? 1 : 0;  // positive: recoverable, the line search shortens the step
}

struct KinsolMemory {
  explicit KinsolMemory(SUNContext context) : handle(require_created(KINCreate(context))) {}
  ~KinsolMemory() { KINFree(&handle); }
  KinsolMemory(const KinsolMemory&) = delete;
  KinsolMemory& operator=(const KinsolMemory&) = delete;

  void* handle;
};

/// Runs KINSOL on x in place and gives its flag.
int run_kinsol(const Problem& problem, double* x, const NonlinearOptions& options, long* iterations) {
  const auto n = static_cast<sunindextype>(problem.size);
  const SundialsContext context = make_sundials_context();
  const SundialsVector unknowns(require_created(N_VMake_Serial(n, x, context.get())));
  const SundialsVector scale(require_created(N_VNew_Serial(n, context.get())));
  const SundialsMatrix matrix(require_created(SUNDenseMatrix(n, n, context.get())));
  const SundialsLinearSolver dense(
      require_created(SUNLinSol_Dense(unknowns.get(), matrix.get(), context.get())));
  N_VConst(1.0, scale.get());

  const KinsolMemory memory(context.get());
  void* kinsol = memory.handle;
  require_success(KINSetErrHandlerFn(kinsol, ignore_sundials_message, nullptr));
  require_success(KINInit(kinsol, evaluate, unknowns.get()));
  require_success(KINSetUserData(kinsol, const_cast<Problem*>(&problem)));
  require_success(KINSetLinearSolver(kinsol, dense.get(), matrix.get()));
  require_success(KINSetFuncNormTol(kinsol, options.tolerance));
  require_success(KINSetNumMaxIters(kinsol, options.max_iterations));
  require_success(KINSetMaxSetupCalls(kinsol, 1));  // a fresh Jacobian at every iteration: full Newton
  // The default bounds on the step, 4e-11 below and 1000 |x0| above, would end a search that still gains.
  require_success(KINSetScaledStepTol(kinsol, 1e-20));
  require_success(KINSetMaxNewtonStep(kinsol, 1e6 * std::max(1.0, N_VMaxNorm(unknowns.get()))));
  const int flag = KINSol(kinsol, unknowns.get(), KIN_LINESEARCH, scale.get(), scale.get());
  KINGetNumNonlinSolvIters(kinsol, iterations);
  return flag;
}

const char* reason_of(int flag) {
  switch (flag) {
    case KIN_SUCCESS:
    case KIN_INITIAL_GUESS_OK:
    case KIN_STEP_LT_STPTOL:
    case KIN_LINESEARCH_NONCONV:
    case KIN_LINESEARCH_BCFAIL:
      return "iteration stagnated: no step reduces the residual any further";
    case KIN_MAXITER_REACHED:
      return "iteration limit reached";
    case KIN_MXNEWT_5X_EXCEEDED:
      return "iteration runs away: five steps of the largest length in a row";
    case KIN_LSETUP_FAIL:
    case KIN_LSOLVE_FAIL:
    case KIN_LINSOLV_NO_RECOVERY:
      return "Jacobian is singular";
    case KIN_SYSFUNC_FAIL:
    case KIN_FIRST_SYSFUNC_ERR:
    case KIN_REPTD_SYSFUNC_ERR:
      return "residual not evaluable";
    default:
      return "nonlinear solver failed";
  }
}

/// |r_i| <= 64 eps sum_j |dr_i/dx_j| |x_j| for all i, the derivatives by forward differences.
bool is_round_off(const Problem& problem, const double* x, const double* r) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const std::size_t n = problem.size;
  std::vector<double> shifted_x(x, x + n);
  std::vector<double> shifted_r(n);
  std::vector<double> scale(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    if (x[j] == 0.0) continue;
    shifted_x[j] = x[j] + std::sqrt(epsilon) * x[j];
    if (std::isnan(problem.norm(shifted_x.data(), shifted_r.data()))) return false;
    const double shift = shifted_x[j] - x[j];
    if (shift == 0.0) continue;  // x_j is subnormal
    for (std::size_t i = 0; i < n; ++i) scale[i] += std::abs((shifted_r[i] - r[i]) / shift * x[j]);
    shifted_x[j] = x[j];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::abs(r[i]) <= 64.0 * epsilon * scale[i])) return false;
  }
  return true;
}

}  // namespace

NonlinearResult solve_nonlinear(std::size_t n, Residual residual, double* x,
                                const NonlinearOptions& options) {
  if (!(options.tolerance > 0.0)) throw std::invalid_argument("tolerance must be positive");
  if (options.max_iterations <= 0) throw std::invalid_argument("max_iterations must be positive");
  if (n == 0) return {true, 0, 0.0, ""};

  const Problem problem{n, residual};
  std::vector<double> r(n);
  double norm = problem.norm(x, r.data());
  if (std::isnan(norm)) return {false, 0, norm, "residual not evaluable at the start"};
  if (norm <= options.tolerance) return {true, 0, norm, ""};

  long iterations = 0;
  const int flag = run_kinsol(problem, x, options, &iterations);
  // Whatever KINSOL says, the residual decides.
  norm = problem.norm(x, r.data());
  if (std::isnan(norm)) return {false, iterations, norm, "residual not evaluable"};
  if (norm <= options.tolerance || is_round_off(problem, x, r.data())) return {true, iterations, norm, ""};
  return {false, iterations, norm, reason_of(flag)};
}

}  // namespace ergon::numerics
