/* plain.h as an FMU of FMI 2.0. */
#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"

#include "plain.h"

typedef struct {
  State state;
  fmi2CallbackFunctions callbacks;
  char name[64];
} Instance;

static fmi2Status told(Instance* fmu, fmi2Status status, const char* call, double a, double b) {
  char text[128];
  snprintf(text, sizeof text, "%s %.17g %.17g", call, a, b);
  fmu->callbacks.logger(fmu->callbacks.componentEnvironment, fmu->name, status, "calls", "%s", text);
  return status;
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
  (void)type, (void)guid, (void)resources, (void)visible, (void)logging;
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  fmu->callbacks = *functions;
  snprintf(fmu->name, sizeof fmu->name, "%s", name);
  start(&fmu->state);
  return fmu;
}
void fmi2FreeInstance(fmi2Component c) {
  free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real tolerance, fmi2Real t0,
                               fmi2Boolean sd, fmi2Real stop) {
  (void)td, (void)tolerance, (void)sd, (void)stop;
  ((Instance*)c)->state.time = t0;
#ifdef PLAIN_SOLVER
  ((Instance*)c)->state.start_time = t0;
  set_tolerance(&((Instance*)c)->state, td, tolerance);
#endif
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  State* s = &((Instance*)c)->state;
  s->real[OUTPUT] = s->real[START];
  return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return told(c, fmi2OK, "exit", 0, 0);
}
fmi2Status fmi2Terminate(fmi2Component c) {
  return told(c, fmi2OK, "terminate", 0, 0);
}
fmi2Status fmi2Reset(fmi2Component c) {
  start(&((Instance*)c)->state);
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
  State* s = &((Instance*)c)->state;
  for (size_t i = 0; i < n; ++i) s->real[vr[i]] = values[i];
  const double end = s->time + s->step;
  const fmi2Status status = is_due(s, end, PLAIN_WARNING_AT_SET) ? fmi2Warning
                            : is_due(s, end, PLAIN_ERROR_AT_SET) ? fmi2Error
                                                                 : fmi2OK;
  return told(c, status, "set", (double)vr[0], values[0]);
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
  const State* s = &((Instance*)c)->state;
  for (size_t i = 0; i < n; ++i) values[i] = s->real[vr[i]];
  return told(c, is_due(s, s->time, PLAIN_ERROR_AT_GET) ? fmi2Error : fmi2OK, "get", (double)vr[0],
              values[0]);
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi2Error;
  memcpy(*state, &((Instance*)c)->state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(&((Instance*)c)->state, state, sizeof(State));
  return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
  State* s = &((Instance*)c)->state;
  const double end = t + h;
  s->step = h;
  s->last_successful_time = t;
  told(c, fmi2OK, no_rollback ? "step" : "step that may be repeated", t, h);
  if (is_due(s, end, PLAIN_ERROR)) return told(c, fmi2Error, "this step cannot be done", t, h);
  if (is_due(s, end, PLAIN_FATAL)) return lose(s), told(c, fmi2Fatal, "nothing can be done any more", t, h);
  if (is_due(s, end, PLAIN_TERMINATE)) {
    s->terminated = 1;
    return fmi2Discard;
  }
  if (is_due(s, end, PLAIN_DISCARD) && h > PLAIN_LONGEST_STEP) {
    advance(s, t, 0.5 * h);
    s->last_successful_time = s->time;
    return fmi2Discard;
  }
  advance(s, t, h);
  if (is_due(s, end, PLAIN_NAN)) s->real[OUTPUT] = NAN;
  return is_due(s, end, PLAIN_WARNING) ? told(c, fmi2Warning, "this step was hard", t, h) : fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((Instance*)c)->state.last_successful_time;
  return told(c, fmi2OK, "asked how far", *value, 0);
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((Instance*)c)->state.terminated;
  return fmi2OK;
}
