/* The C interface of FMI 2.0: types, function types and names of the 34 functions that co-simulation has, and of the 10 that model
   exchange adds. Plain C, so that FMUs
   written in C include it, too. Nothing here is exported by itself: with ERGON_FMI2_PROTOTYPES defined the functions are
   declared (an FMU defines them), without it there are the types alone (an importer looks the functions up by name). */
#ifndef ERGON_FMI_DECLARATIONS_FMI2_HPP
#define ERGON_FMI_DECLARATIONS_FMI2_HPP

/* The names are those of the standard, the language is C. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming) */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean; /* four bytes; one byte in FMI 3 */
typedef char fmi2Char;
typedef const fmi2Char* fmi2String; /* UTF-8, ends with NUL */
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment, fmi2String instance_name,
                                   fmi2Status status, fmi2String category, fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t count, size_t size);
typedef void (*fmi2CallbackFreeMemory)(void* memory);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);

typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished; /* may be null */
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* What an event of model exchange came to. */
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

/* clang-format off */
typedef const char*   fmi2GetTypesPlatformTYPE(void);
typedef const char*   fmi2GetVersionTYPE(void);
typedef fmi2Status    fmi2SetDebugLoggingTYPE(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]);

typedef fmi2Component fmi2InstantiateTYPE(fmi2String instance_name, fmi2Type type, fmi2String guid, fmi2String resource_uri,
                                          const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging_on);
typedef void          fmi2FreeInstanceTYPE(fmi2Component c);
typedef fmi2Status    fmi2SetupExperimentTYPE(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                              fmi2Real start_time, fmi2Boolean stop_time_defined, fmi2Real stop_time);
typedef fmi2Status    fmi2EnterInitializationModeTYPE(fmi2Component c);
typedef fmi2Status    fmi2ExitInitializationModeTYPE(fmi2Component c);
typedef fmi2Status    fmi2TerminateTYPE(fmi2Component c);
typedef fmi2Status    fmi2ResetTYPE(fmi2Component c);

typedef fmi2Status    fmi2GetRealTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]);
typedef fmi2Status    fmi2GetIntegerTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer values[]);
typedef fmi2Status    fmi2GetBooleanTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean values[]);
typedef fmi2Status    fmi2GetStringTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String values[]);
typedef fmi2Status    fmi2SetRealTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]);
typedef fmi2Status    fmi2SetIntegerTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer values[]);
typedef fmi2Status    fmi2SetBooleanTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean values[]);
typedef fmi2Status    fmi2SetStringTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String values[]);

typedef fmi2Status    fmi2GetFMUstateTYPE(fmi2Component c, fmi2FMUstate* state);
typedef fmi2Status    fmi2SetFMUstateTYPE(fmi2Component c, fmi2FMUstate state);
typedef fmi2Status    fmi2FreeFMUstateTYPE(fmi2Component c, fmi2FMUstate* state);
typedef fmi2Status    fmi2SerializedFMUstateSizeTYPE(fmi2Component c, fmi2FMUstate state, size_t* size);
typedef fmi2Status    fmi2SerializeFMUstateTYPE(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
typedef fmi2Status    fmi2DeSerializeFMUstateTYPE(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state);
typedef fmi2Status    fmi2GetDirectionalDerivativeTYPE(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                                       const fmi2ValueReference knowns[], size_t n_knowns,
                                                       const fmi2Real known_change[], fmi2Real unknown_change[]);

typedef fmi2Status    fmi2SetRealInputDerivativesTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                      const fmi2Integer order[], const fmi2Real values[]);
typedef fmi2Status    fmi2GetRealOutputDerivativesTYPE(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                       const fmi2Integer order[], fmi2Real values[]);
typedef fmi2Status    fmi2DoStepTYPE(fmi2Component c, fmi2Real current_communication_point, fmi2Real step_size,
                                     fmi2Boolean no_set_fmu_state_prior_to_current_point);
typedef fmi2Status    fmi2CancelStepTYPE(fmi2Component c);
typedef fmi2Status    fmi2GetStatusTYPE(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value);
typedef fmi2Status    fmi2GetRealStatusTYPE(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value);
typedef fmi2Status    fmi2GetIntegerStatusTYPE(fmi2Component c, const fmi2StatusKind kind, fmi2Integer* value);
typedef fmi2Status    fmi2GetBooleanStatusTYPE(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value);
typedef fmi2Status    fmi2GetStringStatusTYPE(fmi2Component c, const fmi2StatusKind kind, fmi2String* value);

typedef fmi2Status    fmi2EnterEventModeTYPE(fmi2Component c);
typedef fmi2Status    fmi2NewDiscreteStatesTYPE(fmi2Component c, fmi2EventInfo* info);
typedef fmi2Status    fmi2EnterContinuousTimeModeTYPE(fmi2Component c);
typedef fmi2Status    fmi2CompletedIntegratorStepTYPE(fmi2Component c, fmi2Boolean no_set_fmu_state_prior_to_current_point,
                                                      fmi2Boolean* enter_event_mode, fmi2Boolean* terminate_simulation);
typedef fmi2Status    fmi2SetTimeTYPE(fmi2Component c, fmi2Real time);
typedef fmi2Status    fmi2SetContinuousStatesTYPE(fmi2Component c, const fmi2Real states[], size_t n);
typedef fmi2Status    fmi2GetDerivativesTYPE(fmi2Component c, fmi2Real derivatives[], size_t n);
typedef fmi2Status    fmi2GetEventIndicatorsTYPE(fmi2Component c, fmi2Real indicators[], size_t n);
typedef fmi2Status    fmi2GetContinuousStatesTYPE(fmi2Component c, fmi2Real states[], size_t n);
typedef fmi2Status    fmi2GetNominalsOfContinuousStatesTYPE(fmi2Component c, fmi2Real nominals[], size_t n);

/* ERGON_FMI2_FUNCTIONS(X): X(name) for each function, "DoStep" for fmi2DoStep, in the order above. */
#define ERGON_FMI2_FUNCTIONS(X)                                                                        \
  X(GetTypesPlatform) X(GetVersion) X(SetDebugLogging) X(Instantiate) X(FreeInstance)                  \
  X(SetupExperiment) X(EnterInitializationMode) X(ExitInitializationMode) X(Terminate) X(Reset)        \
  X(GetReal) X(GetInteger) X(GetBoolean) X(GetString)                                                  \
  X(SetReal) X(SetInteger) X(SetBoolean) X(SetString)                                                  \
  X(GetFMUstate) X(SetFMUstate) X(FreeFMUstate)                                                        \
  X(SerializedFMUstateSize) X(SerializeFMUstate) X(DeSerializeFMUstate) X(GetDirectionalDerivative)    \
  X(SetRealInputDerivatives) X(GetRealOutputDerivatives) X(DoStep) X(CancelStep)                       \
  X(GetStatus) X(GetRealStatus) X(GetIntegerStatus) X(GetBooleanStatus) X(GetStringStatus)
/* … and those of model exchange. */
#define ERGON_FMI2_EXCHANGE_FUNCTIONS(X)                                                               \
  X(EnterEventMode) X(NewDiscreteStates) X(EnterContinuousTimeMode) X(CompletedIntegratorStep)         \
  X(SetTime) X(SetContinuousStates) X(GetDerivatives) X(GetEventIndicators)                            \
  X(GetContinuousStates) X(GetNominalsOfContinuousStates)
/* clang-format on */

#ifdef ERGON_FMI2_PROTOTYPES
#define ERGON_FMI2_PROTOTYPE(name) __attribute__((visibility("default"))) fmi2##name##TYPE fmi2##name;
ERGON_FMI2_FUNCTIONS(ERGON_FMI2_PROTOTYPE)
ERGON_FMI2_EXCHANGE_FUNCTIONS(ERGON_FMI2_PROTOTYPE)
#undef ERGON_FMI2_PROTOTYPE
#endif

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif
