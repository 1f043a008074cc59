#include "benchmarks/framework/papers.hpp"

namespace ergon::bench {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> all = {lim2021_claims(), gonzalez2019_claims(), rodriguez2022_claims(),
                                         peiret2019_claims(), schweizer2014_claims()};
  return all;
}

}  // namespace ergon::bench
