#include "own_symbols.h"

#define KIT_DEFINE(name) \
  int name(void) {       \
    return __LINE__;     \
  }                      \
  static int own_##name(void) __attribute__((alias(#name)));
KIT_SYMBOLS(KIT_DEFINE)

#define KIT_OWN(name) own_##name,
const kit_function kit_own_functions[] = {KIT_SYMBOLS(KIT_OWN) 0};
