#pragma once

#include "sim/memory/image_storage.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// From byte addresses back to texels. Takes memory for every texel of the images.
class TexelAddresses {
public:
    explicit TexelAddresses(std::vector<StoredImage> images);

    struct Found {
        std::uint16_t image = 0;
        Texel texel;
    };
    /// The texel that has the byte; nothing for padding and for what is outside of the images.
    [[nodiscard]] std::optional<Found> find(std::uint64_t address) const;

private:
    std::vector<StoredImage> images_;
    std::vector<std::vector<std::pair<std::int64_t, Texel>>> texels_; ///< of each image, by offset
};

} // namespace texelscope::sim
