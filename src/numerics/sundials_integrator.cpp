#include "ergon/numerics/sundials_integrator.hpp"

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ergon/numerics/sundials_handles.hpp"

namespace ergon::numerics {

namespace {

// CVODE and ARKODE number the failures of a step alike, so one table of reasons serves both.
static_assert(CV_TOO_MUCH_WORK == ARK_TOO_MUCH_WORK && CV_TOO_MUCH_ACC == ARK_TOO_MUCH_ACC &&
              CV_ERR_FAILURE == ARK_ERR_FAILURE && CV_CONV_FAILURE == ARK_CONV_FAILURE &&
              CV_LINIT_FAIL == ARK_LINIT_FAIL && CV_LSETUP_FAIL == ARK_LSETUP_FAIL &&
              CV_LSOLVE_FAIL == ARK_LSOLVE_FAIL && CV_RHSFUNC_FAIL == ARK_RHSFUNC_FAIL &&
              CV_FIRST_RHSFUNC_ERR == ARK_FIRST_RHSFUNC_ERR &&
              CV_REPTD_RHSFUNC_ERR == ARK_REPTD_RHSFUNC_ERR &&
              CV_UNREC_RHSFUNC_ERR == ARK_UNREC_RHSFUNC_ERR && CV_ILL_INPUT == ARK_ILL_INPUT);

/// Refusals of the right-hand side within one call after which it fails.
constexpr int most_refusals = 100;

const char* reason_of(int flag, bool rhs_refused) {
  // A refused right-hand side can surface as a failed Newton iteration or error test; the cause is the news.
  if (rhs_refused) return "right-hand side not evaluable, even with shorter internal steps";
  switch (flag) {
    case CV_TOO_MUCH_WORK:
      return "internal step limit reached";
    case CV_TOO_MUCH_ACC:
      return "tolerances are finer than double precision resolves";
    case CV_ERR_FAILURE:
      return "local error test failed repeatedly or at the smallest internal step";
    case CV_CONV_FAILURE:
      return "nonlinear iteration did not converge at the smallest internal step";
    case CV_LINIT_FAIL:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return "linear solver failed";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return "right-hand side not evaluable";
    case CV_ILL_INPUT:
      return "state not usable as a start of the integration";
    default:
      return "integrator failed";
  }
}

void check(const SundialsOptions& options) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  if (!positive(options.rtol)) throw std::invalid_argument("rtol must be positive and finite");
  if (!positive(options.atol)) throw std::invalid_argument("atol must be positive and finite");
  if (!(options.max_step_s >= 0.0)) throw std::invalid_argument("max_step_s must not be negative");
  if (options.max_internal_steps <= 0) throw std::invalid_argument("max_internal_steps must be positive");
  switch (options.method) {
    case SundialsMethod::cvode_bdf:
    case SundialsMethod::cvode_adams:
    case SundialsMethod::arkode_dirk:
      return;
  }
  throw std::invalid_argument("unknown integration method");
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

}  // namespace

struct SundialsIntegrator::Impl {
  Impl(std::size_t state_size, const SundialsOptions& given) : size(state_size), options(given) {
    if (size == 0) return;
    context = make_sundials_context();
    y.reset(require_created(N_VNew_Serial(static_cast<sunindextype>(size), context.get())));
    N_VConst(0.0, y.get());
    if (is_arkode()) {
      set_up_arkode();
    } else {
      set_up_cvode();
    }
    allocate_what_is_left();
  }

  ~Impl() {
    if (memory == nullptr) return;
    if (is_arkode()) {
      ARKStepFree(&memory);
    } else {
      CVodeFree(&memory);
    }
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool is_arkode() const { return options.method == SundialsMethod::arkode_dirk; }

  void set_up_cvode() {
    const bool is_adams = options.method == SundialsMethod::cvode_adams;
    memory = require_created(CVodeCreate(is_adams ? CV_ADAMS : CV_BDF, context.get()));
    require_success(CVodeSetErrHandlerFn(memory, ignore_sundials_message, nullptr));
    require_success(CVodeInit(memory, evaluate, 0.0, y.get()));
    require_success(CVodeSStolerances(memory, options.rtol, options.atol));
    require_success(CVodeSetUserData(memory, this));
    require_success(CVodeSetMaxNumSteps(memory, options.max_internal_steps));
    require_success(CVodeSetMaxHnilWarns(memory, -1));
    if (options.max_step_s > 0.0) require_success(CVodeSetMaxStep(memory, options.max_step_s));
    if (is_adams) {
      fixed_point.reset(require_created(SUNNonlinSol_FixedPoint(y.get(), 0, context.get())));
      require_success(CVodeSetNonlinearSolver(memory, fixed_point.get()));
    } else {
      create_dense_solver();
      require_success(CVodeSetLinearSolver(memory, dense.get(), matrix.get()));
      require_success(CVodeSetJacFn(memory, evaluate_jacobian));
    }
  }

  void set_up_arkode() {
    memory = require_created(ARKStepCreate(nullptr, evaluate, 0.0, y.get(), context.get()));
    require_success(ARKStepSetErrHandlerFn(memory, ignore_sundials_message, nullptr));
    require_success(ARKStepSetTableNum(memory, ARKODE_ESDIRK43I6L2SA_6_3_4, ARKODE_ERK_NONE));
    // Factorise anew whenever h a_ii changes. By default ARKODE keeps a matrix that is up to 20 % off
    // together with the convergence rate of the exact one, and then accepts stages whose error is far above
    // the tolerance (linear oscillator, rtol 1e-8: errors of 1e-5 in a step). The Jacobian itself is still
    // reused.
    require_success(ARKStepSetDeltaGammaMax(memory, 1e-12));
    require_success(ARKStepSetLSetupFrequency(memory, 1));
    require_success(ARKStepSStolerances(memory, options.rtol, options.atol));
    require_success(ARKStepSetUserData(memory, this));
    require_success(ARKStepSetMaxNumSteps(memory, options.max_internal_steps));
    require_success(ARKStepSetMaxHnilWarns(memory, -1));
    if (options.max_step_s > 0.0) require_success(ARKStepSetMaxStep(memory, options.max_step_s));
    create_dense_solver();
    require_success(ARKStepSetLinearSolver(memory, dense.get(), matrix.get()));
    require_success(ARKStepSetJacFn(memory, evaluate_jacobian));
  }

  /// SUNDIALS allocates part of its memory in the first step: takes one here, of x' = 0.
  void allocate_what_is_left() {
    const auto at_rest = [this](double, const double*, double* dxdt) {
      std::fill_n(dxdt, size, 0.0);
      return true;
    };
    const Rhs reference(at_rest);
    double reached_tau = 0.0;
    rhs = &reference;
    step_size = 1.0;
    run(&reached_tau);
    rhs = nullptr;
    internal_steps = 0;
  }

  void create_dense_solver() {
    const auto n = static_cast<sunindextype>(size);
    matrix.reset(require_created(SUNDenseMatrix(n, n, context.get())));
    dense.reset(require_created(SUNLinSol_Dense(y.get(), matrix.get(), context.get())));
  }

  /// Runs from tau = 0 to tau = h; y is start and result. Gives SUNDIALS' flag.
  int run(double* reached_tau) {
    if (is_arkode()) {
      int flag = ARKStepReInit(memory, nullptr, evaluate, 0.0, y.get());
      if (flag == ARK_SUCCESS) flag = ARKStepSetStopTime(memory, step_size);
      if (flag != ARK_SUCCESS) return flag;
      flag = ARKStepEvolve(memory, step_size, y.get(), reached_tau, ARK_NORMAL);
      ARKStepGetNumSteps(memory, &internal_steps);
      return flag;
    }
    int flag = CVodeReInit(memory, 0.0, y.get());
    if (flag == CV_SUCCESS) flag = CVodeSetStopTime(memory, step_size);
    if (flag != CV_SUCCESS) return flag;
    flag = CVode(memory, step_size, y.get(), reached_tau, CV_NORMAL);
    CVodeGetNumSteps(memory, &internal_steps);
    return flag;
  }

  /// dx/dt at tau; gives 0, or SUNDIALS' sign for a refusal: positive for "try a shorter step", negative for
  /// "give up", lest the steps creep up to the edge of what is evaluable without an end.
  int evaluate_at(double tau, const double* x, double* dxdt) {
    // Stage times are sums and may exceed the stop time by rounding; an input may be known up to there only.
    const double time = std::min(start_time + tau, start_time + step_size);
    if ((*rhs)(time, x, dxdt) && all_finite(dxdt, size)) return 0;
    return ++refusals < most_refusals ? 1 : -1;
  }

  static int evaluate(double tau, N_Vector x, N_Vector dxdt, void* user_data) noexcept {
    return static_cast<Impl*>(user_data)->evaluate_at(tau, N_VGetArrayPointer(x), N_VGetArrayPointer(dxdt));
  }

  /// df/dx by forward differences. SUNDIALS has the like built in, but allocates in each evaluation. The
  /// increment is sqrt(eps) of the state, or of atol / rtol, below which the user calls a state small.
  static int evaluate_jacobian(double tau, N_Vector state, N_Vector rate, SUNMatrix jacobian, void* user_data,
                               N_Vector scratch, N_Vector, N_Vector) noexcept {
    auto& self = *static_cast<Impl*>(user_data);
    double* x = N_VGetArrayPointer(state);
    const double* f = N_VGetArrayPointer(rate);
    double* shifted = N_VGetArrayPointer(scratch);
    const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    const double floor = self.options.atol / self.options.rtol;
    for (std::size_t j = 0; j < self.size; ++j) {
      const double kept = x[j];
      x[j] += root_epsilon * std::max(std::abs(kept), floor);
      const double increment = x[j] - kept;
      const int refused = self.evaluate_at(tau, x, shifted);
      x[j] = kept;
      if (refused != 0) return refused;
      double* column = SUNDenseMatrix_Column(jacobian, static_cast<sunindextype>(j));
      for (std::size_t i = 0; i < self.size; ++i) column[i] = (shifted[i] - f[i]) / increment;
    }
    return 0;
  }

  std::size_t size;
  SundialsOptions options;
  // The context is declared first because it has to outlive everything created with it.
  SundialsContext context;
  SundialsVector y;
  SundialsMatrix matrix;
  SundialsLinearSolver dense;
  SundialsNonlinearSolver fixed_point;
  void* memory = nullptr;

  // Of the current call.
  const Rhs* rhs = nullptr;
  double start_time = 0.0;
  double step_size = 0.0;
  int refusals = 0;  // of the right-hand side
  long internal_steps = 0;
};

SundialsIntegrator::SundialsIntegrator(std::size_t size, const SundialsOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(size, options);
}

SundialsIntegrator::~SundialsIntegrator() = default;
SundialsIntegrator::SundialsIntegrator(SundialsIntegrator&&) noexcept = default;
SundialsIntegrator& SundialsIntegrator::operator=(SundialsIntegrator&&) noexcept = default;

IntegrationStatus SundialsIntegrator::advance(double t, double h, Rhs rhs, double* x) {
  Impl& impl = *impl_;
  impl.internal_steps = 0;
  if (!std::isfinite(t) || !std::isfinite(h) || h < 0.0) {
    return {false, t, "start time or step size is negative or not finite"};
  }
  if (impl.size == 0 || h == 0.0) return {true, t + h, ""};
  if (!all_finite(x, impl.size)) return {false, t, "state is not finite"};

  // SUNDIALS counts tau = time since t: a small h at a large t would otherwise drown in the rounding of t +
  // h.
  impl.rhs = &rhs;
  impl.start_time = t;
  impl.step_size = h;
  impl.refusals = 0;
  double* y = N_VGetArrayPointer(impl.y.get());
  std::copy_n(x, impl.size, y);
  double reached_tau = 0.0;
  const int flag = impl.run(&reached_tau);
  impl.rhs = nullptr;
  std::copy_n(y, impl.size, x);
  if (flag >= 0) return {true, t + h, ""};
  return {false, t + reached_tau, reason_of(flag, impl.refusals > 0)};
}

std::size_t SundialsIntegrator::size() const {
  return impl_->size;
}

long SundialsIntegrator::internal_steps() const {
  return impl_->internal_steps;
}

}  // namespace ergon::numerics
