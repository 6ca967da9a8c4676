#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/tuning/measured_correction.hpp"

#include <optional>
#include <vector>

namespace texelscope::workbench::tuning {

/// Those of the measured kernels that ran and that the bottleneck model can price, in their order;
/// a shape's number is that of its first row among all first rows. Throws Interrupted.
[[nodiscard]] std::vector<CorrectionSample>
correction_samples(const std::vector<StoredResult>& rows, const DeviceProfile& device,
                   const StopToken& stop = {});

/// A correction from what kernels of other operators and shapes took on a device: the rows of the
/// store that have the same judge, device and driver as `like`, the latest 32,768 of them. Nothing
/// where they are too few. Throws Interrupted.
[[nodiscard]] std::optional<MeasuredCorrection>
stored_correction(const ResultStore& store, const ResultKey& like, const Operator& op,
                  const DeviceProfile& device, const StopToken& stop = {});

} // namespace texelscope::workbench::tuning
