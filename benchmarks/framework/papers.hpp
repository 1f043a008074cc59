#pragma once

#include "benchmarks/framework/claim.hpp"

namespace ergon::bench {

Paper lim2021_claims();
Paper gonzalez2019_claims();
Paper rodriguez2022_claims();
Paper peiret2019_claims();
Paper schweizer2014_claims();

}  // namespace ergon::bench
