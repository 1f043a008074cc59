/* A test FMU with nothing but doubles, which an importer may step in one call with others: y ← y + h·(u − y). What it does wrong
   is a parameter, `fault`, and comes in the first step that ends after `when`; so each of many instances of one library can have
   another. It tells its log of every call, with its values. */
#ifndef ERGON_TESTS_FMUS_PLAIN_H
#define ERGON_TESTS_FMUS_PLAIN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT, OUTPUT, FAULT, WHEN, START, REALS };
enum plain_fault {
  PLAIN_HEALTHY,
  PLAIN_WARNING_AT_SET,
  PLAIN_ERROR_AT_SET,
  PLAIN_WARNING,
  PLAIN_ERROR,
  PLAIN_FATAL,
  PLAIN_DISCARD, /* FMI 2 has done half of the step, FMI 3 refuses steps longer than 4 ms */
  PLAIN_TERMINATE,
  PLAIN_EARLY_RETURN, /* FMI 3: in the middle of the step */
  PLAIN_NAN,
  PLAIN_ERROR_AT_GET
};
#define PLAIN_LONGEST_STEP 4e-3
#define PLAIN_WHOLE INT64_C(9007199254740993) /* no double */

typedef struct State {
  struct State* lost_before;
  double real[REALS];
  double time;
  double step; /* the length of the last one that was asked for */
  double last_successful_time;
  int terminated;
#ifdef PLAIN_SOLVER
  double start_time;
  double solver_step; /* of explicit Euler inside, whatever the communication steps are */
  double solver_steps;
  double solved; /* the output after so many of them */
#endif
} State;

/* The step that begins at the present time, as long as the last one, is the one in which the fault comes. */
static int is_due(const State* s, double end, int fault) {
  return end > s->real[WHEN] && end - s->step <= s->real[WHEN] && (int)s->real[FAULT] == fault;
}

#ifdef PLAIN_SOLVER
/* A method of first order keeps a relative tolerance with steps of its root. Without a tolerance: that of the description, 0.01. */
static void set_tolerance(State* s, int is_defined, double tolerance) {
  s->solver_step = is_defined ? sqrt(tolerance) : 0.1;
}
#endif

static void start(State* s) {
  memset(s, 0, sizeof *s);
  s->real[OUTPUT] = s->real[START] = 1.0;
  s->real[WHEN] = 1e9;
}

/* After a fatal error nobody may free an instance any more. It is kept where it can be found: it is not leaked. */
static State* lost;
static void lose(State* s) {
  s->lost_before = lost;
  lost = s;
}

static void advance(State* s, double t, double h) {
#ifdef PLAIN_SOLVER
  if (s->solver_steps == 0 && t == s->start_time) s->solved = s->real[OUTPUT];
  for (; s->start_time + (s->solver_steps + 1) * s->solver_step <= t + h; ++s->solver_steps)
    s->solved += s->solver_step * (s->real[INPUT] - s->solved);
  const double since = t + h - (s->start_time + s->solver_steps * s->solver_step);
  s->real[OUTPUT] = s->solved + since * (s->real[INPUT] - s->solved);
#else
  s->real[OUTPUT] += h * (s->real[INPUT] - s->real[OUTPUT]);
#endif
  s->time = t + h;
}

#endif
