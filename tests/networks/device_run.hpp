#pragma once

#include "devices/kernels/opencl_device.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/plan/plan.hpp"

#include <vector>

namespace texelscope::networks::test {

/// Every value of a planned network, computed on a device once; empty where no kernel makes it.
/// Throws std::runtime_error, with the device's reason, where it fails.
[[nodiscard]] std::vector<Reals> run_on(const devices::OpenClDevice& device, const Plan& plan,
                                        const std::vector<Reals>& inputs);

} // namespace texelscope::networks::test
