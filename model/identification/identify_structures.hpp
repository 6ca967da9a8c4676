#pragma once

#include "model/identification/identify.hpp"
#include "model/walks/walk_lines.hpp"
#include "sim/layout/texel_layout.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace texelscope::model {

/// Storage layouts that an image might have, the simplest first, no two of them the same for this
/// image:
/// - rows, columns;
/// - one level of tiles, sides powers of two up to 64 texels and at most 16 KB, in row or Morton
///   order, tiles in rows;
/// - `extra`, as given;
/// - the published ones (named_layouts()) that are known for this texel size.
/// Layouts that spread the image over more than four times its size are left out, but for `extra`.
[[nodiscard]] std::vector<LayoutSpec> layout_candidates(Extent2D extent, Bytes bytes_per_texel,
                                                        std::span<const LayoutSpec> extra = {});

/// What decides how the texels of a walk fall into lines and sectors: a layout (its place in the
/// list of candidates), and the sizes of lines and sectors in bytes.
struct CacheShape {
    std::size_t layout = 0;
    Bytes line{64};
    Bytes sector{0};

    [[nodiscard]] int sectors() const
    {
        return sector.value > 0 ? static_cast<int>(line / sector) : 1;
    }
};

/// Everything about a cache except its number of ways.
struct CacheStructure {
    CacheShape shape;
    std::int64_t sets = 1;
    SetIndex index = SetIndex::modulo;

    [[nodiscard]] TextureCache with(std::int64_t ways, ReplacementKind replacement,
                                    const LayoutSpec& layout) const;
};

/// Structures that no walk (of those looked at) can tell apart, with one policy. The simplest
/// first.
struct StructureClass {
    std::vector<CacheStructure> members;
    ReplacementKind replacement = ReplacementKind::lru;
    /// Place of the class that it is a part of, in the list that it was made from.
    std::size_t origin = 0;
};

/// The structures that a search looks at, and what walks are under them.
class StructureFinder {
public:
    /// `measured` and `stop` must outlive this.
    StructureFinder(const MeasuredWalks& measured, const IdentifyOptions& options,
                    const StopToken& stop);

    [[nodiscard]] const std::vector<LayoutSpec>& layouts() const { return specs_; }
    [[nodiscard]] std::vector<WalkLines> lines_of(const CacheShape& shape,
                                                  const std::vector<std::size_t>& walks) const;

    /// All layouts with all lines and sectors; those that put the same reads of every walk on
    /// common lines and sectors are one class, of a single set.
    [[nodiscard]] std::vector<StructureClass> shapes() const;
    /// The shapes with each of these numbers of sets and each index, those with the same sets for
    /// all lines of `walks` together.
    [[nodiscard]] std::vector<StructureClass>
    with_sets(const std::vector<StructureClass>& shapes, const std::vector<std::int64_t>& sets,
              const std::vector<std::size_t>& walks) const;
    /// Members apart that have other sets for lines of `walks`. Classes for which `wanted` is false
    /// are left out.
    [[nodiscard]] std::vector<StructureClass> split(const std::vector<StructureClass>& classes,
                                                    const std::vector<bool>& wanted,
                                                    const std::vector<std::size_t>& walks) const;

private:
    /// What a member becomes, with a hash of what it does to the walks.
    struct Part {
        std::uint64_t pattern = 0;
        CacheStructure structure;
    };
    using PartsOf = std::function<std::vector<Part>(const CacheStructure&)>;
    /// The parts of all members of the wanted classes: those of one class with the same pattern
    /// together, by class and pattern.
    [[nodiscard]] std::vector<StructureClass> regrouped(const std::vector<StructureClass>& classes,
                                                        const std::vector<bool>& wanted,
                                                        const PartsOf& parts_of) const;

    const MeasuredWalks& measured_;
    Bytes most_capacity_;
    int threads_;
    const StopToken& stop_;
    std::vector<LayoutSpec> specs_;
    std::vector<TexelLayout> layouts_;
};

} // namespace texelscope::model
