#include "base/error.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace texelscope;
using namespace texelscope::model;
using texelscope::test::TemporaryFolder;

namespace {

std::string written(const TemporaryFolder& folder, const std::string& text)
{
    const std::string path = folder.file("walks.csv");
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

} // namespace

TEST_CASE("walks come back from their file, compressed or not")
{
    const TemporaryFolder folder;
    const std::vector<TexelWalk> walks{{3, {{0, 0}, {5, 2}, {5, 2}}}, {7, {{1, 9}}}};
    for (const char* name : {"walks.csv", "walks.csv.gz", "walks.csv.zst"}) {
        write_walks(folder.file(name), walks);
        CHECK(read_walks(folder.file(name)) == walks);
    }
}

TEST_CASE("walks as strides are the same walks, in any order of the walks")
{
    const TemporaryFolder folder;
    const std::string texels =
        written(folder, "walk,step,x,y\n7,0,1,9\n3,0,4,4\n3,1,5,2\n7,1,0,9\n");
    const std::vector<TexelWalk> expected{{3, {{4, 4}, {5, 2}}}, {7, {{1, 9}, {0, 9}}}};
    CHECK(read_walks(texels) == expected);
    const std::string strides =
        written(folder, "# made by hand\nwalk,dx,dy\r\n7,1,9\n3,4,4\n\n3,1,-2\n7,-1,0\n");
    CHECK(read_walks(strides) == expected);
}

TEST_CASE("a file of latencies says where they are from")
{
    const TemporaryFolder folder;
    const MeasuredWalks measured{{16, 16}, Bytes{16}, {{3, {{0, 0}}}, {7, {{1, 9}}}}, {10.5, 0.1}};
    const std::string path = folder.file("latencies.csv");
    write_walk_latencies(path, measured, "a device, driver 1.2");
    CHECK(read_walk_origin(path) == "a device, driver 1.2");
    CHECK(read_walk_latencies(path) == std::map<std::int64_t, double>{{3, 10.5}, {7, 0.1}});
    write_walk_latencies(path, measured);
    CHECK(read_walk_origin(path).empty());
}

TEST_CASE("malformed walks are refused with the line")
{
    const TemporaryFolder folder;
    const auto refuses = [&](const std::string& text, const std::string& words) {
        INFO(text);
        CHECK_THROWS_WITH(read_walks(written(folder, text)), Catch::Contains(words));
    };
    refuses("", "no header");
    refuses("x,y\n", ":1: the first line is not the header");
    refuses("walk,step,x,y\n0,0,1\n", ":2: not four whole numbers");
    refuses("walk,step,x,y\n0,0,1,2,3\n", ":2: not four whole numbers");
    refuses("walk,step,x,y\n0,0,1,2\n0,2,1,2\n", ":3: step 2 of walk 0 where step 1 is due");
    refuses("walk,step,x,y\n0,0,-1,2\n", "leaves the image");
    refuses("walk,dx,dy\n0,1,2\n0,-2,0\n", ":3: walk 0 leaves the image, to (-1, 2)");
    CHECK_THROWS_AS(read_walks(folder.file("absent.csv")), Error);
}

TEST_CASE("latencies belong to walks, one each")
{
    const TemporaryFolder folder;
    const std::vector<TexelWalk> walks{{0, {{0, 0}}}, {4, {{3, 3}}}};
    const Image image{.name = "A", .extent = {4, 4}};
    const auto latencies = read_walk_latencies(written(folder, "walk,ns_per_read\n4,2.5\n0,1e2\n"));
    const MeasuredWalks measured = join_walks(walks, latencies, image);
    CHECK(measured.ns_per_read == std::vector<double>{100, 2.5});
    write_walk_latencies(folder.file("again.csv"), measured);
    CHECK(read_walk_latencies(folder.file("again.csv")) == latencies);

    CHECK_THROWS_WITH(read_walk_latencies(written(folder, "walk,ns_per_read\n0,0\n")),
                      Catch::Contains(":2: not a walk"));
    CHECK_THROWS_WITH(read_walk_latencies(written(folder, "walk,ns_per_read\n0,1\n0,1\n")),
                      Catch::Contains(":3: walk 0 has a latency already"));
    CHECK_THROWS_WITH(join_walks(walks, {{0, 1.0}}, image),
                      Catch::Contains("walk 4: it has no latency"));
    CHECK_THROWS_WITH(join_walks(walks, {{0, 1.0}, {4, 1.0}, {5, 1.0}}, image),
                      Catch::Contains("3 latencies"));
    CHECK_THROWS_WITH(join_walks(walks, {{0, 1.0}, {4, 1.0}}, {.name = "A", .extent = {3, 4}}),
                      Catch::Contains("outside of the image of 3x4"));
}
