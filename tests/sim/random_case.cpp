#include "tests/sim/random_case.hpp"

#include "sim/layout/named_layouts.hpp"
#include "sim/options/options.hpp"
#include "sim/options/settings.hpp"

#include <algorithm>

namespace texelscope::test {
using namespace sim;

namespace {

/// Rows whose coordinates have some locality, so that there are hits and misses of every kind.
std::vector<TraceRow> random_rows(Random& random, const std::vector<Image>& images, int warp_size,
                                  bool many_reads)
{
    std::vector<TraceRow> rows;
    const int groups = random.small(1, 9);
    const std::uint32_t steps = static_cast<std::uint32_t>(random.small(1, many_reads ? 12 : 6));
    const int absent = random.small(0, 4); // of 8: how many groups read nothing
    const int silent = random.small(0, 5); // of 8: how many reads an item leaves out
    const int most_items =
        random.pick(std::vector<int>{1, warp_size, 2 * warp_size + 1, 5 * warp_size});
    const int items = std::min(most_items, many_reads ? 90 : 40);
    const int outside = random.pick(std::vector<int>{0, 0, 2});
    const int dx = random.small(0, 3);
    const int dy = random.small(0, 2);
    const int jitter = random.pick(std::vector<int>{0, 1, 3, 50});
    for (std::int64_t group = 0; group < groups; ++group) {
        if (random.small(1, 8) <= absent) {
            continue;
        }
        for (std::int32_t item = 0; item < items; ++item) {
            for (std::uint32_t step = 0; step < steps; ++step) {
                if (random.small(1, 8) <= silent) {
                    continue;
                }
                TraceRow row{group,
                             item,
                             step,
                             static_cast<std::uint16_t>(
                                 random.small(0, static_cast<int>(images.size()) - 1)),
                             {}};
                const Extent2D extent = images[row.image].extent;
                const auto s = static_cast<std::int32_t>(step);
                row.texel = {item * dx + s * dy + random.small(0, jitter),
                             item * dy + s * dx + random.small(0, jitter)};
                row.texel.x %= extent.width + outside;
                row.texel.y %= extent.height + outside;
                if (outside > 0) {
                    row.texel.x -= random.small(0, 1);
                    row.texel.y -= random.small(0, 1);
                }
                rows.push_back(row);
            }
        }
    }
    // Whole warps and whole steps of a warp without a read.
    if (random.one_in(3)) {
        const std::int32_t gone = random.small(0, std::max(1, items / warp_size));
        std::erase_if(rows, [&](const TraceRow& r) { return r.item / warp_size == gone; });
    }
    if (random.one_in(3)) {
        const auto gone = static_cast<std::uint32_t>(random.between(0, steps - 1));
        const std::int64_t parity = random.between(0, 1);
        std::erase_if(rows, [&](const TraceRow& r) {
            return r.step == gone && r.item / warp_size % 2 == parity;
        });
    }
    random.shuffle(rows);
    constexpr std::size_t most_rows = 320;
    if (rows.size() > most_rows) {
        rows.resize(most_rows);
    }
    return rows;
}

void set_arguments(std::string& text, const SimulationOptions& options)
{
    for (const Setting& setting : settings(options.machine)) {
        const std::string value = get(options, setting.key);
        const bool further = setting.key.starts_with("level.");
        if (!value.empty() && (further || value != get(SimulationOptions{}, setting.key))) {
            text += "  --set " + setting.key + "=" + value + "\n";
        }
    }
}

} // namespace

NestedLayout random_nested_layout(Random& random)
{
    NestedLayout spec;
    const int levels = random.small(0, 3);
    for (int i = 0; i < levels; ++i) {
        BlockLevel level;
        level.order = random.pick(std::vector<StorageOrder>{
            StorageOrder::row, StorageOrder::column, StorageOrder::morton, StorageOrder::hilbert});
        if (level.order == StorageOrder::row || level.order == StorageOrder::column) {
            level.width = random.small(1, 5);
            level.height = random.small(1, 5);
        } else {
            const std::vector<int> sides =
                i == 0 ? std::vector<int>{1, 2, 4, 8} : std::vector<int>{1, 2, 4};
            level.width = random.pick(sides);
            level.height = level.order == StorageOrder::hilbert ? level.width : random.pick(sides);
        }
        spec.levels.push_back(level);
    }
    spec.outer = random.pick(std::vector<StorageOrder>{StorageOrder::row, StorageOrder::column});
    return spec;
}

BitLayout random_bit_layout(Random& random)
{
    const int x_bits = random.small(0, 5);
    const int y_bits = random.small(0, 4);
    BitLayout layout{
        {1 << x_bits, 1 << y_bits}, {}, {1 << random.small(0, 6), 1 << random.small(0, 5)}};
    for (int i = 0; i < x_bits; ++i) {
        layout.bits.push_back({.x = 1U << i});
    }
    for (int i = 0; i < y_bits; ++i) {
        layout.bits.push_back({.y = 1U << i});
    }
    random.shuffle(layout.bits);
    if (layout.bits.empty()) {
        return layout;
    }
    // Adding one bit to another keeps the rank; bits above the tile and constants do not count for
    // it.
    const int last = static_cast<int>(layout.bits.size()) - 1;
    for (int n = last == 0 ? 0 : random.pick(std::vector<int>{0, 0, 2, 8, 30}); n > 0; --n) {
        const int to = random.small(0, last);
        const int from = (to + random.small(1, last)) % (last + 1);
        layout.bits[static_cast<std::size_t>(to)].x ^=
            layout.bits[static_cast<std::size_t>(from)].x;
        layout.bits[static_cast<std::size_t>(to)].y ^=
            layout.bits[static_cast<std::size_t>(from)].y;
    }
    for (int n = random.pick(std::vector<int>{0, 0, 1, 3}); n > 0; --n) {
        IndexBit& bit = layout.bits[static_cast<std::size_t>(random.small(0, last))];
        bit.x ^= random.one_in(2) ? 1U << (x_bits + random.small(0, 2)) : 0;
        bit.y ^= random.one_in(2) ? 1U << (y_bits + random.small(0, 2)) : 0;
        bit.inverted = random.one_in(3);
    }
    return layout;
}

LayoutSpec random_layout(Random& random)
{
    switch (random.small(0, 3)) {
    case 0:
        return random_bit_layout(random);
    case 1: {
        const auto& all = named_layouts();
        return NamedLayout{
            all[static_cast<std::size_t>(random.small(0, static_cast<int>(all.size()) - 1))].name};
    }
    default:
        return random_nested_layout(random);
    }
}

CacheGeometry random_geometry(Random& random, std::int64_t most_lines)
{
    CacheGeometry g;
    g.line = Bytes{random.pick(std::vector<std::int64_t>{8, 16, 32, 48, 64, 64, 96, 128})};
    g.replacement = random.pick(std::vector<ReplacementKind>{
        ReplacementKind::lru, ReplacementKind::lru, ReplacementKind::fifo, ReplacementKind::plru});
    const bool powers = g.replacement == ReplacementKind::plru;
    if (random.one_in(4)) {
        g.ways = 0;
        const std::int64_t lines =
            powers ? std::int64_t{1} << random.between(0, 4) : random.between(1, most_lines);
        g.capacity = g.line * lines;
    } else {
        g.ways = powers ? 1 << random.small(0, 3) : random.small(1, 8);
        g.index = random.one_in(3) ? SetIndex::xor_folded : SetIndex::modulo;
        std::int64_t sets = g.index == SetIndex::xor_folded
                                ? std::int64_t{1} << random.between(0, 4)
                                : random.between(1, 13);
        while (sets > 1 && sets * g.ways > most_lines) {
            sets /= 2;
        }
        g.capacity = g.line * (sets * g.ways);
    }
    if (random.one_in(3)) { // the smallest texel has 4 bytes, the smallest sector 2
        g.sector = Bytes{g.line.value / random.pick(std::vector<std::int64_t>{2, 4})};
    }
    return g;
}

SimulationCase random_case(Random& random)
{
    SimulationCase c;
    SimulationOptions& o = c.options;
    const int images = random.small(1, 3);
    for (int i = 0; i < images; ++i) {
        c.images.push_back({std::string(1, static_cast<char>('A' + i)),
                            {random.small(1, 24), random.small(1, 24)},
                            Bytes{random.pick(std::vector<std::int64_t>{4, 8, 16, 16})},
                            random.one_in(2) ? AddressMode::border : AddressMode::edge});
    }
    o.machine.cores = random.small(1, 4);
    o.machine.warp_size = random.one_in(2) ? 1 << random.small(0, 6) : random.small(1, 64);
    o.machine.warps_per_core = random.small(1, 6);
    if (random.one_in(3)) {
        o.machine.registers_per_core = random.between(1, 2048);
        o.kernel.registers_per_item = random.small(1, 80);
        o.machine.register_rule = random.one_in(3) ? RegisterRule::half_above : RegisterRule::pool;
        o.machine.register_step = random.one_in(2) ? 1 : 1 << random.small(0, 4);
        o.machine.register_partitions = random.one_in(2) ? 1 : random.small(1, 4);
    } else if (random.one_in(2)) {
        o.machine.warps_per_core = 16;
        o.kernel.occupancy = random.small(1, 6);
    }
    o.machine.layout = random_layout(random);
    if (!std::holds_alternative<NestedLayout>(o.machine.layout) && random.one_in(3)) {
        // Beyond one tile, and as wide as rows of tiles are swizzled; the reads stay close
        // together.
        for (Image& image : c.images) {
            image.extent.width = random.pick(std::vector<int>{70, 512, 1024});
            image.extent.height += random.pick(std::vector<int>{0, 40});
        }
    }
    o.machine.l1().geometry = random_geometry(random, 24);
    if (random.one_in(3)) {
        o.machine.l2().geometry.capacity = Bytes{0};
    } else {
        o.machine.l2().geometry = random_geometry(random, 64);
    }
    o.machine.group_schedule = random.one_in(2) ? GroupSchedule::batch : GroupSchedule::refill;
    c.rows = random_rows(random, c.images, o.machine.warp_size, random.one_in(2));
    if (random.one_in(6)) {
        o.kernel.local_warps = random.small(1, 4);
    }
    return c;
}

void add_level(std::uint64_t seed, SimulationOptions& options)
{
    Random random(seed);
    std::vector<CacheLevel>& caches = options.machine.caches;
    const bool last = random.one_in(3); // behind L2
    CacheLevel level{.name = last ? "L3" : "L1b",
                     .geometry = random_geometry(random, last ? 160 : 48)};
    level.shared = last || random.one_in(2);
    level.latency = Cycles{random.between(1, 90)};
    level.bytes_per_cycle = random.pick(std::vector<double>{4, 16, 64, 1e6});
    caches.insert(last ? caches.end() : caches.begin() + 1, level);
    if (random.one_in(4)) { // and another own one
        level = {.name = "L0",
                 .geometry = random_geometry(random, 32),
                 .latency = Cycles{random.between(1, 90)}};
        caches.insert(caches.begin() + 1, level);
    }
}

std::string describe(const SimulationCase& c)
{
    std::string text = "simulate with\n";
    set_arguments(text, c.options);
    for (const Image& image : c.images) {
        if (image.address_mode == AddressMode::edge) {
            text += "  image " + image.name + " clamps to its edge\n";
        }
    }
    for (const Image& image : c.images) {
        text += "#image " + image.name + ":" + std::to_string(image.extent.width) + "x" +
                std::to_string(image.extent.height) + "x" +
                std::to_string(image.bytes_per_texel.value) + "\n";
    }
    text += "group,item,step,image,x,y\n";
    std::vector<TraceRow> rows = c.rows;
    std::sort(rows.begin(), rows.end(), [](const TraceRow& a, const TraceRow& b) {
        return std::tuple(a.group, a.item, a.step) < std::tuple(b.group, b.item, b.step);
    });
    for (const TraceRow& r : rows) {
        text += std::to_string(r.group) + "," + std::to_string(r.item) + "," +
                std::to_string(r.step) + "," + c.images[r.image].name + "," +
                std::to_string(r.texel.x) + "," + std::to_string(r.texel.y) + "\n";
    }
    return text;
}

} // namespace texelscope::test
