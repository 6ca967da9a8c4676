#include "workbench/kernel_logs/kernel_features.hpp"

#include <cmath>

namespace texelscope::workbench::kernel_logs {

Eigen::MatrixXd kernel_features(const std::vector<KernelCounts>& kernels)
{
    Eigen::MatrixXd features(kernels.size(), 18);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const KernelCounts& k = kernels[i];
        const double group = std::log(k.group_size);
        const double outputs = std::log(k.outputs);
        features.row(static_cast<Eigen::Index>(i)) << std::log(k.reads()),
            std::log(k.multiply_adds), std::log(k.groups), group, outputs, std::log(k.unrolled),
            std::log(k.tile[0]), std::log(k.tile[1]), std::log(k.tile[2]), std::log(k.group[0]),
            std::log(k.group[1]), std::log(k.group[2]), group * group, outputs * outputs,
            std::fmod(k.group_size, 64) == 0 ? 1.0 : 0.0, k.explicit_unroll ? 1.0 : 0.0,
            k.explicit_unroll ? std::log(k.unrolled) : 0.0, 1.0;
    }
    return features;
}

} // namespace texelscope::workbench::kernel_logs
