#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/port_type.hpp"

namespace ergon::hdf5 {

/// A column of a table behind its time.
struct StoredColumn {
  std::string name;
  std::string unit{};
  std::string description{};
  PortType type = PortType::real;
  std::vector<EnumerationItem> items{};
};

struct StoredTable {
  std::string name;  ///< as the CSV file has it, without its ending
  std::vector<StoredColumn> columns;
};

/// How a file is made.
struct StoreOptions {
  int compression = 1;                  ///< of deflate: 1 to 9; 0: none
  std::size_t expected_rows = 1 << 20;  ///< of the longest table: smaller files have smaller chunks
};

/// Writes tables of doubles into one file, while others read it (docs/hdf5.md). Not for two threads at once. Failures are thrown as
/// std::runtime_error, with the reason as part of a sentence.
class ResultWriter {
 public:
  virtual ~ResultWriter() = default;

  /// So many rows behind each other, the time first; integers as their bits, texts apart, in the order of their columns. Whole chunks
  /// go to the file.
  virtual void append(std::size_t table, const double* rows, std::size_t count, const std::string* texts) = 0;
  /// Rows that do not fill a chunk go to the file, too.
  virtual void write_tail(std::size_t table) = 0;
  /// Readers see what was written.
  virtual void flush() = 0;
  [[nodiscard]] virtual std::uint64_t rows(std::size_t table) const = 0;
  /// After `reopen`, when everything is cut back: others may read the file from here on, which takes appending and texts only.
  virtual void begin_streaming() = 0;
  /// Forgets the rows behind so many; before `begin_streaming`.
  virtual void cut_back(std::size_t table, std::uint64_t rows) = 0;
  /// Of `texts` of `create_results`.
  virtual void set_text(const std::string& name, const std::string& text) = 0;
  /// Writes what is left. Nothing may be called afterwards.
  virtual void close() = 0;
};

/// Reads such a file: a finished one, one that grows, and what a killed run has left.
class ResultReader {
 public:
  virtual ~ResultReader() = default;
  [[nodiscard]] virtual const std::vector<StoredTable>& tables() const = 0;
  [[nodiscard]] virtual std::uint64_t rows(std::size_t table) const = 0;
  /// Values of a column (0: the time); integers as doubles, texts by their number in `dictionary`.
  [[nodiscard]] virtual std::vector<double> read(std::size_t table, std::size_t column, std::uint64_t first,
                                                 std::uint64_t count) const = 0;
  [[nodiscard]] virtual const std::vector<std::string>& dictionary() const = 0;
  /// Empty where there is none.
  [[nodiscard]] virtual std::string text(const std::string& name) const = 0;
};

/// Texts that every file has room for.
inline constexpr const char* text_names[] = {"summary", "system", "scenario"};

/// What the module offers; `interface_number` comes first in all versions.
struct Hdf5Module {
  unsigned interface_number;
  std::unique_ptr<ResultWriter> (*create)(const std::filesystem::path& file,
                                          const std::vector<StoredTable>& tables,
                                          const StoreOptions& options);
  /// A file that is there, from a run that was closed or killed, to go on in it.
  std::unique_ptr<ResultWriter> (*reopen)(const std::filesystem::path& file,
                                          const std::vector<std::string>& tables);
  std::unique_ptr<ResultReader> (*open)(const std::filesystem::path& file);
};
inline constexpr unsigned module_interface = 1;

}  // namespace ergon::hdf5
