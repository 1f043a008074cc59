#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// One figure of a benchmark: its quantity, and the settings that tell it apart. Exactly one row must have them, or have them and
/// no others.
struct FigureOf {
  std::string quantity;
  Case where{};
};

/// What of our figures a claim is about.
struct Measure {
  std::string quantity;
  std::string unit{};
  std::optional<FigureOf> single{};  ///< one row, which then carries the claim itself
  std::function<double(const std::vector<Row>& rows)> compute{};
};

/// Figures that are not there, or not told apart, are a mistake in a claim: std::logic_error.
[[nodiscard]] Measure figure(std::string quantity, Case where);
[[nodiscard]] Measure ratio(const std::string& what, FigureOf of, FigureOf by);
[[nodiscard]] Measure largest(const std::string& what, FigureOf among);
[[nodiscard]] Measure smallest(const std::string& what, FigureOf among);
/// Over all pairs of rows whose settings agree in everything but what is named here; in the order of the rows.
[[nodiscard]] Measure largest_ratio(const std::string& what, FigureOf of, FigureOf by);
[[nodiscard]] Measure smallest_ratio(const std::string& what, FigureOf of, FigureOf by);
/// The value of a setting at which a figure is smallest.
[[nodiscard]] Measure place_of_smallest(const std::string& setting, FigureOf among);
/// Largest distance to what the paper has for the same row.
[[nodiscard]] Measure distance_to_paper(const std::string& what, FigureOf among);
[[nodiscard]] Measure computed(std::string what, std::string unit,
                               std::function<double(const std::vector<Row>& rows)> compute);

/// The figures of all rows with these settings; at least one.
[[nodiscard]] std::vector<const Row*> rows_of(const std::vector<Row>& rows, const FigureOf& among);
[[nodiscard]] double figure_of(const std::vector<Row>& rows, const FigureOf& which);

/// Something that a paper says: a table entry, what a figure shows, a sentence.
struct Claim {
  std::string place;
  std::string says;
  std::string printed;  ///< the value, or the words
  std::string read;     ///< table, text, caption; how words became a number
  std::string benchmark;
  Measure measure;
  Expectation asks;
  std::string reason{};  ///< why it does not hold, where it does not
};

/// A table of a paper whose entries are rows with a published figure: every one of them is a claim.
struct PrintedTable {
  std::string place;
  std::string benchmark;
  std::string quantity;
  Case where;
  std::string says;
  double last_digit = 0.0;  ///< unit of the last digit that is printed, for numbers below `scientific`
  std::string reason{};     ///< why entries differ that do
};

struct Paper {
  std::string key;    ///< in docs/references.bib
  std::string title;  ///< in a few words
  std::vector<Claim> claims;
  std::vector<PrintedTable> tables{};
};

/// The papers with all their claims.
const std::vector<Paper>& papers();

/// Rows that stand for claims are marked; claims about several figures become rows of their own at the end.
void add_claims(std::string_view benchmark, std::vector<Row>& rows);

/// How many claims of a paper there are among these rows.
struct ClaimCount {
  std::string paper;
  int as_published = 0;
  int not_as_published = 0;
};
[[nodiscard]] std::vector<ClaimCount> count_claims(const std::vector<Row>& rows);

/// Per paper so many claims, so many as published and so many not; then those that do not hold with our figure and the reason.
/// `with_all`: also those that hold.
[[nodiscard]] std::string claims_text(const std::vector<Row>& rows, bool with_all);

}  // namespace ergon::bench
