#include <algorithm>
#include <stdexcept>

#include "ergon/hdf5/module/handles.hpp"
#include "ergon/hdf5/module/module.hpp"
#include "ergon/hdf5/module/table_columns.hpp"
#include "ergon/hdf5/module/text_store.hpp"

namespace ergon::hdf5 {
namespace {

class Reader final : public ResultReader {
 public:
  explicit Reader(Handle file) : file_(std::move(file)), texts_(TextStore::read(file_)) {
    for (FoundTable& found : tables_in(file_)) {
      std::uint64_t rows = UINT64_MAX;
      const Handle group = open_group(file_, found.group);
      // While it is written, and after a kill, one column may have come further than another.
      for (const std::string& dataset : found.datasets)
        rows = std::min<std::uint64_t>(rows, extent_of(open_dataset(group, dataset)));
      tables_.push_back(found.table);
      found_.push_back(std::move(found));
      rows_.push_back(rows);
    }
  }

  [[nodiscard]] const std::vector<StoredTable>& tables() const override { return tables_; }
  [[nodiscard]] std::uint64_t rows(std::size_t table) const override { return rows_.at(table); }
  [[nodiscard]] std::vector<double> read(std::size_t table, std::size_t column, std::uint64_t first,
                                         std::uint64_t count) const override {
    if (first + count > rows_.at(table)) throw std::runtime_error("it has fewer rows");
    std::vector<double> values(count);
    if (count == 0) return values;
    const Handle group = open_group(file_, found_.at(table).group);
    const Handle dataset = open_dataset(group, found_.at(table).datasets.at(column));
    const hsize_t begin = first;
    const hsize_t length = count;
    const Handle in_file(H5Dget_space(dataset), H5Sclose, "a dataset has no extent");
    checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &begin, nullptr, &length, nullptr), "no selection");
    const Handle in_memory(H5Screate_simple(1, &length, nullptr), H5Sclose, "no memory");
    const bool is_boolean = column > 0 && tables_[table].columns[column - 1].type == PortType::boolean;
    if (!is_boolean) {
      checked(H5Dread(dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, values.data()),
              "values cannot be read");
      return values;
    }
    std::vector<std::int8_t> flags(count);
    const Handle type = stored_type(PortType::boolean);
    checked(H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, flags.data()), "values cannot be read");
    std::copy(flags.begin(), flags.end(), values.begin());
    return values;
  }
  [[nodiscard]] const std::vector<std::string>& dictionary() const override { return texts_; }
  [[nodiscard]] std::string text(const std::string& name) const override {
    if (H5Lexists(file_, name.c_str(), H5P_DEFAULT) <= 0) return {};
    return bytes_of(open_dataset(file_, name));
  }

 private:
  Handle file_;
  std::vector<std::string> texts_;
  std::vector<StoredTable> tables_;
  std::vector<FoundTable> found_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace

std::unique_ptr<ResultReader> open_results(const std::filesystem::path& path) {
  const Handle access = file_access();
  const hid_t streamed = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (streamed >= 0) return std::make_unique<Reader>(Handle(streamed, H5Fclose, "the file cannot be opened"));
  H5Eclear2(H5E_DEFAULT);
  return std::make_unique<Reader>(
      open_file(path.string(), H5F_ACC_RDONLY, access, "the file cannot be opened"));
}

}  // namespace ergon::hdf5
