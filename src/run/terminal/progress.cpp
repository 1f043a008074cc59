#include "ergon/run/terminal/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace ergon {
namespace {

using namespace std::chrono_literals;

constexpr auto showing_period = 100ms;
constexpr auto looking_period = 5ms;
// A run that suddenly becomes slow must not stay silent for long.
constexpr int largest_stride = 4096;
constexpr int bar_width = 30;

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace

std::optional<ProgressMode> progress_mode(std::string_view name) {
  if (name == "auto") return ProgressMode::automatic;
  if (name == "bar") return ProgressMode::bar;
  if (name == "machine") return ProgressMode::machine;
  if (name == "off") return ProgressMode::off;
  return std::nullopt;
}

Progress::Progress(ProgressMode mode, std::FILE* stream)
    : mode_(mode), stream_(stream != nullptr ? stream : (mode == ProgressMode::machine ? stdout : stderr)) {
  if (mode_ == ProgressMode::automatic) {
    mode_ = is_terminal(stream_) ? ProgressMode::bar : ProgressMode::off;
  }
}

void Progress::begin(const Engine& engine) {
  engine_ = &engine;
  start(engine.grid().time_s(0), engine.grid().time_s(engine.grid().end()));
}

void Progress::start(double start_time_s, double stop_time_s) {
  start_time_s_ = start_time_s;
  stop_time_s_ = stop_time_s;
  time_s_ = start_time_s;
  started_ = last_look_ = last_shown_ = Clock::now();
}

void Progress::inspect(const StepRecord& record) {
  if (mode_ == ProgressMode::off || --points_until_look_ > 0) return;
  time_s_ = record.time_s();
  any_point_ = true;
  look_at_clock();
}

void Progress::end(const std::optional<Failure>& /*failure*/) {
  if (engine_ != nullptr && any_point_) finish(engine_->record().time_s());
}

void Progress::finish(double reached_time_s) {
  if (mode_ == ProgressMode::off) return;
  time_s_ = reached_time_s;
  show();
  if (mode_ == ProgressMode::bar) std::fputc('\n', stream_);
  flush();
}

void Progress::checking(double part) {
  if (mode_ == ProgressMode::off) return;
  const Clock::time_point now = Clock::now();
  const bool over = part >= 1.0;
  if (over ? !shows_check_ : now - last_shown_ < showing_period) return;
  last_shown_ = now;
  shows_check_ = !over;
  if (mode_ == ProgressMode::machine) {
    std::fprintf(stream_, "@check %.1f\n", 100.0 * part);
  } else {
    draw(part);
    std::fputs("  check run at another step size\x1b[K", stream_);
    if (over) std::fputc('\n', stream_);
  }
  flush();
}

void Progress::look_at_clock() {
  const Clock::time_point now = Clock::now();
  if (now - last_look_ < looking_period) {
    stride_ = std::min(2 * stride_, largest_stride);
  } else {
    stride_ = std::max(stride_ / 4, 1);
  }
  points_until_look_ = stride_;
  last_look_ = now;
  if (now - last_shown_ < showing_period) return;
  last_shown_ = now;
  show();
}

void Progress::show() {
  const double duration_s = stop_time_s_ - start_time_s_;
  const double fraction =
      duration_s > 0.0 ? std::clamp((time_s_ - start_time_s_) / duration_s, 0.0, 1.0) : 1.0;
  if (mode_ == ProgressMode::machine) {
    std::fprintf(stream_, "@progress %.1f %.9g\n", 100.0 * fraction, time_s_);
  } else {
    show_bar(fraction);
  }
  flush();
}

void Progress::flush() {
  if (std::fflush(stream_) != 0) mode_ = ProgressMode::off;
}

void Progress::draw(double fraction) {
  std::array<char, bar_width + 1> bar{};
  const auto filled = static_cast<std::size_t>(fraction * bar_width);
  std::fill_n(bar.begin(), bar_width, '.');
  std::fill_n(bar.begin(), filled, '#');
  // \r and "clear to the end of the line": the bar is drawn over itself.
  std::fprintf(stream_, "\r[%s] %3.0f %%", bar.data(), std::floor(100.0 * fraction));
}

void Progress::show_bar(double fraction) {
  draw(fraction);
  std::fprintf(stream_, "  t = %.6g of %.6g s", time_s_, stop_time_s_);
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - started_).count();
  // An estimate from the first per cent would only jump about.
  if (fraction > 0.01 && fraction < 1.0) {
    std::fprintf(stream_, "  %.0f s left", elapsed_s * (1.0 - fraction) / fraction);
  }
  std::fputs("\x1b[K", stream_);
}

}  // namespace ergon
