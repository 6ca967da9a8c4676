#pragma once

#include "base/random.hpp"

#include <Eigen/Core>

namespace texelscope::test {
using namespace base;

/// Entries uniform in [-1, 1).
inline Eigen::MatrixXd random_matrix(std::mt19937_64& random, Eigen::Index rows,
                                     Eigen::Index columns)
{
    return Eigen::MatrixXd::NullaryExpr(rows, columns,
                                        [&] { return 2 * uniform_real(random) - 1; });
}

inline Eigen::VectorXd random_vector(std::mt19937_64& random, Eigen::Index size)
{
    return random_matrix(random, size, 1).col(0);
}

} // namespace texelscope::test
