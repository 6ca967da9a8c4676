#include "sim/memory/texel_addresses.hpp"

#include <algorithm>

namespace texelscope::sim {

TexelAddresses::TexelAddresses(std::vector<StoredImage> images) : images_(std::move(images))
{
    for (const StoredImage& image : images_) {
        auto& texels = texels_.emplace_back();
        texels.reserve(static_cast<std::size_t>(image.extent.area()));
        for (std::int32_t y = 0; y < image.extent.height; ++y) {
            for (std::int32_t x = 0; x < image.extent.width; ++x) {
                texels.emplace_back(image.layout.offset({x, y}), Texel{x, y});
            }
        }
        std::sort(texels.begin(), texels.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
}

std::optional<TexelAddresses::Found> TexelAddresses::find(std::uint64_t address) const
{
    // The last image that begins at or before the address.
    const auto next = std::partition_point(images_.begin(), images_.end(), [&](const StoredImage& image) {
        return static_cast<std::uint64_t>(image.base) <= address;
    });
    if (next == images_.begin()) {
        return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(next - images_.begin() - 1);
    const std::uint64_t offset = address - static_cast<std::uint64_t>(images_[number].base);
    const auto& texels = texels_[number];
    const auto behind = std::partition_point(texels.begin(), texels.end(), [&](const auto& texel) {
        return static_cast<std::uint64_t>(texel.first) <= offset;
    });
    if (behind == texels.begin()) {
        return std::nullopt;
    }
    const auto& [first, texel] = *(behind - 1);
    if (offset - static_cast<std::uint64_t>(first) >= static_cast<std::uint64_t>(images_[number].bytes_per_texel)) {
        return std::nullopt;
    }
    return Found{static_cast<std::uint16_t>(number), texel};
}

} // namespace texelscope::sim
