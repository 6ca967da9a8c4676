#pragma once

#include "sim/layout/texel_layout.hpp"
#include "traces/image.hpp"
#include "traces/native/trace_record.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::sim {

/// The trace formats of other programs, which know byte addresses and no texels.
enum class AddressFormat { din, binary_din, oracle_general, traceg };

/// "din", "din-binary", "oracle-general", "traceg".
[[nodiscard]] std::string to_string(AddressFormat format);

/// Which addresses go with which texels: images in a storage layout, placed as the simulator places them (at pages, in
/// their order).
struct AddressSpace {
    std::vector<Image> images;
    LayoutSpec layout;
};

struct AddressExport {
    std::int64_t reads = 0;        ///< written
    std::int64_t border_reads = 0; ///< outside of their image: they touch no memory and are left out
    std::vector<std::string> lost; ///< what the format cannot hold, in words
};

/// How the addresses of a warp are written in traceg; nothing: the shortest way.
enum class TracegAddresses { shortest, list_all, base_stride, base_delta };

/// Writes the reads as byte addresses. In the order of groups, warps of `warp_size`, steps and lanes; in traceg, warps
/// have 32 lanes whatever the warp size, and `launch` says the size of the grid (from traced_launch(), or recorded). Throws bad_input where the format cannot hold a texel size or an address.
AddressExport export_addresses(std::ostream& out, const TraceSource& source, const TracedLaunch& launch,
                               const LayoutSpec& layout, AddressFormat format, int warp_size,
                               TracegAddresses addresses = TracegAddresses::shortest);

struct AddressImport {
    std::unique_ptr<TraceSource> source;
    TracedLaunch launch;
    std::int64_t others = 0;  ///< accesses that are no reads, left out
    std::int64_t outside = 0; ///< reads of addresses that are in no image, left out
};

/// Reads addresses back into texels. Without work-items in the format, one work-item has done it all. Throws bad_input
/// for what the format does not allow, and where no address lies in an image.
[[nodiscard]] AddressImport import_addresses(std::istream& in, const std::string& name, const AddressSpace& space,
                                             AddressFormat format);

} // namespace texelscope::sim
