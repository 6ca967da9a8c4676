#include "base/random.hpp"
#include "model/tmmodel/lru_misses.hpp"
#include "model/walks/walk_design.hpp"
#include "sim/cache/cache.hpp"
#include "sim/layout/texel_layout.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::model;

namespace {

/// Misses by looking every read up in the simulator's cache, one after the other.
std::int64_t looked_up(const std::vector<Texel>& texels, const TexelLayout& layout,
                       const CacheGeometry& geometry)
{
    Cache cache(geometry, layout.size());
    for (const Texel texel : texels) {
        cache.lookup(layout.offset(texel));
    }
    return cache.statistics().misses();
}

struct RandomCase {
    std::vector<Texel> texels;
    TexelLayout layout;
    Bytes line;
    Bytes sector;
    std::int64_t sets;
    SetIndex index;
};

RandomCase random_case(std::mt19937_64& random)
{
    const char* const layouts[] = {"row", "4x4:morton,row", "mali-u-interleaved",
                                   "nvidia-blocklinear-turing-gob2", "adreno-a6xx-tile3"};
    const Extent2D extent{96, 64};
    const std::string layout = layouts[uniform_below(random, std::size(layouts))];
    const std::int64_t line = 16LL << uniform_below(random, 4);
    const std::int64_t sectors = std::min<std::int64_t>(line / 16, 1LL << uniform_below(random, 4));
    // Design walks come in fours: one of random strides, three over lattices.
    std::vector<TexelWalk> walks = design_walks(random, {.extent = extent, .steps = 600}, 4);
    return {std::move(walks[uniform_below(random, 4)].texels),
            TexelLayout(parse_layout(layout), extent, Bytes{16}),
            Bytes{line},
            Bytes{sectors > 1 ? line / sectors : 0},
            1LL << uniform_below(random, 6),
            uniform_below(random, 2) == 0 ? SetIndex::modulo : SetIndex::xor_folded};
}

CacheGeometry geometry_of(const RandomCase& c, std::int64_t ways)
{
    return {.capacity = ways * c.sets * c.line,
            .line = c.line,
            .ways = c.sets == 1 ? 0 : static_cast<int>(ways),
            .sector = c.sector,
            .index = c.index};
}

} // namespace

TEST_CASE("one pass over stack distances counts the misses of LRU caches of any ways")
{
    const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{61}));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const RandomCase c = random_case(random);
    const std::vector<std::int64_t> ways{1, 2, 3, 4, 7, 8, 16, 40, 1000};
    const std::vector<WalkLines> walks{walk_lines(c.texels, c.layout, c.line, c.sector)};
    const int sectors = c.sector.value > 0 ? static_cast<int>(c.line / c.sector) : 1;
    const auto misses = lru_misses(walks, sectors, c.sets, c.index, ways);
    CHECK(walks[0].reads == static_cast<std::int64_t>(c.texels.size()));
    for (std::size_t i = 0; i < ways.size(); ++i) {
        CAPTURE(to_string(c.layout.spec()), c.line.value, c.sector.value, c.sets, ways[i]);
        CHECK(misses[0][i] == looked_up(c.texels, c.layout, geometry_of(c, ways[i])));
    }
}

TEST_CASE("misses of any cache are those of the simulator's")
{
    const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{41}));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const RandomCase c = random_case(random);
    const WalkLines walk = walk_lines(c.texels, c.layout, c.line, c.sector);
    for (const auto policy : {ReplacementKind::lru, ReplacementKind::fifo, ReplacementKind::plru,
                              ReplacementKind::random}) {
        CacheGeometry geometry = geometry_of(c, 1LL << uniform_below(random, 5));
        geometry.replacement = policy;
        CAPTURE(to_string(c.layout.spec()), to_string(policy), geometry.capacity.value,
                geometry.ways);
        CHECK(cache_misses(walk, geometry) == looked_up(c.texels, c.layout, geometry));
    }
}

TEST_CASE("the pattern of lines is the same exactly where the same reads share lines")
{
    std::mt19937_64 random(5);
    const Extent2D extent{64, 64};
    const std::vector<TexelWalk> walks = design_walks(random, {.extent = extent, .steps = 500}, 8);
    const TexelLayout tiles(parse_layout("2x2:row,row"), extent, Bytes{16});
    const TexelLayout morton(parse_layout("4x4:morton,row"), extent, Bytes{16});
    for (const TexelWalk& walk : walks) {
        CHECK(line_pattern(walk.texels, tiles, Bytes{64}) ==
              line_pattern(walk.texels, morton, Bytes{64}));
    }
    CHECK(line_pattern(walks[0].texels, tiles, Bytes{64}) !=
          line_pattern(walks[0].texels, tiles, Bytes{32}));
}
