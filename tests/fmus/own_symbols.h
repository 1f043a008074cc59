/* Functions with names that other programs use, too: an FMU that brings its own SUNDIALS, zlib or pugixml has such. They are visible, as
   they are where somebody has not thought of it, and the FMU means its own. */
#ifndef ERGON_TESTS_FMUS_OWN_SYMBOLS_H
#define ERGON_TESTS_FMUS_OWN_SYMBOLS_H

#define KIT_SYMBOLS(DO)          \
  DO(N_VConst_Serial)            \
  DO(N_VNew_Serial)              \
  DO(CVode)                      \
  DO(ARKStepEvolve)              \
  DO(KINSol)                     \
  DO(SUNLinSol_Dense)            \
  DO(zip_open)                   \
  DO(zip_fread)                  \
  DO(inflate)                    \
  DO(deflate)                    \
  DO(BZ2_bzDecompress)           \
  DO(EVP_EncryptInit_ex)         \
  DO(_ZN4pugi12xml_documentC1Ev) \
  DO(_ZN3fmt2v97vformatB5cxx11ENS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_8appenderEcEEEE)

typedef int (*kit_function)(void);
/* The functions of this library, whoever else has such names; in the order above. */
extern const kit_function kit_own_functions[] __attribute__((visibility("hidden")));

#define KIT_DECLARE(name) int name(void) __attribute__((visibility("default")));
KIT_SYMBOLS(KIT_DECLARE)

#ifdef KIT_OWN_SYMBOLS
/* The name of a function that is not the one of this library; null: all are its own. A real FMU would call it, and crash. */
static const char* kit_foreign_symbol(void) {
#define KIT_NAME(name) #name,
#define KIT_FOUND(name) name,
  static const char* const names[] = {KIT_SYMBOLS(KIT_NAME) 0};
  const kit_function found[] = {KIT_SYMBOLS(KIT_FOUND) 0};
  for (int i = 0; names[i]; ++i) {
    if (found[i] != kit_own_functions[i]) return names[i];
  }
  return 0;
}
#endif

#endif
