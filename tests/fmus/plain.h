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
} State;

/* The step that begins at the present time, as long as the last one, is the one in which the fault comes. */
static int is_due(const State* s, double end, int fault) {
  return end > s->real[WHEN] && end - s->step <= s->real[WHEN] && (int)s->real[FAULT] == fault;
}

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
  s->real[OUTPUT] += h * (s->real[INPUT] - s->real[OUTPUT]);
  s->time = t + h;
}

#endif
