#include "benchmarks/framework/picture.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ergon::bench {
namespace {

/// Subscripts and Greek letters in the letters of file names.
std::string transliterated(std::string text) {
  constexpr std::pair<const char*, const char*> letters[] = {{"₁", "1"},   {"₂", "2"},      {"₃", "3"},
                                                             {"φ", "phi"}, {"λ", "lambda"}, {"μ", "mu"},
                                                             {"η", "eta"}, {"κ", "kappa"},  {"δ", "d"}};
  for (const auto& [from, to] : letters) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
      text.replace(at, std::char_traits<char>::length(from), to);
  }
  return text;
}

/// Letters and digits, the rest as single hyphens.
std::string as_file_name(const std::string& given) {
  const std::string text = transliterated(given);
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name;
}

std::string heading(const PictureAxis& axis) {
  const std::string text = axis.unit.empty() ? axis.label : fmt::format("{} [{}]", axis.label, axis.unit);
  return text.find(',') == std::string::npos ? text : "\"" + text + "\"";
}

}  // namespace

std::vector<std::filesystem::path> write_series(const std::vector<Picture>& pictures,
                                                const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<std::filesystem::path> files;
  for (const Picture& picture : pictures) {
    for (const PictureCurve& curve : picture.curves) {
      const std::filesystem::path file =
          folder / (as_file_name(fmt::format("{} {} {} {}", picture.paper, picture.figure, picture.y.label,
                                             curve.label)) +
                    ".csv");
      std::ofstream stream(file);
      stream << heading(picture.x) << ',' << heading(picture.y) << '\n';
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        stream << fmt::format("{},{}\n", curve.x[i], curve.y[i]);
      if (!stream.flush()) throw std::runtime_error(fmt::format("could not write '{}'", file.string()));
      files.push_back(file);
    }
  }
  return files;
}

PictureCurve thinned(const PictureCurve& curve, std::size_t most) {
  const std::size_t n = curve.x.size();
  if (n <= most) return curve;
  PictureCurve thin{curve.label, {}, {}, curve.reference, curve.points_only};
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t at = i * (n - 1) / (most - 1);
    thin.add(curve.x[at], curve.y[at]);
  }
  return thin;
}

}  // namespace ergon::bench
