/* A mass on a spring as an FMU of FMI 1.0 for co-simulation, with variables of every type. It keeps to the letter: nothing can be
   read before it is initialized, booleans have one byte, names carry the model identifier. */
#ifndef KIT1_NAME
#define KIT1_NAME kit1
#endif
#define KIT1_JOIN(a, b) a##b
#define KIT1_FUNCTION(identifier, name) KIT1_JOIN(identifier, _fmi##name)
#define FMI(name) KIT1_FUNCTION(KIT1_NAME, name)
#define KIT1_PREFIX(identifier) KIT1_JOIN(identifier, _fmi)
#define ERGON_FMI1_PREFIX KIT1_PREFIX(KIT1_NAME)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ergon/fmi/declarations/fmi1.hpp"

enum { FORCE, POSITION, VELOCITY, STIFFNESS, START, REALS };
enum { COUNT_IN, COUNT_OUT, MODE_IN, MODE_OUT, STEPS, INTEGERS };
enum { SWITCH_1, SWITCH_2, SWITCH_3, PATTERN_1, PATTERN_2, PATTERN_3, BOOLEANS };
enum { NOTE_IN, NOTE_OUT, TEXTS };

typedef struct {
  double real[REALS];
  double rate; /* of the force */
  int integer[INTEGERS];
  char boolean[BOOLEANS];
  char text[TEXTS][64];
  char name[64];
  int initialized;
  double time, stop, last_successful_time;
  fmi1CallbackFunctions callbacks;
} Kit;

static fmi1Status complain(Kit* kit, const char* text) {
  kit->callbacks.logger(kit, kit->name, fmi1Error, "calls", "%s", text);
  return fmi1Error;
}
/* What follows the inputs at once. */
static void copy_inputs(Kit* kit) {
  kit->integer[COUNT_OUT] = 2 * kit->integer[COUNT_IN];
  kit->integer[MODE_OUT] = kit->integer[MODE_IN];
  for (int i = 0; i < 3; ++i) kit->boolean[PATTERN_1 + i] = kit->boolean[SWITCH_1 + i];
  memcpy(kit->text[NOTE_OUT], kit->text[NOTE_IN], sizeof kit->text[NOTE_OUT]);
}

const char* FMI(GetTypesPlatform)(void) {
  return "standard32";
}
const char* FMI(GetVersion)(void) {
  return "1.0";
}
fmi1Status FMI(SetDebugLogging)(fmi1Component c, fmi1Boolean on) {
  (void)c, (void)on;
  return fmi1OK;
}
fmi1Component FMI(InstantiateSlave)(fmi1String name, fmi1String guid, fmi1String location, fmi1String mime,
                                    fmi1Real timeout, fmi1Boolean visible, fmi1Boolean interactive,
                                    fmi1CallbackFunctions functions, fmi1Boolean logging) {
  (void)timeout, (void)visible, (void)interactive, (void)logging;
  if (strcmp(guid, "{kit-1}") != 0 || strcmp(mime, "application/x-fmu-sharedlibrary") != 0) return NULL;
  /* The location is the unpacked FMU: what belongs to it can be found there. */
  char path[4096];
  if (strncmp(location, "file:///", 8) != 0) return NULL;
  snprintf(path, sizeof path, "%s/modelDescription.xml", location + 7);
  FILE* description = fopen(path, "r");
  if (!description) {
    functions.logger(NULL, name, fmi1Error, "calls", "nothing at %s", path);
    return NULL;
  }
  fclose(description);
  Kit* kit = functions.allocateMemory(1, sizeof *kit);
  if (!kit) return NULL;
  kit->callbacks = functions;
  snprintf(kit->name, sizeof kit->name, "%s", name);
  kit->real[STIFFNESS] = 1.0; /* not what the description says: an importer sets it */
  return kit;
}
void FMI(FreeSlaveInstance)(fmi1Component c) {
  ((Kit*)c)->callbacks.freeMemory(c);
}
fmi1Status FMI(InitializeSlave)(fmi1Component c, fmi1Real start, fmi1Boolean has_stop, fmi1Real stop) {
  Kit* kit = c;
  if (kit->initialized) return complain(kit, "it is initialized already");
  kit->initialized = 1;
  kit->time = start;
  kit->stop = has_stop ? stop : HUGE_VAL;
#ifdef KIT1_RESTS
  kit->real[POSITION] = kit->real[FORCE] / kit->real[STIFFNESS]; /* nothing but InitializeSlave finds this */
#else
  kit->real[POSITION] = kit->real[START];
#endif
  copy_inputs(kit);
  return fmi1OK;
}
fmi1Status FMI(TerminateSlave)(fmi1Component c) {
  return ((Kit*)c)->initialized ? fmi1OK : complain(c, "it never ran");
}
fmi1Status FMI(ResetSlave)(fmi1Component c) {
  return complain(c, "it cannot be reset");
}

#define ACCESS(Type, CType, member, limit)                                                              \
  fmi1Status FMI(Set##Type)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const CType v[]) { \
    Kit* kit = c;                                                                                       \
    for (size_t i = 0; i < n; ++i) {                                                                    \
      if (vr[i] >= limit) return complain(kit, "set of a variable that is not there");                  \
      kit->member[vr[i]] = v[i];                                                                        \
    }                                                                                                   \
    if (kit->initialized) copy_inputs(kit);                                                             \
    return fmi1OK;                                                                                      \
  }                                                                                                     \
  fmi1Status FMI(Get##Type)(fmi1Component c, const fmi1ValueReference vr[], size_t n, CType v[]) {       \
    Kit* kit = c;                                                                                       \
    if (!kit->initialized) return complain(kit, "read before it is initialized");                       \
    for (size_t i = 0; i < n; ++i) {                                                                    \
      if (vr[i] >= limit) return complain(kit, "get of a variable that is not there");                  \
      v[i] = kit->member[vr[i]];                                                                        \
    }                                                                                                   \
    return fmi1OK;                                                                                      \
  }
ACCESS(Real, fmi1Real, real, REALS)
ACCESS(Integer, fmi1Integer, integer, INTEGERS)
ACCESS(Boolean, fmi1Boolean, boolean, BOOLEANS)

fmi1Status FMI(SetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, const fmi1String v[]) {
  Kit* kit = c;
  for (size_t i = 0; i < n; ++i) snprintf(kit->text[vr[i]], sizeof kit->text[0], "%s", v[i]);
  if (kit->initialized) copy_inputs(kit);
  return fmi1OK;
}
fmi1Status FMI(GetString)(fmi1Component c, const fmi1ValueReference vr[], size_t n, fmi1String v[]) {
  Kit* kit = c;
  if (!kit->initialized) return complain(kit, "read before it is initialized");
  for (size_t i = 0; i < n; ++i) v[i] = kit->text[vr[i]];
  return fmi1OK;
}
fmi1Status FMI(SetRealInputDerivatives)(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                        const fmi1Integer order[], const fmi1Real values[]) {
  Kit* kit = c;
  for (size_t i = 0; i < n; ++i) {
    if (order[i] != 1 || vr[i] != FORCE || !kit->initialized)
      return complain(kit, "only first derivatives of the force, of an initialized FMU");
    kit->rate = values[i];
  }
  return fmi1OK;
}
fmi1Status FMI(GetRealOutputDerivatives)(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                         const fmi1Integer order[], fmi1Real values[]) {
  Kit* kit = c;
  for (size_t i = 0; i < n; ++i) {
    if (order[i] != 1 || vr[i] != POSITION) return complain(kit, "only the rate of the position");
    values[i] = kit->real[VELOCITY];
  }
  return fmi1OK;
}

static void advance(Kit* kit, double t, double h) {
  /* The force in the middle of the step, where its rate is known. */
  const double force = kit->real[FORCE] + kit->rate * 0.5 * h;
  const double acceleration = (force - kit->real[STIFFNESS] * kit->real[POSITION] - 0.0 * kit->real[VELOCITY]) / 1.0;
  kit->real[VELOCITY] += h * acceleration;
  kit->real[POSITION] += h * kit->real[VELOCITY];
  kit->time = kit->last_successful_time = t + h;
  kit->rate = 0.0;
  ++kit->integer[STEPS];
}
fmi1Status FMI(DoStep)(fmi1Component c, fmi1Real t, fmi1Real h, fmi1Boolean new_step) {
  Kit* kit = c;
  if (!kit->initialized) return complain(kit, "a step before it is initialized");
  kit->last_successful_time = kit->time;
  /* As some exporters do: a warning, and no step. */
  if (!new_step || fabs(t - kit->time) > 1e-9 || t + h > kit->stop + 1e-9) return fmi1Warning;
#ifdef KIT1_WARNING_WITHOUT_STEP
  if (t + h > 0.5) {
    kit->callbacks.logger(kit, kit->name, fmi1Warning, "calls", "beyond what was simulated");
    return fmi1Warning;
  }
#endif
#ifdef KIT1_DISCARD
  if (h > 4e-3) {
    advance(kit, t, 4e-3);
    return fmi1Discard;
  }
#endif
#ifdef KIT1_PENDING
  if (t + h > 0.5) return fmi1Pending;
#endif
  advance(kit, t, h);
#ifdef KIT1_WARNING
  kit->callbacks.logger(kit, kit->name, fmi1Warning, "calls", "this step was hard");
  return fmi1Warning;
#else
  return fmi1OK;
#endif
}
fmi1Status FMI(CancelStep)(fmi1Component c) {
  return complain(c, "nothing to cancel");
}
fmi1Status FMI(GetStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Status* value) {
  (void)kind, (void)value;
  return complain(c, "no status");
}
fmi1Status FMI(GetRealStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Real* value) {
  if (kind != fmi1LastSuccessfulTime) return fmi1Discard;
  *value = ((Kit*)c)->last_successful_time;
  return fmi1OK;
}
