#pragma once

#include "base/layers.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <cstdint>
#include <string>
#include <vector>

// C++17, as everything that texelscope-agent is built from.

namespace texelscope::devices {

/// What OpenCL tells of one device of this machine.
struct OpenClDeviceInfo {
    int index = 0; ///< number of the device for `--on INDEX`
    std::string platform;
    std::string name;
    std::string vendor;
    std::string driver;
    std::string version;
    bool cpu = false;
    int compute_units = 0;
    double clock_mhz = 0; ///< highest clock according to the driver; 0: not known
    std::int64_t max_work_group = 0;
    std::vector<std::int64_t> max_work_item_sizes;
    bool images = false;
    std::int64_t image_width = 0;        ///< widest 2D image, in texels
    std::int64_t image_height = 0;       ///< highest 2D image, in texels
    std::int64_t local_memory = 0;       ///< bytes of local memory that a work-group can have
    std::int64_t largest_allocation = 0; ///< bytes of an image or a buffer; 0: not known
    /// A part of a buffer must begin at a multiple of so many bytes; 0: not known.
    std::int64_t part_alignment = 0;
    std::int64_t image_part_alignment =
        /// An image made from a part of a buffer must begin at a multiple of so many bytes; 0: the
        /// device cannot make such images.
        0;
    /// The rows of such an image must be a multiple of so many texels long.
    std::int64_t image_row_multiple = 0;
    /// Whether it computes in half precision, rounding to the nearest number (cl_khr_fp16).
    bool half = false;

    bool operator==(const OpenClDeviceInfo& other) const;
    [[nodiscard]] bool is_pocl() const { return platform == "Portable Computing Language"; }
};

/// "NAME on PLATFORM, driver VERSION".
[[nodiscard]] std::string to_string(const OpenClDeviceInfo& device);

/// All devices of all platforms, in the loader's order; empty where there is no platform.
[[nodiscard]] std::vector<OpenClDeviceInfo> opencl_devices();

/// The device that `selector` names. The selector is an index, or a part of a platform's or
/// device's name; case does not matter, and the first device that matches is taken ("pocl" names
/// the Portable Computing Language). Throws missing, listing the devices, where none matches.
[[nodiscard]] OpenClDeviceInfo choose_device(const std::vector<OpenClDeviceInfo>& devices,
                                             const std::string& selector);

/// The same; an empty selector names the first device that is no CPU, or the first if all are CPUs.
[[nodiscard]] OpenClDeviceInfo preferred_device(const std::vector<OpenClDeviceInfo>& devices,
                                                const std::string& selector);

/// Appends the description of a device to a record (docs/reference/job-files.md).
void write_device(RecordText& record, const OpenClDeviceInfo& device);
/// Reads a description that write_device() has written. Throws bad_input as the reader does.
[[nodiscard]] OpenClDeviceInfo read_device(RecordReader& reader);

} // namespace texelscope::devices
