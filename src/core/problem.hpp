#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// Where in the user's input something was said; line 0 means "not from a file".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { note, warning, error };

/// One finding about the user's input: what is wrong and what to do about it.
struct Problem {
  Severity severity = Severity::error;
  SourceLocation where;
  std::string what;
  std::string remedy;
};

/// `file:line:column: error: what. remedy`
ERGON_API std::string to_string(const Problem& problem);

/// Collects everything that is wrong, so that a user corrects a file once and not ten times.
class ERGON_API ProblemList {
 public:
  void error(SourceLocation where, std::string what, std::string remedy);
  void warning(SourceLocation where, std::string what, std::string remedy = {});
  void note(SourceLocation where, std::string what);

  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] bool has_warnings() const;
  [[nodiscard]] const std::vector<Problem>& all() const { return problems_; }

 private:
  std::vector<Problem> problems_;
  std::size_t errors_ = 0;
};

/// The user's input cannot be run: carries all findings.
class ERGON_API InputError : public std::exception {
 public:
  explicit InputError(ProblemList problems);
  InputError(SourceLocation where, std::string what, std::string remedy);
  [[nodiscard]] const ProblemList& problems() const { return problems_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  ProblemList problems_;
  std::string text_;
};

/// The candidate nearest to `wanted` by edit distance, or an empty view when none is near enough to be a typing slip.
ERGON_API std::string_view nearest_name(std::string_view wanted, const std::vector<std::string>& candidates);

/// " Did you mean 'x'?" or the list of what there is: the tail of every "unknown …" message.
ERGON_API std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& candidates);

}  // namespace ergon
