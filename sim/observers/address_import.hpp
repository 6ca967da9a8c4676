#pragma once

#include "sim/layout/texel_layout.hpp"
#include "sim/observers/address_format.hpp"
#include "traces/image.hpp"
#include "traces/native/trace_record.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::sim {

/// Which addresses go with which texels: images in a storage layout, each at its base address, or,
/// where there are no bases, as the simulator places them (at pages, in their order).
struct AddressSpace {
    std::vector<Image> images;
    LayoutSpec layout;
    std::vector<std::uint64_t> bases = {}; ///< none, or one for each image (take_base())
};

struct AddressImport {
    std::unique_ptr<TraceSource> source;
    TracedLaunch launch;
    std::int64_t outside = 0;       ///< reads of addresses that are in no image, left out
    std::vector<std::string> notes; ///< what was left out, or cannot be told, in words
};

/// Turns a trace of addresses into one of texels. A read of several texels becomes as many reads of
/// its work-item, one after the other by address. Where the format has no work-items, a single
/// work-item makes all reads. Throws bad_input for what the format does not allow, where no address
/// lies in an image, and where all loads are without addresses.
[[nodiscard]] AddressImport import_addresses(std::istream& in, const std::string& name,
                                             const AddressSpace& space, AddressFormat format);

} // namespace texelscope::sim
