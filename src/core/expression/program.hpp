#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/expression/term_graph.hpp"

namespace ergon::expression {

/// Terms compiled to a list of operations on a frame of numbers:
///   [symbols, by their number | constants | what the operations compute]
/// Each term is computed once, however many results it is part of. Running allocates nothing; the frame is the caller's, so that one
/// program serves any number of threads.
class Program {
 public:
  Program() = default;
  /// Of symbols with numbers below `symbols`.
  Program(const TermGraph& graph, std::span<const Term> results, std::size_t symbols);

  /// A frame with its constants, symbols 0.
  [[nodiscard]] std::vector<double> make_frame() const { return frame_; }
  [[nodiscard]] std::size_t symbols() const { return symbols_; }
  [[nodiscard]] std::size_t results() const { return places_.size(); }
  [[nodiscard]] std::size_t operations() const { return steps_.size(); }
  /// Computes with the symbols in the frame.
  void run(double* frame) const;
  /// Result `number` after `run`.
  [[nodiscard]] double result(const double* frame, std::size_t number) const {
    return frame[places_[number]];
  }
  void results(const double* frame, double* to) const {
    for (const std::uint32_t place : places_) *to++ = frame[place];
  }

 private:
  struct Step {
    std::uint32_t to, a, b, c;
  };
  /// Steps of one operation, one after the other.
  struct Run {
    Operation operation;
    std::uint32_t steps;
  };
  std::size_t symbols_ = 0;
  std::vector<Step> steps_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> places_;
  std::vector<double> frame_;
};

}  // namespace ergon::expression
