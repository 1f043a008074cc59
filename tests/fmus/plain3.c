/* plain.h as an FMU of FMI 3.0. */
#define ERGON_FMI3_PROTOTYPES
#include "ergon/fmi/declarations/fmi3.hpp"

#include "plain.h"

typedef struct {
  State state;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  fmi3Boolean may_return_early;
  int64_t whole;
} Instance;

static fmi3Status told(Instance* fmu, fmi3Status status, const char* call, double a, double b) {
  char text[128];
  snprintf(text, sizeof text, "%s %.17g %.17g", call, a, b);
  fmu->log(fmu->environment, status, "calls", text);
  return status;
}

const char* fmi3GetVersion(void) {
  return "3.0";
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                                         fmi3Boolean early, const fmi3ValueReference intermediate[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events, (void)intermediate,
      (void)n, (void)update;
  Instance* fmu = calloc(1, sizeof *fmu);
  if (!fmu) return NULL;
  fmu->environment = environment;
  fmu->log = log;
  fmu->may_return_early = early;
  fmu->whole = PLAIN_WHOLE;
  start(&fmu->state);
  return fmu;
}
void fmi3FreeInstance(fmi3Instance c) {
  free(c);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean td, fmi3Float64 tolerance, fmi3Float64 t0,
                                       fmi3Boolean sd, fmi3Float64 stop) {
  (void)td, (void)tolerance, (void)sd, (void)stop;
  State* s = &((Instance*)c)->state;
  s->time = t0;
#ifdef PLAIN_SOLVER
  s->start_time = t0;
  set_tolerance(s, td, tolerance);
#endif
  s->real[OUTPUT] = s->real[START] + (double)(((Instance*)c)->whole - PLAIN_WHOLE);
  return fmi3OK;
}
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int64 values[],
                        size_t count) {
  (void)vr, (void)count;
  if (n != 1) return fmi3Error;
  ((Instance*)c)->whole = values[0];
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  return told(c, fmi3OK, "exit", 0, 0);
}
fmi3Status fmi3Terminate(fmi3Instance c) {
  return told(c, fmi3OK, "terminate", 0, 0);
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t count) {
  (void)count;
  State* s = &((Instance*)c)->state;
  for (size_t i = 0; i < n; ++i) s->real[vr[i]] = values[i];
  const double end = s->time + s->step;
  const fmi3Status status = is_due(s, end, PLAIN_WARNING_AT_SET) ? fmi3Warning
                            : is_due(s, end, PLAIN_ERROR_AT_SET) ? fmi3Error
                                                                 : fmi3OK;
  return told(c, status, "set", (double)vr[0], values[0]);
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t count) {
  (void)count;
  const State* s = &((Instance*)c)->state;
  for (size_t i = 0; i < n; ++i) values[i] = s->real[vr[i]];
  return told(c, is_due(s, s->time, PLAIN_ERROR_AT_GET) ? fmi3Error : fmi3OK, "get", (double)vr[0],
              values[0]);
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return fmi3Error;
  memcpy(*state, &((Instance*)c)->state, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  memcpy(&((Instance*)c)->state, state, sizeof(State));
  return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* reached) {
  Instance* fmu = c;
  State* s = &fmu->state;
  const double end = t + h;
  s->step = h;
  *event_needed = *terminate = *early_return = false;
  *reached = end;
  told(c, fmi3OK, no_rollback ? "step" : "step that may be repeated", t, h);
  if (is_due(s, end, PLAIN_ERROR)) return told(c, fmi3Error, "this step cannot be done", t, h);
  if (is_due(s, end, PLAIN_FATAL)) return lose(s), told(c, fmi3Fatal, "nothing can be done any more", t, h);
  if (is_due(s, end, PLAIN_TERMINATE)) {
    *terminate = true;
    return fmi3OK;
  }
  if (is_due(s, end, PLAIN_DISCARD) && h > PLAIN_LONGEST_STEP) return fmi3Discard;
  if (is_due(s, end, PLAIN_EARLY_RETURN) && h > PLAIN_LONGEST_STEP && fmu->may_return_early) {
    advance(s, t, 0.5 * h);
    *early_return = true;
    *reached = s->time;
    return fmi3OK;
  }
  advance(s, t, h);
  if (is_due(s, end, PLAIN_NAN)) s->real[OUTPUT] = NAN;
  return is_due(s, end, PLAIN_WARNING) ? told(c, fmi3Warning, "this step was hard", t, h) : fmi3OK;
}
