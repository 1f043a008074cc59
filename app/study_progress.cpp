#include "study_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "emit.hpp"

namespace ergon::app {
namespace {

std::string duration_text(double seconds) {
  const auto s = static_cast<long long>(std::ceil(seconds));
  constexpr long long minute = 60, hour = 3600;
  return s < hour ? fmt::format("{}:{:02}", s / minute, s % minute)
                  : fmt::format("{}:{:02}:{:02}", s / hour, s / minute % minute, s % minute);
}

}  // namespace

StudyProgressLine::StudyProgressLine(ProgressMode mode) : mode_(mode) {
  if (mode_ == ProgressMode::automatic)
    mode_ = ::isatty(STDERR_FILENO) == 1 ? ProgressMode::bar : ProgressMode::off;
}

void StudyProgressLine::show(const study::StudyProgress& p) {
  if (mode_ == ProgressMode::off) return;
  if (mode_ == ProgressMode::machine) {
    const double percent =
        p.runs > 0 ? 100.0 * static_cast<double>(p.done) / static_cast<double>(p.runs) : 100.0;
    const std::string line = fmt::format("@progress {:.1f} {}\n", percent, p.done);
    if (line != last_) emit("{}", line);
    last_ = line;
    std::fflush(stdout);
    return;
  }
  std::string line = fmt::format("{}/{} runs", p.done, p.runs);
  if (p.failed > 0) line += fmt::format(", {} not whole", p.failed);
  if (p.remaining_s && p.done < p.runs) line += fmt::format(", {} left", duration_text(*p.remaining_s));
  emit(stderr, "\r{:<60}", line);
  std::fflush(stderr);
  any_ = true;
}

void StudyProgressLine::finish() {
  if (any_) emit(stderr, "\r{:<60}\r", "");
  any_ = false;
}

}  // namespace ergon::app
