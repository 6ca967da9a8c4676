#include "model/identification/identify_structures.hpp"

#include "base/parallel.hpp"
#include "model/identification/layout_candidates.hpp"
#include "sim/cache/lru_sets.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace texelscope::model {
namespace {

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
                                           static_cast<std::int64_t>(s.shape.layout), s.sets, s.shape.line.value};
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

TextureCache CacheStructure::with(std::int64_t ways, ReplacementKind replacement, const LayoutSpec& layout) const
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

StructureFinder::StructureFinder(const MeasuredWalks& measured, const IdentifyOptions& options, const StopToken& stop)
    : measured_(measured), most_capacity_(options.most_capacity), threads_(options.threads), stop_(stop),
      specs_(layout_candidates(measured.extent, measured.bytes_per_texel, options.extra_layouts))
{
    for (const LayoutSpec& spec : specs_) {
        layouts_.emplace_back(spec, measured.extent, measured.bytes_per_texel);
    }
}

std::vector<WalkLines> StructureFinder::lines_of(const CacheShape& shape, const std::vector<std::size_t>& walks) const
{
    std::vector<WalkLines> lines;
    lines.reserve(walks.size());
    for (const std::size_t walk : walks) {
        lines.push_back(walk_lines(measured_.walks[walk].texels, layouts_[shape.layout], shape.line, shape.sector));
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
    std::map<std::pair<std::uint64_t, std::uint64_t>, StructureClass> classes; // by patterns of lines and sectors
    for (std::size_t layout = 0; layout < layouts_.size(); ++layout) {
        for (std::size_t line = 0; line < sizes.size(); ++line) {
            for (std::size_t sector = line > 3 ? line - 3 : 0; sector <= line; ++sector) {
                const CacheShape shape{layout, sizes[line], sector == line ? Bytes{0} : sizes[sector]};
                classes[{patterns[layout][line], patterns[layout][sector]}].members.push_back({shape});
            }
        }
    }
    std::vector<StructureClass> list;
    for (auto& [pattern, structures] : classes) {
        std::stable_sort(structures.members.begin(), structures.members.end(), simpler);
        list.push_back(std::move(structures));
    }
    std::stable_sort(list.begin(), list.end(), [](const StructureClass& a, const StructureClass& b) {
        return simpler(a.members.front(), b.members.front());
    });
    return list;
}

std::vector<StructureClass> StructureFinder::regrouped(const std::vector<StructureClass>& classes,
                                                       const std::vector<bool>& wanted, const PartsOf& parts_of) const
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

std::vector<StructureClass> StructureFinder::with_sets(const std::vector<StructureClass>& shapes,
                                                       const std::vector<std::int64_t>& sets,
                                                       const std::vector<std::size_t>& walk_places) const
{
    return regrouped(shapes, std::vector<bool>(shapes.size(), true), [&](const CacheStructure& member) {
        const std::vector<WalkLines> walks = lines_of(member.shape, walk_places);
        std::vector<Part> parts;
        for (const std::int64_t count : sets) {
            for (const SetIndex index : {SetIndex::modulo, SetIndex::xor_folded}) {
                const bool fits = count * member.shape.line.value <= most_capacity_.value;
                if (fits && (count > 1 || index == SetIndex::modulo)) {
                    parts.push_back({set_pattern(walks, count, index), {member.shape, count, index}});
                }
            }
        }
        return parts;
    });
}

std::vector<StructureClass> StructureFinder::split(const std::vector<StructureClass>& classes,
                                                   const std::vector<bool>& wanted,
                                                   const std::vector<std::size_t>& walk_places) const
{
    return regrouped(classes, wanted, [&](const CacheStructure& member) {
        // Equal for every set there is where there is one: no need to look.
        const std::uint64_t pattern =
            member.sets == 1 ? 0 : set_pattern(lines_of(member.shape, walk_places), member.sets, member.index);
        return std::vector<Part>{{pattern, member}};
    });
}

} // namespace texelscope::model
