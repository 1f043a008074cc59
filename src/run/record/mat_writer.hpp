#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ergon/run/record/result_file.hpp"
#include "ergon/run/record/row_writer.hpp"

namespace ergon {

/// Writes rows as trajectories of Modelica tools: a MAT file of version 4 with the matrices Aclass, name, description, dataInfo, data_1 and
/// data_2, the latter transposed ("binTrans"), so that a row at a time can be added. Numbers of all types become doubles; texts are
/// left out. The number of rows is in a header, which follows what was written: a killed run leaves a whole file.
class MatWriter final : public RowWriter {
 public:
  /// Opens the file afresh. Throws InputError where that fails. One that is continued is left alone until it is cut back. Positions
  /// are rows.
  MatWriter(const ResultFile& file, const std::vector<RowColumn>& columns);
  ~MatWriter() override;
  MatWriter(const MatWriter&) = delete;
  MatWriter& operator=(const MatWriter&) = delete;

 private:
  void take(const double* rows, const std::string* texts, std::size_t count) override;
  void flush_taken() override;
  std::optional<std::string> close_file() override;
  std::uint64_t position_in_file() override { return rows_; }
  void cut_file(std::uint64_t position) override;

  void write_at(std::uint64_t place, const void* data, std::size_t bytes);
  /// Says in the headers how many rows there are, and when the last of them is.
  void write_row_count();

  std::filesystem::path path_;
  std::vector<PortType> types_;        ///< of all columns, the time first
  std::size_t kept_columns_ = 0;       ///< the time, and all but texts
  std::uint64_t rows_place_ = 0;       ///< of the number of rows in the header of data_2
  std::uint64_t last_time_place_ = 0;  ///< in data_1
  std::uint64_t data_place_ = 0;
  std::uint64_t rows_ = 0;
  double last_time_s_ = 0.0;
  std::vector<double> kept_;  ///< scratch
  int file_ = -1;
  int error_number_ = 0;
};

}  // namespace ergon
