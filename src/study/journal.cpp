#include "ergon/study/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "ergon/core/problem.hpp"

namespace ergon::study {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int journal_format = 1;

std::string head_line(const JournalHead& head) {
  return json{{"ergon-study", journal_format},
              {"kind", head.kind},
              {"fingerprint", head.fingerprint},
              {"runs", head.runs}}
             .dump() +
         "\n";
}

SourceLocation place(const fs::path& file, int line) {
  return {file.string(), line, 0};
}

JournalHead head_of(const std::string& line, const fs::path& file) {
  try {
    const json head = json::parse(line);
    if (head.at("ergon-study").get<int>() != journal_format)
      throw InputError(place(file, 1), "This study was written by another version of Ergon.",
                       "Give another folder with --out, or remove this one.");
    return {head.at("kind").get<std::string>(), head.at("fingerprint").get<std::string>(),
            head.at("runs").get<std::size_t>()};
  } catch (const json::exception&) {
    throw InputError(place(file, 1), "This is not the journal of a study.",
                     "Give another folder with --out, or remove this file.");
  }
}

struct Content {
  JournalHead head;
  std::vector<Outcome> outcomes;
  std::size_t whole_bytes = 0;  ///< up to the end of the last whole line
  bool has_head = false;
};

Content content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw InputError({file.string(), 0, 0}, "This journal cannot be read.", "Name the folder of a study.");
  Content content;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // torn: the line has no end
    if (number == 1) {
      content.head = head_of(line, file);
      content.has_head = true;
    } else if (auto outcome = outcome_of_line(line)) {
      content.outcomes.push_back(std::move(*outcome));
    } else {
      throw InputError(place(file, number), "This line is damaged.",
                       "Remove the line: its run is repeated when the study goes on.");
    }
    content.whole_bytes += line.size() + 1;
  }
  return content;
}

/// A worker of a process that was just killed may hold it for a moment.
bool lock(int file) {
  constexpr int tries = 100;
  constexpr useconds_t between_us = 10'000;
  for (int i = 0; i < tries; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    ::usleep(between_us);
  }
  return false;
}

}  // namespace

Journal::Journal(fs::path file, const JournalHead& head) : path_(std::move(file)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    const std::string why = file_ < 0 ? std::strerror(errno) : "not a regular file";
    if (file_ >= 0) ::close(file_);
    throw InputError({path_.string(), 0, 0}, fmt::format("The journal cannot be written: {}.", why),
                     "Give another folder with --out.");
  }
  try {
    if (!lock(file_))
      throw InputError({path_.string(), 0, 0}, "Another process is working on this study.",
                       "Wait for it, or give another folder with --out.");
    Content content = content_of(path_);
    if (!content.has_head) {
      if (::ftruncate(file_, 0) != 0) throw std::runtime_error(path_.string() + " cannot be cut");
      append(head_line(head).substr(0, head_line(head).size() - 1));
      return;
    }
    if (content.head.kind != head.kind || content.head.fingerprint != head.fingerprint)
      throw InputError({path_.string(), 0, 0},
                       "The folder holds another study: its scenario, settings, plan or measures differ.",
                       "Repeat the command that made it, give another folder with --out, or start again "
                       "with --restart.");
    if (::ftruncate(file_, static_cast<off_t>(content.whole_bytes)) != 0)
      throw std::runtime_error(path_.string() + " cannot be cut");
    found_ = std::move(content.outcomes);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  let_go();
}

void Journal::let_go() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void Journal::append(const std::string& line) {
  const std::string text = line + "\n";
  const off_t before = ::lseek(file_, 0, SEEK_END);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(file_, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const std::string why = std::strerror(errno);
      // No half lines: the study can go on where there is room again.
      const bool is_cut = ::ftruncate(file_, before) == 0;
      throw std::runtime_error(fmt::format("{} cannot be written: {}{}. What was tried before is kept",
                                           path_.string(), why, is_cut ? "" : " (its last line is torn)"));
    }
    written += static_cast<std::size_t>(n);
  }
}

std::vector<Outcome> Journal::read(const fs::path& file, JournalHead& head) {
  Content content = content_of(file);
  if (!content.has_head)
    throw InputError(place(file, 1), "This is not the journal of a study.", "Name the folder of a study.");
  head = content.head;
  return std::move(content.outcomes);
}

}  // namespace ergon::study
