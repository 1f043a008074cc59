#include "ergon/run/record/change_filter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace ergon {

ChangeFilter::ChangeFilter(double part_of_range, std::vector<ValueKind> kinds)
    : part_of_range_(part_of_range), kinds_(std::move(kinds)) {
  const auto texts = std::count(kinds_.begin(), kinds_.end(), ValueKind::text);
  kept_.resize(kinds_.size() + 1);
  left_out_ = kept_;
  least_.assign(kept_.size(), std::numeric_limits<double>::infinity());
  largest_.assign(kept_.size(), -std::numeric_limits<double>::infinity());
  kept_texts_.resize(static_cast<std::size_t>(texts));
  left_out_texts_ = kept_texts_;
}

ChangeFilter::Kept ChangeFilter::look_at(std::span<const double> values, std::span<const std::string> texts) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i] != ValueKind::real) continue;
    least_[i + 1] = std::min(least_[i + 1], values[i + 1]);
    largest_[i + 1] = std::max(largest_[i + 1], values[i + 1]);
  }
  if (has_rows_ && !has_changed(values, texts)) {
    std::copy(values.begin(), values.end(), left_out_.begin());
    std::copy(texts.begin(), texts.end(), left_out_texts_.begin());
    has_left_out_ = true;
    return Kept::none;
  }
  keep(values, texts);
  return std::exchange(has_left_out_, false) ? Kept::both : Kept::row;
}

bool ChangeFilter::has_changed(std::span<const double> values, std::span<const std::string> texts) const {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const double now = values[i + 1];
    const double before = kept_[i + 1];
    if (kinds_[i] == ValueKind::integer) {
      if (std::bit_cast<std::int64_t>(now) != std::bit_cast<std::int64_t>(before)) return true;
    } else if (kinds_[i] == ValueKind::real) {
      // What is not a number differs from everything but its own kind.
      if (std::isnan(now) != std::isnan(before)) return true;
      if (std::abs(now - before) > part_of_range_ * (largest_[i + 1] - least_[i + 1])) return true;
    }
  }
  return !std::equal(texts.begin(), texts.end(), kept_texts_.begin());
}

void ChangeFilter::keep(std::span<const double> values, std::span<const std::string> texts) {
  std::copy(values.begin(), values.end(), kept_.begin());
  std::copy(texts.begin(), texts.end(), kept_texts_.begin());
  has_rows_ = true;
}

void ChangeFilter::archive(Archive& archive) {
  archive.section("change filter");
  archive(has_rows_);
  archive(has_left_out_);
  for (std::vector<double>* numbers : {&kept_, &left_out_, &least_, &largest_})
    archive(std::span<double>(*numbers));
  for (std::vector<std::string>* texts : {&kept_texts_, &left_out_texts_})
    for (std::string& text : *texts) archive(text);
}

}  // namespace ergon
