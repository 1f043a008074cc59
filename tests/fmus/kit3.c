/* A test FMU of FMI 3.0: a mass on a spring, variables of every type, an array whose length is a structural parameter, a
   periodic clock and event mode. What a variant lacks or does wrong is chosen when it is compiled:
     KIT_FAULT            see faults.h
     KIT_FOLLOWS_INPUTS   asks for its inputs in the middle of a step, and does the second half with them
     KIT_WITHOUT_STATES   has no function for states, none for derivatives
     KIT_WITHOUT_STEP     lacks fmi3DoStep
     KIT_ONLY_ONCE        a second instance in a process is refused
     KIT_SLUGGISH         outputs are those of the last step: an input that is set later does not show, in event mode neither
     KIT_EVENTS           wants event mode in the first step that ends after 0.5 s; its stage then goes from 1 to 2
     KIT_CLOCK            has a periodic input clock of 0.1 s that samples the position
     KIT_FIXED_CLOCK      … whose interval and shift have to be set during initialization
     KIT_COMMITS          commits what is before a step only where nobody will go back there; else it goes on from what it committed
     KIT_OWN_SYMBOLS      has functions of its own with names of common libraries (own_symbols.h), and fails where it meets others
     KIT_STRICT_STOP      refuses a step that ends beyond the stop time it was told, by however little
     KIT_LATE_START       has its outputs at the start only when initialization has ended
     KIT_REFUSES_EVENTS   cannot be instantiated with event mode
     KIT_LICENSED         cannot be instantiated without KIT_LICENCE in the environment
     KIT_CURIOUS          tries files and network when it is instantiated, and tells what worked (curious.h)
   The mass:  v ← v + h·(F − k·x − c·v)/m,  x ← x + h·v  (semi-implicit Euler, one step per communication step). */
#define _POSIX_C_SOURCE 200809L
#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#ifdef KIT_OWN_SYMBOLS
#include "own_symbols.h"
#endif
#ifdef KIT_CURIOUS
#include "curious.h"
#endif

/* Value references: a hundred per type. An array has one, however long it is. */
enum {
  TIME = 0,
  FORCE,
  POSITION,
  VELOCITY,
  MASS,
  STIFFNESS,
  DAMPING,
  X0,
  V0,
  SPRING_FORCE,
  TWICE_FORCE,
  STORED,
  DISSIPATED,
  GAIN,
  SAMPLED,
  REALS
};
enum { ARRAY_IN = 50, ARRAY_OUT, ARRAY_SUM, MATRIX };
enum {
  SINGLE_IN = 100,
  SINGLE_OUT,
  INT8_IN = 200,
  INT8_OUT,
  UINT8_IN = 300,
  UINT8_OUT,
  INT16_IN = 400,
  INT16_OUT,
  UINT16_IN = 500,
  UINT16_OUT,
  INT32_IN = 600,
  INT32_OUT,
  STEPS,
  STAGE,
  TICKS,
  UINT32_IN = 700,
  UINT32_OUT,
  INT64_IN = 800,
  INT64_OUT,
  GEAR_IN,
  GEAR_OUT,
  UINT64_IN = 900,
  UINT64_OUT,
  LENGTH,
  SWITCH_IN = 1000,
  SWITCH_OUT,
  TEXT_IN = 1100,
  TEXT_OUT,
  LABEL,
  BLOB_IN = 1200,
  BLOB_OUT,
  CLOCK = 1300
};
enum { TEXT_SIZE = 128, BLOB_SIZE = 64, LONGEST = 16, MATRIX_SIZE = 6 };

typedef enum { INSTANTIATED, CONFIGURATION, INITIALIZATION, EVENT, STEP, TERMINATED } Mode;

typedef struct {
  Mode mode;
  double time;
  double real[REALS];
  double array_in[LONGEST], array_out[LONGEST], array_sum, matrix[MATRIX_SIZE];
  float single[2];
  int8_t int8[2];
  uint8_t uint8[2];
  int16_t int16[2];
  uint16_t uint16[2];
  int32_t int32[5]; /* in, out, steps, stage, ticks */
  uint32_t uint32[2];
  int64_t int64[4];   /* in, out, gear in, gear out */
  uint64_t uint64[3]; /* in, out, length of the arrays */
  bool boolean[2];
  char string[3][TEXT_SIZE];
  uint8_t blob[2][BLOB_SIZE];
  size_t blob_size[2];
  bool clock, event_due, returned_early;
  double interval, shift; /* of the clock, as they were set; no interval before */
} State;

typedef struct {
  State state;
#ifdef KIT_COMMITS
  State committed;
#endif
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  fmi3IntermediateUpdateCallback update; /* where the force is among the variables that it is for */
  bool events_used, may_return_early;
  double stop;
} Instance;

static void say(Instance* fmu, fmi3Status status, const char* category, const char* message) {
  void* environment = KIT_FAULT == KIT_RESTLESS_ENVIRONMENT ? (void*)&fmu->events_used : fmu->environment;
  if (fmu->log) fmu->log(environment, status, category, message);
}
static fmi3Status refuse(Instance* fmu, const char* message) {
  say(fmu, fmi3Error, "logStatusError", message);
  return fmi3Error;
}

static void start(State* s) {
  memset(s, 0, sizeof *s);
  s->real[MASS] = 1.0;
  s->real[STIFFNESS] = 100.0;
  s->real[X0] = 1.0;
  s->real[GAIN] = 2.0;
  s->int32[STAGE - INT32_IN] = 1;
#ifdef KIT_INTEGER_START
  s->int32[0] = KIT_INTEGER_START;
#endif
  s->int64[GEAR_IN - INT64_IN] = 1;
  s->uint64[LENGTH - UINT64_IN] = 3;
  for (int i = 0; i < MATRIX_SIZE; ++i) s->matrix[i] = i + 1;
  snprintf(s->string[LABEL - TEXT_IN], TEXT_SIZE, "kit");
}

static size_t array_length(const State* s) {
  return (size_t)s->uint64[LENGTH - UINT64_IN];
}

/* What follows from inputs at once: integers count one on, an array is returned the other way round. */
static void evaluate(State* s) {
  double* r = s->real;
  r[TWICE_FORCE] = r[GAIN] * r[FORCE];
  r[SPRING_FORCE] = -r[STIFFNESS] * r[POSITION] - r[DAMPING] * r[VELOCITY];
  r[STORED] = 0.5 * r[MASS] * r[VELOCITY] * r[VELOCITY] + 0.5 * r[STIFFNESS] * r[POSITION] * r[POSITION];
  s->single[1] = 0.5F * s->single[0];
  s->int8[1] = (int8_t)(s->int8[0] + 1);
  s->uint8[1] = (uint8_t)(s->uint8[0] + 1);
  s->int16[1] = (int16_t)(s->int16[0] + 1);
  s->uint16[1] = (uint16_t)(s->uint16[0] + 1);
  s->int32[1] = s->int32[0] + 1;
  s->uint32[1] = s->uint32[0] + 1;
  s->int64[1] = s->int64[0] + 1;
  s->int64[3] = s->int64[2] % 3 + 1;
  s->uint64[1] = s->uint64[0] + 1;
  s->boolean[1] = !s->boolean[0];
  snprintf(s->string[1], TEXT_SIZE, "%.40s: %.60s", s->string[2], s->string[0]);
  s->array_sum = 0.0;
  const size_t n = array_length(s);
  for (size_t i = 0; i < n; ++i) {
    s->array_out[n - 1 - i] = s->array_in[i];
    s->array_sum += s->array_in[i];
  }
  s->blob_size[1] = s->blob_size[0];
  for (size_t i = 0; i < s->blob_size[0]; ++i) s->blob[1][i] = s->blob[0][s->blob_size[0] - 1 - i];
}

const char* fmi3GetVersion(void) {
  return "3.0";
}
fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t n, const fmi3String categories[]) {
  (void)i, (void)on, (void)n, (void)categories;
  return fmi3OK;
}

#ifdef KIT_ONLY_ONCE
static int instances;
#endif

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events_used,
                                         fmi3Boolean may_return_early,
                                         const fmi3ValueReference intermediate[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)logging;
#ifdef KIT_REFUSES_EVENTS
  if (events_used) return NULL;
#endif
#ifdef KIT_LICENSED
  if (!getenv("KIT_LICENCE")) return NULL;
#endif
#ifndef KIT_CURIOUS
  (void)resources;
#endif
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  for (size_t k = 0; k < n; ++k)
    if (intermediate[k] == FORCE) fmu->update = update;
  fmu->environment = environment;
  fmu->log = log;
  fmu->events_used = events_used;
  fmu->may_return_early = may_return_early;
  bool refused = !token || strcmp(token, "{kit-3}") != 0;
  if (refused) say(fmu, fmi3Error, "logStatusError", "the token does not fit");
  refused = refused || KIT_FAULT == KIT_NO_INSTANCE;
#ifdef KIT_OWN_SYMBOLS
  if (kit_foreign_symbol()) {
    say(fmu, fmi3Error, "logStatusError", kit_foreign_symbol());
    refused = 1;
  }
#endif
#ifdef KIT_CURIOUS
  char said[128];
  kit_look_around(resources, said, sizeof said);
  say(fmu, fmi3Warning, "logAll", said);
#endif
#ifdef KIT_ONLY_ONCE
  if (!refused && instances > 0) {
    say(fmu, fmi3Error, "logStatusError", "there is an instance already");
    refused = true;
  }
  if (!refused) ++instances;
#endif
  if (refused) {
    free(fmu);
    return NULL;
  }
  start(&fmu->state);
  return fmu;
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
  return NULL;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
  (void)update, (void)lock, (void)unlock;
  return NULL;
}
void fmi3FreeInstance(fmi3Instance i) {
  if (!i) return;
#ifdef KIT_ONLY_ONCE
  --instances;
#endif
  if (KIT_FAULT == KIT_SEGFAULT_AT_FREE) kit_die(KIT_SEGFAULT);
  free(i);
}

static void place_mass(State* s) {
  s->real[POSITION] = s->real[X0];
  s->real[VELOCITY] = s->real[V0];
  evaluate(s);
#ifdef KIT_LATE_START
  if (s->mode == INITIALIZATION) s->real[POSITION] = -1.0;
#endif
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 t0, fmi3Boolean stop_defined, fmi3Float64 stop) {
  (void)tolerance_defined, (void)tolerance;
  Instance* fmu = i;
  fmu->stop = stop_defined ? stop : INFINITY;
  if (fmu->state.mode != INSTANTIATED) return refuse(fmu, "initialization mode comes after instantiation");
  fmu->state.mode = INITIALIZATION;
  fmu->state.time = t0;
  place_mass(&fmu->state);
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance i) {
  Instance* fmu = i;
  if (fmu->state.mode != INITIALIZATION) return refuse(fmu, "it is not in initialization mode");
  fmu->state.mode = fmu->events_used ? EVENT : STEP;
  place_mass(&fmu->state);
  if (KIT_FAULT == KIT_EXIT_IN_INIT) kit_die(KIT_EXIT);
#ifdef KIT_COMMITS
  fmu->committed = fmu->state;
#endif
  return KIT_FAULT == KIT_ERROR_IN_INIT ? refuse(fmu, "this FMU never starts") : fmi3OK;
}
fmi3Status fmi3EnterEventMode(fmi3Instance i) {
  Instance* fmu = i;
  if (!fmu->events_used || fmu->state.mode != STEP)
    return refuse(fmu, "event mode is not used, or not left from step mode");
  fmu->state.mode = EVENT;
  return fmi3OK;
}
fmi3Status fmi3EnterStepMode(fmi3Instance i) {
  Instance* fmu = i;
  if (fmu->state.mode != EVENT) return refuse(fmu, "step mode is entered from event mode");
  if (fmu->state.event_due) return refuse(fmu, "discrete states were not updated");
  fmu->state.mode = STEP;
  return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance i) {
  ((Instance*)i)->state.mode = TERMINATED;
  return fmi3OK;
}
fmi3Status fmi3Reset(fmi3Instance i) {
  start(&((Instance*)i)->state);
  return fmi3OK;
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance i) {
  Instance* fmu = i;
  if (fmu->state.mode != INSTANTIATED) return refuse(fmu, "only before initialization");
  fmu->state.mode = CONFIGURATION;
  return fmi3OK;
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance i) {
  Instance* fmu = i;
  if (fmu->state.mode != CONFIGURATION) return refuse(fmu, "it is not in configuration mode");
  fmu->state.mode = INSTANTIATED;
  return fmi3OK;
}

#include "kit3_access.h"

fmi3Status fmi3GetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t n, fmi3Clock values[]) {
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != CLOCK) return refuse(i, "no such clock");
    values[k] = ((Instance*)i)->state.clock;
  }
  return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t n, const fmi3Clock values[]) {
  State* s = &((Instance*)i)->state;
  if (s->mode != EVENT) return refuse(i, "clocks tick in event mode only");
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != CLOCK) return refuse(i, "no such clock");
#ifdef KIT_FIXED_CLOCK
    const double ticks = (s->time - s->shift) / s->interval;
    if (!(s->interval > 0.0)) return refuse(i, "nobody has set the interval of the clock");
    if (fabs(ticks - round(ticks)) > 1e-6) return refuse(i, "the clock does not tick then");
#endif
    s->clock = values[k];
    if (!values[k]) continue;
    ++s->int32[TICKS - INT32_IN];
    s->real[SAMPLED] = s->real[POSITION];
  }
  return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != CLOCK) return refuse(i, "no such clock");
    intervals[k] = 0.1;
    qualifiers[k] = fmi3IntervalUnchanged;
  }
  return fmi3OK;
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                               fmi3Float64 shifts[]) {
  (void)i, (void)vr;
  for (size_t k = 0; k < n; ++k) shifts[k] = 0.0;
  return fmi3OK;
}

#ifdef KIT_FIXED_CLOCK
static fmi3Status set_of_clock(Instance* fmu, const fmi3ValueReference vr[], size_t n, double* to,
                               const double values[]) {
  if (fmu->state.mode != INITIALIZATION) return refuse(fmu, "it is not in initialization mode");
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != CLOCK) return refuse(fmu, "no such clock");
    *to = values[k];
  }
  return fmi3OK;
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                                  const fmi3Float64 v[]) {
  return set_of_clock(i, vr, n, &((Instance*)i)->state.interval, v);
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                               const fmi3Float64 v[]) {
  return set_of_clock(i, vr, n, &((Instance*)i)->state.shift, v);
}
#endif

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i) {
  return refuse(i, "not provided");
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean* need_update, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
                                    fmi3Boolean* next_defined, fmi3Float64* next) {
  State* s = &((Instance*)i)->state;
  if (s->mode != EVENT) return refuse(i, "discrete states are updated in event mode");
  if (s->event_due) ++s->int32[STAGE - INT32_IN];
  s->event_due = false;
  s->clock = false;
  *need_update = *terminate = *nominals_changed = *states_changed = *next_defined = false;
  *next = 0.0;
  return fmi3OK;
}

#ifndef KIT_WITHOUT_STATES
fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState* state) {
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi3Error;
  memcpy(*state, &((Instance*)i)->state, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state) {
  memcpy(&((Instance*)i)->state, state, sizeof(State));
#ifdef KIT_COMMITS
  ((Instance*)i)->committed = ((Instance*)i)->state;
#endif
  return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState* state) {
  (void)i;
  free(*state);
  *state = NULL;
  return fmi3OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t* size) {
  (void)i, (void)state;
  *size = sizeof(State);
  return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  (void)i;
  if (size < sizeof(State)) return fmi3Error;
  memcpy(bytes, state, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  (void)i;
  if (size != sizeof(State)) return fmi3Error;
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi3Error;
  memcpy(*state, bytes, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference unknowns[],
                                        size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
                                        const fmi3Float64 seed[], size_t n_seed, fmi3Float64 sensitivity[],
                                        size_t n_sensitivity) {
  const State* s = &((Instance*)i)->state;
  if (n_seed != n_knowns || n_sensitivity != n_unknowns) return refuse(i, "scalars only");
  for (size_t u = 0; u < n_unknowns; ++u) {
    sensitivity[u] = 0.0;
    for (size_t k = 0; k < n_knowns; ++k) {
      if (unknowns[u] == TWICE_FORCE && knowns[k] == FORCE) sensitivity[u] += s->real[GAIN] * seed[k];
    }
  }
  return fmi3OK;
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values) {
  const State* s = &((Instance*)i)->state;
  for (size_t k = 0; k < n; ++k) {
    if (vr[k] != POSITION || orders[k] != 1 || n != n_values)
      return refuse(i, "only the position has a derivative");
    values[k] = s->real[VELOCITY];
  }
  return fmi3OK;
}
#endif

#ifndef KIT_WITHOUT_STEP
static void advance(State* s, double t, double h) {
  double* r = s->real;
  const double acceleration = (r[FORCE] - r[STIFFNESS] * r[POSITION] - r[DAMPING] * r[VELOCITY]) / r[MASS];
  r[DISSIPATED] += h * r[DAMPING] * r[VELOCITY] * r[VELOCITY];
  r[VELOCITY] += h * acceleration;
  r[POSITION] += h * r[VELOCITY];
  s->time = t + h;
  ++s->int32[STEPS - INT32_IN];
  evaluate(s);
}

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
  (void)no_rollback;
  Instance* fmu = i;
  State* s = &fmu->state;
  *event_needed = *terminate = *early_return = false;
  *last_successful_time = t;
  if (s->mode != STEP) return refuse(fmu, "steps are done in step mode");
#ifdef KIT_STRICT_STOP
  if (t + h > fmu->stop) return refuse(fmu, "this step ends beyond the stop time");
#endif
#ifdef KIT_COMMITS
  if (no_rollback) {
    fmu->committed = *s;
  } else {
    const double force = s->real[FORCE];
    *s = fmu->committed;
    s->mode = STEP;
    s->time = t;
    s->real[FORCE] = force;
  }
#endif
  if (!(fabs(t - s->time) <= 1e-9 * (1.0 + fabs(t))) || !(h > 0.0))
    return refuse(fmu, "the step does not begin where the last one ended");
  if (KIT_FAULT == KIT_NOISY) {
    say(fmu, fmi3Warning, NULL, "a step, and 100 % of it");
    say(fmu, fmi3OK, "logAll", "the force is #1#, ## is a sign");
  }
  if (KIT_FAULT == KIT_RESTLESS_ENVIRONMENT)
    say(fmu, fmi3Warning, "logAll", "hello from a wrong environment");
  if (KIT_FAULT == KIT_SLOW) kit_sleep_ms(2);
  if (KIT_FAULT == KIT_MEETING && !kit_meet(s->string[LABEL - TEXT_IN])) return refuse(fmu, "nobody came");
  if (t + h > KIT_FAULT_TIME) {
    switch (KIT_FAULT) {
      case KIT_ERROR:
        return refuse(fmu, "this step cannot be done");
      case KIT_FATAL:
        say(fmu, fmi3Fatal, "logStatusFatal", "nothing can be done any more");
        return fmi3Fatal;
      case KIT_DISCARD:
        if (h > KIT_LONGEST_STEP * (1.0 + 1e-9)) return fmi3Discard; /* the state is as before */
        break;
      case KIT_TERMINATE:
        *terminate = true;
        return fmi3OK;
      case KIT_EARLY_RETURN:
        if (!fmu->may_return_early || s->returned_early) break;
        s->returned_early = true;
        advance(s, t, 0.5 * h);
        *early_return = true;
        *last_successful_time = s->time;
        return fmi3OK;
      default:
        kit_disturb(KIT_FAULT);
        kit_die(KIT_FAULT);
    }
  }
#ifdef KIT_FOLLOWS_INPUTS
  advance(s, t, 0.5 * h);
  fmi3Boolean wants_to_return = false;
  fmi3Float64 until = 0.0;
  if (fmu->update)
    fmu->update(fmu->environment, t + 0.5 * h, true, true, false, false, &wants_to_return, &until);
  advance(s, t + 0.5 * h, 0.5 * h);
#else
  advance(s, t, h);
#endif
#ifdef KIT_EVENTS
  if (fmu->events_used && s->int32[STAGE - INT32_IN] == 1 && s->time > KIT_FAULT_TIME)
    s->event_due = *event_needed = true;
#endif
  if (KIT_FAULT == KIT_NAN && s->time > KIT_FAULT_TIME) s->real[POSITION] = NAN;
  *last_successful_time = s->time;
  return fmi3OK;
}
#endif

#include "kit3_refused.h"
