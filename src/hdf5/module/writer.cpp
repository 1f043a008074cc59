#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "ergon/hdf5/module/handles.hpp"
#include "ergon/hdf5/module/module.hpp"
#include "ergon/hdf5/module/table_columns.hpp"
#include "ergon/hdf5/module/text_store.hpp"

namespace ergon::hdf5 {
namespace {

/// Of a chunk, in rows: many make few calls of the library per value, few keep the chunks of thousands of columns in memory.
constexpr std::size_t most_chunk_rows = 4096;
constexpr std::size_t fewest_chunk_rows = 64;
constexpr std::size_t values_in_memory = std::size_t{1} << 20U;

constexpr std::uint32_t both_filters_skipped = 3;  // shuffle and deflate

/// A table that is being written: a chunk of each column is in memory.
struct OpenTable {
  std::string group;
  std::vector<PortType> types;  ///< the time first
  std::vector<Handle> datasets;
  std::vector<std::uint64_t> values;  ///< column by column, a chunk each
  std::size_t chunk_rows = 0;
  int compression = 0;
  std::uint64_t rows = 0;  ///< all of them
  std::size_t filled = 0;  ///< those of the last chunk
  /// The last chunk is in the file, as it is: it is written there again, since a compressed one would need another place.
  bool tail_is_in_file = false;
};

std::size_t chunk_rows_for(std::size_t columns, std::size_t expected_rows) {
  const std::size_t fitting =
      std::clamp(values_in_memory / (columns + 1), fewest_chunk_rows, most_chunk_rows);
  return std::clamp(std::bit_ceil(expected_rows), fewest_chunk_rows, std::bit_floor(fitting));
}

class Writer final : public ResultWriter {
 public:
  Writer(Handle file, const std::vector<std::string>& tables) : file_(std::move(file)) {
    const std::vector<FoundTable> found = tables_in(file_);
    for (const std::string& name : tables) {
      const auto table =
          std::find_if(found.begin(), found.end(), [&](const FoundTable& f) { return f.table.name == name; });
      if (table == found.end()) throw std::runtime_error("it has no table '" + name + "'");
      open_table(*table);
    }
    texts_.open(file_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() override {
    try {
      close();
    } catch (const std::exception&) {  // whoever wants to know has closed it before
    }
  }

  void append(std::size_t number, const double* rows, std::size_t count, const std::string* texts) override {
    OpenTable& table = tables_.at(number);
    const std::size_t columns = table.types.size();
    const std::size_t text_columns = number_of_texts(table);
    while (count > 0) {
      const std::size_t here = std::min(count, table.chunk_rows - table.filled);
      copy_rows(table, rows, here, texts);
      rows += here * columns;
      texts += here * text_columns;
      count -= here;
      table.filled += here;
      table.rows += here;
      if (table.filled < table.chunk_rows) return;
      write_chunk(table, table.compression > 0 && !table.tail_is_in_file);
      table.filled = 0;
      table.tail_is_in_file = false;
    }
  }

  void write_tail(std::size_t number) override {
    OpenTable& table = tables_.at(number);
    if (table.filled == 0) return;
    write_chunk(table, false);
    table.tail_is_in_file = true;
  }

  void flush() override { checked(H5Fflush(file_, H5F_SCOPE_GLOBAL), "the file cannot be written"); }

  [[nodiscard]] std::uint64_t rows(std::size_t number) const override { return tables_.at(number).rows; }

  void cut_back(std::size_t number, std::uint64_t rows) override {
    OpenTable& table = tables_.at(number);
    const hsize_t extent = rows;
    for (const Handle& dataset : table.datasets) {
      if (extent_of(dataset) < extent) throw std::runtime_error("it has fewer rows");
      checked(H5Dset_extent(dataset, &extent), "rows cannot be removed");
    }
    table.rows = rows;
    read_last_chunk(table);
  }

  void set_text(const std::string& name, const std::string& text) override {
    const Handle dataset = open_dataset(file_, name);
    write_behind(dataset, H5T_NATIVE_UINT8, 0, text.size(), text.data());
  }

  void close() override {
    if (file_ < 0) return;
    for (OpenTable& table : tables_) {
      if (table.filled > 0) write_chunk(table, table.compression > 0 && !table.tail_is_in_file);
      table.filled = 0;
    }
    tables_.clear();
    texts_.close();
    checked(H5Fflush(file_, H5F_SCOPE_GLOBAL), "the file cannot be written");
    if (!file_.reset()) throw_last_error("the file cannot be closed");
  }

  /// From here on others may read it.
  void begin_streaming() override { checked(H5Fstart_swmr_write(file_), "readers cannot be let in"); }

 private:
  static std::size_t number_of_texts(const OpenTable& table) {
    return static_cast<std::size_t>(std::count_if(table.types.begin(), table.types.end(), [](PortType type) {
      return value_kind_of(type) == ValueKind::text;
    }));
  }

  void open_table(const FoundTable& found) {
    OpenTable& table = tables_.emplace_back();
    table.group = found.group;
    table.types = {PortType::real};
    for (const StoredColumn& column : found.table.columns) table.types.push_back(column.type);
    const Handle group = open_group(file_, found.group);
    for (const std::string& dataset : found.datasets) table.datasets.push_back(open_dataset(group, dataset));
    const Handle properties(H5Dget_create_plist(table.datasets.front()), H5Pclose, "no memory");
    hsize_t chunk = 0;
    checked(H5Pget_chunk(properties, 1, &chunk), "a dataset has no chunks");
    table.chunk_rows = static_cast<std::size_t>(chunk);
    if (checked(H5Pget_nfilters(properties), "no filters") == 2) {
      unsigned flags = 0, level = 1, filter = 0;
      std::size_t values = 1;
      checked(H5Pget_filter2(properties, 1, &flags, &values, &level, 0, nullptr, &filter), "no filters");
      table.compression = static_cast<int>(level);
    }
    table.values.assign(table.chunk_rows * table.types.size(), 0);
    table.rows = extent_of(table.datasets.front());
    // The others may have come less far, where the run was killed: it is cut back then.
  }

  void copy_rows(OpenTable& table, const double* rows, std::size_t count, const std::string* texts) {
    const std::size_t columns = table.types.size();
    // Some rows at a time: whole cache lines of the columns are written.
    constexpr std::size_t block = 8;
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t end = std::min(count, first + block);
      for (std::size_t column = 0; column < columns; ++column) {
        std::uint64_t* to = table.values.data() + column * table.chunk_rows + table.filled;
        for (std::size_t row = first; row < end; ++row)
          std::memcpy(to + row, rows + row * columns + column, sizeof *to);
      }
    }
    if (!texts_.is_open()) return;
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (value_kind_of(table.types[column]) != ValueKind::text) continue;
        table.values[column * table.chunk_rows + table.filled + row] =
            static_cast<std::uint64_t>(texts_.number_of(*texts++));
      }
    }
  }

  void write_chunk(OpenTable& table, bool compressed) {
    if (texts_.is_open()) texts_.write();
    const hsize_t extent = table.rows;
    const hsize_t offset = table.rows - table.filled;
    for (std::size_t column = 0; column < table.datasets.size(); ++column) {
      std::uint64_t* const values = table.values.data() + column * table.chunk_rows;
      // What is behind the last row: nothing that depends on what was there before.
      std::fill(values + table.filled, values + table.chunk_rows, 0);
      const void* data = values;
      std::size_t bytes = table.chunk_rows * stored_bytes(table.types[column]);
      if (table.types[column] == PortType::boolean) {
        flags_.resize(table.chunk_rows);
        for (std::size_t row = 0; row < table.chunk_rows; ++row) flags_[row] = values[row] != 0 ? 1 : 0;
        data = flags_.data();
      }
      std::uint32_t skipped = table.compression > 0 ? both_filters_skipped : 0;
      if (compressed && compress(data, bytes, stored_bytes(table.types[column]), table.compression)) {
        data = packed_.data();
        bytes = packed_bytes_;
        skipped = 0;
      }
      checked(H5Dset_extent(table.datasets[column], &extent), "a dataset cannot grow");
      checked(H5Dwrite_chunk(table.datasets[column], H5P_DEFAULT, skipped, &offset, bytes, data),
              "values cannot be written");
    }
  }

  /// The filters of the library, in its order; false where nothing is gained.
  bool compress(const void* data, std::size_t bytes, std::size_t value_bytes, int level) {
    const auto* const from = static_cast<const unsigned char*>(data);
    shuffled_.resize(bytes);
    const std::size_t count = bytes / value_bytes;
    for (std::size_t byte = 0; byte < value_bytes; ++byte)
      for (std::size_t i = 0; i < count; ++i) shuffled_[byte * count + i] = from[i * value_bytes + byte];
    uLongf length = compressBound(static_cast<uLong>(bytes));
    packed_.resize(length);
    if (compress2(packed_.data(), &length, shuffled_.data(), static_cast<uLong>(bytes), level) != Z_OK)
      return false;
    packed_bytes_ = length;
    return packed_bytes_ < bytes;
  }

  void read_last_chunk(OpenTable& table) {
    table.filled = static_cast<std::size_t>(table.rows % table.chunk_rows);
    table.tail_is_in_file = false;
    if (table.filled == 0) return;
    const hsize_t first = table.rows - table.filled;
    const hsize_t count = table.filled;
    const Handle in_memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "no memory");
    for (std::size_t column = 0; column < table.datasets.size(); ++column) {
      const Handle in_file(H5Dget_space(table.datasets[column]), H5Sclose, "a dataset has no extent");
      checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "no selection");
      std::uint64_t* const values = table.values.data() + column * table.chunk_rows;
      if (table.types[column] == PortType::boolean) {
        flags_.resize(table.chunk_rows);
        const Handle type = stored_type(PortType::boolean);
        checked(H5Dread(table.datasets[column], type, in_memory, in_file, H5P_DEFAULT, flags_.data()),
                "values cannot be read");
        std::copy_n(flags_.begin(), count, values);
        continue;
      }
      const hid_t type = table.types[column] == PortType::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
      checked(H5Dread(table.datasets[column], type, in_memory, in_file, H5P_DEFAULT, values),
              "values cannot be read");
    }
  }

  Handle file_;
  std::vector<OpenTable> tables_;
  TextStore texts_;
  std::vector<std::uint8_t> flags_;
  std::vector<unsigned char> shuffled_, packed_;
  std::size_t packed_bytes_ = 0;
};

bool has_texts(const std::vector<StoredTable>& tables) {
  for (const StoredTable& table : tables) {
    for (const StoredColumn& column : table.columns)
      if (value_kind_of(column.type) == ValueKind::text) return true;
  }
  return false;
}

std::vector<std::string> names_of(const std::vector<StoredTable>& tables) {
  std::vector<std::string> names;
  for (const StoredTable& table : tables) names.push_back(table.name);
  return names;
}

}  // namespace

std::unique_ptr<ResultWriter> create_results(const std::filesystem::path& path,
                                             const std::vector<StoredTable>& tables,
                                             const StoreOptions& options) {
  const Handle access = file_access();
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "no memory");
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "no order");
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose, "the file cannot be made");
  write_text_attribute(file, "COMMENT", "results of a run of Ergon");
  write_text_attribute(file, "FORMAT", "1");
  const std::vector<std::string> groups = object_names(names_of(tables));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    create_table(file, groups[i], tables[i], chunk_rows_for(tables[i].columns.size(), options.expected_rows),
                 options.compression);
  }
  if (has_texts(tables)) TextStore::create(file);
  for (const char* name : text_names) create_bytes(file, name, H5T_STD_U8LE, 4096);
  auto writer = std::make_unique<Writer>(std::move(file), names_of(tables));
  writer->flush();
  writer->begin_streaming();
  return writer;
}

std::unique_ptr<ResultWriter> reopen_results(const std::filesystem::path& path,
                                             const std::vector<std::string>& tables) {
  const Handle access = file_access();
  // A killed run has left the mark of a writer, and a superblock that may be older than what is behind it: the properties that h5clear
  // sets.
  const hbool_t yes = true;
  checked(H5Pset(access, "clear_status_flags", &yes), "the library has no way to repair a file");
  checked(H5Pset(access, "skip_eof_check", &yes), "the library has no way to repair a file");
  Handle file = open_file(path.string(), H5F_ACC_RDWR, access, "the file cannot be opened");
  checked(H5Fincrement_filesize(file, 0), "the file cannot be repaired");
  return std::make_unique<Writer>(std::move(file), tables);
}

}  // namespace ergon::hdf5
