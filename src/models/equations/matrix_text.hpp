#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ergon/models/registry.hpp"

namespace ergon {

struct MatrixValues {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  ///< row by row
  [[nodiscard]] const double* row(std::size_t number) const { return values.data() + number * columns; }
  [[nodiscard]] double at(std::size_t row_number, std::size_t column) const {
    return values[row_number * columns + column];
  }
};

/// Named numbers, as "m1 = 1, k = 2*pi": separated by commas, semicolons or lines. Throws expression::FormulaError.
std::vector<std::pair<std::string, double>> read_constants(const std::string& text);

/// Parameter `constants` of models with matrices, and the parameters that it declares.
ParameterInfo constants_parameter();
void extend_by_constants(const GivenParameters& given, ModelInfo& info);
/// Their values; nothing after reporting what is wrong.
std::optional<std::map<std::string, double>> constants_of(const ModelRequest& request, ProblemList& problems);

/// The matrix that a text parameter holds: rows separated by semicolons or lines, entries by commas, each a formula of constants; or the
/// name of a CSV file with as much in it. An empty text is a matrix without rows. Nothing after reporting what is wrong.
std::optional<MatrixValues> matrix_of(const ModelRequest& request, const std::string& key,
                                      const std::map<std::string, double>& constants, ProblemList& problems);

}  // namespace ergon
