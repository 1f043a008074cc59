#pragma once

#include <set>
#include <string>
#include <vector>

#include "ergon/scenario/expand/constants.hpp"
#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

using Names = std::vector<std::string>;

/// Reads one table, key by key, and knows afterwards which keys nobody asked for.
/// Every reader reports a value of the wrong type and then returns nothing, as for an absent key.
class TableReader {
 public:
  /// `title` names the table in messages: "[coupling]", "[[subsystem]] 'left'".
  TableReader(const Value& table, std::string title, ProblemList& problems);

  const Entry* entry(const std::string& key);
  std::optional<Said<std::string>> text(const std::string& key);
  /// One of `available`; a name of `later` is refused as not available yet, any other as unknown.
  std::optional<Said<std::string>> choice(const std::string& key, const Names& available,
                                          const Names& later = {});
  /// A text or a list of texts.
  std::vector<Said<std::string>> texts(const std::string& key);
  /// Also as a formula of constants: "2*pi".
  std::optional<Said<double>> number(const std::string& key);
  /// A finite number > 0.
  std::optional<Said<double>> positive(const std::string& key);
  /// A whole number from 1 to `limit`.
  std::optional<Said<std::int64_t>> count(const std::string& key, std::int64_t limit);
  std::optional<bool> flag(const std::string& key);
  std::optional<Said<std::vector<double>>> numbers(const std::string& key);
  /// A time: a number, read as the decimal written, or a text such as "1/60".
  std::optional<Said<Rational>> time_s(const std::string& key);
  /// A time > 0. A bad one is reported and returned as 0: the key is there, so nobody reports it missing.
  std::optional<Said<Rational>> step_s(const std::string& key);
  const Value* table(const std::string& key);
  /// The tables of [[key]].
  std::vector<const Value*> tables(const std::string& key);
  /// The values of a free table, as parameters.
  GivenParameters parameters(const std::string& key);

  /// A key of a feature that does not exist yet. Returns whether it is there.
  bool refuse(const std::string& key, const std::string& feature);
  /// Reports an absent key, in `finish` and unless a misspelt one was meant for it: one slip, one message.
  void missing(const std::string& key, const std::string& remedy);
  void error(const SourceLocation& where, std::string what, std::string remedy);
  /// The number that a value is or that its formula gives; reported as not `expected` where it is neither.
  std::optional<Number> number_in(const Entry& entry, const Value& value, const char* expected,
                                  const char* example);
  /// Among the given values those that must be numbers and are said as formulas become what these give. `others_are_numbers`: of names
  /// that are not declared, too, if they can be read (values of inputs).
  void evaluate_formulas(const std::string& key, const std::vector<ParameterInfo>& declared,
                         bool others_are_numbers, GivenParameters& given);
  /// Reports every key that was not asked for. Returns whether the whole table was free of errors.
  bool finish();
  /// After `finish`: an unknown key looks like this one.
  [[nodiscard]] bool misspelt(const std::string& key) const { return meant_.contains(key); }

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] bool ok() const { return ok_; }
  /// A table inside of this one had an error.
  void mark_unusable() { ok_ = false; }
  [[nodiscard]] ProblemList& problems() { return problems_; }

 private:
  void wrong_type(const Entry& entry, const std::string& expected, const std::string& example);

  const Value& table_;
  std::string title_;
  ProblemList& problems_;
  std::set<std::string> known_;    ///< asked for, so that a slip can be told its right name
  std::set<std::string> refused_;  ///< reported already
  std::set<std::string> meant_;    ///< what unknown keys look like
  std::vector<std::pair<std::string, std::string>> missing_;  ///< key, remedy
  bool ok_ = true;
};

/// The decimal written, or the reason why there is none.
std::optional<Rational> read_time(const Value& value, std::string& reason);

}  // namespace ergon
