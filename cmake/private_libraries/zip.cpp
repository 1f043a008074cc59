// The functions of libzip that Ergon calls. The library is loaded when the first of them is, and privately: what a program links is
// found by every FMU in it, before the FMU's own functions of the same name (docs/adr/0039). Debian has no archive of it.
#include <dlfcn.h>
#include <zip.h>

#include <stdexcept>
#include <string>

namespace {

void* function_of_libzip(const char* name) {
  static void* const library = ::dlopen(ERGON_LIBZIP_NAME, RTLD_NOW | RTLD_LOCAL);
  void* const function = library != nullptr ? ::dlsym(library, name) : nullptr;
  if (function != nullptr) return function;
  const char* const why = ::dlerror();
  throw std::runtime_error(std::string("Archives need the library " ERGON_LIBZIP_NAME ": ") +
                           (why != nullptr ? why : "it cannot be loaded") + ".");
}

}  // namespace

#define ERGON_FORWARD(result, name, parameters, arguments)                                     \
  result name parameters {                                                                     \
    static const auto function = reinterpret_cast<decltype(&name)>(function_of_libzip(#name)); \
    return function arguments;                                                                 \
  }

extern "C" {
ERGON_FORWARD(zip_t*, zip_open, (const char* path, int flags, int* error), (path, flags, error))
ERGON_FORWARD(int, zip_close, (zip_t * archive), (archive))
ERGON_FORWARD(void, zip_discard, (zip_t * archive), (archive))
ERGON_FORWARD(void, zip_error_init_with_code, (zip_error_t * error, int code), (error, code))
ERGON_FORWARD(void, zip_error_fini, (zip_error_t * error), (error))
ERGON_FORWARD(const char*, zip_error_strerror, (zip_error_t * error), (error))
ERGON_FORWARD(const char*, zip_strerror, (zip_t * archive), (archive))
ERGON_FORWARD(zip_int64_t, zip_get_num_entries, (zip_t * archive, zip_flags_t flags), (archive, flags))
ERGON_FORWARD(int, zip_stat_index, (zip_t * archive, zip_uint64_t index, zip_flags_t flags, zip_stat_t* stat),
              (archive, index, flags, stat))
ERGON_FORWARD(int, zip_file_get_external_attributes,
              (zip_t * archive, zip_uint64_t index, zip_flags_t flags, zip_uint8_t* system,
               zip_uint32_t* attributes),
              (archive, index, flags, system, attributes))
ERGON_FORWARD(int, zip_file_set_dostime,
              (zip_t * archive, zip_uint64_t index, zip_uint16_t time, zip_uint16_t date, zip_flags_t flags),
              (archive, index, time, date, flags))
ERGON_FORWARD(int, zip_set_file_compression,
              (zip_t * archive, zip_uint64_t index, zip_int32_t method, zip_uint32_t flags),
              (archive, index, method, flags))
ERGON_FORWARD(zip_file_t*, zip_fopen_index, (zip_t * archive, zip_uint64_t index, zip_flags_t flags),
              (archive, index, flags))
ERGON_FORWARD(zip_int64_t, zip_fread, (zip_file_t * file, void* bytes, zip_uint64_t count),
              (file, bytes, count))
ERGON_FORWARD(int, zip_fclose, (zip_file_t * file), (file))
ERGON_FORWARD(const char*, zip_file_strerror, (zip_file_t * file), (file))
ERGON_FORWARD(zip_int64_t, zip_file_add,
              (zip_t * archive, const char* name, zip_source_t* source, zip_flags_t flags),
              (archive, name, source, flags))
ERGON_FORWARD(zip_source_t*, zip_source_buffer,
              (zip_t * archive, const void* data, zip_uint64_t size, int is_freed),
              (archive, data, size, is_freed))
ERGON_FORWARD(void, zip_source_free, (zip_source_t * source), (source))
}
