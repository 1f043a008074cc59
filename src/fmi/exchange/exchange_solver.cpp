#include "ergon/fmi/exchange/exchange_solver.hpp"

#include <cvode/cvode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ergon/numerics/sundials_handles.hpp"

namespace ergon::fmi {

namespace {

using Answer = ExchangeSystem::Answer;

/// Refusals within one internal step after which it fails.
constexpr int max_refusals = 100;
/// Given instead of a zero; what is nearer to it is taken for as far, lest products of two underflow.
constexpr double least_indicator = 1e-100;

const char* reason_of(int flag, bool is_refused) {
  if (is_refused) return "its derivatives cannot be evaluated, even with shorter internal steps";
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return "its tolerance is finer than double precision resolves";
    case CV_ERR_FAILURE:
      return "the error of its integration stays above the tolerance at the smallest internal step";
    case CV_CONV_FAILURE:
      return "the iteration of its integration does not converge at the smallest internal step";
    case CV_ILL_INPUT:
      return "its state is not usable as a start of the integration";
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return "the Jacobian of its derivatives is singular";
    default:
      return "its derivatives or event indicators cannot be evaluated";
  }
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

}  // namespace

struct ExchangeSolver::Impl {
  Impl(ExchangeSystem& of, std::size_t states, std::size_t z_count)
      : system(of), state_count(states), size(std::max<std::size_t>(states, 1)), indicator_count(z_count) {
    numerics::require_success(SUNContext_Create(nullptr, &raw_context));
    context.reset(raw_context);
    const auto n = static_cast<sunindextype>(size);
    y.reset(numerics::require_created(N_VNew_Serial(n, raw_context)));
    tolerance.reset(numerics::require_created(N_VNew_Serial(n, raw_context)));
    N_VConst(0.0, y.get());
    N_VConst(1.0, tolerance.get());
    memory = numerics::require_created(CVodeCreate(CV_BDF, raw_context));
    using numerics::require_success;
    require_success(CVodeSetErrHandlerFn(memory, numerics::ignore_sundials_message, nullptr));
    require_success(CVodeInit(memory, evaluate, 0.0, y.get()));
    require_success(CVodeSVtolerances(memory, 1e-6, tolerance.get()));
    require_success(CVodeSetUserData(memory, this));
    require_success(CVodeSetMaxHnilWarns(memory, -1));
    matrix.reset(numerics::require_created(SUNDenseMatrix(n, n, raw_context)));
    dense.reset(numerics::require_created(SUNLinSol_Dense(y.get(), matrix.get(), raw_context)));
    require_success(CVodeSetLinearSolver(memory, dense.get(), matrix.get()));
    require_success(CVodeSetJacFn(memory, evaluate_jacobian));
    roots.resize(indicator_count);
    if (indicator_count > 0) {
      require_success(CVodeRootInit(memory, static_cast<int>(indicator_count), evaluate_indicators));
      require_success(CVodeSetNoInactiveRootWarn(memory));
    }
  }
  ~Impl() { CVodeFree(&memory); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// SUNDIALS counts τ = time since the last restart: small steps at a late time would drown in rounding. Its sums may exceed the
  /// end by rounding, where an FMU must not be evaluated.
  [[nodiscard]] double time_of(double tau) const { return std::min(base_s + tau, stop_s); }

  int answer(Answer given, const double* values, std::size_t count) {
    if (given == Answer::failed) return -1;
    if (given == Answer::ok && all_finite(values, count)) return 0;
    return ++refusals < max_refusals ? 1 : -1;
  }
  int rates_at(double tau, const double* x, double* rates) {
    if (state_count == 0) {
      rates[0] = 0.0;
      return 0;
    }
    return answer(system.derivatives(time_of(tau), x, rates), rates, state_count);
  }

  static int evaluate(double tau, N_Vector x, N_Vector rates, void* self) noexcept {
    return static_cast<Impl*>(self)->rates_at(tau, N_VGetArrayPointer(x), N_VGetArrayPointer(rates));
  }

  static int evaluate_indicators(double tau, N_Vector x, double* z, void* self) noexcept {
    auto& impl = *static_cast<Impl*>(self);
    const Answer given = impl.system.indicators(impl.time_of(tau), N_VGetArrayPointer(x), z);
    if (given != Answer::ok) return -1;
    for (std::size_t i = 0; i < impl.indicator_count; ++i) {
      if (!std::isfinite(z[i])) return -1;
      if (std::abs(z[i]) < least_indicator) z[i] = z[i] > 0.0 ? least_indicator : -least_indicator;
    }
    return 0;
  }

  /// As the FMU knows it, else by forward differences with √ε of the state, or of its size that tolerances name.
  static int evaluate_jacobian(double tau, N_Vector state, N_Vector rate, SUNMatrix jacobian, void* self,
                               N_Vector scratch, N_Vector, N_Vector) noexcept {
    auto& impl = *static_cast<Impl*>(self);
    double* x = N_VGetArrayPointer(state);
    double* columns = SUNDenseMatrix_Data(jacobian);
    if (impl.state_count == 0) {
      columns[0] = 0.0;
      return 0;
    }
    const std::size_t n = impl.size;
    if (impl.system.has_jacobian())
      return impl.answer(impl.system.jacobian(impl.time_of(tau), x, columns), columns, n * n);
    const double* f = N_VGetArrayPointer(rate);
    double* shifted = N_VGetArrayPointer(scratch);
    const double* tolerances = N_VGetArrayPointer(impl.tolerance.get());
    const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    for (std::size_t j = 0; j < n; ++j) {
      const double kept = x[j];
      x[j] += root_epsilon * std::max(std::abs(kept), tolerances[j] / impl.rtol);
      const double increment = x[j] - kept;
      const int refused = impl.rates_at(tau, x, shifted);
      x[j] = kept;
      if (refused != 0) return refused;
      for (std::size_t i = 0; i < n; ++i) columns[j * n + i] = (shifted[i] - f[i]) / increment;
    }
    return 0;
  }

  ExchangeSystem& system;
  std::size_t state_count;
  std::size_t size;  ///< one state that rests where there is none: indicators change with time, too
  std::size_t indicator_count;
  SUNContext raw_context = nullptr;
  numerics::SundialsContext context;  // declared first: it outlives what is made with it
  numerics::SundialsVector y;
  numerics::SundialsVector tolerance;
  numerics::SundialsMatrix matrix;
  numerics::SundialsLinearSolver dense;
  void* memory = nullptr;
  std::vector<int> roots;
  double base_s = 0.0;
  double stop_s = 0.0;
  double rtol = 1e-6;
  int refusals = 0;
};

ExchangeSolver::ExchangeSolver(ExchangeSystem& system, std::size_t states, std::size_t indicators)
    : impl_(std::make_unique<Impl>(system, states, indicators)) {}
ExchangeSolver::~ExchangeSolver() = default;

bool ExchangeSolver::restart(double t, std::span<const double> x, double rtol,
                             std::span<const double> tolerances, double first_step_s) {
  Impl& impl = *impl_;
  if (!all_finite(x.data(), x.size())) return false;
  std::copy(x.begin(), x.end(), N_VGetArrayPointer(impl.y.get()));
  std::copy(tolerances.begin(), tolerances.end(), N_VGetArrayPointer(impl.tolerance.get()));
  impl.base_s = t;
  impl.rtol = rtol;
  return CVodeReInit(impl.memory, 0.0, impl.y.get()) == CV_SUCCESS &&
         CVodeSetInitStep(impl.memory, first_step_s) == CV_SUCCESS &&
         CVodeSVtolerances(impl.memory, rtol, impl.tolerance.get()) == CV_SUCCESS;
}

ExchangeSolver::Outcome ExchangeSolver::advance(double stop_s) {
  Impl& impl = *impl_;
  impl.stop_s = stop_s;
  impl.refusals = 0;
  const double stop_tau = stop_s - impl.base_s;
  double tau = 0.0;
  int flag = CVodeSetStopTime(impl.memory, stop_tau);
  if (flag == CV_SUCCESS) flag = CVode(impl.memory, stop_tau, impl.y.get(), &tau, CV_ONE_STEP);
  // What is left is within rounding.
  if (flag == CV_TOO_CLOSE) return {true, false, stop_s, ""};
  if (flag < 0) return {false, false, impl.time_of(tau), reason_of(flag, impl.refusals > 0)};
  const bool is_at_root = flag == CV_ROOT_RETURN;
  if (is_at_root) (void)CVodeGetRootInfo(impl.memory, impl.roots.data());
  return {true, is_at_root, flag == CV_TSTOP_RETURN ? stop_s : impl.time_of(tau), ""};
}

std::span<const double> ExchangeSolver::state() const {
  return {N_VGetArrayPointer(impl_->y.get()), impl_->state_count};
}

std::span<const int> ExchangeSolver::roots() const {
  return impl_->roots;
}

}  // namespace ergon::fmi
