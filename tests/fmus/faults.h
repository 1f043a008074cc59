/* What a test FMU does wrong, chosen when it is compiled (-DKIT_FAULT=KIT_ABORT). Faults of a step come in the first step that
   ends after 0.5 s, so that there are results to keep. */
#ifndef ERGON_TESTS_FMUS_FAULTS_H
#define ERGON_TESTS_FMUS_FAULTS_H

enum kit_fault {
  KIT_HEALTHY,
  KIT_SEGFAULT,
  KIT_ABORT,
  KIT_EXIT,
  KIT_HANG,
  KIT_NAN,
  KIT_ERROR,
  KIT_FATAL,
  KIT_DISCARD,             /* refuses steps longer than 4 ms from then on */
  KIT_TERMINATE,           /* wants the run to end */
  KIT_EARLY_RETURN,        /* FMI 3: comes back in the middle of that step, if it may */
  KIT_NO_INSTANCE,         /* cannot be instantiated */
  KIT_ERROR_IN_INIT,       /* ExitInitializationMode fails */
  KIT_SEGFAULT_AT_FREE,    /* crashes while it is freed */
  KIT_NOISY,               /* logs in every step: without category, with printf formats, with tokens */
  KIT_SLOW,                /* every step takes 2 ms */
  KIT_RESTLESS_ENVIRONMENT /* gives its logger a wrong environment pointer */
};
#ifndef KIT_FAULT
#define KIT_FAULT KIT_HEALTHY
#endif

#define KIT_FAULT_TIME 0.5
#define KIT_LONGEST_STEP 4e-3

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static inline void kit_sleep_ms(long milliseconds) {
  struct timespec pause = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  nanosleep(&pause, NULL);
}

/* The faults after which nobody comes back. */
static inline void kit_die(enum kit_fault fault) {
  switch (fault) {
    case KIT_SEGFAULT:
      raise(
          SIGSEGV); /* what the kernel sends for a wild pointer, without undefined behaviour in our own sources */
      break;
    case KIT_ABORT:
      abort();
    case KIT_EXIT:
      exit(0);
    case KIT_HANG:
      for (;;) kit_sleep_ms(1000);
    default:
      break;
  }
}

#endif
