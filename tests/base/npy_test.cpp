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

TEST_CASE("every type of numbers is read as numpy.save wrote it, in both orders")
{
    // npy/TYPE-C.npy (little-endian) and TYPE-F.npy (big-endian, Fortran order) are what NumPy
    // 2.4 wrote for this:
    //
    //     a = np.arange(12).reshape(2, 3, 2)
    //     for t in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1".split():
    //         for e, o in (("<", "C"), (">", "F")):
    //             x = (a - 5) / 2 if t[0] == "f" else a - 5 if t[0] == "i" else a * 10
    //             np.save(f"{t}-{o}.npy", np.asarray(x.astype(e + t), order=o))
    for (const std::string type :
         {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}) {
        for (const std::string order : {"C", "F"}) {
            CAPTURE(type, order);
            const NpyArray array = read_npy(TEXELSCOPE_NPY "/" + type + "-" + order + ".npy");
            CHECK(array.shape == std::vector<std::int64_t>{2, 3, 2});
            REQUIRE(array.values.size() == 12);
            for (int i = 0; i < 12; ++i) {
                const auto n = static_cast<float>(i);
                CHECK(array.values[static_cast<std::size_t>(i)] == (type[0] == 'f'   ? (n - 5) / 2
                                                                    : type[0] == 'i' ? n - 5
                                                                    : type[0] == 'u'
                                                                        ? n * 10
                                                                        : (i > 0 ? 1.0F : 0.0F)));
            }
        }
    }
}

TEST_CASE("random arrays in Fortran order are the same arrays")
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> shape(random() % 5);
        std::size_t count = 1;
        std::string sizes;
        for (std::int64_t& size : shape) {
            size = static_cast<std::int64_t>(random() % 5);
            count *= static_cast<std::size_t>(size);
            sizes += std::to_string(size) + ",";
        }
        CAPTURE(round, sizes);
        // The number at an index is its place in row-major order; the file has it where the sum
        // over index * (product of the sizes before) is.
        std::vector<float> data(count);
        for (std::size_t place = 0; place < count; ++place) {
            std::size_t rest = place;
            std::vector<std::size_t> index(shape.size());
            for (std::size_t d = shape.size(); d-- > 0;) {
                index[d] = rest % static_cast<std::size_t>(shape[d]);
                rest /= static_cast<std::size_t>(shape[d]);
            }
            std::size_t at = 0;
            std::size_t before = 1;
            for (std::size_t d = 0; d < shape.size(); ++d) {
                at += index[d] * before;
                before *= static_cast<std::size_t>(shape[d]);
            }
            data[at] = static_cast<float>(place);
        }
        std::string bytes(count * sizeof(float), '\0');
        if (count > 0) {
            std::memcpy(bytes.data(), data.data(), bytes.size());
        }
        const NpyArray array =
            parse_npy(file(header("<f4", "True", "(" + sizes + ")"), bytes), "x.npy");
        CHECK(array.shape == shape);
        REQUIRE(array.values.size() == count);
        for (std::size_t place = 0; place < count; ++place) {
            CHECK(array.values[place] == static_cast<float>(place));
        }
    }
}

TEST_CASE("float32 takes what it has room for, and nothing is changed in silence")
{
    const auto read = [](const std::string& type, const std::string& bytes) {
        return parse_npy(file(header(type, "False", "(1,)"), bytes), "x.npy").values.at(0);
    };
    const auto f8 = [&](double value) {
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &value, 8);
        return read("<f8", bytes);
    };
    CHECK(f8(0.1) == 0.1F);
    CHECK(f8(-1e-60) == 0.0F);
    CHECK(std::isnan(f8(std::nan(""))));
    CHECK(f8(-std::numeric_limits<double>::infinity()) == -std::numeric_limits<float>::infinity());
    CHECK_THROWS_WITH(f8(1e300), Catch::Contains("float32 does not have its number 1e+300"));
    CHECK(read("<f2", std::string("\x00\x7c", 2)) == std::numeric_limits<float>::infinity());
    CHECK(read(">f2", std::string("\x00\x01", 2)) == std::ldexp(1.0F, -24));
    // Whole numbers of up to 24 digits in binary, whatever their size.
    CHECK(read("<i8", std::string("\0\0\0\0\0\0\0\x80", 8)) == -std::ldexp(1.0F, 63));
    CHECK(read("<u8", std::string("\0\0\0\0\0\0\0\x80", 8)) == std::ldexp(1.0F, 63));
    CHECK(read(">i4", std::string("\xff\xff\xff\xfe", 4)) == -2.0F);
    CHECK(read("<u4", std::string("\xff\xff\xff\x00", 4)) == 16777215.0F);
    CHECK_THROWS_WITH(read("<i8", std::string("\x01\0\0\x01\0\0\0\0", 8)),
                      Catch::Contains("16777217"));
    CHECK_THROWS_WITH(read("<u8", std::string(8, '\xff')), Catch::Contains("18446744073709551615"));
    CHECK_THROWS_WITH(read("<i4", std::string("\xff\xff\xff\xfe", 4)),
                      Catch::Contains("-16777217"));
}

TEST_CASE("what holds no plain numbers is refused with a line that says why")
{
    const auto refused = [](const std::string& bytes, const std::string& why) {
        CAPTURE(why);
        CHECK_THROWS_WITH(parse_npy(bytes, "x.npy"),
                          Catch::StartsWith("x.npy: ") && Catch::Contains(why));
    };
    const std::string data(24, '\0');
    for (const std::string type : {"<c8", "<f16", "|O", "<U2", "<M8[ns]", "f4", "=f4", "|f4", "<b2",
                                   "<f3", "<2 ", "< f", "<4f", "", "<", "<f42"}) {
        refused(file(header(type, "False", "(6,)"), data), "its type '" + type + "' is none of f2");
    }
    refused(file(header("<f8", "False", "(4,)"), data), "cut off");
    refused(file(header(">i8", "True", "(1,)"), data), "16 bytes follow");
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
