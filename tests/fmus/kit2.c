/* A test FMU of FMI 2.0: a mass on a spring, and variables of every type. What a variant lacks or does wrong is chosen when it
   is compiled:
     KIT_FAULT            see faults.h
     KIT_FOLLOWS_INPUTS   takes derivatives of its inputs: a step is two halves, the second with the force that is there then
     KIT_WITHOUT_STATES   has no function for states, none for derivatives
     KIT_WITHOUT_STEP     lacks fmi2DoStep, which nobody can do without
     KIT_ONLY_ONCE        a second instance in a process is refused
     KIT_SLUGGISH         outputs are those of the last step: an input that is set later does not show
     KIT_FIXED_STEP       steps of one length only
     KIT_COMMITS          commits what is before a step only where nobody will go back there; else it goes on from what it committed
     KIT_OWN_SYMBOLS      has functions of its own with names of common libraries (own_symbols.h), and fails where it meets others
     KIT_STRICT_STOP      refuses a step that ends beyond the stop time it was told, by however little
     KIT_LATE_START       has its outputs at the start only when initialization has ended
     KIT_LICENSED         cannot be instantiated without KIT_LICENCE in the environment
     KIT_CURIOUS          tries files and network when it is instantiated, and tells what worked (curious.h)
   The mass:  v ← v + h·(F − k·x − c·v)/m,  x ← x + h·v  (semi-implicit Euler, one step per communication step). */
#define _POSIX_C_SOURCE 200809L
#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"

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

enum {
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
  REALS
};
enum { STEPS, COUNT_IN, COUNT_OUT, GEAR_IN, GEAR_OUT, OFFSET, INTEGERS };
enum { SWITCH_IN, SWITCH_OUT, BOOLEANS };
enum { TEXT_IN, TEXT_OUT, LABEL, STRINGS };
enum { TEXT_SIZE = 128 };

/* Which calls are legal: a call out of turn is an error, as in FMUs that check it. */
typedef enum { INSTANTIATED = 1, INITIALIZATION = 2, STEPPING = 4, TERMINATED = 8 } Mode;
enum { AFTER_INSTANTIATED = INITIALIZATION | STEPPING | TERMINATED };

typedef struct {
  Mode mode;
  double time, step, force_rate;
  double real[REALS];
  int integer[INTEGERS];
  int boolean[BOOLEANS];
  char string[STRINGS][TEXT_SIZE];
  int terminated;
  double last_successful_time;
} State;

typedef struct {
  State state;
#ifdef KIT_COMMITS
  State committed;
#endif
  fmi2CallbackFunctions callbacks;
  char name[TEXT_SIZE];
  int logging;
  double stop;
} Instance;

static void say(Instance* fmu, fmi2Status status, const char* category, const char* message) {
  if (!fmu->callbacks.logger) return;
  void* environment =
      KIT_FAULT == KIT_RESTLESS_ENVIRONMENT ? (void*)&fmu->logging : fmu->callbacks.componentEnvironment;
  fmu->callbacks.logger(environment, fmu->name, status, category, message);
}

static int out_of_turn(Instance* fmu, int modes) {
  if (fmu->state.mode & modes) return 0;
  say(fmu, fmi2Error, "logStatusError", "this call is not legal now");
  return 1;
}

static void put_text(char* place, const char* text) {
  snprintf(place, TEXT_SIZE, "%s", text ? text : "");
}

static void start(State* s) {
  memset(s, 0, sizeof *s);
  s->mode = INSTANTIATED;
  s->real[MASS] = 1.0;
  s->real[STIFFNESS] = 100.0;
  s->real[X0] = 1.0;
  s->real[GAIN] = 2.0;
  s->integer[GEAR_IN] = 1;
  s->integer[OFFSET] = 1;
  put_text(s->string[LABEL], "kit");
}

/* What follows from inputs at once. */
static void evaluate(State* s) {
  double* r = s->real;
  r[TWICE_FORCE] = r[GAIN] * r[FORCE];
  r[SPRING_FORCE] = -r[STIFFNESS] * r[POSITION] - r[DAMPING] * r[VELOCITY];
  r[STORED] = 0.5 * r[MASS] * r[VELOCITY] * r[VELOCITY] + 0.5 * r[STIFFNESS] * r[POSITION] * r[POSITION];
  s->integer[COUNT_OUT] = s->integer[COUNT_IN] + s->integer[OFFSET];
  s->integer[GEAR_OUT] = s->integer[GEAR_IN] % 3 + 1;
  s->boolean[SWITCH_OUT] = !s->boolean[SWITCH_IN];
  snprintf(s->string[TEXT_OUT], TEXT_SIZE, "%.40s: %.60s", s->string[LABEL], s->string[TEXT_IN]);
}

const char* fmi2GetTypesPlatform(void) {
  return "default";
}
const char* fmi2GetVersion(void) {
  return "2.0";
}
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  (void)n, (void)categories;
  ((Instance*)c)->logging = on;
  return fmi2OK;
}

#ifdef KIT_ONLY_ONCE
static int instances;
#endif

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                              fmi2Boolean logging) {
  (void)visible;
#ifndef KIT_CURIOUS
  (void)resources;
#endif
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  if (functions) fmu->callbacks = *functions;
  put_text(fmu->name, name);
  fmu->logging = logging;
  int refused = type != fmi2CoSimulation || !guid || strcmp(guid, "{kit-2}") != 0;
  if (refused) say(fmu, fmi2Error, "logStatusError", "type or guid do not fit");
  refused = refused || KIT_FAULT == KIT_NO_INSTANCE;
#ifdef KIT_LICENSED
  refused = refused || !getenv("KIT_LICENCE");
#endif
#ifdef KIT_OWN_SYMBOLS
  if (kit_foreign_symbol()) {
    say(fmu, fmi2Error, "logStatusError", kit_foreign_symbol());
    refused = 1;
  }
#endif
#ifdef KIT_CURIOUS
  char said[128];
  kit_look_around(resources, said, sizeof said);
  say(fmu, fmi2Warning, "logAll", said);
#endif
#ifdef KIT_ONLY_ONCE
  if (!refused && instances > 0) {
    say(fmu, fmi2Error, "logStatusError", "there is an instance already");
    refused = 1;
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

void fmi2FreeInstance(fmi2Component c) {
  if (!c) return;
#ifdef KIT_ONLY_ONCE
  --instances;
#endif
  if (KIT_FAULT == KIT_SEGFAULT_AT_FREE) kit_die(KIT_SEGFAULT);
  free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real t0, fmi2Boolean stop_defined, fmi2Real stop) {
  (void)tolerance_defined, (void)tolerance;
  if (out_of_turn(c, INSTANTIATED)) return fmi2Error;
  ((Instance*)c)->stop = stop_defined ? stop : INFINITY;
  ((Instance*)c)->state.time = t0;
  return fmi2OK;
}

static void place_mass(State* s) {
  s->real[POSITION] = s->real[X0];
  s->real[VELOCITY] = s->real[V0];
  evaluate(s);
#ifdef KIT_LATE_START
  if (s->mode == INITIALIZATION) s->real[POSITION] = -1.0;
#endif
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  if (out_of_turn(c, INSTANTIATED)) return fmi2Error;
  ((Instance*)c)->state.mode = INITIALIZATION;
  place_mass(&((Instance*)c)->state);
  return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  Instance* fmu = c;
  if (out_of_turn(fmu, INITIALIZATION)) return fmi2Error;
  fmu->state.mode = STEPPING;
  place_mass(&fmu->state);
  if (KIT_FAULT == KIT_EXIT_IN_INIT) kit_die(KIT_EXIT);
#ifdef KIT_COMMITS
  fmu->committed = fmu->state;
#endif
  if (KIT_FAULT != KIT_ERROR_IN_INIT) return fmi2OK;
  say(fmu, fmi2Error, "logStatusError", "this FMU never starts");
  return fmi2Error;
}
fmi2Status fmi2Terminate(fmi2Component c) {
  if (out_of_turn(c, STEPPING)) return fmi2Error;
  ((Instance*)c)->state.mode = TERMINATED;
  return fmi2OK;
}
fmi2Status fmi2Reset(fmi2Component c) {
  start(&((Instance*)c)->state);
  return fmi2OK;
}

#define KIT_ACCESS(Name, Type, field, last)                                                                 \
  fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n, Type values[]) {       \
    if (out_of_turn(c, AFTER_INSTANTIATED)) return fmi2Error;                                               \
    for (size_t i = 0; i < n; ++i) {                                                                        \
      if (vr[i] >= (last)) return fmi2Error;                                                                \
      values[i] = ((Instance*)c)->state.field[vr[i]];                                                       \
    }                                                                                                       \
    return fmi2OK;                                                                                          \
  }                                                                                                         \
  fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n, const Type values[]) { \
    State* s = &((Instance*)c)->state;                                                                      \
    if (out_of_turn(c, INSTANTIATED | INITIALIZATION | STEPPING)) return fmi2Error;                         \
    for (size_t i = 0; i < n; ++i) {                                                                        \
      if (vr[i] >= (last)) return fmi2Error;                                                                \
      s->field[vr[i]] = values[i];                                                                          \
    }                                                                                                       \
    KIT_AFTER_SET                                                                                           \
    return fmi2OK;                                                                                          \
  }
#ifdef KIT_SLUGGISH
#define KIT_AFTER_SET
#else
#define KIT_AFTER_SET evaluate(s);
#endif
KIT_ACCESS(Real, fmi2Real, real, REALS)
KIT_ACCESS(Integer, fmi2Integer, integer, INTEGERS)
KIT_ACCESS(Boolean, fmi2Boolean, boolean, BOOLEANS)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String values[]) {
  if (out_of_turn(c, AFTER_INSTANTIATED)) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] >= STRINGS) return fmi2Error;
    values[i] = ((Instance*)c)->state.string[vr[i]];
  }
  return fmi2OK;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                         const fmi2String values[]) {
  State* s = &((Instance*)c)->state;
  if (out_of_turn(c, INSTANTIATED | INITIALIZATION | STEPPING)) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] >= STRINGS) return fmi2Error;
    put_text(s->string[vr[i]], values[i]);
  }
  KIT_AFTER_SET
  return fmi2OK;
}

#ifndef KIT_WITHOUT_STATES
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi2Error;
  memcpy(*state, &((Instance*)c)->state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(&((Instance*)c)->state, state, sizeof(State));
#ifdef KIT_COMMITS
  ((Instance*)c)->committed = ((Instance*)c)->state;
#endif
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
  if (size < sizeof(State)) return fmi2Error;
  memcpy(bytes, state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  (void)c;
  if (size != sizeof(State)) return fmi2Error;
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi2Error;
  memcpy(*state, bytes, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[],
                                        size_t n_unknowns, const fmi2ValueReference knowns[], size_t n_knowns,
                                        const fmi2Real change[], fmi2Real result[]) {
  const State* s = &((Instance*)c)->state;
  if (out_of_turn(c, AFTER_INSTANTIATED)) return fmi2Error;
  for (size_t i = 0; i < n_unknowns; ++i) {
    result[i] = 0.0;
    for (size_t k = 0; k < n_knowns; ++k) {
      if (unknowns[i] == TWICE_FORCE && knowns[k] == FORCE) result[i] += s->real[GAIN] * change[k];
    }
  }
  return fmi2OK;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real values[]) {
#ifdef KIT_FOLLOWS_INPUTS
  if (out_of_turn(c, INSTANTIATED | INITIALIZATION | STEPPING)) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    if (order[i] != 1) return fmi2Error;
    if (vr[i] == FORCE) ((Instance*)c)->state.force_rate = values[i];
  }
  return fmi2OK;
#else
  (void)c, (void)vr, (void)n, (void)order, (void)values;
  return fmi2Error;
#endif
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real values[]) {
  const State* s = &((Instance*)c)->state;
  if (out_of_turn(c, STEPPING | TERMINATED)) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] != POSITION || order[i] != 1) return fmi2Error;
    values[i] = s->real[VELOCITY];
  }
  return fmi2OK;
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
  ++s->integer[STEPS];
  evaluate(s);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
  (void)no_rollback;
  Instance* fmu = c;
  State* s = &fmu->state;
  if (out_of_turn(fmu, STEPPING)) return fmi2Error;
  s->last_successful_time = t;
#ifdef KIT_STRICT_STOP
  if (t + h > fmu->stop) {
    say(fmu, fmi2Error, "logStatusError", "this step ends beyond the stop time");
    return fmi2Error;
  }
#endif
#ifdef KIT_COMMITS
  if (no_rollback) {
    fmu->committed = *s;
  } else {
    const double force = s->real[FORCE];
    *s = fmu->committed;
    s->time = t;
    s->real[FORCE] = force;
  }
#endif
  if (!(fabs(t - s->time) <= 1e-9 * (1.0 + fabs(t))) || !(h > 0.0)) {
    say(fmu, fmi2Error, "logStatusError", "the step does not begin where the last one ended");
    return fmi2Error;
  }
#ifdef KIT_FIXED_STEP
  if (s->step == 0.0) s->step = h;
  if (fabs(h - s->step) > 1e-9 * s->step) {
    say(fmu, fmi2Error, "logStatusError", "all steps must have one length");
    return fmi2Error;
  }
#endif
  if (KIT_FAULT == KIT_NOISY) {
    say(fmu, fmi2Warning, NULL, "a step, and 100 %% of it");
    say(fmu, fmi2OK, "logAll", "the force is #r0#, ## is a sign");
  }
  if (KIT_FAULT == KIT_RESTLESS_ENVIRONMENT)
    say(fmu, fmi2Warning, "logAll", "hello from a wrong environment");
  if (KIT_FAULT == KIT_SLOW) kit_sleep_ms(2);
  if (KIT_FAULT == KIT_MEETING && !kit_meet(s->string[LABEL])) {
    say(fmu, fmi2Error, "logStatusError", "nobody came");
    return fmi2Error;
  }
  if (t + h > KIT_FAULT_TIME) {
    switch (KIT_FAULT) {
      case KIT_ERROR:
        say(fmu, fmi2Error, "logStatusError", "this step cannot be done");
        return fmi2Error;
      case KIT_FATAL:
        say(fmu, fmi2Fatal, "logStatusFatal", "nothing can be done any more");
        return fmi2Fatal;
      case KIT_DISCARD:
        if (h <= KIT_LONGEST_STEP * (1.0 + 1e-9)) break;
        advance(s, t, KIT_LONGEST_STEP);
        s->last_successful_time = s->time;
        return fmi2Discard;
      case KIT_TERMINATE:
        s->terminated = 1;
        return fmi2Discard;
      default:
        kit_disturb(KIT_FAULT);
        kit_die(KIT_FAULT);
    }
  }
#ifdef KIT_FOLLOWS_INPUTS
  advance(s, t, 0.5 * h);
  s->real[FORCE] += 0.5 * h * s->force_rate;
  s->force_rate = 0.0;
  advance(s, t + 0.5 * h, 0.5 * h);
#else
  advance(s, t, h);
#endif
  if (KIT_FAULT == KIT_NAN && s->time > KIT_FAULT_TIME) s->real[POSITION] = NAN;
  s->last_successful_time = s->time;
  return fmi2OK;
}
#endif

fmi2Status fmi2CancelStep(fmi2Component c) {
  (void)c;
  return fmi2Error;
}
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((Instance*)c)->state.last_successful_time;
  return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((Instance*)c)->state.terminated;
  return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
