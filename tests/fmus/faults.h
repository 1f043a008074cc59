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
  KIT_DISCARD,              /* refuses steps longer than 4 ms from then on */
  KIT_TERMINATE,            /* wants the run to end */
  KIT_EARLY_RETURN,         /* FMI 3: comes back in the middle of that step, if it may */
  KIT_NO_INSTANCE,          /* cannot be instantiated */
  KIT_ERROR_IN_INIT,        /* ExitInitializationMode fails */
  KIT_SEGFAULT_AT_FREE,     /* crashes while it is freed */
  KIT_NOISY,                /* logs in every step: without category, with printf formats, with tokens */
  KIT_SLOW,                 /* every step takes 2 ms */
  KIT_RESTLESS_ENVIRONMENT, /* gives its logger a wrong environment pointer */
  KIT_EXIT_INSIDE,          /* exit within the C library: error(3) */
  KIT_EXIT_LATER,           /* exit after 50 steps of the library beyond 0.5 s */
  KIT_EXIT_IN_INIT,         /* exit in ExitInitializationMode */
  KIT_EXIT_FROM_THREAD,     /* exit in a thread of its own, while steps go on */
  KIT_CHILDREN,      /* starts processes that never end: in its group, in a session of their own, orphaned */
  KIT_CHILDREN_HANG, /* … and does not come back */
  KIT_ROUNDING,      /* rounds upward in every step from then on */
  KIT_FOLDER,        /* changes the working folder */
  KIT_LOCALE,
  KIT_UMASK,
  KIT_MEETING /* no step ends before another process has begun its step of that number: they meet in the file that `label` names */
};
#ifndef KIT_FAULT
#define KIT_FAULT KIT_HEALTHY
#endif

#define KIT_FAULT_TIME 0.5
#define KIT_LONGEST_STEP 4e-3

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void error(int status, int error_number, const char* format, ...);

static inline void kit_sleep_ms(long milliseconds) {
  struct timespec pause = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  nanosleep(&pause, NULL);
}

/* Both add a byte per step to the file. 0: nobody came for five seconds. */
static inline int kit_meet(const char* file) {
  static int steps;
  const int there = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (there < 0 || write(there, "x", 1) != 1) return 0;
  ++steps;
  struct stat about = {0};
  for (int i = 0; i < 5000 && about.st_size < 2 * steps; ++i) {
    if (i > 0) kit_sleep_ms(1);
    if (fstat(there, &about) != 0) break;
  }
  close(there);
  return about.st_size >= 2 * steps;
}

#ifdef KIT_EXITS_AT_LOAD
__attribute__((constructor)) static void kit_at_load(void) {
  exit(0);
}
#endif

static inline void* kit_exit_from_thread(void* ignored) {
  (void)ignored;
  exit(0);
}

static inline void kit_sleep_for_ever(void) {
  for (;;) kit_sleep_ms(60000);
}

static inline void kit_start_children(void) {
  if (fork() == 0) kit_sleep_for_ever();
  if (fork() == 0) {
    setsid();
    kit_sleep_for_ever();
  }
  if (fork() == 0) {
    setsid();
    if (fork() == 0) kit_sleep_for_ever();
    _exit(0);
  }
}

/* What is done once, and goes on. */
static inline void kit_disturb(enum kit_fault fault) {
  static int is_done;
  static int steps;
  if (fault == KIT_EXIT_LATER && ++steps > 50) exit(0);
  if (fault == KIT_ROUNDING) fesetround(FE_UPWARD);
  if (is_done) return;
  is_done = 1;
  pthread_t thread;
  switch (fault) {
    case KIT_EXIT_FROM_THREAD:
      pthread_create(&thread, NULL, kit_exit_from_thread, NULL);
      pthread_detach(thread);
      kit_sleep_ms(100);
      break;
    case KIT_CHILDREN:
      kit_start_children();
      break;
    case KIT_CHILDREN_HANG:
      kit_start_children();
      kit_sleep_for_ever();
      break;
    case KIT_FOLDER:
      if (chdir("/") != 0) abort();
      break;
    case KIT_LOCALE:
      if (!setlocale(LC_ALL, "C.UTF-8")) abort();
      break;
    case KIT_UMASK:
      umask(0777);
      break;
    default:
      break;
  }
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
    case KIT_EXIT_INSIDE:
      error(3, 0, "this is the end");
      break;
    case KIT_HANG:
      kit_sleep_for_ever();
      break;
    default:
      break;
  }
}

#endif
