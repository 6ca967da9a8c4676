#pragma once

#include "experiments/phones/phone_agreement.hpp"
#include "workbench/kernel_logs/logged_kernel.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// What judges are held against.
struct PhoneBaseline {
    std::string name;
    PhoneAgreement agreement;
};

/// Of the kernels of one task:
/// - reads: the texels that all work-items read;
/// - arithmetic: the multiply-adds that they do, those past the output's edge included;
/// - ridge: a ridge regression of log time on kernel_features() (logarithms of reads,
/// multiply-adds,
///   groups, work-items of a group, outputs and unrolled iterations of a work-item, tile and group
///   along each axis, and a few more), fitted within the task: each fifth of the kernels, drawn
///   with the seed, is predicted from the other four. Since it sees the task's own times, it is
///   what can be had by measuring, not something that a judge without measurements would be
///   expected to reach. Left out where there are fewer than 40 kernels.
[[nodiscard]] std::vector<PhoneBaseline>
phone_baselines(const std::vector<workbench::kernel_logs::KernelCounts>& kernels,
                std::span<const double> measured, std::uint64_t seed);

} // namespace texelscope::experiments
