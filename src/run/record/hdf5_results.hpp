#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ergon/hdf5/result_store.hpp"
#include "ergon/run/record/result_file.hpp"
#include "ergon/run/record/row_writer.hpp"

namespace ergon {

/// results.h5: all tables of a run, and its texts, in one file (docs/hdf5.md). Every table has a writer with a ring and a thread of its
/// own, as CSV files have; one of them at a time is in the library, which is not made for more.
class Hdf5Results {
 public:
  /// Throws InputError where this build has no HDF5.
  Hdf5Results(std::filesystem::path path, Results results, hdf5::StoreOptions options);
  ~Hdf5Results();
  Hdf5Results(const Hdf5Results&) = delete;
  Hdf5Results& operator=(const Hdf5Results&) = delete;

  /// Before `start`. Positions of the writer are rows.
  [[nodiscard]] std::unique_ptr<RowWriter> add_table(const std::string& name,
                                                     const std::vector<RowColumn>& columns);
  /// A table that is written at the end, by `write_table`.
  void add_late_table(const std::string& name, const std::vector<RowColumn>& columns);
  /// Makes the file; throws InputError where that fails. One that is continued is opened when a writer is cut back.
  void start();
  /// `rows`: row by row, the time first.
  void write_late_table(const std::vector<double>& rows);
  void set_text(const char* name, const std::string& text);
  /// Returns what went wrong, now or earlier.
  std::optional<std::string> close();

 private:
  class Writer;
  /// Calls the library, one thread at a time; after a failure nothing more is written.
  template <class Call>
  void guarded(const Call& call);
  /// With the mutex held: a copy of the file can be changed by whoever goes on. It takes the place of the file when it is whole, so that
  /// a kill in between leaves the former.
  void reopen();
  void stream();
  void cut_back(std::size_t table, std::uint64_t rows);

  std::filesystem::path path_;
  Results results_;
  hdf5::StoreOptions options_;
  std::vector<hdf5::StoredTable> tables_;
  std::vector<Writer*> writers_;
  std::optional<std::size_t> late_table_;
  std::mutex mutex_;
  std::unique_ptr<hdf5::ResultWriter> file_;
  std::filesystem::path copy_;  ///< that is being changed; empty: none
  bool streams_ = false;        ///< others may read it; rows can be appended, and nothing else
  std::optional<std::string> error_;
};

}  // namespace ergon
