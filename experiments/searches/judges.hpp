#pragma once

#include "codegen/operator.hpp"
#include "devices/device_profile.hpp"
#include "experiments/configuration_space.hpp"
#include "experiments/searches/search.hpp"

namespace texelscope {

/// The timed simulator as a judge: the kernel's time on the simulated device. Nothing for a configuration that is illegal
/// or breaks a limit of the device. Operator, device and space must outlive the judge, which throws Interrupted when `stop` answers true.
[[nodiscard]] Judge simulator_judge(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                                    const StopToken& stop = {});

} // namespace texelscope
