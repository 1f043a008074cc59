#include "benchmarks/framework/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ergon::bench {
namespace {

bool same_value(const CaseValue& a, const CaseValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return a == b;
  return std::abs(*x - *y) <= 1e-9 * std::max(std::abs(*x), std::abs(*y));
}

bool has(const Row& row, const Case& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    return std::any_of(row.settings.begin(), row.settings.end(), [&](const auto& setting) {
      return setting.first == wanted.first && same_value(setting.second, wanted.second);
    });
  });
}

std::string text_of(const FigureOf& figure) {
  std::string text = figure.quantity;
  for (const auto& [key, value] : figure.where) {
    const auto* words = std::get_if<std::string>(&value);
    text +=
        fmt::format(" {}={}", key, words != nullptr ? *words : fmt::format("{:g}", std::get<double>(value)));
  }
  return text;
}

const Row& only_row(const std::vector<Row>& rows, const FigureOf& which) {
  auto found = rows_of(rows, which);
  if (found.size() > 1)  // one that has no other settings is meant
    std::erase_if(found, [&](const Row* row) { return row->settings.size() != which.where.size(); });
  if (found.size() != 1)
    throw std::logic_error(
        fmt::format("a claim wants one figure of {}, there are {}", text_of(which), found.size()));
  return *found.front();
}

template <class Choose>
Measure extreme(const std::string& what, const FigureOf& among, Choose choose) {
  return computed(what, "", [among, choose](const std::vector<Row>& rows) {
    const auto found = rows_of(rows, among);
    double value = found.front()->ours;
    for (const Row* row : found) value = choose(value, row->ours);
    return value;
  });
}

template <class Choose>
Measure extreme_ratio(const std::string& what, const FigureOf& of, const FigureOf& by, Choose choose) {
  return computed(what, "", [of, by, choose](const std::vector<Row>& rows) {
    const auto upper = rows_of(rows, of);
    const auto lower = rows_of(rows, by);
    if (upper.size() != lower.size())
      throw std::logic_error(fmt::format("{} and {} are not pairs", text_of(of), text_of(by)));
    double value = upper.front()->ours / lower.front()->ours;
    for (std::size_t i = 1; i < upper.size(); ++i) value = choose(value, upper[i]->ours / lower[i]->ours);
    return value;
  });
}

double larger(double a, double b) {
  return std::max(a, b);
}
double smaller(double a, double b) {
  return std::min(a, b);
}

/// Half a unit of the last printed digit; large numbers are printed with two digits, as 1.3e45.
double half_a_digit(double printed, double last_digit) {
  constexpr double scientific = 1e6;
  if (std::abs(printed) < scientific) return 0.5 * last_digit;
  return 0.05 * std::pow(10.0, std::floor(std::log10(std::abs(printed))));
}

std::string text_of(const Row& row) {
  return fmt::format("{} ({})", row.claim->says, row.claim->source.place);
}

void add_printed(const Paper& paper, const PrintedTable& table, std::vector<Row>& rows) {
  const FigureOf entries{table.quantity, table.where};
  for (Row& row : rows) {
    if (row.quantity != entries.quantity || !row.paper || !has(row, entries.where)) continue;
    std::string of;
    for (const auto& [key, value] : row.settings) {
      const auto* number = std::get_if<double>(&value);
      if (number != nullptr) of += fmt::format("{}{} = {:g}", of.empty() ? "" : ", ", key, *number);
    }
    row.claim =
        RowClaim{fmt::format("{}, {}", table.says, of),
                 {paper.key, table.place, fmt::format("{:g}", *row.paper), "table"},
                 {.value = *row.paper, .abs = half_a_digit(*row.paper, table.last_digit) * (1.0 + 1e-9)},
                 table.reason};
  }
}

}  // namespace

std::vector<const Row*> rows_of(const std::vector<Row>& rows, const FigureOf& among) {
  std::vector<const Row*> found;
  for (const Row& row : rows)
    if (row.quantity == among.quantity && !row.is_of_claim_alone() && has(row, among.where))
      found.push_back(&row);
  if (found.empty())
    throw std::logic_error(fmt::format("a claim wants figures of {}, there are none", text_of(among)));
  return found;
}

double figure_of(const std::vector<Row>& rows, const FigureOf& which) {
  return only_row(rows, which).ours;
}

Measure figure(std::string quantity, Case where) {
  return {quantity, "", FigureOf{quantity, std::move(where)}, {}};
}

Measure ratio(const std::string& what, FigureOf of, FigureOf by) {
  return computed(what, "", [of = std::move(of), by = std::move(by)](const std::vector<Row>& rows) {
    return figure_of(rows, of) / figure_of(rows, by);
  });
}

Measure largest(const std::string& what, FigureOf among) {
  return extreme(what, among, larger);
}

Measure smallest(const std::string& what, FigureOf among) {
  return extreme(what, among, smaller);
}

Measure largest_ratio(const std::string& what, FigureOf of, FigureOf by) {
  return extreme_ratio(what, of, by, larger);
}

Measure smallest_ratio(const std::string& what, FigureOf of, FigureOf by) {
  return extreme_ratio(what, of, by, smaller);
}

Measure place_of_smallest(const std::string& setting, FigureOf among) {
  return computed(setting, "", [setting, among = std::move(among)](const std::vector<Row>& rows) {
    const auto found = rows_of(rows, among);
    const Row& best = **std::min_element(found.begin(), found.end(),
                                         [](const Row* a, const Row* b) { return a->ours < b->ours; });
    for (const auto& [key, value] : best.settings)
      if (const auto* number = std::get_if<double>(&value); number != nullptr && key == setting)
        return *number;
    throw std::logic_error(fmt::format("{} has no number '{}'", text_of(among), setting));
  });
}

Measure distance_to_paper(const std::string& what, FigureOf among) {
  return computed(what, "", [among = std::move(among)](const std::vector<Row>& rows) {
    double distance = 0.0;
    for (const Row* row : rows_of(rows, among))
      distance = std::max(distance, std::abs(row->ours - row->paper.value()));
    return distance;
  });
}

Measure computed(std::string what, std::string unit,
                 std::function<double(const std::vector<Row>& rows)> compute) {
  return {std::move(what), std::move(unit), {}, std::move(compute)};
}

void add_claims(std::string_view benchmark, std::vector<Row>& rows) {
  const std::vector<Row> figures = rows;
  for (const Paper& paper : papers()) {
    for (const PrintedTable& table : paper.tables)
      if (table.benchmark == benchmark) add_printed(paper, table, rows);
    for (const Claim& claim : paper.claims) {
      if (claim.benchmark != benchmark) continue;
      RowClaim said{
          claim.says, {paper.key, claim.place, claim.printed, claim.read}, claim.asks, claim.reason};
      Row row{
          {{"claim", paper.key + ", " + claim.place}}, claim.measure.quantity, claim.measure.unit, {}, {}};
      if (claim.measure.single) {
        const Row& found = only_row(figures, *claim.measure.single);
        Row& own = rows[static_cast<std::size_t>(&found - figures.data())];
        if (!own.claim) {
          own.claim = std::move(said);
          continue;
        }
        row.unit = found.unit;  // it stands for another claim already
        row.ours = found.ours;
      } else {
        row.ours = claim.measure.compute(figures);
      }
      row.claim = std::move(said);
      rows.push_back(std::move(row));
    }
  }
}

std::vector<ClaimCount> count_claims(const std::vector<Row>& rows) {
  std::vector<ClaimCount> counts;
  for (const Paper& paper : papers()) {
    ClaimCount count{paper.key};
    for (const Row& row : rows) {
      if (!row.claim || row.claim->source.paper != paper.key) continue;
      ++(row.mark() == Mark::as_published ? count.as_published : count.not_as_published);
    }
    if (count.as_published + count.not_as_published > 0) counts.push_back(std::move(count));
  }
  return counts;
}

std::string claims_text(const std::vector<Row>& rows, bool with_all) {
  std::string text;
  for (const ClaimCount& count : count_claims(rows)) {
    text +=
        fmt::format("{}: {} claims, {} as published, {} not as published\n", count.paper,
                    count.as_published + count.not_as_published, count.as_published, count.not_as_published);
    for (const bool held : {false, true}) {
      if (held && !with_all) continue;
      for (const Row& row : rows) {
        if (!row.claim || row.claim->source.paper != count.paper) continue;
        if ((row.mark() == Mark::as_published) != held) continue;
        const std::string unit = row.unit.empty() ? "" : " " + row.unit;
        text += fmt::format("  {} {}\n      printed: {}; ours: {} {:.4g}{} ({})\n", held ? "✓" : "✗",
                            text_of(row), row.claim->source.printed, row.quantity, row.ours, unit,
                            row.claim->asks.text());
        if (!held) text += fmt::format("      {}\n", row.claim->reason);
      }
    }
  }
  return text;
}

}  // namespace ergon::bench
