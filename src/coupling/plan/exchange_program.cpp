#include "ergon/coupling/plan/exchange_program.hpp"

#include <algorithm>

namespace ergon {

void ExchangeProgram::add(std::uint32_t slot, std::size_t stage, std::uint32_t source, int degree,
                          const LinkTerm& term) {
  holds_ = holds_ && degree == 0 && !term.differentiate;
  auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
    return b.stage == stage && b.degree == degree && b.differentiate == term.differentiate;
  });
  if (block == blocks_.end()) {
    block = blocks_.emplace(blocks_.end());
    block->stage = stage;
    block->degree = degree;
    block->differentiate = term.differentiate;
  }
  if (term.gain == 1.0 && term.offset == 0.0) {
    block->copies.push_back({slot, source});
  } else {
    block->scaled.push_back({slot, source, term.gain, term.offset});
  }
}

void ExchangeProgram::add_integer(std::uint32_t slot, std::size_t stage, std::uint32_t source,
                                  const LinkTerm& term) {
  integers_.push_back({{slot, source, term.gain, term.offset}, stage});
}

int ExchangeProgram::max_degree() const {
  int degree = 0;
  for (const Block& b : blocks_) degree = std::max(degree, b.degree);
  return degree;
}

std::size_t ExchangeProgram::shortest_history(const SampleRings& rings) const {
  std::size_t shortest = blocks_.empty() ? 0 : max_extrapolation_samples;
  for (const Block& b : blocks_) shortest = std::min(shortest, rings[b.stage]->count());
  return shortest;
}

std::optional<std::vector<ExchangeProgram::PlainCopy>> ExchangeProgram::plain_copies() const {
  std::vector<PlainCopy> copies;
  if (!integers_.empty() || !sums_.empty()) return std::nullopt;
  for (const Block& block : blocks_) {
    if (block.differentiate || !block.scaled.empty()) return std::nullopt;
    for (const Copy& c : block.copies) copies.push_back({c.slot, c.source, block.stage});
  }
  return copies;
}

ExchangeProgram ExchangeProgram::copies_of(const std::vector<bool>& outputs) const {
  ExchangeProgram program = *this;
  for (Block& block : program.blocks_)
    std::erase_if(block.copies, [&](const Copy& c) { return !outputs[c.source]; });
  std::erase_if(program.blocks_, [](const Block& block) { return block.copies.empty(); });
  return program;
}

void ExchangeProgram::update(Weights& weights, const Block& block, const SampleRing& ring,
                             const TimeGrid& grid, Tick k) {
  // A rate needs two samples whatever the degree; a polynomial of degree n needs n + 1, fewer while history is short.
  const std::size_t wanted = block.differentiate ? 2 : static_cast<std::size_t>(block.degree) + 1;
  const std::size_t samples = std::min(wanted, ring.count());
  bool same = samples == weights.samples;
  for (std::size_t j = 0; j < samples; ++j) {
    const Tick offset = ring.tick(j) - k;
    same = same && offset == weights.offsets[j];
    weights.offsets[j] = offset;
  }
  if (same) return;
  weights.samples = samples;
  std::array<double, max_extrapolation_samples> times{};
  for (std::size_t j = 0; j < samples; ++j) times[j] = grid.duration_s(weights.offsets[j]);
  weights.weights = polynomial_weights({times.data(), samples});
  if (block.differentiate) {
    // ẏ ≈ (y_0 − y_1)/(s_0 − s_1), held over the step; 0 before there are two samples.
    const auto rate = weights.weights.weight[1];
    weights.weights = {};
    if (samples == 2) weights.weights.weight[0] = rate;
    weights.weights.degree = 0;
  }
}

int ExchangeProgram::apply(const Block& block, const Weights& weights, const SampleRing& ring, int cap,
                           double* coefficients, std::size_t stride) {
  const auto& w = weights.weights.weight;
  const int degree = std::min(weights.weights.degree, cap);
  const double* newest = ring.sample(0);
  const bool plain = !block.differentiate && weights.samples == 1;
  // Plane by plane; in the commonest case (hold, or a sample at the very start of the step) it is a copy.
  for (int d = 0; d <= degree; ++d) {
    double* out = coefficients + static_cast<std::size_t>(d) * stride;
    const auto& weight = w[static_cast<std::size_t>(d)];
    if (d == 0 && (plain || (!block.differentiate && weights.offsets[0] == 0))) {
      for (const Copy& c : block.copies) out[c.slot] = newest[c.source];
      for (const Scaled& c : block.scaled) out[c.slot] = c.gain * newest[c.source] + c.offset;
      continue;
    }
    const double* y[max_extrapolation_samples];
    for (std::size_t j = 0; j < weights.samples; ++j) y[j] = ring.sample(j);
    const auto value = [&](std::uint32_t source) {
      double sum = weight[0] * y[0][source];
      for (std::size_t j = 1; j < weights.samples; ++j) sum += weight[j] * y[j][source];
      return sum;
    };
    if (weights.samples == 2) {  // the commonest
      const double w0 = weight[0];
      const double w1 = weight[1];
      const double* y0 = y[0];
      const double* y1 = y[1];
      for (const Copy& c : block.copies) out[c.slot] = w0 * y0[c.source] + w1 * y1[c.source];
    } else {
      for (const Copy& c : block.copies) out[c.slot] = value(c.source);
    }
    for (const Scaled& c : block.scaled) out[c.slot] = c.gain * value(c.source) + (d == 0 ? c.offset : 0.0);
  }
  return degree;
}

int ExchangeProgram::update(const SampleRings& rings, const TimeGrid& grid, Tick k, int cap,
                            ExchangeWeights& weights) const {
  if (weights.blocks_.size() != blocks_.size()) weights.blocks_.resize(blocks_.size());
  int degree = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    update(weights.blocks_[b], blocks_[b], *rings[blocks_[b].stage], grid, k);
    degree = std::max(degree, std::min(weights.blocks_[b].weights.degree, cap));
  }
  return degree;
}

void ExchangeProgram::write(const SampleRings& rings, int cap, const ExchangeWeights& weights, int degree,
                            double* coefficients, std::size_t stride) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const int written = apply(block, weights.blocks_[b], *rings[block.stage], cap, coefficients, stride);
    for (int d = written + 1; d <= degree; ++d) {
      double* out = coefficients + static_cast<std::size_t>(d) * stride;
      for (const Copy& c : block.copies) out[c.slot] = 0.0;
      for (const Scaled& c : block.scaled) out[c.slot] = 0.0;
    }
  }
  for (const FromInteger& c : integers_) {
    coefficients[c.term.slot] =
        c.term.gain * static_cast<double>(rings[c.stage]->integers(0)[c.term.source]) + c.term.offset;
    for (int d = 1; d <= degree; ++d) coefficients[static_cast<std::size_t>(d) * stride + c.term.slot] = 0.0;
  }
}

void ExchangeProgram::add_up(int degree, double* coefficients, std::size_t stride) const {
  for (const Sum& sum : sums_) {
    for (int d = 0; d <= degree; ++d) {
      double* plane = coefficients + static_cast<std::size_t>(d) * stride;
      double total = plane[sum.first_term];
      for (std::uint32_t t = 1; t < sum.terms; ++t) total += plane[sum.first_term + t];
      plane[sum.slot] = total;
    }
  }
}

int ExchangeProgram::build(const SampleRings& rings, const TimeGrid& grid, Tick k, int cap,
                           ExchangeWeights& weights, double* coefficients, std::size_t stride) const {
  const auto has_sample = [&](const Block& block) { return rings[block.stage]->count() > 0; };
  if (holds_ && std::all_of(blocks_.begin(), blocks_.end(), has_sample)) {
    hold(rings, coefficients);
    return 0;
  }
  const int degree = update(rings, grid, k, cap, weights);
  write(rings, cap, weights, degree, coefficients, stride);
  add_up(degree, coefficients, stride);
  return degree;
}

void ExchangeProgram::hold(const SampleRings& rings, double* values) const {
  for (const Block& block : blocks_) {
    const double* newest = rings[block.stage]->newest();
#pragma GCC unroll 4
    for (const Copy& c : block.copies) values[c.slot] = newest[c.source];
    for (const Scaled& c : block.scaled) values[c.slot] = c.gain * newest[c.source] + c.offset;
  }
  for (const FromInteger& c : integers_) {
    values[c.term.slot] =
        c.term.gain * static_cast<double>(rings[c.stage]->integers(0)[c.term.source]) + c.term.offset;
  }
  if (!sums_.empty()) add_up(0, values, 0);
}

void ExchangeProgram::copy_samples(const SampleRings& rings, const TimeGrid& grid, Tick k,
                                   double* values) const {
  for (const Block& block : blocks_) {
    const SampleRing& ring = *rings[block.stage];
    std::size_t age = 0;
    while (age + 1 < ring.count() && ring.tick(age) > k) ++age;
    const double* newest = ring.sample(age);
    const bool two = age + 1 < ring.count();
    const double* before = two ? ring.sample(age + 1) : newest;
    const double H = two ? grid.duration_s(ring.tick(age) - ring.tick(age + 1)) : 1.0;
    const auto value = [&](std::uint32_t source) {
      return block.differentiate ? (newest[source] - before[source]) / H : newest[source];
    };
    for (const Copy& c : block.copies) values[c.slot] = value(c.source);
    for (const Scaled& c : block.scaled) values[c.slot] = c.gain * value(c.source) + c.offset;
  }
  for (const FromInteger& c : integers_) {
    values[c.term.slot] =
        c.term.gain * static_cast<double>(rings[c.stage]->integers_at(k)[c.term.source]) + c.term.offset;
  }
  for (const Sum& sum : sums_) {
    double total = values[sum.first_term];
    for (std::uint32_t t = 1; t < sum.terms; ++t) total += values[sum.first_term + t];
    values[sum.slot] = total;
  }
}

}  // namespace ergon
