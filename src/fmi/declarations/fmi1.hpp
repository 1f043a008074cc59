/* The C interface of FMI 1.0 for co-simulation (stand-alone slaves): types, function types and names of the 22 functions. Plain C,
   so that FMUs written in C include it, too. Functions of FMI 1.0 carry the model identifier as a prefix: with
   ERGON_FMI1_PREFIX defined (`#define ERGON_FMI1_PREFIX kit1_fmi`) they are declared under those names, without it there are the types
   alone. Types are called fmi1… here, so that they can stand beside those of FMI 2 and 3. */
#ifndef ERGON_FMI_DECLARATIONS_FMI1_HPP
#define ERGON_FMI_DECLARATIONS_FMI1_HPP

/* The names are those of the standard, the language is C. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming) */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi1Component;
typedef unsigned int fmi1ValueReference;
typedef double fmi1Real;
typedef int fmi1Integer;
typedef char fmi1Boolean; /* one byte; four bytes in FMI 2 */
typedef const char* fmi1String;

#define fmi1True 1
#define fmi1False 0
#define fmi1UndefinedValueReference 0xFFFFFFFFU

typedef enum { fmi1OK, fmi1Warning, fmi1Discard, fmi1Error, fmi1Fatal, fmi1Pending } fmi1Status;
typedef enum { fmi1DoStepStatus, fmi1PendingStatus, fmi1LastSuccessfulTime } fmi1StatusKind;

/* There is no environment: who speaks is known by the instance name alone. */
typedef void (*fmi1CallbackLogger)(fmi1Component c, fmi1String instance_name, fmi1Status status,
                                   fmi1String category, fmi1String message, ...);
typedef void* (*fmi1CallbackAllocateMemory)(size_t count, size_t size);
typedef void (*fmi1CallbackFreeMemory)(void* memory);
typedef void (*fmi1StepFinished)(fmi1Component c, fmi1Status status);

/* Passed by value. The structure of model exchange has three members only. */
typedef struct {
  fmi1CallbackLogger logger;
  fmi1CallbackAllocateMemory allocateMemory;
  fmi1CallbackFreeMemory freeMemory;
  fmi1StepFinished stepFinished; /* null: steps are synchronous */
} fmi1CallbackFunctions;

/* clang-format off */
typedef const char*   fmi1GetTypesPlatformTYPE(void);
typedef const char*   fmi1GetVersionTYPE(void);
typedef fmi1Status    fmi1SetDebugLoggingTYPE(fmi1Component c, fmi1Boolean on);

typedef fmi1Component fmi1InstantiateSlaveTYPE(fmi1String instance_name, fmi1String guid, fmi1String fmu_location,
                                               fmi1String mime_type, fmi1Real timeout_ms, fmi1Boolean visible,
                                               fmi1Boolean interactive, fmi1CallbackFunctions functions, fmi1Boolean logging_on);
typedef fmi1Status    fmi1InitializeSlaveTYPE(fmi1Component c, fmi1Real start_time, fmi1Boolean stop_time_defined, fmi1Real stop_time);
typedef fmi1Status    fmi1TerminateSlaveTYPE(fmi1Component c);
typedef fmi1Status    fmi1ResetSlaveTYPE(fmi1Component c);
typedef void          fmi1FreeSlaveInstanceTYPE(fmi1Component c);

typedef fmi1Status    fmi1GetRealTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Real values[]);
typedef fmi1Status    fmi1GetIntegerTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Integer values[]);
typedef fmi1Status    fmi1GetBooleanTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1Boolean values[]);
typedef fmi1Status    fmi1GetStringTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1String values[]);
typedef fmi1Status    fmi1SetRealTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Real values[]);
typedef fmi1Status    fmi1SetIntegerTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Integer values[]);
typedef fmi1Status    fmi1SetBooleanTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1Boolean values[]);
typedef fmi1Status    fmi1SetStringTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1String values[]);
typedef fmi1Status    fmi1SetRealInputDerivativesTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                                      const fmi1Integer order[], const fmi1Real values[]);
typedef fmi1Status    fmi1GetRealOutputDerivativesTYPE(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                                       const fmi1Integer order[], fmi1Real values[]);

typedef fmi1Status    fmi1DoStepTYPE(fmi1Component c, fmi1Real current_communication_point, fmi1Real step_size,
                                     fmi1Boolean new_step);
typedef fmi1Status    fmi1CancelStepTYPE(fmi1Component c);
typedef fmi1Status    fmi1GetStatusTYPE(fmi1Component c, const fmi1StatusKind kind, fmi1Status* value);
typedef fmi1Status    fmi1GetRealStatusTYPE(fmi1Component c, const fmi1StatusKind kind, fmi1Real* value);

/* ERGON_FMI1_FUNCTIONS(X): X(name) for each function, "DoStep" for <model identifier>_fmiDoStep, in the order above. */
#define ERGON_FMI1_FUNCTIONS(X)                                                                        \
  X(GetTypesPlatform) X(GetVersion) X(SetDebugLogging)                                                 \
  X(InstantiateSlave) X(InitializeSlave) X(TerminateSlave) X(ResetSlave) X(FreeSlaveInstance)          \
  X(GetReal) X(GetInteger) X(GetBoolean) X(GetString)                                                  \
  X(SetReal) X(SetInteger) X(SetBoolean) X(SetString)                                                  \
  X(SetRealInputDerivatives) X(GetRealOutputDerivatives)                                               \
  X(DoStep) X(CancelStep) X(GetStatus) X(GetRealStatus)
/* clang-format on */

#ifdef ERGON_FMI1_PREFIX
#define ERGON_FMI1_JOIN(prefix, name) prefix##name
#define ERGON_FMI1_NAME(prefix, name) ERGON_FMI1_JOIN(prefix, name)
#define ERGON_FMI1_PROTOTYPE(name) \
  __attribute__((visibility("default"))) fmi1##name##TYPE ERGON_FMI1_NAME(ERGON_FMI1_PREFIX, name);
ERGON_FMI1_FUNCTIONS(ERGON_FMI1_PROTOTYPE)
#undef ERGON_FMI1_PROTOTYPE
#endif

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif
