/* The C interface of FMI 3.0: types, function types and names of the 75 functions. Plain C, so that FMUs written in C include
   it, too. With ERGON_FMI3_PROTOTYPES defined the functions are declared (an FMU defines them), without it there are the
   types alone (an importer looks the functions up by name). */
#ifndef ERGON_FMI_DECLARATIONS_FMI3_HPP
#define ERGON_FMI_DECLARATIONS_FMI3_HPP

/* The names are those of the standard, the language is C. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming) */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean; /* one byte; four in FMI 2 */
typedef char fmi3Char;
typedef const fmi3Char* fmi3String; /* UTF-8, ends with NUL */
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

/* clang-format off */
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                               fmi3Boolean variable_set_requested, fmi3Boolean variable_get_allowed,
                                               fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                               fmi3Boolean* early_return_requested, fmi3Float64* early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

typedef const char*  fmi3GetVersionTYPE(void);
typedef fmi3Status   fmi3SetDebugLoggingTYPE(fmi3Instance i, fmi3Boolean on, size_t n, const fmi3String categories[]);

typedef fmi3Instance fmi3InstantiateModelExchangeTYPE(fmi3String instance_name, fmi3String instantiation_token, fmi3String resource_path,
                                                      fmi3Boolean visible, fmi3Boolean logging_on,
                                                      fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message);
typedef fmi3Instance fmi3InstantiateCoSimulationTYPE(fmi3String instance_name, fmi3String instantiation_token, fmi3String resource_path,
                                                     fmi3Boolean visible, fmi3Boolean logging_on, fmi3Boolean event_mode_used,
                                                     fmi3Boolean early_return_allowed,
                                                     const fmi3ValueReference required_intermediate_variables[], size_t n,
                                                     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
                                                     fmi3IntermediateUpdateCallback intermediate_update);
typedef fmi3Instance fmi3InstantiateScheduledExecutionTYPE(fmi3String instance_name, fmi3String instantiation_token, fmi3String resource_path,
                                                           fmi3Boolean visible, fmi3Boolean logging_on,
                                                           fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
                                                           fmi3ClockUpdateCallback clock_update,
                                                           fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
typedef void         fmi3FreeInstanceTYPE(fmi3Instance i);

typedef fmi3Status   fmi3EnterInitializationModeTYPE(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                                     fmi3Float64 start_time, fmi3Boolean stop_time_defined, fmi3Float64 stop_time);
typedef fmi3Status   fmi3ExitInitializationModeTYPE(fmi3Instance i);
typedef fmi3Status   fmi3EnterEventModeTYPE(fmi3Instance i);
typedef fmi3Status   fmi3TerminateTYPE(fmi3Instance i);
typedef fmi3Status   fmi3ResetTYPE(fmi3Instance i);

#define ERGON_FMI3_ACCESS(T)                                                                                                   \
  typedef fmi3Status fmi3Get##T##TYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3##T values[], size_t n_values); \
  typedef fmi3Status fmi3Set##T##TYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3##T values[], size_t n_values);
ERGON_FMI3_ACCESS(Float32)
ERGON_FMI3_ACCESS(Float64)
ERGON_FMI3_ACCESS(Int8)
ERGON_FMI3_ACCESS(UInt8)
ERGON_FMI3_ACCESS(Int16)
ERGON_FMI3_ACCESS(UInt16)
ERGON_FMI3_ACCESS(Int32)
ERGON_FMI3_ACCESS(UInt32)
ERGON_FMI3_ACCESS(Int64)
ERGON_FMI3_ACCESS(UInt64)
ERGON_FMI3_ACCESS(Boolean)
ERGON_FMI3_ACCESS(String)
#undef ERGON_FMI3_ACCESS
typedef fmi3Status   fmi3GetBinaryTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary values[], size_t n_values);
typedef fmi3Status   fmi3SetBinaryTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const size_t sizes[], const fmi3Binary values[], size_t n_values);
typedef fmi3Status   fmi3GetClockTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Clock values[]);
typedef fmi3Status   fmi3SetClockTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Clock values[]);

typedef fmi3Status   fmi3GetNumberOfVariableDependenciesTYPE(fmi3Instance i, fmi3ValueReference vr, size_t* n);
typedef fmi3Status   fmi3GetVariableDependenciesTYPE(fmi3Instance i, fmi3ValueReference dependent, size_t element_of_dependent[],
                                                     fmi3ValueReference independents[], size_t element_of_independent[],
                                                     fmi3DependencyKind kinds[], size_t n);

typedef fmi3Status   fmi3GetFMUStateTYPE(fmi3Instance i, fmi3FMUState* state);
typedef fmi3Status   fmi3SetFMUStateTYPE(fmi3Instance i, fmi3FMUState state);
typedef fmi3Status   fmi3FreeFMUStateTYPE(fmi3Instance i, fmi3FMUState* state);
typedef fmi3Status   fmi3SerializedFMUStateSizeTYPE(fmi3Instance i, fmi3FMUState state, size_t* size);
typedef fmi3Status   fmi3SerializeFMUStateTYPE(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size);
typedef fmi3Status   fmi3DeserializeFMUStateTYPE(fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState* state);

typedef fmi3Status   fmi3GetDirectionalDerivativeTYPE(fmi3Instance i, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                                      const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                                      fmi3Float64 sensitivity[], size_t n_sensitivity);
typedef fmi3Status   fmi3GetAdjointDerivativeTYPE(fmi3Instance i, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                                  const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
                                                  fmi3Float64 sensitivity[], size_t n_sensitivity);

typedef fmi3Status   fmi3EnterConfigurationModeTYPE(fmi3Instance i);
typedef fmi3Status   fmi3ExitConfigurationModeTYPE(fmi3Instance i);

typedef fmi3Status   fmi3GetIntervalDecimalTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]);
typedef fmi3Status   fmi3GetIntervalFractionTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]);
typedef fmi3Status   fmi3GetShiftDecimalTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[]);
typedef fmi3Status   fmi3GetShiftFractionTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
typedef fmi3Status   fmi3SetIntervalDecimalTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 intervals[]);
typedef fmi3Status   fmi3SetIntervalFractionTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
typedef fmi3Status   fmi3SetShiftDecimalTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shifts[]);
typedef fmi3Status   fmi3SetShiftFractionTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);

typedef fmi3Status   fmi3EvaluateDiscreteStatesTYPE(fmi3Instance i);
typedef fmi3Status   fmi3UpdateDiscreteStatesTYPE(fmi3Instance i, fmi3Boolean* need_update, fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                                  fmi3Boolean* states_changed, fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time);

typedef fmi3Status   fmi3EnterContinuousTimeModeTYPE(fmi3Instance i);
typedef fmi3Status   fmi3CompletedIntegratorStepTYPE(fmi3Instance i, fmi3Boolean no_set_fmu_state_prior, fmi3Boolean* enter_event_mode, fmi3Boolean* terminate);
typedef fmi3Status   fmi3SetTimeTYPE(fmi3Instance i, fmi3Float64 time);
typedef fmi3Status   fmi3SetContinuousStatesTYPE(fmi3Instance i, const fmi3Float64 states[], size_t n);
typedef fmi3Status   fmi3GetContinuousStateDerivativesTYPE(fmi3Instance i, fmi3Float64 derivatives[], size_t n);
typedef fmi3Status   fmi3GetEventIndicatorsTYPE(fmi3Instance i, fmi3Float64 indicators[], size_t n);
typedef fmi3Status   fmi3GetContinuousStatesTYPE(fmi3Instance i, fmi3Float64 states[], size_t n);
typedef fmi3Status   fmi3GetNominalsOfContinuousStatesTYPE(fmi3Instance i, fmi3Float64 nominals[], size_t n);
typedef fmi3Status   fmi3GetNumberOfEventIndicatorsTYPE(fmi3Instance i, size_t* n);
typedef fmi3Status   fmi3GetNumberOfContinuousStatesTYPE(fmi3Instance i, size_t* n);

typedef fmi3Status   fmi3EnterStepModeTYPE(fmi3Instance i);
typedef fmi3Status   fmi3GetOutputDerivativesTYPE(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values);
typedef fmi3Status   fmi3DoStepTYPE(fmi3Instance i, fmi3Float64 current_communication_point, fmi3Float64 step_size, fmi3Boolean no_set_fmu_state_prior,
                                    fmi3Boolean* event_handling_needed, fmi3Boolean* terminate_simulation, fmi3Boolean* early_return,
                                    fmi3Float64* last_successful_time);
typedef fmi3Status   fmi3ActivateModelPartitionTYPE(fmi3Instance i, fmi3ValueReference clock, fmi3Float64 activation_time);

/* ERGON_FMI3_FUNCTIONS(X): X(name) for each function, "DoStep" for fmi3DoStep. */
#define ERGON_FMI3_FUNCTIONS(X)                                                                                        \
  X(GetVersion) X(SetDebugLogging)                                                                                     \
  X(InstantiateModelExchange) X(InstantiateCoSimulation) X(InstantiateScheduledExecution) X(FreeInstance)              \
  X(EnterInitializationMode) X(ExitInitializationMode) X(EnterEventMode) X(Terminate) X(Reset)                         \
  X(GetFloat32) X(GetFloat64) X(GetInt8) X(GetUInt8) X(GetInt16) X(GetUInt16) X(GetInt32) X(GetUInt32)                 \
  X(GetInt64) X(GetUInt64) X(GetBoolean) X(GetString) X(GetBinary) X(GetClock)                                         \
  X(SetFloat32) X(SetFloat64) X(SetInt8) X(SetUInt8) X(SetInt16) X(SetUInt16) X(SetInt32) X(SetUInt32)                 \
  X(SetInt64) X(SetUInt64) X(SetBoolean) X(SetString) X(SetBinary) X(SetClock)                                         \
  X(GetNumberOfVariableDependencies) X(GetVariableDependencies)                                                        \
  X(GetFMUState) X(SetFMUState) X(FreeFMUState)                                                                        \
  X(SerializedFMUStateSize) X(SerializeFMUState) X(DeserializeFMUState)                                                \
  X(GetDirectionalDerivative) X(GetAdjointDerivative) X(EnterConfigurationMode) X(ExitConfigurationMode)               \
  X(GetIntervalDecimal) X(GetIntervalFraction) X(GetShiftDecimal) X(GetShiftFraction)                                  \
  X(SetIntervalDecimal) X(SetIntervalFraction) X(SetShiftDecimal) X(SetShiftFraction)                                  \
  X(EvaluateDiscreteStates) X(UpdateDiscreteStates)                                                                    \
  X(EnterContinuousTimeMode) X(CompletedIntegratorStep) X(SetTime) X(SetContinuousStates)                              \
  X(GetContinuousStateDerivatives) X(GetEventIndicators) X(GetContinuousStates) X(GetNominalsOfContinuousStates)       \
  X(GetNumberOfEventIndicators) X(GetNumberOfContinuousStates)                                                         \
  X(EnterStepMode) X(GetOutputDerivatives) X(DoStep) X(ActivateModelPartition)
/* clang-format on */

#ifdef ERGON_FMI3_PROTOTYPES
#define ERGON_FMI3_PROTOTYPE(name) __attribute__((visibility("default"))) fmi3##name##TYPE fmi3##name;
ERGON_FMI3_FUNCTIONS(ERGON_FMI3_PROTOTYPE)
#undef ERGON_FMI3_PROTOTYPE
#endif

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif
