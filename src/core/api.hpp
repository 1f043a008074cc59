#pragma once

/// Marks what libergon.so shows to programs and plug-ins; every other name of the library is hidden (docs/adr/0110).
#define ERGON_API __attribute__((visibility("default")))
