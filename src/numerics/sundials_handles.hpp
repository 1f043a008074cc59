#pragma once

// Owners of SUNDIALS objects. For .cpp files only: this header pulls in SUNDIALS.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <memory>
#include <new>
#include <type_traits>

namespace ergon::numerics {

namespace sundials_detail {

struct Release {
  void operator()(SUNContext context) const noexcept { SUNContext_Free(&context); }
  void operator()(N_Vector vector) const noexcept { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const noexcept { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const noexcept { SUNLinSolFree(solver); }
  void operator()(SUNNonlinearSolver solver) const noexcept { SUNNonlinSolFree(solver); }
};

template <typename Pointer>
using Owner = std::unique_ptr<std::remove_pointer_t<Pointer>, Release>;

}  // namespace sundials_detail

using SundialsContext = sundials_detail::Owner<SUNContext>;
using SundialsVector = sundials_detail::Owner<N_Vector>;
using SundialsMatrix = sundials_detail::Owner<SUNMatrix>;
using SundialsLinearSolver = sundials_detail::Owner<SUNLinearSolver>;
using SundialsNonlinearSolver = sundials_detail::Owner<SUNNonlinearSolver>;

/// One context per solver: a context shared between threads would be a race.
inline SundialsContext make_sundials_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return SundialsContext(context);
}

/// SUNDIALS reports a failed creation or set-up by a null pointer or a flag; with arguments we have checked
/// ourselves that leaves the lack of memory.
template <typename T>
T* require_created(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

inline void require_success(int flag) {
  if (flag != 0) throw std::bad_alloc();
}

/// Keeps SUNDIALS from writing to stderr: every failure is reported by the caller's return value.
inline void ignore_sundials_message(int, const char*, const char*, char*, void*) noexcept {}

}  // namespace ergon::numerics
