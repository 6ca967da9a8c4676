#include "devices/runners/place_listing.hpp"

#include "base/error.hpp"
#include "devices/jobs/conditions.hpp"
#include "devices/runners/agent_runner.hpp"

#include <algorithm>

namespace texelscope::devices {

DeviceListing list_place(const JobPlace& place, const JobRunnerOptions& options)
{
    const bool in_this_process =
        place.kind == JobPlace::Kind::here && worker_command(options).empty();
    DeviceListing listing = in_this_process
                                ? DeviceListing{{}, read_conditions(), listed_opencl_devices()}
                                : list_by_agent(place, options);
    if (listing.devices.empty()) {
        throw missing("there is no OpenCL device", to_string(place), "check the driver there");
    }
    if (!place.device.empty()) {
        std::vector<OpenClDeviceInfo> infos;
        for (const ListedDevice& device : listing.devices) {
            infos.push_back(device.info);
        }
        const int chosen = choose_device(infos, place.device).index;
        std::erase_if(listing.devices,
                      [&](const ListedDevice& device) { return device.info.index != chosen; });
    }
    return listing;
}

} // namespace texelscope::devices
