/* exchange.h as an FMU of FMI 2.0. */
#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"

#include "exchange.h"

typedef struct {
  State state;
  fmi2CallbackFunctions callbacks;
  char name[64];
} Instance;

#define STATE (&((Instance*)c)->state)
/* A call that is not legal here, and says so. */
#define REQUIRE(modes, call)                                                                           \
  do {                                                                                                 \
    if (!is_legal(STATE, (modes))) return complain(c, call " is not legal in this mode", STATE->mode); \
  } while (0)

static fmi2Status complain(fmi2Component c, const char* what, double number) {
  Instance* fmu = c;
  fmu->callbacks.logger(fmu->callbacks.componentEnvironment, fmu->name, fmi2Error, "rules", "%s (%g)", what,
                        number);
  return fmi2Error;
}

const char* fmi2GetTypesPlatform(void) {
  return "default";
}
const char* fmi2GetVersion(void) {
  return "2.0";
}
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
  (void)guid, (void)resources, (void)visible, (void)logging;
  if (type != fmi2ModelExchange) return NULL;
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  fmu->callbacks = *functions;
  snprintf(fmu->name, sizeof fmu->name, "%s", name);
  fmu->state.stop_time = DBL_MAX;
  start(&fmu->state);
  return fmu;
}
void fmi2FreeInstance(fmi2Component c) {
  free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real t0,
                               fmi2Boolean has_stop, fmi2Real stop) {
  REQUIRE(IN(INSTANTIATED), "SetupExperiment");
  if (!defined) return complain(c, "no tolerance", tolerance);
  STATE->tolerance = tolerance;
  STATE->time = STATE->completed_time = t0;
  if (has_stop) STATE->stop_time = stop;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  REQUIRE(IN(INSTANTIATED), "EnterInitializationMode");
  STATE->mode = INITIALIZATION;
  begin(STATE);
  return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  REQUIRE(IN(INITIALIZATION), "ExitInitializationMode");
  STATE->mode = EVENT;
  return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) {
  REQUIRE(IN(EVENT) | IN(CONTINUOUS), "Terminate");
  STATE->mode = TERMINATED;
  return fmi2OK;
}
fmi2Status fmi2Reset(fmi2Component c) {
  memset(STATE, 0, sizeof(State));
  STATE->stop_time = DBL_MAX;
  start(STATE);
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
  REQUIRE(IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT) | IN(CONTINUOUS), "SetReal");
  for (size_t i = 0; i < n; ++i) STATE->real[vr[i]] = values[i];
  return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
  REQUIRE(ANY_TIME, "GetReal");
  for (size_t i = 0; i < n; ++i) values[i] = real_of(STATE, vr[i]);
  return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Integer values[]) {
  REQUIRE(IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT), "SetInteger");
  for (size_t i = 0; i < n; ++i) STATE->integer[vr[i]] = values[i];
  return fmi2OK;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                          const fmi2Boolean values[]) {
  (void)vr, (void)n, (void)values;
  return complain(c, "SetBoolean: there is nothing to set", 0.0);
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer values[]) {
  REQUIRE(ANY_TIME, "GetInteger");
  for (size_t i = 0; i < n; ++i) values[i] = STATE->integer[vr[i]];
  return fmi2OK;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean values[]) {
  return fmi2GetInteger(c, vr, n, values);
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  REQUIRE(ANY_TIME, "GetFMUstate");
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi2Error;
  memcpy(*state, STATE, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(STATE, state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(State);
  return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  if (size != sizeof(State)) return complain(c, "not a state", (double)size);
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi2Error;
  memcpy(*state, bytes, size);
  return fmi2OK;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[],
                                        size_t n_unknowns, const fmi2ValueReference knowns[], size_t n_knowns,
                                        const fmi2Real seed[], fmi2Real changes[]) {
  REQUIRE(ANY_TIME, "GetDirectionalDerivative");
  if (!HAS_DERIVATIVES) return complain(c, "it has no derivatives", 0.0);
  for (size_t i = 0; i < n_unknowns; ++i) {
    changes[i] = 0.0;
    for (size_t j = 0; j < n_knowns; ++j) changes[i] += change_of(STATE, unknowns[i], knowns[j]) * seed[j];
  }
  return fmi2OK;
}

/* Model exchange */
fmi2Status fmi2EnterEventMode(fmi2Component c) {
  REQUIRE(IN(CONTINUOUS), "EnterEventMode");
  STATE->mode = EVENT;
  STATE->updates = 0;
  return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  REQUIRE(IN(EVENT), "NewDiscreteStates");
  Update u = {0};
  update(STATE, &u);
  *info = (fmi2EventInfo){u.needs_another,  u.terminate,          u.nominals_changed,
                          u.states_changed, u.next_event_defined, u.next_event_time};
  return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  REQUIRE(IN(EVENT), "EnterContinuousTimeMode");
  STATE->mode = CONTINUOUS;
  return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_rollback, fmi2Boolean* event,
                                       fmi2Boolean* terminate) {
  (void)no_rollback;
  REQUIRE(IN(CONTINUOUS), "CompletedIntegratorStep");
  if (STATE->time < STATE->completed_time)
    return complain(c, "a completed step before the last one", STATE->time);
  STATE->completed_time = STATE->time;
  *event = wants_event(STATE);
  *terminate = 0;
#ifdef HAS_FAULTS
  *terminate = has(STATE, RELAY_TERMINATE);
#endif
  return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  REQUIRE(IN(CONTINUOUS), "SetTime");
  if (is_late(STATE, time)) return complain(c, "beyond the stop time", time);
  if (time < STATE->completed_time) return complain(c, "before the last completed step", time);
  STATE->time = time;
  return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  REQUIRE(IN(CONTINUOUS), "SetContinuousStates");
  if (n != NX) return complain(c, "wrong number of states", (double)n);
#ifdef HAS_FAULTS
  if (has(STATE, RELAY_DISCARD)) return fmi2Discard;
#endif
  memcpy(STATE->state, x, n * sizeof *x);
  return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n) {
  REQUIRE(ANY_TIME, "GetDerivatives");
  if (n != NX) return complain(c, "wrong number of derivatives", (double)n);
#ifdef HAS_FAULTS
  if (has(STATE, RELAY_ERROR)) return complain(c, "this derivative cannot be had", STATE->time);
#endif
  rates(STATE, dx);
  return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) {
  REQUIRE(ANY_TIME, "GetEventIndicators");
  if (n != NZ) return complain(c, "wrong number of indicators", (double)n);
  indicators(STATE, z);
  return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  REQUIRE(ANY_TIME, "GetContinuousStates");
  if (n != NX) return complain(c, "wrong number of states", (double)n);
  memcpy(x, STATE->state, n * sizeof *x);
  return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  REQUIRE(ANY_TIME, "GetNominalsOfContinuousStates");
  if (n != NX) return complain(c, "wrong number of nominal values", (double)n);
  nominals(STATE, x);
  return fmi2OK;
}
