// What it costs to write results: CPU of both threads, per two values, beside a bare fwrite of the same doubles.
//   build/release/bench/record [--columns N] [--rows N] [--folder DIR]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/run/record/csv_writer.hpp"
#include "ergon/run/record/hdf5_results.hpp"
#include "ergon/run/record/mat_writer.hpp"

namespace {

namespace fs = std::filesystem;

double cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Oscillations of different periods, as a simulation gives them: all digits of every value.
class Source {
 public:
  explicit Source(std::size_t columns) : position_(columns, 0.1), velocity_(columns, 0.0) {}
  void fill(double* row, double time_s) {
    row[0] = time_s;
    for (std::size_t i = 0; i < position_.size(); ++i) {
      const double stiffness = 10.0 + static_cast<double>(i);
      velocity_[i] -= 1e-3 * stiffness * position_[i];
      position_[i] += 1e-3 * velocity_[i];
      row[i + 1] = position_[i];
    }
  }

 private:
  std::vector<double> position_, velocity_;
};

struct Case {
  std::string name;
  std::string file;
  std::function<void(Source&, std::size_t rows)> write;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t columns = 200, rows = 200'000;
  fs::path folder = fs::temp_directory_path() / "ergon-record";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--columns") columns = std::strtoul(argv[i + 1], nullptr, 10);
    if (option == "--rows") rows = std::strtoul(argv[i + 1], nullptr, 10);
    if (option == "--folder") folder = argv[i + 1];
  }
  fs::create_directories(folder);
  std::vector<ergon::RowColumn> names;
  for (std::size_t i = 0; i < columns; ++i)
    names.push_back({fmt::format("m{}.position", i), {}, {}, "m", {}});
  const auto time_s = [](std::size_t row) { return 1e-3 * static_cast<double>(row); };
  const auto through = [&](ergon::RowWriter& writer, Source& source, std::size_t count) {
    for (std::size_t row = 0; row < count; ++row) {
      source.fill(writer.next_row().values.data(), time_s(row));
      writer.commit();
    }
    if (const auto error = writer.close()) throw std::runtime_error(*error);
  };
  const auto hdf5 = [&](int compression) {
    return [&, compression](Source& source, std::size_t count) {
      ergon::Hdf5Results results(folder / "results.h5", ergon::Results::anew, {compression, count});
      const auto writer = results.add_table("results", names);
      results.start();
      through(*writer, source, count);
      if (const auto error = results.close()) throw std::runtime_error(*error);
    };
  };
  std::vector<Case> cases = {
      {"no file", "",
       [&](Source& source, std::size_t count) {
         std::vector<double> row(columns + 1);
         for (std::size_t i = 0; i < count; ++i) source.fill(row.data(), time_s(i));
       }},
      {"fwrite", "bare.bin",
       [&](Source& source, std::size_t count) {
         std::FILE* const file = std::fopen((folder / "bare.bin").c_str(), "wb");
         std::vector<double> row(columns + 1);
         for (std::size_t i = 0; i < count; ++i) {
           source.fill(row.data(), time_s(i));
           std::fwrite(row.data(), sizeof(double), row.size(), file);
         }
         std::fclose(file);
       }},
      {"CSV", "results.csv",
       [&](Source& source, std::size_t count) {
         ergon::CsvWriter writer({folder / "results.csv"}, names);
         through(writer, source, count);
       }},
      {"MAT", "results.mat",
       [&](Source& source, std::size_t count) {
         ergon::MatWriter writer({folder / "results.csv"}, names);
         through(writer, source, count);
       }},
      {"HDF5, compression 0", "results.h5", hdf5(0)},
      {"HDF5, compression 1", "results.h5", hdf5(1)},
      {"HDF5, compression 9", "results.h5", hdf5(9)},
  };
  const double pairs = 0.5 * static_cast<double>(columns * rows);
  double nothing_s = 0.0;
  fmt::print("{} columns, {} rows\n{:<22} {:>16} {:>12}\n", columns, rows, "", "ns per 2 values",
             "bytes/value");
  for (const Case& c : cases) {
    double best_s = 1e300;
    constexpr int repeats = 3;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Source source(columns);
      const double begin_s = cpu_s();
      try {
        c.write(source, rows);
      } catch (const ergon::InputError& error) {
        fmt::print("{:<22} {}\n", c.name, error.what());
        return 1;
      }
      best_s = std::min(best_s, cpu_s() - begin_s);
    }
    if (c.file.empty()) {
      nothing_s = best_s;
      continue;
    }
    fmt::print("{:<22} {:>16.1f} {:>12.2f}\n", c.name, 1e9 * (best_s - nothing_s) / pairs,
               static_cast<double>(fs::file_size(folder / c.file)) / static_cast<double>(columns * rows));
  }
  fs::remove_all(folder);
  return 0;
}
