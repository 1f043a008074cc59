// toml++, which the other parts of the library of exported FMUs expect to be a library of its own.
#define TOML_IMPLEMENTATION
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>
