// Tensors of ONNX files, whose bytes are written by hand.

#include "networks/onnx/onnx_tensor.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::networks;
using Catch::Matchers::Contains;

TEST_CASE("Numbers of every type that files have are read, raw and as lists")
{
    const auto tensor = [](int type, const std::string& field, const std::string& count = "\x02") {
        return parse_onnx_tensor(std::string("\x08") + count + "\x10" + static_cast<char>(type) +
                                 field)
            .second;
    };
    const auto raw = [](const std::string& bytes) {
        return std::string("\x4a") + static_cast<char>(bytes.size()) + bytes;
    };
    using Floats = std::vector<float>;
    using Integers = std::vector<std::int64_t>;
    CHECK(tensor(10, raw(std::string("\x00\x3e\x00\xc0", 4))).reals() == Floats{1.5F, -2});
    CHECK(tensor(10, "\x2a\x04"
                     "\x80\x7c\x80\x78")
              .reals() == Floats{1.5F, 1}); // 0x3e00, 0x3c00
    CHECK(tensor(16, raw(std::string("\xc0\x3f\x00\xc0", 4))).reals() == Floats{1.5F, -2});
    const double numbers[] = {0.1, -3};
    CHECK(tensor(11, raw({reinterpret_cast<const char*>(numbers), sizeof numbers})).reals() ==
          Floats{0.1F, -3});
    CHECK(
        tensor(11, "\x52\x10" + std::string(reinterpret_cast<const char*>(numbers), sizeof numbers))
            .reals() == Floats{0.1F, -3});
    CHECK(tensor(2, raw("\x01\xff")).integers() == Integers{1, 255});
    CHECK(tensor(3, raw("\x01\xff")).integers() == Integers{1, -1});
    CHECK(tensor(5, raw("\x01\x02\xff\xff")).integers() == Integers{513, -1});
    CHECK(tensor(4, raw("\x01\x02\xff\xff")).integers() == Integers{513, 65535});
    CHECK(tensor(12, raw("\xff\xff\xff\xff\x01\x01\x01\x01")).integers() ==
          Integers{4294967295, 16843009});
    CHECK(tensor(21, raw("\xf1"), "\x02").integers() == Integers{1, 15});
    CHECK(tensor(22, raw("\xf1\x08"), "\x03").integers() == Integers{1, -1, -8});
    CHECK(tensor(3, raw("\x01\xff")).type == IntegerType{8, true});
    CHECK_THROWS_WITH(tensor(3, "\x2a\x03"
                                "\x01\xff\x01"),
                      Contains("it has 255, which is beyond int8"));
    CHECK_THROWS_WITH(tensor(8, raw("ab")), Contains("its elements are strings"));
    CHECK_THROWS_WITH(tensor(10, raw("ab")), Contains("it has 1 elements"));
    // To the nearest, halves to even numbers.
    CHECK(rounded_to(OnnxType::bf16, 1.00390625F) == 1);
    CHECK(rounded_to(OnnxType::bf16, 1.01171875F) == 1.015625F);
    CHECK(rounded_to(OnnxType::fp16, 2049) == 2048);
    CHECK(std::isinf(rounded_to(OnnxType::bf16, 3.4e38F)));
}
