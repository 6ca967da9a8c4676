#include "traces/mapped_source.hpp"

#include "base/error.hpp"
#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace texelscope::traces {
namespace {

/// A texel that is outside of every image.
constexpr Texel outside{-1, -1};

/// What becomes of the reads of one image.
struct Target {
    std::optional<std::uint16_t> number; ///< of the image; nullopt: reads are left out
    Extent2D extent;                     ///< of the image before
    AddressMode mode = AddressMode::border;
    std::function<Texel(Texel)> place;

    [[nodiscard]] Texel of(Texel texel) const
    {
        if (!extent.contains(texel)) {
            if (mode == AddressMode::border) {
                return outside;
            }
            texel = extent.clamp(texel);
        }
        return place ? place(texel) : texel;
    }
};

class MappedStream final : public WarpStream {
public:
    MappedStream(std::unique_ptr<WarpStream> inner, const std::vector<Target>& targets)
        : inner_(std::move(inner)), targets_(targets)
    {}

    bool next(WarpAccess& access) override
    {
        while (inner_->next(access)) {
            std::size_t kept = 0;
            for (const LaneRead& read : access.lanes) {
                const Target& target = targets_[read.image];
                if (target.number) {
                    access.lanes[kept++] = {target.of(read.texel), *target.number, read.lane};
                }
            }
            access.lanes.resize(kept);
            if (kept > 0) {
                access.repeated = nullptr;
                return true;
            }
        }
        return false;
    }

private:
    std::unique_ptr<WarpStream> inner_;
    const std::vector<Target>& targets_;
};

class MappedSource final : public TraceSource {
public:
    MappedSource(std::shared_ptr<const TraceSource> source,
                 std::span<const std::optional<ImageMap>> maps)
        : source_(std::move(source))
    {
        for (std::size_t i = 0; i < maps.size(); ++i) {
            const Image& before = source_->images()[i];
            Target target{std::nullopt, before.extent, before.address_mode, {}};
            if (maps[i]) {
                target.number = static_cast<std::uint16_t>(images_.size());
                target.place = maps[i]->place;
                images_.push_back(maps[i]->image);
                images_.back().address_mode = AddressMode::border;
            }
            leaves_out_ |= !maps[i].has_value();
            targets_.push_back(std::move(target));
        }
    }

    [[nodiscard]] const std::string& name() const override { return source_->name(); }
    [[nodiscard]] std::span<const Image> images() const override { return images_; }
    [[nodiscard]] std::int64_t group_count() const override { return source_->group_count(); }
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        return source_->next_group(from);
    }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        std::vector<std::int32_t> all = source_->warps(group, warp_size);
        if (leaves_out_) { // a warp of which nothing is left does not exist
            std::erase_if(all, [&](std::int32_t warp) {
                WarpAccess access;
                return !open(group, warp, warp_size)->next(access);
            });
        }
        return all;
    }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        return std::make_unique<MappedStream>(source_->open(group, warp, warp_size), targets_);
    }

private:
    std::shared_ptr<const TraceSource> source_;
    std::vector<Image> images_;
    std::vector<Target> targets_; ///< by image of the source
    bool leaves_out_ = false;
};

} // namespace

ImageMap unchanged(const Image& image)
{
    return {image, {}};
}

ImageMap transposed(const Image& image)
{
    Image turned = image;
    turned.extent = {image.extent.height, image.extent.width};
    return {turned, [](Texel texel) { return Texel{texel.y, texel.x}; }};
}

ImageMap padded(const Image& image, std::int32_t width)
{
    Image wider = image;
    wider.extent.width = width;
    return {wider, {}};
}

ImageMap as_buffer(const Image& image)
{
    if (image.extent.area() > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input("it has more than 2^31 - 1 texels", image.name);
    }
    Image row = image;
    row.extent = {static_cast<std::int32_t>(image.extent.area()), 1};
    row.row_multiple = 0;
    row.buffer = true;
    return {row, [width = image.extent.width](Texel texel) {
                return Texel{texel.y * width + texel.x, 0};
            }};
}

ImageMap as_image(const Image& buffer, std::int32_t width)
{
    Image rows = buffer;
    rows.buffer = false;
    rows.row_multiple = 0;
    rows.extent = {width, static_cast<std::int32_t>(
                              ceil_div(std::int64_t{buffer.extent.width}, std::int64_t{width}))};
    return {rows, [width](Texel texel) { return Texel{texel.x % width, texel.x / width}; }};
}

std::unique_ptr<TraceSource> mapped_source(std::shared_ptr<const TraceSource> source,
                                           std::span<const std::optional<ImageMap>> maps)
{
    return std::make_unique<MappedSource>(std::move(source), maps);
}

} // namespace texelscope::traces
