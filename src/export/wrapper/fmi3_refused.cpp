// Functions that every FMU of FMI 3.0 must have and this one has no use for: variables of other types, clocks, structural
// parameters, model exchange, scheduled execution. Each answers with an error and says why.
#include "ergon/export/wrapper/fmi3_component.hpp"

namespace {

fmi3Status refused(fmi3Instance i, const char* message) {
  return ergon::guarded3(i, [&](ergon::Component3& fmu) { return fmu.instance->refuse(message); });
}
/// To get or set no variable at all is not a mistake.
fmi3Status no_variables(fmi3Instance i, size_t n, const char* message) {
  return n == 0 && i != nullptr ? fmi3OK : refused(i, message);
}

}  // namespace

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log_message) {
  if (log_message != nullptr)
    log_message(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation");
  return nullptr;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log_message, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  if (log_message != nullptr)
    log_message(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation");
  return nullptr;
}

#define ERGON_NO_VARIABLES(T)                                                                            \
  fmi3Status fmi3Get##T(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3##T[], size_t) {       \
    return no_variables(i, n, "this FMU has no variables of type " #T);                                  \
  }                                                                                                      \
  fmi3Status fmi3Set##T(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3##T[], size_t) { \
    return no_variables(i, n, "this FMU has no variables of type " #T);                                  \
  }
ERGON_NO_VARIABLES(Float32)
ERGON_NO_VARIABLES(Int8)
ERGON_NO_VARIABLES(UInt8)
ERGON_NO_VARIABLES(Int16)
ERGON_NO_VARIABLES(UInt16)
ERGON_NO_VARIABLES(Int32)
ERGON_NO_VARIABLES(UInt32)
ERGON_NO_VARIABLES(UInt64)
ERGON_NO_VARIABLES(String)

fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference[], size_t n, size_t[], fmi3Binary[],
                         size_t) {
  return no_variables(i, n, "this FMU has no variables of type Binary");
}
fmi3Status fmi3GetClock(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3Clock[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference[], size_t n, const size_t[],
                         const fmi3Binary[], size_t) {
  return no_variables(i, n, "this FMU has no variables of type Binary");
}
fmi3Status fmi3SetClock(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3Clock[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance i, fmi3ValueReference, size_t*) {
  return refused(i, "this FMU gives no dependencies per element");
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance i, fmi3ValueReference, size_t[], fmi3ValueReference[],
                                       size_t[], fmi3DependencyKind[], size_t) {
  return refused(i, "this FMU gives no dependencies per element");
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance i) {
  return refused(i, "this FMU has no structural parameters");
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance i) {
  return refused(i, "this FMU has no structural parameters");
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3Float64[],
                                  fmi3IntervalQualifier[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3UInt64[],
                                   fmi3UInt64[], fmi3IntervalQualifier[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3Float64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3GetShiftFraction(fmi3Instance i, const fmi3ValueReference[], size_t n, fmi3UInt64[],
                                fmi3UInt64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3Float64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3UInt64[],
                                   const fmi3UInt64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3Float64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3SetShiftFraction(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3UInt64[],
                                const fmi3UInt64[]) {
  return no_variables(i, n, "this FMU has no clocks");
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i) {
  return refused(i, "this FMU has no discrete states");
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance i) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean, fmi3Boolean*, fmi3Boolean*) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3SetContinuousStates(fmi3Instance i, const fmi3Float64[], size_t) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance i, fmi3Float64[], size_t) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetEventIndicators(fmi3Instance i, fmi3Float64[], size_t) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetContinuousStates(fmi3Instance i, fmi3Float64[], size_t) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance i, fmi3Float64[], size_t) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance i, size_t*) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t*) {
  return refused(i, "this FMU is for co-simulation");
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference[], size_t n, const fmi3Int32[],
                                    fmi3Float64[], size_t) {
  return no_variables(i, n, "this FMU gives no derivatives of outputs by time");
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance i, fmi3ValueReference, fmi3Float64) {
  return refused(i, "this FMU is for co-simulation");
}
