#include "sim/observers/texel_addresses.hpp"

#include "base/error.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace texelscope::sim {

std::optional<std::uint64_t> take_base(std::string& declaration)
{
    // Names may have a colon or an '@' in them.
    const std::size_t at = declaration.rfind('@');
    const std::size_t colon = declaration.rfind(':');
    if (at == std::string::npos || colon == std::string::npos || at < colon) {
        return std::nullopt;
    }
    const std::string_view digits = std::string_view(declaration).substr(at + 1);
    std::uint64_t base = 0;
    const std::size_t from = digits.starts_with("0x") || digits.starts_with("0X") ? 2 : 0;
    const auto [end, error] =
        std::from_chars(digits.data() + from, digits.data() + digits.size(), base, 16);
    if (from == 0 || error != std::errc{} || end != digits.data() + digits.size()) {
        throw bad_input("its base address is not a hexadecimal number of up to 64 bits",
                        "image '" + declaration + "'",
                        "write ID:WIDTHxHEIGHTxBYTES@ADDRESS, for example "
                        "A:64x64x16@0x7fd165500000");
    }
    declaration.resize(at);
    return base;
}

TexelAddresses::TexelAddresses(std::span<const Image> images, const LayoutSpec& layout,
                               std::span<const std::uint64_t> bases)
{
    SimulationOptions options;
    options.machine.layout = layout;
    const std::vector<StoredImage> stored = store_images(images, options);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const StoredImage& image = stored[i];
        Placed place;
        place.image = i;
        place.first = bases.empty() ? static_cast<std::uint64_t>(image.base) : bases[i];
        const auto behind_first = static_cast<std::uint64_t>(image.layout.size().value - 1);
        if (place.first > std::numeric_limits<std::uint64_t>::max() - behind_first) {
            throw bad_input(fmt::format("{} bytes from {:#x} on go beyond 64 bits",
                                        behind_first + 1, place.first),
                            "image '" + images[i].name + "'", "give it a lower base address");
        }
        place.last = place.first + behind_first;
        place.bytes_per_texel = static_cast<std::uint64_t>(image.bytes_per_texel);
        place.texels.reserve(static_cast<std::size_t>(image.extent.area()));
        for (std::int32_t y = 0; y < image.extent.height; ++y) {
            for (std::int32_t x = 0; x < image.extent.width; ++x) {
                place.texels.emplace_back(static_cast<std::uint64_t>(image.layout.offset({x, y})),
                                          Texel{x, y});
            }
        }
        std::ranges::sort(place.texels, {}, &std::pair<std::uint64_t, Texel>::first);
        placed_.push_back(std::move(place));
    }
    std::ranges::sort(placed_, {}, &Placed::first);
    for (std::size_t i = 1; i < placed_.size(); ++i) {
        const Placed& before = placed_[i - 1];
        if (before.last >= placed_[i].first) {
            throw bad_input(fmt::format("it begins at {:#x}, and '{}' lies from {:#x} to {:#x}",
                                        placed_[i].first, images[before.image].name, before.first,
                                        before.last),
                            "image '" + images[placed_[i].image].name + "'",
                            "give images base addresses at which they do not overlap");
        }
    }
}

bool TexelAddresses::find(std::uint64_t address, std::uint64_t bytes,
                          std::vector<Found>& found) const
{
    found.clear();
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t last = bytes - 1 > most - address ? most : address + (bytes - 1);
    std::uint64_t held = 0; // of the bytes
    for (auto place = std::ranges::partition_point(
             placed_, [&](const Placed& one) { return one.last < address; });
         place != placed_.end() && place->first <= last; ++place) {
        // Offsets of the first and the last of the bytes in this image.
        const std::uint64_t from = std::max(address, place->first) - place->first;
        const std::uint64_t to = std::min(last, place->last) - place->first;
        for (auto texel = std::ranges::partition_point(
                 place->texels,
                 [&](const auto& one) { return one.first + place->bytes_per_texel <= from; });
             texel != place->texels.end() && texel->first <= to; ++texel) {
            found.push_back({static_cast<std::uint16_t>(place->image), texel->second});
            held += std::min(to, texel->first + place->bytes_per_texel - 1) -
                    std::max(from, texel->first) + 1;
        }
    }
    return held == bytes;
}

} // namespace texelscope::sim
