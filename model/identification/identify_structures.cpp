#include "model/identification/identify_structures.hpp"

#include "base/parallel.hpp"
#include "sim/cache/lru_sets.hpp"
#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace texelscope::model {
namespace {

/// One level of tiles, by the size of the tile, then its width.
std::vector<LayoutSpec> tiles(Bytes bytes_per_texel)
{
    constexpr std::int32_t largest_side = 64;
    constexpr std::int64_t largest_tile = 16 * 1024; // bytes
    std::vector<BlockLevel> levels;
    for (std::int32_t width = 1; width <= largest_side; width *= 2) {
        for (std::int32_t height = 1; height <= largest_side; height *= 2) {
            const std::int64_t bytes = std::int64_t{width} * height * bytes_per_texel.value;
            if (height == 1 || bytes > largest_tile) {
                continue; // tiles of one row are rows
            }
            levels.push_back({width, height, StorageOrder::row});
            // Morton order of one or two columns is row order, and wide Morton tiles are square
            // ones next to each other. Column order of any tile is that of tiles of one column.
            if (width > 2 && width <= height) {
                levels.push_back({width, height, StorageOrder::morton});
            }
        }
    }
    std::stable_sort(levels.begin(), levels.end(), [](const BlockLevel& a, const BlockLevel& b) {
        return a.width * a.height < b.width * b.height;
    });
    std::vector<LayoutSpec> specs;
    for (const BlockLevel& level : levels) {
        specs.emplace_back(NestedLayout{{level}, StorageOrder::row});
    }
    return specs;
}

/// Sizes that are tried for lines, and for sectors.
std::vector<Bytes> line_sizes(Bytes bytes_per_texel)
{
    std::vector<Bytes> sizes;
    for (const std::int64_t size : {16, 32, 64, 128, 256}) {
        if (size >= bytes_per_texel.value) {
            sizes.push_back(Bytes{size});
        }
    }
    return sizes;
}

/// Simpler ones first: no sectors, fewer sets, no hash, the layouts in their order.
bool simpler(const CacheStructure& a, const CacheStructure& b)
{
    const auto key = [](const CacheStructure& s) {
        return std::array<std::int64_t, 5>{s.index == SetIndex::modulo ? 0 : 1, s.shape.sectors(),
                                           static_cast<std::int64_t>(s.shape.layout), s.sets,
                                           s.shape.line.value};
    };
    return key(a) < key(b);
}

/// Hash of which lines of the walks share a set, up to renaming of the sets.
std::uint64_t set_pattern(const std::vector<WalkLines>& walks, std::int64_t sets, SetIndex index)
{
    const SetOfLine set_of(sets, index == SetIndex::xor_folded);
    std::uint64_t hash = 0;
    std::vector<std::uint32_t> number(static_cast<std::size_t>(sets));
    for (const WalkLines& walk : walks) {
        std::fill(number.begin(), number.end(), 0U);
        std::uint32_t count = 0;
        for (const std::int64_t line : walk.lines) {
            std::uint32_t& of_set = number[static_cast<std::size_t>(set_of(line))];
            of_set = of_set == 0 ? ++count : of_set;
            hash = hash_step(hash, of_set);
        }
    }
    return hash;
}

} // namespace

std::vector<LayoutSpec> layout_candidates(Extent2D extent, Bytes bytes_per_texel,
                                          std::span<const LayoutSpec> extra)
{
    std::vector<LayoutSpec> all{NestedLayout{}, NestedLayout{{}, StorageOrder::column}};
    const std::vector<LayoutSpec> tiled = tiles(bytes_per_texel);
    all.insert(all.end(), tiled.begin(), tiled.end());
    const std::size_t own = all.size();
    all.insert(all.end(), extra.begin(), extra.end());
    const std::size_t own_and_extra = all.size();
    for (const NamedLayoutInfo& info : named_layouts()) {
        const bool known =
            info.texel_bytes.empty() || std::find(info.texel_bytes.begin(), info.texel_bytes.end(),
                                                  bytes_per_texel.value) != info.texel_bytes.end();
        if (known) {
            all.emplace_back(NamedLayout{info.name});
        }
    }
    std::vector<LayoutSpec> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_extra = i >= own && i < own_and_extra;
        if (std::find(kept.begin(), kept.end(), all[i]) != kept.end()) {
            continue;
        }
        const std::int64_t stored = TexelLayout(all[i], extent, bytes_per_texel).size().value;
        if (is_extra || stored <= 4 * extent.area() * bytes_per_texel.value) {
            kept.push_back(all[i]);
        }
    }
    return kept;
}

TextureCache CacheStructure::with(std::int64_t ways, ReplacementKind replacement,
                                  const LayoutSpec& layout) const
{
    CacheGeometry geometry;
    geometry.capacity = ways * sets * shape.line;
    geometry.line = shape.line;
    geometry.sector = shape.sector;
    geometry.ways = sets == 1 ? 0 : static_cast<int>(ways);
    geometry.replacement = replacement;
    geometry.index = index;
    return {layout, geometry};
}

StructureFinder::StructureFinder(const MeasuredWalks& measured, const IdentifyOptions& options,
                                 const StopToken& stop)
    : measured_(measured), most_capacity_(options.most_capacity), threads_(options.threads),
      stop_(stop),
      specs_(layout_candidates(measured.extent, measured.bytes_per_texel, options.extra_layouts))
{
    for (const LayoutSpec& spec : specs_) {
        layouts_.emplace_back(spec, measured.extent, measured.bytes_per_texel);
    }
}

std::vector<WalkLines> StructureFinder::lines_of(const CacheShape& shape,
                                                 const std::vector<std::size_t>& walks) const
{
    std::vector<WalkLines> lines;
    lines.reserve(walks.size());
    for (const std::size_t walk : walks) {
        lines.push_back(walk_lines(measured_.walks[walk].texels, layouts_[shape.layout], shape.line,
                                   shape.sector));
    }
    return lines;
}

std::vector<StructureClass> StructureFinder::shapes() const
{
    const std::vector<Bytes> sizes = line_sizes(measured_.bytes_per_texel);
    std::vector<std::vector<std::uint64_t>> patterns(layouts_.size()); // [layout][size]
    parallel_for(
        layouts_.size(), threads_,
        [&](std::size_t layout) {
            for (const Bytes size : sizes) {
                std::uint64_t hash = 0;
                for (const TexelWalk& walk : measured_.walks) {
                    hash = hash_step(hash, line_pattern(walk.texels, layouts_[layout], size));
                }
                patterns[layout].push_back(hash);
            }
        },
        stop_);
    // by patterns of lines and sectors
    std::map<std::pair<std::uint64_t, std::uint64_t>, StructureClass> classes;
    for (std::size_t layout = 0; layout < layouts_.size(); ++layout) {
        for (std::size_t line = 0; line < sizes.size(); ++line) {
            for (std::size_t sector = line > 3 ? line - 3 : 0; sector <= line; ++sector) {
                const CacheShape shape{layout, sizes[line],
                                       sector == line ? Bytes{0} : sizes[sector]};
                classes[{patterns[layout][line], patterns[layout][sector]}].members.push_back(
                    {shape});
            }
        }
    }
    std::vector<StructureClass> list;
    for (auto& [pattern, structures] : classes) {
        std::stable_sort(structures.members.begin(), structures.members.end(), simpler);
        list.push_back(std::move(structures));
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const StructureClass& a, const StructureClass& b) {
                         return simpler(a.members.front(), b.members.front());
                     });
    return list;
}

std::vector<StructureClass> StructureFinder::regrouped(const std::vector<StructureClass>& classes,
                                                       const std::vector<bool>& wanted,
                                                       const PartsOf& parts_of) const
{
    struct Job {
        std::size_t origin;
        const CacheStructure* member;
    };
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        for (std::size_t member = 0; wanted[i] && member < classes[i].members.size(); ++member) {
            jobs.push_back({i, &classes[i].members[member]});
        }
    }
    std::vector<std::vector<Part>> found(jobs.size());
    parallel_for(
        jobs.size(), threads_, [&](std::size_t i) { found[i] = parts_of(*jobs[i].member); }, stop_);
    std::map<std::pair<std::size_t, std::uint64_t>, StructureClass> groups;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const Part& part : found[i]) {
            groups[{jobs[i].origin, part.pattern}].members.push_back(part.structure);
        }
    }
    std::vector<StructureClass> list;
    for (auto& [key, group] : groups) {
        std::stable_sort(group.members.begin(), group.members.end(), simpler);
        group.origin = key.first;
        group.replacement = classes[key.first].replacement;
        list.push_back(std::move(group));
    }
    return list;
}

std::vector<StructureClass>
StructureFinder::with_sets(const std::vector<StructureClass>& shapes,
                           const std::vector<std::int64_t>& sets,
                           const std::vector<std::size_t>& walk_places) const
{
    return regrouped(
        shapes, std::vector<bool>(shapes.size(), true), [&](const CacheStructure& member) {
            const std::vector<WalkLines> walks = lines_of(member.shape, walk_places);
            std::vector<Part> parts;
            for (const std::int64_t count : sets) {
                for (const SetIndex index : {SetIndex::modulo, SetIndex::xor_folded}) {
                    const bool fits = count * member.shape.line.value <= most_capacity_.value;
                    if (fits && (count > 1 || index == SetIndex::modulo)) {
                        parts.push_back(
                            {set_pattern(walks, count, index), {member.shape, count, index}});
                    }
                }
            }
            return parts;
        });
}

std::vector<StructureClass>
StructureFinder::split(const std::vector<StructureClass>& classes, const std::vector<bool>& wanted,
                       const std::vector<std::size_t>& walk_places) const
{
    return regrouped(classes, wanted, [&](const CacheStructure& member) {
        // Equal for every set there is where there is one: no need to look.
        const std::uint64_t pattern =
            member.sets == 1
                ? 0
                : set_pattern(lines_of(member.shape, walk_places), member.sets, member.index);
        return std::vector<Part>{{pattern, member}};
    });
}

} // namespace texelscope::model
