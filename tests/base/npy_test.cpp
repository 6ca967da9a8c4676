#include "base/error.hpp"
#include "base/npy.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace texelscope::base;

namespace {

/// A file of that version with that header, as it stands, and data.
std::string file(const std::string& header, const std::string& data, char version = 1)
{
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    if (version > 1) {
        bytes += std::string(2, '\0');
    }
    return bytes + header + data;
}

std::string header(const std::string& type, const std::string& fortran, const std::string& shape)
{
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
           ", }\n";
}

/// 1, -2, 0.5 as little-endian float32.
const std::string three_floats("\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f", 12);

} // namespace

TEST_CASE("a file that NumPy wrote is read, and its bytes are written")
{
    // numpy.save of numpy.array([[1, -2], [0.5, 3]], dtype='<f4'), NumPy 2.4.
    const std::string saved = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                              "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }" +
                              std::string(58, ' ') + "\n" + three_floats +
                              std::string("\x00\x00\x40\x40", 4);
    REQUIRE(saved.size() == 128 + 16);
    const NpyArray array = parse_npy(saved, "saved.npy");
    CHECK(array.shape == std::vector<std::int64_t>{2, 2});
    CHECK(array.values == std::vector<float>{1.0F, -2.0F, 0.5F, 3.0F});

    // Our header is padded to the next multiple of 64, and the data are the same bytes.
    const std::string written = npy_bytes(array);
    CHECK(written.substr(written.size() - 16) == saved.substr(128));
    CHECK(written.substr(10, 59) == saved.substr(10, 59));
}

TEST_CASE("arrays survive the round trip bit for bit")
{
    const std::vector<std::vector<std::int64_t>> shapes{{},     {0},       {1},         {7},
                                                        {3, 5}, {2, 0, 4}, {2, 3, 4, 5}};
    std::mt19937_64 random(7);
    for (const auto& shape : shapes) {
        NpyArray array{shape, {}};
        std::int64_t count = 1;
        for (const std::int64_t size : shape) {
            count *= size;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            // Any bits at all: infinities, NaNs and denormals are values too.
            const auto bits = static_cast<std::uint32_t>(random());
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            array.values.push_back(value);
        }
        const std::string bytes = npy_bytes(array);
        CHECK((bytes.size() - array.values.size() * 4) % 64 == 0);
        const NpyArray back = parse_npy(bytes, "x.npy");
        CHECK(back.shape == shape);
        REQUIRE(back.values.size() == array.values.size());
        CHECK((array.values.empty() || std::memcmp(back.values.data(), array.values.data(),
                                                   array.values.size() * sizeof(float)) == 0));
    }
}

TEST_CASE("headers are written as Python would read them")
{
    CHECK(npy_header("<f4", {}).find("'shape': (), }") != std::string::npos);
    CHECK(npy_header("<f4", {3}).find("'shape': (3,), }") != std::string::npos);
    CHECK(npy_header("<i8", {3, 4})
              .find("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }") == 10);
    for (int dimensions = 0; dimensions < 64; ++dimensions) {
        const std::string bytes =
            npy_header("<f4", std::vector<std::int64_t>(static_cast<std::size_t>(dimensions), 12));
        CHECK(bytes.size() % 64 == 0);
        CHECK(bytes.back() == '\n');
        CHECK(static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]) +
                  10 ==
              static_cast<int>(bytes.size()));
    }
    CHECK_THROWS_AS(npy_header("<f4", std::vector<std::int64_t>(40'000, 1)), Error);
}

TEST_CASE("versions 2 and 3 and free spacing of the header are read")
{
    for (const char version : {char{1}, char{2}, char{3}}) {
        const NpyArray array =
            parse_npy(file(header("<f4", "False", "(3,)"), three_floats, version), "x.npy");
        CHECK(array.values == std::vector<float>{1.0F, -2.0F, 0.5F});
    }
    const NpyArray array = parse_npy(
        file(R"({"shape":( 1 ,3 ) , "fortran_order" :False,"descr":"<f4"})", three_floats),
        "x.npy");
    CHECK(array.shape == std::vector<std::int64_t>{1, 3});
    // With one dimension Fortran order is C order.
    CHECK(parse_npy(file(header("<f4", "True", "(3,)"), three_floats), "x.npy").values.size() == 3);
}

TEST_CASE("other types and orders are refused with a line that says which")
{
    const auto refused = [](const std::string& bytes, const std::string& why) {
        CAPTURE(why);
        CHECK_THROWS_WITH(parse_npy(bytes, "x.npy"),
                          Catch::StartsWith("x.npy: ") && Catch::Contains(why));
    };
    const std::string data(24, '\0');
    refused(file(header(">f4", "False", "(6,)"), data), "'>f4' is not little-endian float32");
    refused(file(header("<f8", "False", "(3,)"), data), "'<f8' is not little-endian float32");
    refused(file(header("<i4", "False", "(6,)"), data), "'<i4' is not little-endian float32");
    refused(file(header("<f4", "True", "(2, 3)"), data), "Fortran order");
    // Where integers may be, too, float32 has to have them.
    const auto integers = [](const std::string& bytes) {
        return parse_npy(bytes, "x.npy", NpyNumbers::floats_or_integers);
    };
    const std::string two{"\x07\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16};
    CHECK(integers(file(header("<i8", "False", "(2,)"), two)).values == std::vector<float>{7, -2});
    CHECK(integers(file(header("<i4", "False", "(4,)"), two)).values ==
          std::vector<float>{7, 0, -2, -1});
    const std::string large{"\x01\0\0\x01\0\0\0\0", 8};
    CHECK_THROWS_WITH(integers(file(header("<i8", "False", "(1,)"), large)),
                      Catch::Contains("16777217"));
    CHECK_THROWS_WITH(integers(file(header("<i8", "False", "(1,)"), data)),
                      Catch::Contains("bytes follow"));
    CHECK_THROWS_WITH(integers(file(header("<f8", "False", "(3,)"), data)),
                      Catch::Contains("'<f8'"));
    refused(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", data),
            "records");
    refused(file(header("<f4", "False", "(6,)"), data, 4), "version 4");
}

TEST_CASE("malformed headers are refused")
{
    const std::vector<std::string> headers{
        "",
        "{",
        "{}",
        "descr",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} more",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}",
        "{'descr' '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'colour': 'red'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, "
        "9223372036854775807)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    };
    for (const std::string& text : headers) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_npy(file(text, three_floats), "x.npy"), Error);
    }
    CHECK_THROWS_AS(parse_npy("", "x.npy"), Error);
    CHECK_THROWS_AS(parse_npy("PK\x03\x04", "x.npy"), Error);
}

TEST_CASE("a file cut off anywhere is refused, and so is one with surplus bytes")
{
    const std::string whole = npy_bytes({{3}, {1.0F, 2.0F, 3.0F}});
    CHECK(parse_npy(whole, "x.npy").values.size() == 3);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(parse_npy(whole.substr(0, length), "x.npy"), Error);
    }
    CHECK_THROWS_WITH(parse_npy(whole + "x", "x.npy"), Catch::Contains("1 bytes follow"));
}

TEST_CASE("files are read by path, and errors name the path")
{
    const auto path = std::filesystem::temp_directory_path() / "texelscope-npy-test.npy";
    {
        std::ofstream out(path, std::ios::binary);
        out << npy_bytes({{2, 1}, {4.0F, 5.0F}});
    }
    CHECK(read_npy(path.string()).values == std::vector<float>{4.0F, 5.0F});
    {
        const std::ofstream out(path, std::ios::binary | std::ios::trunc);
    }
    CHECK_THROWS_WITH(read_npy(path.string()),
                      Catch::Contains(path.string()) && Catch::Contains("does not begin"));
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(read_npy(path.string()),
                      Catch::Contains(path.string()) && Catch::Contains("No such file"));
    const std::string folder = std::filesystem::temp_directory_path().string();
    CHECK_THROWS_WITH(read_npy(folder), Catch::Contains(folder) && Catch::Contains("folder"));
}

TEST_CASE("an array whose shape does not fit its values is not written")
{
    CHECK_THROWS_AS(npy_bytes({{2}, {1.0F}}), Error);
    CHECK_THROWS_AS(npy_bytes({{-1}, {}}), Error);
}
