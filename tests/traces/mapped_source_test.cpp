// A source with other images against the same reads, moved one by one.

#include "base/error.hpp"
#include "traces/access_walk.hpp"
#include "traces/first_groups.hpp"
#include "traces/mapped_source.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace texelscope::traces;

namespace {

/// Random reads of a few images, many of them outside, kept as a list.
class MappedCase final : public TraceSource {
public:
    explicit MappedCase(unsigned seed)
    {
        std::mt19937 random(seed);
        const auto below = [&](int count) {
            return static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
        };
        for (int i = 0; i < 3; ++i) {
            images_.push_back(
                {.name = "i" + std::to_string(i),
                 .extent = {1 + below(9), 1 + below(7)},
                 .address_mode = below(2) == 0 ? AddressMode::border : AddressMode::edge});
        }
        for (std::int64_t group = 0; group < 4; ++group) {
            for (std::uint32_t step = 0; step < 6; ++step) {
                WarpAccess access{step, {}};
                for (std::uint16_t lane = 0; lane < 4; ++lane) {
                    if (below(3) > 0) {
                        access.lanes.push_back({{below(14) - 3, below(12) - 3},
                                                static_cast<std::uint16_t>(below(3)),
                                                lane});
                    }
                }
                if (!access.lanes.empty()) {
                    accesses_[group].push_back(access);
                }
            }
        }
    }
    const std::string& name() const override { return name_; }
    std::span<const Image> images() const override { return images_; }
    std::int64_t group_count() const override { return 4; }
    std::vector<std::int32_t> warps(std::int64_t group, int) const override
    {
        return accesses_.contains(group) ? std::vector<std::int32_t>{0}
                                         : std::vector<std::int32_t>{};
    }
    std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t, int) const override
    {
        struct Stream final : WarpStream {
            const std::vector<WarpAccess>* all = nullptr;
            std::size_t at = 0;
            bool next(WarpAccess& access) override
            {
                if (at == all->size()) {
                    return false;
                }
                access = (*all)[at++];
                return true;
            }
        };
        auto stream = std::make_unique<Stream>();
        stream->all = &accesses_.at(group);
        return stream;
    }

private:
    std::string name_ = "case";
    std::vector<Image> images_;
    std::map<std::int64_t, std::vector<WarpAccess>> accesses_;
};

/// Where a texel of an image before lies in the image that it became, by the words of the header.
Texel moved_by_hand(const Image& before, int change, Texel texel, std::int32_t width)
{
    if (!before.extent.contains(texel)) {
        if (before.address_mode == AddressMode::border) {
            return {-1, -1};
        }
        texel = before.extent.clamp(texel);
    }
    switch (change) {
    case 1:
        return {texel.y, texel.x};
    case 2:
        return {texel.y * before.extent.width + texel.x, 0};
    case 3:
        return {texel.x % width, texel.x / width};
    default:
        return texel;
    }
}

} // namespace

TEST_CASE("reads of mapped images are the same reads elsewhere")
{
    for (unsigned seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        const auto source = std::make_shared<const MappedCase>(seed);
        const auto images = source->images();
        const int change = static_cast<int>(seed % 5); // of image 1
        const std::int32_t width = 3;
        std::vector<std::optional<ImageMap>> maps{unchanged(images[0]), std::nullopt,
                                                  unchanged(images[2])};
        Image buffer = images[1];
        buffer.buffer = true;
        const ImageMap changes[] = {padded(images[1], images[1].extent.width + 4),
                                    transposed(images[1]), as_buffer(images[1]),
                                    as_image(buffer, width)};
        if (change < 4) { // else left out
            maps[1] = changes[change];
        }
        const auto made = mapped_source(source, maps);
        REQUIRE(made->images().size() == (change < 4 ? 3 : 2));
        using Read = std::tuple<std::int64_t, std::uint32_t, int, std::string, int, int>;
        std::multiset<Read> expected;
        std::multiset<Read> found;
        std::set<std::int64_t> groups;
        AccessWalk before(*source, 4);
        while (before.next()) {
            for (const LaneRead& read : before.access().lanes) {
                if (read.image == 1 && change == 4) {
                    continue;
                }
                const Texel at = moved_by_hand(images[read.image], read.image == 1 ? change : 0,
                                               read.texel, width);
                expected.emplace(before.group(), before.access().step, read.lane,
                                 images[read.image].name, at.x, at.y);
                groups.insert(before.group());
            }
        }
        AccessWalk after(*made, 4);
        while (after.next()) {
            REQUIRE_FALSE(after.access().lanes.empty());
            for (const LaneRead& read : after.access().lanes) {
                found.emplace(after.group(), after.access().step, read.lane,
                              made->images()[read.image].name, read.texel.x, read.texel.y);
                const Image& image = made->images()[read.image];
                CHECK(image.address_mode == AddressMode::border);
                CHECK((image.extent.contains(read.texel) || read.texel == Texel{-1, -1}));
            }
        }
        CHECK(found == expected);
        for (std::int64_t group = 0; group < 4; ++group) {
            CHECK(made->warps(group, 4).size() == groups.count(group));
        }
    }
}

TEST_CASE("images that changed have the size that their texels need")
{
    const Image image{.name = "A", .extent = {5, 3}};
    CHECK(transposed(image).image.extent == Extent2D{3, 5});
    CHECK(padded(image, 8).image.extent == Extent2D{8, 3});
    CHECK(as_buffer(image).image.extent == Extent2D{15, 1});
    CHECK(as_buffer(image).image.buffer);
    const Image buffer{.name = "b", .extent = {10, 1}, .buffer = true};
    CHECK(as_image(buffer, 4).image.extent == Extent2D{4, 3});
    CHECK_FALSE(as_image(buffer, 4).image.buffer);
    const Image large{.name = "L", .extent = {65536, 65536}};
    CHECK_THROWS_AS(as_buffer(large), texelscope::base::Error);
}

TEST_CASE("the first work-groups of a source are these, with all that they read")
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const auto source = std::make_shared<MappedCase>(seed);
        for (const std::int64_t end : {0, 1, 3, 4, 9}) {
            CAPTURE(seed, end);
            const auto part = first_groups(source, end);
            CHECK(part->images().size() == source->images().size());
            CHECK(part->group_count() == std::min<std::int64_t>(end, 4));
            AccessWalk walk(*part, 4);
            AccessWalk whole(*source, 4);
            while (walk.next()) {
                REQUIRE(whole.next());
                CHECK(walk.group() == whole.group());
                CHECK(walk.access().step == whole.access().step);
                CHECK(walk.access().lanes == whole.access().lanes);
            }
            CHECK((!whole.next() || whole.group() >= end));
        }
    }
}
