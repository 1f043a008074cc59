#pragma once

namespace ergon::app {

/// From here on an FMU in this process that calls `exit` is a failure of that FMU, also where a thread of its own does it.
void catch_exits_of_fmus();

/// The last thing that main does: where an FMU has called `exit`, ends the process here, with a failure, and without what libraries
/// have registered for the end; they are in the middle of something.
int end_after_exits(int exit_code);

}  // namespace ergon::app
