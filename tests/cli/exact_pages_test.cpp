// `--exact`: what a page holds is what the files of the run say, to the last bit.
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace ergon::cli {
namespace {

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  EXPECT_NE(from, std::string::npos) << begin;
  if (from == std::string::npos) return "";
  const auto start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

/// RFC 4648.
std::vector<unsigned char> from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const auto value = letters.find(c);
    if (value == std::string::npos) break;
    group = group << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(group >> static_cast<unsigned>(bits) & 0xffU));
  }
  return bytes;
}

/// A page, read as its own script does it (web/src/data.ts).
class Page {
 public:
  explicit Page(const std::string& file) : html_(read_file(file)) {
    data = nlohmann::json::parse(between(html_, "id=\"page\">", "</script>"));
  }
  [[nodiscard]] std::vector<double> block(std::size_t number, std::size_t count) const {
    const auto small =
        from_base64(between(html_, "id=\"block-" + std::to_string(number) + "\">", "</script>"));
    std::vector<unsigned char> bytes(9 + 8 * count);
    uLongf size = bytes.size();
    EXPECT_EQ(uncompress(bytes.data(), &size, small.data(), static_cast<uLong>(small.size())), Z_OK);
    const std::size_t width = bytes[0];
    EXPECT_EQ(size, 9 + width * count);
    double offset = 0.0;
    std::memcpy(&offset, bytes.data() + 1, sizeof offset);
    std::vector<double> numbers(count);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t difference = 0;
      for (std::size_t k = 0; k < width; ++k)
        difference |= static_cast<std::uint64_t>(bytes[9 + k * count + i]) << (8 * k);
      last += difference;
      numbers[i] = width == 8 ? std::bit_cast<double>(last)
                              : offset + std::bit_cast<float>(static_cast<std::uint32_t>(last));
    }
    return numbers;
  }
  [[nodiscard]] std::vector<double> times(const nlohmann::json& base) const {
    const std::size_t count = base["count"];
    if (base.contains("block")) return block(base["block"], count);
    std::vector<double> numbers(count);
    for (std::size_t k = 0; k < count; ++k)
      numbers[k] = base["start"].get<double>() + static_cast<double>(k) * base["step"].get<double>();
    return numbers;
  }
  nlohmann::json data;

 private:
  std::string html_;
};

/// Columns of a CSV file, in order; empty fields are not numbers.
std::vector<std::vector<double>> table_of(const std::string& file) {
  std::istringstream stream(read_file(file));
  std::string line, field;
  std::getline(stream, line);
  std::vector<std::vector<double>> columns(
      1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')));
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    for (auto& column : columns) {
      field.clear();
      std::getline(fields, field, ',');
      column.push_back(field.empty() ? std::nan("") : std::stod(field));
    }
  }
  return columns;
}

/// How many of the numbers of a table have other bits in the page.
int differences(const Page& page, const nlohmann::json& table, const std::string& file) {
  const auto recorded = table_of(file);
  int count = 0;
  const auto compare = [&](const std::vector<double>& shown, const std::vector<double>& written) {
    EXPECT_EQ(shown.size(), written.size()) << file;
    for (std::size_t i = 0; i < std::min(shown.size(), written.size()); ++i) {
      const bool same = std::bit_cast<std::uint64_t>(shown[i]) == std::bit_cast<std::uint64_t>(written[i]) ||
                        (std::isnan(shown[i]) && std::isnan(written[i]));
      count += same ? 0 : 1;
    }
  };
  compare(page.times(table["bases"][0]), recorded[0]);
  EXPECT_EQ(table["columns"].size() + 1, recorded.size()) << file;
  for (std::size_t i = 0; i < table["columns"].size(); ++i) {
    EXPECT_EQ(table["columns"][i]["base"], 0);
    compare(page.block(table["columns"][i]["block"], table["rows"]), recorded[i + 1]);
  }
  return count;
}

// Energies of 10⁴ J that change in the last digits, and times that no step meets exactly.
TEST(ExactPages, AreTheFilesOfTheRunToTheLastBit) {
  const TemporaryDirectory directory;
  const std::string run = (directory / "run").string();
  const std::string other = (directory / "other").string();
  const std::string scenario =
      std::string(ERGON_SOURCE_DIR) + "/benchmarks/lim-oscillator/f-s.toml --quiet --stop-time 0.3 ";
  ASSERT_EQ(ergon("run " + scenario + "--step-size 1e-3 --out " + run).exit_code, 0);
  ASSERT_EQ(ergon("run " + scenario + "--step-size 7e-4 --out " + other).exit_code, 0);
  const std::string report = (directory / "report.html").string();
  const std::string compared = (directory / "compare.html").string();
  for (const std::string exact : {" --exact", ""}) {
    ASSERT_EQ(ergon("report " + run + exact + " --out " + report).exit_code, 0);
    ASSERT_EQ(ergon("compare " + run + " " + other + exact + " --out " + compared).exit_code, 0);
    for (const std::string& file : {report, compared}) {
      const Page page(file);
      ASSERT_FALSE(page.data["runs"].empty());
      for (const auto& shown : page.data["runs"]) {
        const std::string folder = shown["name"] == "other" ? other : run;
        int lost = 0;
        for (const char* table : {"results", "bonds", "energy"})
          lost += differences(page, shown["tables"][table], folder + "/" + table + ".csv");
        if (exact.empty()) {
          EXPECT_GT(lost, 100) << "floats would have done: nothing is tested";
        } else {
          EXPECT_EQ(lost, 0) << file << " " << folder;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ergon::cli
