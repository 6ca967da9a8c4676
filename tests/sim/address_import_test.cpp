// Traces of byte addresses as reads of texels, against a plain table of which texel holds which
// byte.

#include "base/error.hpp"
#include "sim/observers/address_import.hpp"
#include "sim/observers/texel_addresses.hpp"
#include "tests/base/random.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/csv_trace.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace texelscope::sim;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// Which texel, as "A,x,y", holds a byte.
using ByteTable = std::map<std::uint64_t, std::string>;

ByteTable byte_table(const AddressSpace& space)
{
    ByteTable table;
    std::uint64_t next = 0; // without bases: pages, one image behind the other
    for (std::size_t i = 0; i < space.images.size(); ++i) {
        const Image& image = space.images[i];
        const TexelLayout layout(space.layout, image.extent, image.bytes_per_texel);
        const std::uint64_t base = space.bases.empty() ? next : space.bases[i];
        for (std::int32_t y = 0; y < image.extent.height; ++y) {
            for (std::int32_t x = 0; x < image.extent.width; ++x) {
                for (std::int64_t byte = 0; byte < image.bytes_per_texel.value; ++byte) {
                    table[base + static_cast<std::uint64_t>(layout.offset({x, y}) + byte)] =
                        fmt::format("{},{},{}", image.name, x, y);
                }
            }
        }
        next += (static_cast<std::uint64_t>(layout.size().value) + 4095) / 4096 * 4096;
    }
    return table;
}

/// The texels of a read, in the order of their bytes.
std::vector<std::string> texels_of(const ByteTable& table, std::uint64_t address,
                                   std::uint32_t bytes)
{
    std::vector<std::string> texels;
    for (std::uint64_t i = 0; i < std::max(bytes, 1U); ++i) {
        const auto found = table.find(address + i);
        if (address + i >= address && found != table.end() &&
            (texels.empty() || texels.back() != found->second)) {
            texels.push_back(found->second);
        }
    }
    return texels;
}

AddressImport imported(const std::string& bytes, const AddressSpace& space, AddressFormat format)
{
    std::istringstream in(bytes);
    return import_addresses(in, "t", space, format);
}

/// The reads as rows of a CSV, without the lines before them.
std::string csv_rows(const TraceSource& source)
{
    std::ostringstream out;
    (void)texelscope::traces::write_csv(out, source);
    std::istringstream in(out.str());
    std::string rows;
    for (std::string line; std::getline(in, line);) {
        rows += line.starts_with('#') || line.starts_with("group") ? "" : line + "\n";
    }
    return rows;
}

AddressSpace random_space(Random& random, bool low)
{
    AddressSpace space;
    space.layout = parse_layout(random.pick<std::string>({"row", "column", "4x4:morton,row"}));
    std::uint64_t base = low ? 0x1000 : random.one_in(4) ? 0xffff'ffff'ffff'8000 : 0x7fd1'6550'0000;
    const bool placed = random.one_in(2);
    for (const char* const name : {"A", "B", "C"}) {
        if (space.images.empty() || random.one_in(2)) {
            space.images.push_back(
                {name,
                 {random.small(1, 13), random.small(1, 9)},
                 texelscope::base::Bytes{random.pick<std::int64_t>({1, 2, 4, 8, 12, 16})}});
            if (placed) {
                space.bases.push_back(base);
                base += 16 * 16 * 12 + static_cast<std::uint64_t>(random.small(0, 200));
            }
        }
    }
    if (placed && random.one_in(2)) { // declared in another order than they lie
        std::reverse(space.bases.begin(), space.bases.end());
    }
    return space;
}

std::uint64_t random_address(Random& random, const AddressSpace& space)
{
    const auto image = static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(space.images.size()) - 1));
    const std::uint64_t base = space.bases.empty() ? 4096 * image : space.bases[image];
    return base + static_cast<std::uint64_t>(random.between(0, 3200)) -
           (base >= 64 ? static_cast<std::uint64_t>(random.between(0, 64)) : 0);
}

/// A trace of Accel-Sim of one block of one warp, with these lines.
std::string traceg_text(const std::vector<std::string>& lines, const char* grid = "1,1,1")
{
    std::string text = fmt::format("-kernel name = k\n-grid dim = ({})\n-block dim = (32,1,1)\n\n"
                                   "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = {}\n",
                                   grid, lines.size());
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text + "#END_TB\n";
}

} // namespace

TEST_CASE("random reads of any size touch the texels that hold their bytes, wherever images lie")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const AddressFormat format = random.pick<AddressFormat>(
            {AddressFormat::din, AddressFormat::binary_din, AddressFormat::oracle_general});
        CAPTURE(seed, to_string(format));
        const AddressSpace space = random_space(random, format == AddressFormat::binary_din);
        const ByteTable table = byte_table(space);
        std::string bytes;
        std::string expected;
        int step = 0;
        std::int64_t outside = 0;
        std::int64_t partly = 0;
        for (int i = 0; i < 60; ++i) {
            texelscope::traces::AddressRecord record{
                random_address(random, space),
                random.pick<std::uint32_t>({0, 1, 4, 7, 16, 64, 500}), true};
            if (format == AddressFormat::din) {
                append_din(bytes, record);
                record.bytes = 0;
            } else if (format == AddressFormat::binary_din) {
                append_binary_din(bytes, record);
            } else {
                append_oracle_general(bytes, 0, record, -1);
            }
            const auto texels = texels_of(table, record.address, record.bytes);
            for (const std::string& texel : texels) {
                expected += fmt::format("0,0,{},{}\n", step++, texel);
            }
            outside += texels.empty() ? 1 : 0;
            bool whole = true;
            for (std::uint64_t b = 0; b < std::max(record.bytes, 1U); ++b) {
                whole = whole && record.address + b >= record.address &&
                        table.contains(record.address + b);
            }
            partly += !texels.empty() && !whole ? 1 : 0;
        }
        if (expected.empty()) {
            CHECK_THROWS_WITH(imported(bytes, space, format), Contains("none of 60 addresses"));
            continue;
        }
        const AddressImport done = imported(bytes, space, format);
        CHECK(csv_rows(*done.source) == expected);
        CHECK(done.outside == outside);
        const auto said = [&](const std::string& text) {
            return std::ranges::count_if(done.notes, [&](const std::string& note) {
                return note.find(text) != std::string::npos;
            });
        };
        CHECK(said(fmt::format("{} reads of addresses in no image", outside)) ==
              (outside > 0 ? 1 : 0));
        CHECK(said(fmt::format("{} reads lie in an image only in part", partly)) ==
              (partly > 0 ? 1 : 0));
        CHECK(said("has no sizes") == (format == AddressFormat::din ? 1 : 0));
    }
}

TEST_CASE("random loads of a warp: lanes that read fewer texels wait for the others")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const AddressSpace space = random_space(random, false);
        const ByteTable table = byte_table(space);
        std::vector<std::string> lines;
        std::vector<std::array<std::int64_t, 2>> order; // step and lane of each row
        std::vector<std::string> rows;
        std::int64_t step = 0;
        for (int i = 0; i < 10; ++i) {
            const int width = random.pick<int>({1, 4, 8, 16, 64});
            std::string line =
                fmt::format("0000 {:08x} 1 R4 LDG.E.{} 1 R2 {} 0", 0x80000005U, 8 * width, width);
            std::int64_t most = 0;
            for (const int lane : {0, 2, 31}) {
                const std::uint64_t address = random_address(random, space);
                line += fmt::format(" {:#x}", address);
                const auto texels = texels_of(table, address, static_cast<std::uint32_t>(width));
                for (std::size_t t = 0; t < texels.size(); ++t) {
                    order.push_back({step + static_cast<std::int64_t>(t), lane});
                    rows.push_back(fmt::format("0,{},{},{}\n", lane, order.back()[0], texels[t]));
                }
                most = std::max(most, static_cast<std::int64_t>(texels.size()));
            }
            step += most;
            lines.push_back(line);
        }
        // A CSV has them by step, then by lane.
        std::map<std::array<std::int64_t, 2>, std::string> sorted;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            sorted[order[i]] = rows[i];
        }
        std::string expected;
        for (const auto& [at, row] : sorted) {
            expected += row;
        }
        if (expected.empty()) {
            continue;
        }
        CHECK(csv_rows(*imported(traceg_text(lines), space, AddressFormat::traceg).source) ==
              expected);
    }
}

TEST_CASE("a load of 16 bytes is one of four texels of 4 bytes, a record of 4 KiB one of 1,024")
{
    const AddressSpace space{{{"A", {16, 16}, texelscope::base::Bytes{4}}}, parse_layout("row")};
    const AddressImport wide =
        imported(traceg_text({"0010 00000003 1 R4 LDG.E.128 1 R2 16 1 0x0 16"}), space,
                 AddressFormat::traceg);
    CHECK(csv_rows(*wide.source) == "0,0,0,A,0,0\n0,1,0,A,4,0\n0,0,1,A,1,0\n0,1,1,A,5,0\n"
                                    "0,0,2,A,2,0\n0,1,2,A,6,0\n0,0,3,A,3,0\n0,1,3,A,7,0\n");
    CHECK(wide.notes.empty());
    std::string record;
    texelscope::traces::append_oracle_general(record, 0, {0, 4096, true}, -1);
    const AddressImport large = imported(record, space, AddressFormat::oracle_general);
    const std::string rows = csv_rows(*large.source);
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 256); // all there are
    REQUIRE(large.notes.size() == 1);
    CHECK_THAT(large.notes[0], Contains("1 reads lie in an image only in part"));
}

TEST_CASE("base addresses are read off the end of a declaration")
{
    const auto taken = [](std::string text) {
        const auto base = take_base(text);
        return std::pair(text, base);
    };
    CHECK(taken("A:64x64x4@0x7fd165500000") ==
          std::pair(std::string("A:64x64x4"), std::optional<std::uint64_t>(0x7fd165500000)));
    CHECK(taken("A:64x64x4@0XffffFFFFffff0000").second == 0xffffffffffff0000);
    CHECK(taken("A:64x64x4") ==
          std::pair(std::string("A:64x64x4"), std::optional<std::uint64_t>()));
    CHECK(taken("a@0x10:64x64x4").second == std::nullopt); // a name
    for (const std::string text : {"A:4x4x4@", "A:4x4x4@10", "A:4x4x4@0x", "A:4x4x4@0x1g",
                                   "A:4x4x4@0x10000000000000000", "A:4x4x4@-0x1"}) {
        CAPTURE(text);
        CHECK_THROWS_WITH(taken(text), Contains(text) && Contains("@0x7fd165500000"));
    }
}

TEST_CASE("images that overlap or go beyond 64 bits are refused")
{
    const std::vector<Image> images{{"A", {4, 4}, texelscope::base::Bytes{16}},
                                    {"B", {4, 4}, texelscope::base::Bytes{16}}};
    const auto refused = [&](std::vector<std::uint64_t> bases, const std::string& why) {
        CHECK_THROWS_WITH(
            imported("0 10\n", {images, parse_layout("row"), std::move(bases)}, AddressFormat::din),
            Contains(why));
    };
    refused({0x1000, 0x10ff}, "image 'B': it begins at 0x10ff, and 'A' lies from 0x1000 to 0x10ff");
    refused({0x1080, 0x1000}, "image 'A'");
    refused({0, 0xffff'ffff'ffff'ff01}, "beyond 64 bits");
    const AddressImport last =
        imported("0 ffffffffffffffff\n", {images, parse_layout("row"), {0, 0xffff'ffff'ffff'ff00}},
                 AddressFormat::din);
    CHECK(csv_rows(*last.source) == "0,0,0,B,3,3\n");
    // One byte further the first image ends.
    CHECK(csv_rows(*imported("0 1100\n", {images, parse_layout("row"), {0x1000, 0x1100}},
                             AddressFormat::din)
                        .source) == "0,0,0,B,0,0\n");
}

TEST_CASE("what a trace of Accel-Sim lacks is said")
{
    const AddressSpace space{{{"A", {64, 64}, texelscope::base::Bytes{4}}}, parse_layout("row")};
    const std::string load = "0098 ffffffff 1 R4 LDG.E.CG 1 R4 4 1 0x0 4";
    const std::string bare = "0098 ffffffff 1 R4 LDG.E 1 R4 0";
    const std::string texture = "0098 00000001 1 R4 TEX.SCR 1 R4 0";
    CHECK_THROWS_WITH(imported(traceg_text({bare}), space, AddressFormat::traceg),
                      Contains("1 loads stand there without addresses"));
    const auto notes = [&](const std::vector<std::string>& lines, const char* grid = "1,1,1") {
        return fmt::format(
            "{}", fmt::join(imported(traceg_text(lines, grid), space, AddressFormat::traceg).notes,
                            "; "));
    };
    CHECK(notes({load}).empty());
    CHECK(notes({load, bare, texture}) ==
          "2 loads without addresses, as of textures, were left out");
    // Not a load, no lane, no memory.
    CHECK(notes({load, "00a0 ffffffff 0 LDGDEPBAR 0 0", "00a0 00000000 1 R4 LDG.E 1 R4 0",
                 "00a0 ffffffff 1 R4 IADD 1 R4 0"})
              .empty());
    CHECK(notes({load}, "3,2,1") == "the file has 1 of the 6 thread blocks of its grid");
    CHECK_THROWS_WITH(imported(traceg_text({"0098 00000003 1 R4 LDG.E 1 R4 4 1 0x7fd165500000 4"}),
                               space, AddressFormat::traceg),
                      Contains("none of 2 addresses, 0x7fd165500000 to 0x7fd165500004, lies") &&
                          Contains("--image A:64x64x16@0x7fd165500000"));
}
