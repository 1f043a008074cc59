#pragma once

namespace ergon {

/// A subsystem may ask to end the run: it holds its last values to the end of the step that it is in, and refuses the next one for this
/// reason. The run then ends there, and has not failed.
inline constexpr const char* asked_to_end = "it asked to end the run";

}  // namespace ergon
