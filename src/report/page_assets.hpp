#pragma once

#include <string_view>

// What the build has made of web/ (web/build.sh).
namespace ergon::report::assets {

extern const std::string_view style;
extern const std::string_view script;
extern const std::string_view script_hash;  ///< as a content security policy wants it: sha256-…
extern const std::string_view animation_script;
extern const std::string_view animation_script_hash;
extern const std::string_view why_missing;  ///< empty where all is there

}  // namespace ergon::report::assets
