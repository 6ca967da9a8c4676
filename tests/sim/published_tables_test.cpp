// Every named layout against the offset tables that the drivers' own code gave
// (tests/data/layouts/README.md).

#include "sim/layout/named_layouts.hpp"
#include "sim/layout/texel_layout.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace texelscope::sim;

namespace {

struct Published {
    std::string layout;
    std::int64_t bytes_per_texel = 0;
    Extent2D extent;
    std::map<Texel, std::int64_t> offsets;
};

Published read_table(const std::filesystem::path& path)
{
    Published table;
    std::string name = path.filename().string();
    name.resize(name.size() - std::string("B.csv.gz").size());
    const auto dash = name.rfind('-');
    table.bytes_per_texel = std::stoi(name.substr(dash + 1));
    name.resize(dash);
    table.extent = {64, 64};
    const std::string banked = "-banked-w4096";
    if (name.ends_with(banked)) {
        name.resize(name.size() - banked.size());
        table.extent.width = 4096;
    }
    table.layout = name;

    std::ifstream file(path, std::ios::binary);
    boost::iostreams::filtering_istream in;
    in.push(boost::iostreams::gzip_decompressor());
    in.push(file);
    std::string header;
    std::getline(in, header);
    REQUIRE(header == "x,y,offset");
    Texel t;
    char comma = 0;
    std::int64_t offset = 0;
    while (in >> t.x >> comma >> t.y >> comma >> offset) {
        table.offsets[t] = offset;
    }
    return table;
}

} // namespace

TEST_CASE("named layouts give every offset of the published tables")
{
    std::set<std::string> checked;
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(TEXELSCOPE_SOURCE "/tests/data/layouts")) {
        if (entry.path().extension() != ".gz") {
            continue;
        }
        INFO(entry.path());
        const Published table = read_table(entry.path());
        REQUIRE(table.offsets.size() == 64 * 64);
        const TexelLayout layout(NamedLayout{table.layout}, table.extent,
                                 Bytes{table.bytes_per_texel});
        int different = 0;
        for (const auto& [texel, offset] : table.offsets) {
            different += layout.offset(texel) == offset ? 0 : 1;
        }
        CHECK(different == 0);
        ++files;
        checked.insert(table.layout);
    }
    CHECK(files == 67);
    // What has no table of its own is a variant of what has one: other block heights, other bank
    // bits.
    for (const NamedLayoutInfo& layout : named_layouts()) {
        const bool variant =
            layout.name == "adreno-a5xx-tile3" || layout.name.starts_with("nvidia-blocklinear-");
        INFO(layout.name);
        CHECK((checked.contains(layout.name) || variant));
    }
}
