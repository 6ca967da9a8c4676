#pragma once

#include "base/layers.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <cstdint>
#include <string>
#include <vector>

// C++17, as everything that texelscope-agent is built from.

namespace texelscope::devices {

/// An OpenCL device of this machine.
struct OpenClDeviceInfo {
    int index = 0; ///< as `--on INDEX` takes it
    std::string platform;
    std::string name;
    std::string vendor;
    std::string driver;
    std::string version;
    bool cpu = false;
    int compute_units = 0;
    double clock_mhz = 0; ///< the highest, as the driver tells it; 0: it does not
    std::int64_t max_work_group = 0;
    std::vector<std::int64_t> max_work_item_sizes;
    bool images = false;
    std::int64_t image_width = 0;        ///< widest 2D image, in texels
    std::int64_t image_height = 0;       ///< highest 2D image, in texels
    std::int64_t local_memory = 0;       ///< bytes of local memory that a work-group can have
    std::int64_t largest_allocation = 0; ///< bytes of an image or a buffer; 0: not known
    /// Bytes at whose multiples a part of a buffer begins; 0: not known.
    std::int64_t part_alignment = 0;
    std::int64_t image_part_alignment =
        0; ///< bytes at whose multiples an image made from a part begins; 0: it makes none
    /// Texels of which the rows of such an image have a multiple.
    std::int64_t image_row_multiple = 0;
    /// It computes in half precision, and rounds to the nearest number (cl_khr_fp16).
    bool half = false;

    bool operator==(const OpenClDeviceInfo& other) const;
    [[nodiscard]] bool is_pocl() const { return platform == "Portable Computing Language"; }
};

/// "NAME on PLATFORM, driver VERSION".
[[nodiscard]] std::string to_string(const OpenClDeviceInfo& device);

/// All devices of all platforms, in the loader's order; empty where there is no platform.
[[nodiscard]] std::vector<OpenClDeviceInfo> opencl_devices();

/// The device that `selector` names: an index, or part of a platform or device name in any case, of
/// which the first that fits is taken ("pocl" names the Portable Computing Language). Throws
/// missing where nothing fits, listing what there is.
[[nodiscard]] OpenClDeviceInfo choose_device(const std::vector<OpenClDeviceInfo>& devices,
                                             const std::string& selector);

/// The same, and for an empty selector the first device that is no CPU, or else the first.
[[nodiscard]] OpenClDeviceInfo preferred_device(const std::vector<OpenClDeviceInfo>& devices,
                                                const std::string& selector);

/// Appends what a device tells of itself to a record (docs/reference/machines.md, "Job files").
void write_device(RecordText& record, const OpenClDeviceInfo& device);
/// Reads it again. Throws bad_input as the reader does.
[[nodiscard]] OpenClDeviceInfo read_device(RecordReader& reader);

} // namespace texelscope::devices
