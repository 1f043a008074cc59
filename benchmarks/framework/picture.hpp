#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ergon::bench {

/// One curve of a picture.
struct PictureCurve {
  std::string label;
  std::vector<double> x{};
  std::vector<double> y{};
  bool reference = false;    ///< what the others are compared with
  bool points_only = false;  ///< marks that no line joins

  void add(double x_value, double y_value) {
    x.push_back(x_value);
    y.push_back(y_value);
  }
};

struct PictureAxis {
  std::string label;
  std::string unit{};
};

/// A figure of a paper, drawn again: under its number, with its axes and its curves.
struct Picture {
  std::string paper;   ///< key in docs/references.bib
  std::string figure;  ///< "Fig. 12, case 2"
  std::string title;
  PictureAxis x;
  PictureAxis y;
  std::vector<PictureCurve> curves{};
};

/// Where a benchmark leaves the series of its runs, if somebody wants to see them.
class Pictures {
 public:
  void add(Picture picture) { all_.push_back(std::move(picture)); }
  [[nodiscard]] const std::vector<Picture>& all() const { return all_; }

 private:
  std::vector<Picture> all_;
};

/// One CSV file per curve, `<paper>-<figure>-<curve>.csv` with a column for either axis; returns the files.
std::vector<std::filesystem::path> write_series(const std::vector<Picture>& pictures,
                                                const std::filesystem::path& folder);

/// Not more than `most` points of a curve, evenly chosen, first and last among them.
[[nodiscard]] PictureCurve thinned(const PictureCurve& curve, std::size_t most);

}  // namespace ergon::bench
