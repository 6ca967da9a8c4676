#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/identification/identify.hpp"
#include "workbench/machines/machine_search.hpp"
#include "workbench/machines/machine_set.hpp"
#include "workbench/phones/phone_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::phones {

/// What follows from a phone's record.
struct PhoneConclusions {
    DeviceProfile profile; ///< with what is measured and identified, each value with its source
    /// What the walks say of the texture cache; nothing where there are none.
    std::optional<Identification> identification;
    bool explained = false; ///< whether a cache explains the walks, and is in the profile
    /// The machines that agree with the kernels; nothing where too few ran.
    std::optional<MachineSet> machines;
    std::vector<std::string> notes; ///< what could not be concluded, and why
    /// One result of each kernel (at_highest_clock()), its time by the profile that there was
    /// before and by the one that is here; 0 where the model refuses.
    struct Kernel {
        StoredResult result;
        double before_ns = 0, after_ns = 0;
    };
    std::vector<Kernel> kernels;
};

/// Draws conclusions: values of probes (measured_profile()), the texture cache of the walks
/// (identified_profile()), then the machines that agree with the kernels (identified_machines(),
/// by the model alone, as `search` says). `base`: what was known of the device. Throws Interrupted.
[[nodiscard]] PhoneConclusions conclusions_of(const PhoneRecord& record, const DeviceProfile& base,
                                              const SearchOptions& search, int threads,
                                              const Progress& progress = {},
                                              const StopToken& stop = {});

} // namespace texelscope::workbench::phones
