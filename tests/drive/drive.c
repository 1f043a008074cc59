/* Runs the two-mass oscillator of lim2021 out of two FMUs with nothing but dlopen and the calls of FMI: an importer that shares no
   line with ours. Both FMUs are unpacked folders: LEFT gives a force for the position and velocity of RIGHT, a mass.
     drive 2|3 stale|refresh LEFT RIGHT STEPS STEP_SIZE
   Jacobi, inputs held. `stale`: the force that RIGHT gets was evaluated with the inputs of the step; `refresh`: with those of its
   end. Prints time, position and velocity of RIGHT and the force, one line per communication point, with all digits. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ergon/fmi/declarations/fmi2.hpp"
#include "ergon/fmi/declarations/fmi3.hpp"

static void die(const char* what, const char* why) {
  fprintf(stderr, "drive: %s: %s\n", what, why ? why : "failed");
  exit(1);
}
static void check(int status, const char* call) {
  if (status != 0) die(call, "did not return OK");
}

static void say2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                 fmi2String category, fmi2String message, ...) {
  (void)environment;
  va_list arguments;
  va_start(arguments, message);
  fprintf(stderr, "%s (%d, %s): ", name, status, category ? category : "-");
  vfprintf(stderr, message, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
}
static void say3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                 fmi3String message) {
  (void)environment;
  fprintf(stderr, "(%d, %s): %s\n", status, category ? category : "-", message);
}

typedef struct {
  int version;
  void* library;
  void* instance;
  char* description;
  char resources[1024];
} Fmu;

static void* function(const Fmu* fmu, const char* name) {
  char whole[64];
  snprintf(whole, sizeof whole, "fmi%d%s", fmu->version, name);
  void* address = dlsym(fmu->library, whole);
  if (!address) die(whole, "is not in the library");
  return address;
}
#define CALL2(fmu, Name) ((fmi2##Name##TYPE*)function(fmu, #Name))
#define CALL3(fmu, Name) ((fmi3##Name##TYPE*)function(fmu, #Name))

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) die(path, "cannot be opened");
  char* text = calloc(1, 1 << 20);
  if (!text || fread(text, 1, (1 << 20) - 1, file) == 0) die(path, "cannot be read");
  fclose(file);
  return text;
}

/* The value of an attribute that follows `from` in a description. */
static void attribute(const char* from, const char* name, char* value, size_t size) {
  char key[64];
  snprintf(key, sizeof key, " %s=\"", name);
  const char* begin = from ? strstr(from, key) : NULL;
  if (!begin) die(name, "is not in the description");
  begin += strlen(key);
  snprintf(value, size, "%.*s", (int)strcspn(begin, "\""), begin);
}
static unsigned reference(const Fmu* fmu, const char* variable) {
  char key[128];
  char value[32];
  snprintf(key, sizeof key, " name=\"%s\"", variable);
  attribute(strstr(fmu->description, key), "valueReference", value, sizeof value);
  return (unsigned)strtoul(value, NULL, 10);
}

static const fmi2CallbackFunctions callbacks = {say2, calloc, free, NULL, NULL};

static Fmu load(int version, const char* folder, int event_mode) {
  Fmu fmu = {.version = version};
  char path[2048];
  char identifier[128];
  char token[128];
  snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
  fmu.description = read_text(path);
  attribute(fmu.description, "modelIdentifier", identifier, sizeof identifier);
  attribute(fmu.description, version == 2 ? "guid" : "instantiationToken", token, sizeof token);
  snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, version == 2 ? "linux64" : "x86_64-linux",
           identifier);
  fmu.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!fmu.library) die(path, dlerror());
  if (version == 2) {
    snprintf(fmu.resources, sizeof fmu.resources, "file://%s/resources", folder);
    fmu.instance =
        CALL2(&fmu, Instantiate)(identifier, fmi2CoSimulation, token, fmu.resources, &callbacks, 0, 0);
  } else {
    snprintf(fmu.resources, sizeof fmu.resources, "%s/resources/", folder);
    fmu.instance = CALL3(&fmu, InstantiateCoSimulation)(identifier, token, fmu.resources, false, false,
                                                        event_mode, false, NULL, 0, NULL, say3, NULL);
  }
  if (!fmu.instance) die(folder, "cannot be instantiated");
  return fmu;
}

static void enter_initialization(const Fmu* fmu) {
  if (fmu->version == 2) {
    check(CALL2(fmu, SetupExperiment)(fmu->instance, 0, 0.0, 0.0, 0, 0.0), "SetupExperiment");
    check(CALL2(fmu, EnterInitializationMode)(fmu->instance), "EnterInitializationMode");
  } else {
    check(CALL3(fmu, EnterInitializationMode)(fmu->instance, false, 0.0, 0.0, false, 0.0),
          "EnterInitializationMode");
  }
}
static void update(const Fmu* fmu) {
  fmi3Boolean answers[5];
  double next = 0.0;
  check(CALL3(fmu, UpdateDiscreteStates)(fmu->instance, answers, answers + 1, answers + 2, answers + 3,
                                         answers + 4, &next),
        "UpdateDiscreteStates");
}
static void exit_initialization(const Fmu* fmu, int event_mode) {
  if (fmu->version == 2) {
    check(CALL2(fmu, ExitInitializationMode)(fmu->instance), "ExitInitializationMode");
    return;
  }
  check(CALL3(fmu, ExitInitializationMode)(fmu->instance), "ExitInitializationMode");
  if (!event_mode) return;
  update(fmu);
  check(CALL3(fmu, EnterStepMode)(fmu->instance), "EnterStepMode");
}
static void set(const Fmu* fmu, const unsigned* vr, size_t n, const double* values) {
  if (fmu->version == 2)
    check(CALL2(fmu, SetReal)(fmu->instance, vr, n, values), "SetReal");
  else
    check(CALL3(fmu, SetFloat64)(fmu->instance, vr, n, values, n), "SetFloat64");
}
static void get(const Fmu* fmu, const unsigned* vr, size_t n, double* values) {
  if (fmu->version == 2)
    check(CALL2(fmu, GetReal)(fmu->instance, vr, n, values), "GetReal");
  else
    check(CALL3(fmu, GetFloat64)(fmu->instance, vr, n, values, n), "GetFloat64");
}
static void step(const Fmu* fmu, double t, double h) {
  if (fmu->version == 2) {
    check(CALL2(fmu, DoStep)(fmu->instance, t, h, fmi2True), "DoStep");
    return;
  }
  fmi3Boolean event = false, terminate = false, early = false;
  double last = 0.0;
  check(CALL3(fmu, DoStep)(fmu->instance, t, h, true, &event, &terminate, &early, &last), "DoStep");
}
/* Between steps FMI 3 lets nobody get after set; in event mode it does. */
static void around_refresh(const Fmu* fmu, int enter) {
  if (fmu->version == 2) return;
  if (enter) {
    check(CALL3(fmu, EnterEventMode)(fmu->instance), "EnterEventMode");
  } else {
    update(fmu);
    check(CALL3(fmu, EnterStepMode)(fmu->instance), "EnterStepMode");
  }
}
static void finish(const Fmu* fmu) {
  if (fmu->version == 2) {
    check(CALL2(fmu, Terminate)(fmu->instance), "Terminate");
    CALL2(fmu, FreeInstance)(fmu->instance);
  } else {
    check(CALL3(fmu, Terminate)(fmu->instance), "Terminate");
    CALL3(fmu, FreeInstance)(fmu->instance);
  }
  free(fmu->description);
}

int main(int argc, char** argv) {
  if (argc != 7) die("usage", "drive 2|3 stale|refresh LEFT RIGHT STEPS STEP_SIZE");
  const int version = atoi(argv[1]);
  const int refresh = strcmp(argv[2], "refresh") == 0;
  const long steps = atol(argv[5]);
  const double h = strtod(argv[6], NULL);
  const Fmu left = load(version, argv[3], refresh);
  const Fmu right = load(version, argv[4], refresh);
  const unsigned motion_in[2] = {reference(&left, "position_in"), reference(&left, "velocity_in")};
  const unsigned force_out = reference(&left, "force");
  const unsigned force_in = reference(&right, "force");
  const unsigned motion_out[2] = {reference(&right, "position"), reference(&right, "velocity")};

  double motion[2];
  double force = 0.0;
  enter_initialization(&left);
  enter_initialization(&right);
  get(&right, motion_out, 2, motion);
  set(&left, motion_in, 2, motion);
  get(&left, &force_out, 1, &force);
  set(&right, &force_in, 1, &force);
  exit_initialization(&left, refresh);
  exit_initialization(&right, refresh);
  printf("time,right.position,right.velocity,left.force\n%.17g,%.17g,%.17g,%.17g\n", 0.0, motion[0],
         motion[1], force);
  for (long k = 0; k < steps; ++k) {
    step(&left, (double)k * h, h);
    step(&right, (double)k * h, h);
    get(&right, motion_out, 2, motion);
    if (refresh) {
      around_refresh(&left, 1);
      set(&left, motion_in, 2, motion);
      get(&left, &force_out, 1, &force);
      around_refresh(&left, 0);
    } else {
      get(&left, &force_out, 1, &force);
      set(&left, motion_in, 2, motion);
    }
    set(&right, &force_in, 1, &force);
    printf("%.17g,%.17g,%.17g,%.17g\n", (double)(k + 1) * h, motion[0], motion[1], force);
  }
  finish(&left);
  finish(&right);
  return 0;
}
