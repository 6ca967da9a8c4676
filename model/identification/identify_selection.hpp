#pragma once

#include "model/identification/identify_evaluate.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace texelscope::model {

/// Whether any training set has kept the class.
[[nodiscard]] bool is_kept(const Survivors& kept, std::size_t place);

/// Survivors among parts: those of the classes that they are parts of.
[[nodiscard]] Survivors inherited(const std::vector<StructureClass>& parts, const Survivors& kept);

/// By origin: the class with the least score in the view of a training set.
[[nodiscard]] std::vector<std::size_t> best_class_of_origin(const std::vector<ScoredCache>& caches,
                                                            const std::vector<StructureClass>& classes,
                                                            std::size_t origins, std::size_t training);

/// Layout, line and sector of a structure.
using ShapeKey = std::array<std::int64_t, 3>;
[[nodiscard]] ShapeKey key_of(const CacheStructure& structure);

/// Whether a member has one of these keys.
[[nodiscard]] bool has_key(const StructureClass& structures, const std::set<ShapeKey>& keys);

/// The shapes with those of their members alone that have one of these keys.
[[nodiscard]] std::vector<StructureClass> only(const std::vector<StructureClass>& shapes,
                                               const std::set<ShapeKey>& wanted);

} // namespace texelscope::model
