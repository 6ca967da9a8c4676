#include "model/identification/identify_selection.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace texelscope::model {

bool is_kept(const Survivors& kept, std::size_t place)
{
    return std::any_of(kept.begin(), kept.end(), [&](const std::vector<bool>& training) { return training[place]; });
}

Survivors inherited(const std::vector<StructureClass>& parts, const Survivors& kept)
{
    Survivors survivors(kept.size());
    for (std::size_t training = 0; training < kept.size(); ++training) {
        for (const StructureClass& part : parts) {
            survivors[training].push_back(kept[training][part.origin]);
        }
    }
    return survivors;
}

std::vector<std::size_t> best_class_of_origin(const std::vector<ScoredCache>& caches,
                                              const std::vector<StructureClass>& classes, std::size_t origins,
                                              std::size_t training)
{
    std::vector<float> least(origins, std::numeric_limits<float>::infinity());
    std::vector<std::size_t> best(origins, 0);
    for (const ScoredCache& cache : caches) {
        const std::size_t origin = classes[cache.structure].origin;
        if (cache.score[training] < least[origin]) {
            least[origin] = cache.score[training];
            best[origin] = cache.structure;
        }
    }
    return best;
}

ShapeKey key_of(const CacheStructure& structure)
{
    return {static_cast<std::int64_t>(structure.shape.layout), structure.shape.line.value,
            structure.shape.sector.value};
}

bool has_key(const StructureClass& structures, const std::set<ShapeKey>& keys)
{
    return std::any_of(structures.members.begin(), structures.members.end(),
                       [&](const CacheStructure& member) { return keys.count(key_of(member)) > 0; });
}

std::vector<StructureClass> only(const std::vector<StructureClass>& shapes, const std::set<ShapeKey>& wanted)
{
    std::vector<StructureClass> kept;
    for (const StructureClass& shape : shapes) {
        StructureClass some;
        std::copy_if(shape.members.begin(), shape.members.end(), std::back_inserter(some.members),
                     [&](const CacheStructure& member) { return wanted.count(key_of(member)) > 0; });
        if (!some.members.empty()) {
            kept.push_back(std::move(some));
        }
    }
    return kept;
}

} // namespace texelscope::model
