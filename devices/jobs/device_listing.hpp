#pragma once

#include "base/layers.hpp"
#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

// C++17, as everything that texelscope-agent is built from.

namespace texelscope::devices {

/// A device with what is only told, and nothing goes by.
struct ListedDevice {
    OpenClDeviceInfo info;
    std::int64_t read_images = 0; ///< that one kernel may read
    std::vector<std::string> extensions;
    /// Of 2D images that a kernel may read, by OpenCL's names: "CL_RGBA CL_HALF_FLOAT".
    std::vector<std::string> formats;
    std::string no_formats; ///< why they are not known; empty where they are
};

/// The OpenCL devices of one machine.
struct DeviceListing {
    std::string library; ///< that told of them; empty: the one that this program is linked with
    Conditions now;      ///< of the machine
    std::vector<ListedDevice> devices;
};

/// All devices of all platforms of this machine, as opencl_devices() has them.
[[nodiscard]] std::vector<ListedDevice> listed_opencl_devices();

/// Writes a listing as a file (docs/reference/job-files.md, "Lists of devices").
void write_listing(std::ostream& out, const DeviceListing& listing);

/// Reads what write_listing() has written. Throws bad_input, naming `where`, on input that is cut
/// off or damaged.
[[nodiscard]] DeviceListing read_listing(std::istream& in, const std::string& where);

} // namespace texelscope::devices
