#include "ergon/core/csv_separator.hpp"

namespace ergon {

char csv_separator(std::string_view header) {
  bool quoted = false;
  bool has_tabs = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return ';';
    has_tabs = has_tabs || c == '\t';
  }
  return has_tabs ? '\t' : ',';
}

}  // namespace ergon
