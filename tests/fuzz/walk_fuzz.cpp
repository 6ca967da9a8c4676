// Measured walks and their latencies.

#include "model/walks/archprobe_table.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>
#include <sstream>

namespace texelscope::fuzz {
using namespace model;

bool walks(std::string_view input)
{
    const auto read = accepted([&] {
        std::istringstream in{std::string(input)};
        return parse_walks(in, "walks.csv");
    });
    if (!read) {
        return false;
    }
    const test::TemporaryFolder folder;
    write_walks(folder.file("again.csv"), *read);
    require(read_walks(folder.file("again.csv")) == *read,
            "walks that are written and read again are others");
    return true;
}

bool archprobe(std::string_view input)
{
    const auto chases = accepted([&] {
        std::istringstream in{std::string(input)};
        return parse_archprobe_table(in, "table.csv");
    });
    if (!chases) {
        return false;
    }
    const bool few = std::ranges::all_of(
        *chases, [](const PointerChase& chase) { return chase.reads < (1 << 12); });
    const auto walks = accepted([&] { // too few, or too many reads
        return few ? archprobe_walks(*chases, {}, "table.csv") : ArchProbeWalks();
    });
    if (walks && few) {
        require(walks->measured.size() <= 96, "more walks than are taken");
        for (const TexelWalk& walk : walks->measured.walks) {
            require(walk.texels.front() == Texel{0, 0}, "a chase begins elsewhere");
        }
    }
    return true;
}

bool latencies(std::string_view input)
{
    const auto read = accepted([&] {
        std::istringstream in{std::string(input)};
        return parse_walk_latencies(in, "latencies.csv");
    });
    if (!read) {
        return false;
    }
    MeasuredWalks measured{{64, 64}, Bytes{16}, {}, {}};
    for (const auto& [number, ns] : *read) {
        measured.walks.push_back({number, {{0, 0}}});
        measured.ns_per_read.push_back(ns);
    }
    const test::TemporaryFolder folder;
    write_walk_latencies(folder.file("again.csv"), measured, "here");
    require(read_walk_latencies(folder.file("again.csv")) == *read &&
                read_walk_origin(folder.file("again.csv")) == "here",
            "latencies that are written and read again are others");
    (void)accepted([&] {
        return join_walks(measured.walks, *read, {"walks", {64, 64}, Bytes{16}});
    });
    return true;
}

} // namespace texelscope::fuzz
