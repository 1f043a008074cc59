#pragma once

namespace ergon::fmi {

/// Splits this process, which has one thread: the parent, whose id the master knows, becomes the guardian of the child and never
/// returns; the child returns and is the worker.
///   worker ends                  → the guardian kills all that the FMU has started, and ends as the worker did
///   master ends, closes lifeline → the guardian kills the worker and all that the FMU has started
///   guardian is killed           → the kernel kills the worker (PR_SET_PDEATHSIG; the guardian's one thread lives as long as it)
/// Processes that leave their group, session or parent are found nevertheless: the guardian is their reaper (PR_SET_CHILD_SUBREAPER).
/// False: no process could be had, and there is no guardian.
bool split_off_guardian(int lifeline);

}  // namespace ergon::fmi
