#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ergon/hdf5/result_store.hpp"
#include "ergon/report/table.hpp"

namespace ergon::report {

/// One table of results.h5; columns are read when they are asked for.
class Hdf5Table final : public Table {
 public:
  Hdf5Table(std::filesystem::path path, std::shared_ptr<const hdf5::ResultReader> file, std::size_t table);

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] const std::vector<std::string>& units() const override { return units_; }
  [[nodiscard]] std::size_t rows() const override { return static_cast<std::size_t>(file_->rows(table_)); }
  [[nodiscard]] bool is_text(std::size_t column) const override;
  [[nodiscard]] CsvColumn column(std::size_t number) const override { return part(number, 0, rows()); }
  [[nodiscard]] CsvColumn part(std::size_t number, std::size_t first, std::size_t count) const override;
  [[nodiscard]] std::pair<std::size_t, std::size_t> rows_in(const TimeWindow& window) const override;

 private:
  [[nodiscard]] std::vector<double> read(std::size_t column, std::size_t first, std::size_t count) const;

  std::filesystem::path path_;
  std::shared_ptr<const hdf5::ResultReader> file_;
  std::size_t table_;
  std::vector<std::string> names_, units_;
};

/// Opens results.h5; throws InputError where that fails.
[[nodiscard]] std::shared_ptr<const hdf5::ResultReader> open_hdf5(const std::filesystem::path& path);

}  // namespace ergon::report
