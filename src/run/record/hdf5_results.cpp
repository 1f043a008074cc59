#include "ergon/run/record/hdf5_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/hdf5/load_module.hpp"

#include <unistd.h>

namespace ergon {
namespace {

/// Readers see new chunks so often …
constexpr std::chrono::seconds flush_period{1};
/// … and rows that do not fill a chunk. Such a chunk stays as it is, uncompressed.
constexpr std::chrono::seconds tail_period{10};

hdf5::StoredTable stored(const std::string& name, const std::vector<RowColumn>& columns) {
  hdf5::StoredTable table{name, {}};
  for (const RowColumn& c : columns)
    table.columns.push_back({c.name, c.unit, c.description, c.type, c.items});
  return table;
}

}  // namespace

class Hdf5Results::Writer final : public RowWriter {
 public:
  Writer(Hdf5Results& results, std::size_t table, const std::vector<RowColumn>& columns)
      : RowWriter(columns.size() + 1, count_texts(columns)), results_(results), table_(table) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() override { close(); }
  void begin() { begin_writing(); }

 private:
  using Clock = std::chrono::steady_clock;

  void take(const double* rows, const std::string* texts, std::size_t count) override {
    if (!has_new_rows_) next_tail_ = Clock::now() + tail_period;
    has_new_rows_ = has_unflushed_rows_ = true;
    results_.guarded([&] {
      results_.stream();
      results_.file_->append(table_, rows, count, texts);
    });
  }
  void flush_taken() override {
    if (!has_unflushed_rows_) return;
    const Clock::time_point now = Clock::now();
    const bool with_tail = has_new_rows_ && now >= next_tail_;
    if (!with_tail && now < next_flush_) return;
    results_.guarded([&] {
      if (with_tail) results_.file_->write_tail(table_);
      results_.file_->flush();
    });
    next_flush_ = now + flush_period;
    has_unflushed_rows_ = false;
    if (with_tail) has_new_rows_ = false;
  }
  std::optional<std::string> close_file() override {
    const std::lock_guard lock(results_.mutex_);
    return results_.error_;
  }
  std::uint64_t position_in_file() override {
    std::uint64_t rows = 0;
    results_.guarded([&] {
      results_.file_->write_tail(table_);
      results_.file_->flush();
      rows = results_.file_->rows(table_);
    });
    return rows;
  }
  void cut_file(std::uint64_t position) override { results_.cut_back(table_, position); }

  Hdf5Results& results_;
  std::size_t table_;
  bool has_new_rows_ = false;        ///< since the last tail
  bool has_unflushed_rows_ = false;  ///< chunks, perhaps
  Clock::time_point next_flush_ = Clock::now();
  Clock::time_point next_tail_{};
};

Hdf5Results::Hdf5Results(std::filesystem::path path, Results results, hdf5::StoreOptions options)
    : path_(std::move(path)), results_(results), options_(options) {
  static_cast<void>(hdf5::load_module());
}

Hdf5Results::~Hdf5Results() {
  close();
}

std::unique_ptr<RowWriter> Hdf5Results::add_table(const std::string& name,
                                                  const std::vector<RowColumn>& columns) {
  auto writer = std::make_unique<Writer>(*this, tables_.size(), columns);
  tables_.push_back(stored(name, columns));
  writers_.push_back(writer.get());
  return writer;
}

void Hdf5Results::add_late_table(const std::string& name, const std::vector<RowColumn>& columns) {
  late_table_ = tables_.size();
  tables_.push_back(stored(name, columns));
}

void Hdf5Results::start() {
  if (results_ == Results::continued) return;
  // Neither a link nor a pipe is followed: the library would.
  const OpenedFile opened = open_output_file(path_);
  std::string why_not = opened.why_not;
  if (opened.descriptor >= 0) {
    ::close(opened.descriptor);
    try {
      file_ = hdf5::load_module().create(path_, tables_, options_);
    } catch (const std::runtime_error& error) {
      why_not = error.what();
    }
  }
  if (!file_) {
    throw InputError({}, fmt::format("'{}' cannot be written: {}.", path_.string(), why_not),
                     "Choose another directory with --out, or change the permissions of this one.");
  }
  streams_ = true;
  for (Writer* writer : writers_) writer->begin();
}

template <class Call>
void Hdf5Results::guarded(const Call& call) {
  const std::lock_guard lock(mutex_);
  if (error_ || !file_) return;
  try {
    call();
  } catch (const std::exception& error) {
    error_ = fmt::format("'{}' is incomplete: {}.", path_.string(), error.what());
  }
}

void Hdf5Results::stream() {
  if (streams_) return;
  file_->begin_streaming();
  streams_ = true;
  if (!copy_.empty()) std::filesystem::rename(copy_, path_);
  copy_.clear();
}

void Hdf5Results::reopen() {
  std::vector<std::string> names;
  for (const hdf5::StoredTable& table : tables_) names.push_back(table.name);
  file_.reset();
  const OpenedFile opened = open_temporary_file(path_, copy_);
  if (opened.descriptor < 0) throw std::runtime_error(opened.why_not);
  ::close(opened.descriptor);
  std::filesystem::copy_file(path_, copy_, std::filesystem::copy_options::overwrite_existing);
  file_ = hdf5::load_module().reopen(copy_, names);
  streams_ = false;
  error_.reset();
  // Of the end that the run had.
  if (late_table_) file_->cut_back(*late_table_, 0);
  file_->set_text("summary", {});
}

void Hdf5Results::cut_back(std::size_t table, std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  try {
    if (!file_ || streams_ || error_) reopen();
    file_->cut_back(table, rows);
  } catch (const std::exception& error) {
    throw ArchiveError(
        fmt::format("'{}' cannot be taken back to where it was: {}", path_.string(), error.what()));
  }
}

void Hdf5Results::write_late_table(const std::vector<double>& rows) {
  if (!late_table_) return;
  guarded([&] {
    stream();
    file_->append(*late_table_, rows.data(), rows.size() / (tables_[*late_table_].columns.size() + 1),
                  nullptr);
  });
}

void Hdf5Results::set_text(const char* name, const std::string& text) {
  guarded([&] { file_->set_text(name, text); });
}

std::optional<std::string> Hdf5Results::close() {
  guarded([&] {
    stream();
    file_->close();
  });
  const std::lock_guard lock(mutex_);
  file_.reset();
  return error_;
}

}  // namespace ergon
