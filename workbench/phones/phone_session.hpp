#pragma once

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/jobs/device_listing.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/phones/phone_record.hpp"
#include "workbench/probes/identify_rounds.hpp"
#include "workbench/probes/probe_run.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace texelscope::workbench::phones {

/// A device that is to be measured: a phone, or the simulator in place of one.
struct PhoneDevice {
    ListedDevice device;
    TargetInfo target; ///< of what `open` opens
    bool simulated = false;
    DeviceProfile profile; ///< what is known of it (nearest_profile()); kernels are chosen by it
    /// Opens it for probes and walks.
    std::function<std::unique_ptr<Target>(const StopToken& stop)> open;
    /// What gives an operator's kernels times on it.
    std::function<OperatorTimer(const Operator&)> timer;
};

/// How much is measured. The defaults take a phone some ten minutes.
struct PhonePlan {
    ProbeOptions probes{.samples = 7};
    double probe_seconds = 30; ///< after which a probe is given up
    IdentifyRounds walks;
    int walk_samples = 3;
    std::size_t kernels = 60;
    /// How often each kernel is measured: all of them one after the other, then all the other way
    /// round, so that what drifts meanwhile falls on all alike.
    int passes = 2;
    std::uint64_t seed = 1;
    int threads = base::processor_threads();
};

/// Measures a device into a folder: probes (probes/NAME.json), walks (walks-...), kernels
/// (kernels.db). What is there already is not measured again, so a session that was cut off goes
/// on; kernels that no pass has measured at the device's highest clock are measured once more. What
/// the device refuses is in the record, with its reason. Throws bad_input where the folder is of
/// another device or plan, missing where the device is lost, Interrupted.
[[nodiscard]] PhoneRecord measure_phone(const PhoneDevice& phone, const PhonePlan& plan,
                                        const std::string& folder, const std::string& program,
                                        const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::phones
