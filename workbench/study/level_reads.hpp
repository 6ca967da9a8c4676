#pragma once

#include "model/bottleneck/read_stream.hpp"
#include "sim/memory/image_storage.hpp"
#include "workbench/study/kernel_reads.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::workbench::study {

/// A level of cache, as far as reads depend on it.
struct Level {
    CacheGeometry geometry;
    int banks = 1; ///< that are told apart
    /// The cache that images are read through, and that of buffers, if it is another one.
    std::array<CacheSets, 2> caches;
    bool buffers_apart = false;
};

/// What a stream has of one level of cache.
struct LevelReads {
    struct OfInput {
        ReadStream::Input::AtLevel at;
        std::optional<ReadStream::Together::AtLevel> together;
    };
    std::vector<OfInput> inputs;
    ReadStream::Windows whole;
    std::vector<ReadStream::Returns> returns; ///< all different
    std::vector<std::size_t> of_read;         ///< by read from steady() on: its place in `returns`
};

/// Finds out what a kernel's reads meet in one level of cache. `images`: where its images lie.
[[nodiscard]] LevelReads level_reads(const KernelReads& kernel,
                                     const std::vector<StoredImage>& images, const Level& level);

/// Appends the numbers of distinct units of memory that the first n texels touch, at [n - 1].
void count_units(std::vector<double>& counts, const std::vector<Texel>& texels,
                 const StoredImage& image, Bytes unit);
/// Adds the banks of the distinct units of `bytes` that texels touch, relative to the first; and
/// how many units the first n texels touch, where that is asked for.
void add_banks(std::vector<int>& banks, std::vector<std::int32_t>* counts,
               const std::vector<Texel>& texels, const StoredImage& image, std::int64_t bytes,
               int all);

} // namespace texelscope::workbench::study
