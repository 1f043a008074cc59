#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"

#include <algorithm>
#include <cstring>

namespace ergon {

void InterfaceJacobian::set_structure(const InterfaceStructure& structure, bool dense) {
  unknowns_ = &structure.unknowns;
  is_dense_ = dense || unknowns_->size() <= most_dense;
  if (is_dense_) return;
  starts_.assign(1, 0);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < unknowns_->size(); ++i) {
    const auto& of_column = (*unknowns_)[i].rows;
    const auto diagonal = std::find(of_column.begin(), of_column.end(), i);
    diagonals_.push_back(starts_.back() + static_cast<std::uint32_t>(diagonal - of_column.begin()));
    rows.insert(rows.end(), of_column.begin(), of_column.end());
    if (diagonal == of_column.end()) rows.push_back(i);
    starts_.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  values_.assign(rows.size(), 0.0);
  sparse_solver_.analyze(starts_, std::move(rows));
}

void InterfaceJacobian::set_identity() {
  if (is_dense_) {
    const auto n = static_cast<Eigen::Index>(unknowns_->size());
    dense_.setZero(n, n);
    dense_.diagonal().setOnes();
    return;
  }
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const std::uint32_t place : diagonals_) values_[place] = 1.0;
}

void InterfaceJacobian::factorize() {
  const double* values = is_dense_ ? dense_.data() : values_.data();
  const std::size_t count = is_dense_ ? static_cast<std::size_t>(dense_.size()) : values_.size();
  // Of the same values the factors are the same, bit for bit.
  if (factorized_.size() == count && std::memcmp(factorized_.data(), values, count * sizeof(double)) == 0)
    return;
  if (is_dense_)
    dense_solver_.compute(dense_);
  else
    sparse_solver_.factorize(values_);
  factorized_.assign(values, values + count);
}

void InterfaceJacobian::solve(const Eigen::VectorXd& g, Eigen::VectorXd& x) const {
  if (is_dense_) {
    x.noalias() = dense_solver_.solve(g);
  } else {
    x = g;
    sparse_solver_.solve(x.data());
  }
}

void InterfaceJacobian::archive(Archive& archive) {
  if (!is_dense_) {
    archive(std::span(values_));
  } else {
    Eigen::Index n = dense_.rows();
    archive(n);
    if (archive.reads()) dense_.resize(n, n);
    archive(std::span<double>(dense_.data(), static_cast<std::size_t>(dense_.size())));
  }
  if (archive.reads()) factorize();
}

}  // namespace ergon
