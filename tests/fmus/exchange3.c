/* exchange.h as an FMU of FMI 3.0. */
#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

#include "exchange.h"

typedef struct {
  State state;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} Instance;

#define STATE (&((Instance*)c)->state)
/* A call that is not legal here, and says so. */
#define REQUIRE(modes, call)                                                                           \
  do {                                                                                                 \
    if (!is_legal(STATE, (modes))) return complain(c, call " is not legal in this mode", STATE->mode); \
  } while (0)

static fmi3Status complain(fmi3Instance c, const char* what, double number) {
  Instance* fmu = c;
  char text[128];
  snprintf(text, sizeof text, "%s (%g)", what, number);
  fmu->log(fmu->environment, fmi3Error, "rules", text);
  return fmi3Error;
}

const char* fmi3GetVersion(void) {
  return "3.0";
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  fmu->environment = environment;
  fmu->log = log;
  fmu->state.stop_time = DBL_MAX;
  start(&fmu->state);
  return fmu;
}
void fmi3FreeInstance(fmi3Instance c) {
  free(c);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance,
                                       fmi3Float64 t0, fmi3Boolean has_stop, fmi3Float64 stop) {
  REQUIRE(IN(INSTANTIATED), "EnterInitializationMode");
  if (!defined) return complain(c, "no tolerance", tolerance);
  STATE->tolerance = tolerance;
  STATE->time = STATE->completed_time = t0;
  if (has_stop) STATE->stop_time = stop;
  STATE->mode = INITIALIZATION;
  begin(STATE);
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  REQUIRE(IN(INITIALIZATION), "ExitInitializationMode");
  STATE->mode = EVENT;
  return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance c) {
  REQUIRE(IN(EVENT) | IN(CONTINUOUS), "Terminate");
  STATE->mode = TERMINATED;
  return fmi3OK;
}
fmi3Status fmi3Reset(fmi3Instance c) {
  memset(STATE, 0, sizeof(State));
  STATE->stop_time = DBL_MAX;
  start(STATE);
  return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t n_values) {
  REQUIRE(IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT) | IN(CONTINUOUS), "SetFloat64");
  (void)n_values;
  for (size_t i = 0; i < n; ++i) STATE->real[vr[i]] = values[i];
  return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t n_values) {
  REQUIRE(ANY_TIME, "GetFloat64");
  (void)n_values;
  for (size_t i = 0; i < n; ++i) values[i] = real_of(STATE, vr[i]);
  return fmi3OK;
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 values[],
                        size_t n_values) {
  REQUIRE(IN(INSTANTIATED) | IN(INITIALIZATION) | IN(EVENT), "SetInt32");
  (void)n_values;
  for (size_t i = 0; i < n; ++i) STATE->integer[vr[i] - 100] = values[i];
  return fmi3OK;
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 values[],
                        size_t n_values) {
  (void)n_values;
  REQUIRE(ANY_TIME, "GetInt32");
  for (size_t i = 0; i < n; ++i) values[i] = STATE->integer[vr[i] - 100];
  return fmi3OK;
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Boolean values[],
                          size_t n_values) {
  (void)n_values;
  REQUIRE(ANY_TIME, "GetBoolean");
  for (size_t i = 0; i < n; ++i) values[i] = STATE->integer[vr[i] - 100] != 0;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  (void)c;
  *n = NX;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  (void)c;
  *n = NZ;
  return fmi3OK;
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  REQUIRE(ANY_TIME, "GetFMUState");
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi3Error;
  memcpy(*state, STATE, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  memcpy(STATE, state, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi3OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(State);
  return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  if (size != sizeof(State)) return complain(c, "not a state", (double)size);
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi3Error;
  memcpy(*state, bytes, size);
  return fmi3OK;
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
                                        const fmi3Float64 seed[], size_t n_seed, fmi3Float64 changes[],
                                        size_t n_changes) {
  REQUIRE(ANY_TIME, "GetDirectionalDerivative");
  (void)n_seed, (void)n_changes;
  if (!HAS_DERIVATIVES) return complain(c, "it has no derivatives", 0.0);
  for (size_t i = 0; i < n_unknowns; ++i) {
    changes[i] = 0.0;
    for (size_t j = 0; j < n_knowns; ++j) changes[i] += change_of(STATE, unknowns[i], knowns[j]) * seed[j];
  }
  return fmi3OK;
}

/* Model exchange */
fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  REQUIRE(IN(CONTINUOUS), "EnterEventMode");
  STATE->mode = EVENT;
  STATE->updates = 0;
  return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* needs_another, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
                                    fmi3Boolean* next_event_defined, fmi3Float64* next_event_time) {
  REQUIRE(IN(EVENT), "UpdateDiscreteStates");
  Update u = {0};
  update(STATE, &u);
  *needs_another = u.needs_another;
  *terminate = u.terminate;
  *nominals_changed = u.nominals_changed;
  *states_changed = u.states_changed;
  *next_event_defined = u.next_event_defined;
  *next_event_time = u.next_event_time;
  return fmi3OK;
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  REQUIRE(IN(EVENT), "EnterContinuousTimeMode");
  STATE->mode = CONTINUOUS;
  return fmi3OK;
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_rollback, fmi3Boolean* event,
                                       fmi3Boolean* terminate) {
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
  return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  REQUIRE(IN(CONTINUOUS), "SetTime");
  if (is_late(STATE, time)) return complain(c, "beyond the stop time", time);
  if (time < STATE->completed_time) return complain(c, "before the last completed step", time);
  STATE->time = time;
  return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  REQUIRE(IN(CONTINUOUS), "SetContinuousStates");
  if (n != NX) return complain(c, "wrong number of states", (double)n);
#ifdef HAS_FAULTS
  if (has(STATE, RELAY_DISCARD)) return fmi3Discard;
#endif
  memcpy(STATE->state, x, n * sizeof *x);
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n) {
  REQUIRE(ANY_TIME, "GetDerivatives");
  if (n != NX) return complain(c, "wrong number of derivatives", (double)n);
#ifdef HAS_FAULTS
  if (has(STATE, RELAY_ERROR)) return complain(c, "this derivative cannot be had", STATE->time);
#endif
  rates(STATE, dx);
  return fmi3OK;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 z[], size_t n) {
  REQUIRE(ANY_TIME, "GetEventIndicators");
  if (n != NZ) return complain(c, "wrong number of indicators", (double)n);
  indicators(STATE, z);
  return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  REQUIRE(ANY_TIME, "GetContinuousStates");
  if (n != NX) return complain(c, "wrong number of states", (double)n);
  memcpy(x, STATE->state, n * sizeof *x);
  return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  REQUIRE(ANY_TIME, "GetNominalsOfContinuousStates");
  if (n != NX) return complain(c, "wrong number of nominal values", (double)n);
  nominals(STATE, x);
  return fmi3OK;
}
