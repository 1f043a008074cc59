#include "ergon/fmi/instance/instance_setup.hpp"

#include <algorithm>

namespace ergon::fmi {

Batches make_batches(const std::vector<ExchangedVariable>& variables) {
  Batches batches;
  std::size_t* const counts[] = {&batches.real_count, &batches.integer_count, &batches.text_count};
  std::vector<Batch>* const free[] = {&batches.reals, &batches.integers, &batches.texts};
  std::vector<Batch>* const clocked[] = {&batches.clocked_reals, &batches.clocked_integers,
                                         &batches.clocked_texts};
  for (const ExchangedVariable& v : variables) {
    const int lane = lane_number(v.type);
    std::vector<Batch>& list = v.clocked ? *clocked[lane] : *free[lane];
    auto batch = std::find_if(list.begin(), list.end(), [&](const Batch& b) { return b.type == v.type; });
    if (batch == list.end()) {
      list.emplace_back().type = v.type;
      batch = list.end() - 1;
    }
    batch->references.push_back(v.reference);
    if (v.negated || !batch->negated.empty()) {
      batch->negated.resize(batch->references.size(), 0);
      batch->negated.back() = v.negated ? 1 : 0;
    }
    for (std::size_t i = 0; i < v.count; ++i)
      batch->elements.push_back(static_cast<std::uint32_t>((*counts[lane])++));
  }
  if (batches.reals.size() == 1 && batches.clocked_reals.empty())
    batches.reals.front().direct =
        batches.reals.front().type == VariableType::float64 && batches.reals.front().negated.empty();
  return batches;
}

}  // namespace ergon::fmi
