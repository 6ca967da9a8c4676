#pragma once

#include "model/walks/measured_walks.hpp"
#include "traces/image.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::model {

/// A row of ArchProbe's ImageCacheHierarchyPChase.csv: one work-item goes round and round over the
/// first `texels` texels of 16 bytes of a one-dimensional image, `stride` texels at a time.
struct PointerChase {
    std::int64_t texels = 0;
    std::int64_t stride = 0;
    std::int64_t reads = 0;
    double ns_per_read = 0;

    bool operator==(const PointerChase&) const = default;
};

/// The rows of such a table. Throws bad_input, with the line, for anything malformed.
[[nodiscard]] std::vector<PointerChase> parse_archprobe_table(std::istream& in,
                                                              const std::string& path);

/// Chases of such a table as walks, and which they are, in words.
struct ArchProbeWalks {
    MeasuredWalks measured;
    std::string chosen;
};
/// At most 96 of the chases with the most reads (those with fewer are ArchProbe's own trials): of
/// the least stride by equal ratios of their ranges, of others by equal ratios of their strides.
/// `image`: WIDTHx1x16, of which chases over more texels are left out; nothing: as large as the
/// largest range. Throws bad_input for another image, and where fewer than two chases are left.
[[nodiscard]] ArchProbeWalks archprobe_walks(const std::vector<PointerChase>& chases,
                                             const std::optional<Image>& image,
                                             const std::string& path);
/// The same of a file.
[[nodiscard]] ArchProbeWalks read_archprobe_walks(const std::string& path,
                                                  const std::optional<Image>& image);

} // namespace texelscope::model
