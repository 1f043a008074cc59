/* Test FMUs for model exchange: five models, one of them chosen by EXCHANGE_MODEL when the library is compiled. Beside the model
   there is what both versions of FMI share: which call is legal in which mode, and that no call is later than the stop time. */
#ifndef ERGON_TESTS_FMUS_EXCHANGE_H
#define ERGON_TESTS_FMUS_EXCHANGE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BALL 1 /* bounces on the floor: state events */
#define OSCILLATOR \
  2 /* a mass with a spring and the damper of Van der Pol: continuous, with an input and derivatives */
#define STAIR 3    /* counts seconds: time events, no states */
#define PENDULUM 4 /* in Cartesian coordinates: chooses its states by step events */
#define RELAY 5    /* x' = u − sign(x), which chatters; and other faults */

enum mode { INSTANTIATED, INITIALIZATION, EVENT, CONTINUOUS, TERMINATED };
enum { MAX_REALS = 16 };

/* Everything that a saved state holds. */
typedef struct {
  enum mode mode;
  double time;
  double stop_time;
  double completed_time; /* of the last completed step */
  double real[MAX_REALS];
  double state[2];
  int integer[2]; /* discrete states */
  int choice;     /* of the pendulum: 0 x, 1 y */
  int updates;    /* of this event */
  double next_event_time;
  double tolerance;
} State;

typedef struct {
  int needs_another, terminate, nominals_changed, states_changed, next_event_defined;
  double next_event_time;
} Update;

#if EXCHANGE_MODEL == BALL
enum { H, V, G, E, V_MIN, ACCELERATION };
enum { NX = 2, NZ = 1 };
#define NAME "ball"
static void start(State* s) {
  s->real[H] = 1.0;
  s->real[G] = 9.81;
  s->real[E] = 0.7;
  s->real[V_MIN] = 0.1;
}
static void begin(State* s) {
  s->state[0] = s->real[H];
  s->state[1] = s->real[V];
}
static void rates(const State* s, double* dx) {
  const int rests = s->integer[1];
  dx[0] = rests ? 0.0 : s->state[1];
  dx[1] = rests ? 0.0 : -s->real[G];
}
/* Where it has just left the floor, it is above it. */
static void indicators(const State* s, double* z) {
  z[0] = s->integer[1] || (s->state[0] == 0.0 && s->state[1] > 0.0) ? DBL_MIN : s->state[0];
}
static void nominals(const State* s, double* n) {
  (void)s;
  n[0] = n[1] = 1.0;
}
static void update(State* s, Update* u) {
  if (s->integer[1] || s->state[0] > 0.0 || s->state[1] >= 0.0) return;
  ++s->integer[0];
  s->state[0] = 0.0;
  s->state[1] *= -s->real[E];
  if (s->state[1] < s->real[V_MIN]) {
    s->state[1] = 0.0;
    s->integer[1] = 1;
  }
  u->states_changed = 1;
}
static int wants_event(const State* s) {
  (void)s;
  return 0;
}
static double real_of(const State* s, unsigned vr) {
  double dx[2];
  rates(s, dx);
  return vr == H ? s->state[0] : vr == V ? s->state[1] : vr == ACCELERATION ? dx[1] : s->real[vr];
}

#elif EXCHANGE_MODEL == OSCILLATOR
enum { POSITION, VELOCITY, MASS, STIFFNESS, MU, FORCE, ACCELERATION, STORED, DISSIPATED, TWICE, LIMIT };
enum { NX = 2, NZ = 0 };
#define NAME "oscillator"
static void start(State* s) {
  s->real[POSITION] = 2.0;
  s->real[MASS] = s->real[STIFFNESS] = s->real[MU] = 1.0;
  s->real[LIMIT] = 1e9;
}
static void begin(State* s) {
  s->state[0] = s->real[POSITION];
  s->state[1] = s->real[VELOCITY];
}
static void rates(const State* s, double* dx) {
  const double x = s->state[0], v = s->state[1];
  dx[0] = v;
  dx[1] = (s->real[FORCE] - s->real[STIFFNESS] * x + s->real[MU] * (1.0 - x * x) * v) / s->real[MASS];
}
static void indicators(const State* s, double* z) {
  (void)s, (void)z;
}
static void nominals(const State* s, double* n) {
  (void)s;
  n[0] = 0.0; /* as exporters have been seen to say */
  n[1] = 1.0;
}
static void update(State* s, Update* u) {
  (void)s, (void)u;
}
static int wants_event(const State* s) {
  (void)s;
  return 0;
}
static double real_of(const State* s, unsigned vr) {
  double dx[2];
  rates(s, dx);
  const double x = s->state[0], v = s->state[1];
  return vr == POSITION       ? x
         : vr == VELOCITY     ? v
         : vr == ACCELERATION ? dx[1]
         : vr == STORED       ? 0.5 * s->real[STIFFNESS] * x * x + 0.5 * s->real[MASS] * v * v
         : vr == TWICE        ? 2.0 * s->real[FORCE]
                              : s->real[vr];
}
/* d unknown of a change of the knowns */
static double change_of(const State* s, unsigned unknown, unsigned known) {
  const double x = s->state[0], v = s->state[1], m = s->real[MASS];
  if (unknown == TWICE) return known == FORCE ? 2.0 : 0.0;
  if (unknown == VELOCITY) return known == VELOCITY;
  if (unknown == POSITION) return known == POSITION;
  if (unknown == STORED) return known == POSITION ? s->real[STIFFNESS] * x : known == VELOCITY ? m * v : 0.0;
  if (unknown != ACCELERATION) return 0.0;
  if (known == FORCE) return 1.0 / m;
  if (known == POSITION) return (-s->real[STIFFNESS] - 2.0 * s->real[MU] * x * v) / m;
  if (known == VELOCITY) return s->real[MU] * (1.0 - x * x) / m;
  return 0.0;
}
#define HAS_DERIVATIVES 1

#elif EXCHANGE_MODEL == STAIR
enum { PERIOD, LAST };
enum { NX = 0, NZ = 0 };
#define NAME "stair"
static void start(State* s) {
  s->real[PERIOD] = 1.0;
  s->real[LAST] = 9.5;
  s->integer[1] = 1; /* the height of a step, an input */
}
static void begin(State* s) {
  s->integer[0] = 1;
  s->next_event_time = s->time + s->real[PERIOD];
}
static void rates(const State* s, double* dx) {
  (void)s, (void)dx;
}
static void indicators(const State* s, double* z) {
  (void)s, (void)z;
}
static void nominals(const State* s, double* n) {
  (void)s, (void)n;
}
static void update(State* s, Update* u) {
  if (s->time >= s->next_event_time) {
    s->integer[0] += s->integer[1];
    s->next_event_time += s->real[PERIOD];
  }
  u->terminate = s->time >= s->real[LAST] || s->integer[0] >= 10;
  u->next_event_defined = 1;
  u->next_event_time = s->next_event_time;
}
static int wants_event(const State* s) {
  (void)s;
  return 0;
}
static double real_of(const State* s, unsigned vr) {
  return s->real[vr];
}

#elif EXCHANGE_MODEL == PENDULUM
/* x = L sin θ, y = −L cos θ. The state is one coordinate and its rate; the other one follows with the sign of its side. */
enum { X, Y, VX, VY, LENGTH, G, SELECTIONS, ENERGY, RATE_1, RATE_2, STATE_1, STATE_2 };
enum { NX = 2, NZ = 0 };
#define NAME "pendulum"
static void start(State* s) {
  s->real[X] = 1.0; /* horizontal, at rest */
  s->real[LENGTH] = 1.0;
  s->real[G] = 9.81;
}
static double other_coordinate(const State* s) {
  const double rest = s->real[LENGTH] * s->real[LENGTH] - s->state[0] * s->state[0];
  return s->integer[1] * sqrt(rest > 0.0 ? rest : 0.0);
}
static void all(const State* s, double* q) { /* x, y, vx, vy */
  const double a = s->state[0], b = other_coordinate(s), va = s->state[1], vb = -a * va / b;
  q[0] = s->choice ? b : a;
  q[1] = s->choice ? a : b;
  q[2] = s->choice ? vb : va;
  q[3] = s->choice ? va : vb;
}
static void begin(State* s) {
  s->choice = 1;
  s->state[0] = s->real[Y];
  s->state[1] = s->real[VY];
  s->integer[1] = s->real[X] < 0.0 ? -1 : 1;
}
static void rates(const State* s, double* dx) {
  double q[4];
  all(s, q);
  const double l2 = s->real[LENGTH] * s->real[LENGTH], v2 = q[2] * q[2] + q[3] * q[3], g = s->real[G];
  dx[0] = s->state[1];
  dx[1] = s->choice ? -(g * q[0] * q[0] + q[1] * v2) / l2 : (g * q[0] * q[1] - q[0] * v2) / l2;
}
static void indicators(const State* s, double* z) {
  (void)s, (void)z;
}
static void nominals(const State* s, double* n) {
  n[0] = s->real[LENGTH];
  n[1] = s->choice ? 2.0 : 3.0;
}
static int wants_event(const State* s) {
  return fabs(s->state[0]) > 0.8 * s->real[LENGTH];
}
static void update(State* s, Update* u) {
  if (!wants_event(s)) return;
  double q[4];
  all(s, q);
  s->choice = !s->choice;
  s->state[0] = q[s->choice];
  s->state[1] = q[2 + s->choice];
  s->integer[1] = q[!s->choice] < 0.0 ? -1 : 1;
  ++s->integer[0];
  u->states_changed = u->nominals_changed = 1;
}
static double real_of(const State* s, unsigned vr) {
  double q[4], dx[2];
  all(s, q);
  rates(s, dx);
  return vr <= VY           ? q[vr]
         : vr == ENERGY     ? 0.5 * (q[2] * q[2] + q[3] * q[3]) + s->real[G] * q[1]
         : vr >= STATE_1    ? s->state[vr - STATE_1]
         : vr >= RATE_1     ? dx[vr - RATE_1]
         : vr == SELECTIONS ? s->integer[0]
                            : s->real[vr];
}

#elif EXCHANGE_MODEL == RELAY
enum { POSITION, U, FAULT, RATE, SIDE };
enum { NX = 1, NZ = 2 };
enum relay_fault {
  RELAY_CHATTERS,
  RELAY_NAN,       /* a derivative, from 0.5 s on */
  RELAY_ERROR,     /* likewise, as a status */
  RELAY_DISCARD,   /* likewise, of SetContinuousStates */
  RELAY_RESTLESS,  /* event iteration never ends */
  RELAY_TERMINATE, /* from 0.5 s on, after a completed step */
  RELAY_STEPS,     /* wants an event after each step */
  RELAY_NAN_Z
};
#define NAME "relay"
static void start(State* s) {
  s->real[POSITION] = 0.3;
}
static void begin(State* s) {
  s->state[0] = s->real[POSITION];
  s->integer[0] = s->state[0] > 0.0 ? 1 : -1;
}
static int has(const State* s, enum relay_fault fault) {
  return (int)s->real[FAULT] == (int)fault && s->time > 0.5;
}
static void rates(const State* s, double* dx) {
  const double side = s->real[FAULT] == RELAY_CHATTERS ? s->integer[0] : 0.0;
  dx[0] = has(s, RELAY_NAN) ? NAN : s->real[U] - side;
}
static void indicators(const State* s, double* z) {
  z[0] = 1.0 + s->time;
  z[1] = has(s, RELAY_NAN_Z) ? NAN : s->state[0];
}
static void nominals(const State* s, double* n) {
  (void)s;
  n[0] = 1.0;
}
static void update(State* s, Update* u) {
  s->integer[0] = s->state[0] > 0.0 ? 1 : -1;
  u->needs_another = has(s, RELAY_RESTLESS);
}
static int wants_event(const State* s) {
  return s->real[FAULT] == RELAY_STEPS;
}
static double real_of(const State* s, unsigned vr) {
  double dx[1];
  rates(s, dx);
  return vr == POSITION ? s->state[0] : vr == RATE ? dx[0] : vr == SIDE ? s->integer[0] : s->real[vr];
}
#define HAS_FAULTS 1
#endif

#ifndef HAS_DERIVATIVES
static double change_of(const State* s, unsigned unknown, unsigned known) {
  (void)s, (void)unknown, (void)known;
  return 0.0;
}
#define HAS_DERIVATIVES 0
#endif

/* What a call may come in: a set of modes. */
#define IN(mode) (1u << (mode))
#define ANY_TIME (IN(INITIALIZATION) | IN(EVENT) | IN(CONTINUOUS) | IN(TERMINATED))
static int is_legal(const State* s, unsigned modes) {
  return (modes >> s->mode) & 1u;
}
static int is_late(const State* s, double time) {
  return time > s->stop_time;
}
#endif
