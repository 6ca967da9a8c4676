#pragma once

#include "sim/layout/texel_layout.hpp"
#include "sim/observers/address_format.hpp"
#include "traces/native/trace_record.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace texelscope::sim {

struct AddressExport {
    std::int64_t reads = 0; ///< number of reads that were written
    /// Reads outside of their image, which touch no memory and are left out.
    std::int64_t border_reads = 0;
    std::vector<std::string> lost; ///< what the format cannot hold, in words
};

/// How the addresses of a warp are written in traceg; nothing: the shortest way.
enum class TracegAddresses { shortest, list_all, base_stride, base_delta };

/// Writes the reads as byte addresses. In the order of groups, warps of `warp_size`, steps and
/// lanes; in traceg, warps have 32 lanes whatever the warp size, and `launch` says the size of the
/// grid (from traced_launch(), or recorded). Throws bad_input where the format cannot hold a texel
/// size or an address.
AddressExport export_addresses(std::ostream& out, const TraceSource& source,
                               const TracedLaunch& launch, const LayoutSpec& layout,
                               AddressFormat format, int warp_size,
                               TracegAddresses addresses = TracegAddresses::shortest);

} // namespace texelscope::sim
