/* A nearly free FMU of FMI 2.0: one input, one output, y ← y + h·(u − y). What an importer costs shows beside it. With TINY_WORK a step
   counts so far before: work that takes as long wherever it is done. */
#define ERGON_FMI2_PROTOTYPES
#include "ergon/fmi/declarations/fmi2.hpp"

#include <stdlib.h>

typedef struct {
  double real[2];
} Tiny;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)name, (void)type, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
  Tiny* tiny = calloc(1, sizeof *tiny);
  if (tiny) tiny->real[1] = 1.0;
  return tiny;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean td, fmi2Real tolerance, fmi2Real start, fmi2Boolean sd,
                               fmi2Real stop) {
  (void)c, (void)td, (void)tolerance, (void)start, (void)sd, (void)stop;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Reset(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
  const Tiny* tiny = c;
  for (size_t i = 0; i < n; ++i) values[i] = tiny->real[vr[i]];
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
  Tiny* tiny = c;
  for (size_t i = 0; i < n; ++i) tiny->real[vr[i]] = values[i];
  return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
  (void)t, (void)no_rollback;
  Tiny* tiny = c;
#ifdef TINY_WORK
  for (volatile int i = 0; i < TINY_WORK; ++i) {
  }
#endif
  tiny->real[1] += h * (tiny->real[0] - tiny->real[1]);
  return fmi2OK;
}
