#include "base/error.hpp"
#include "tests/base/random.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/traceg.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <vector>

using namespace texelscope::traces;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

using Reader = void (*)(std::istream&, const std::string&, const AddressSink&);

std::vector<AddressRecord> records_of(Reader reader, const std::string& bytes)
{
    std::istringstream in(bytes);
    std::vector<AddressRecord> records;
    reader(in, "t", [&](const AddressRecord& record) { records.push_back(record); });
    return records;
}

std::string error_of(Reader reader, const std::string& bytes)
{
    try {
        (void)records_of(reader, bytes);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<traceg::Access> accesses_of(const std::string& text, traceg::Kernel& kernel)
{
    std::istringstream in(text);
    std::vector<traceg::Access> accesses;
    traceg::read(
        in, "t", [&](const traceg::Kernel& read) { kernel = read; },
        [&](const traceg::Access& access) { accesses.push_back(access); });
    return accesses;
}

} // namespace

TEST_CASE("records of every format are what their bytes say")
{
    CHECK(records_of(read_din, "0 1a0\n1 0xFF a comment\r\n 2\tffffffffffffffff\n") ==
          std::vector<AddressRecord>{
              {0x1a0, 0, true}, {0xff, 0, false}, {0xffffffffffffffff, 0, false}});
    CHECK(records_of(read_din, "\xef\xbb\xbf"
                               "0 10\n\n \t\r\n1 20\n") ==
          std::vector<AddressRecord>{{0x10, 0, true}, {0x20, 0, false}});
    CHECK(records_of(read_binary_din,
                     std::string("\x04\x03\x02\x81\x10\x01\x00\x00\x01\x00\x00\x00\x04\x00\x01\x00",
                                 16)) ==
          std::vector<AddressRecord>{{0x81020304, 0x110, true}, {1, 4, false}});
    CHECK(records_of(read_oracle_general, std::string("\x07\x00\x00\x00\x08\x07\x06\x05\x04\x03\x02"
                                                      "\x01\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff"
                                                      "\xff\xff",
                                                      24)) ==
          std::vector<AddressRecord>{{0x0102030405060708, 16, true}});
    std::string din;
    append_din(din, {0x1a0, 16, true});
    CHECK(din == "0 1a0\n");
    std::string binary;
    append_binary_din(binary, {0x81020304, 0x110, true});
    CHECK(binary == std::string("\x04\x03\x02\x81\x10\x01\x00\x00", 8));
    CHECK_THROWS_AS(append_binary_din(binary, {std::uint64_t{1} << 32, 4, true}), Error);
    CHECK_THROWS_AS(append_binary_din(binary, {4, 65536, true}), Error);
}

TEST_CASE("random records survive every format")
{
    Random random(3);
    std::string din;
    std::string binary;
    std::string oracle;
    std::vector<AddressRecord> records;
    for (int i = 0; i < 500; ++i) {
        records.push_back({static_cast<std::uint64_t>(random.between(0, 0xffffffff)),
                           static_cast<std::uint32_t>(random.between(0, 65535)), true});
        append_din(din, records.back());
        append_binary_din(binary, records.back());
        append_oracle_general(oracle, static_cast<std::uint32_t>(i), records.back(), -1);
    }
    CHECK(records_of(read_binary_din, binary) == records);
    CHECK(records_of(read_oracle_general, oracle) == records);
    for (AddressRecord& record : records) {
        record.bytes = 0;
    }
    CHECK(records_of(read_din, din) == records);
}

TEST_CASE("bad records are refused with their place")
{
    CHECK_THAT(error_of(read_din, "0 10\n0\n"), Contains("t:2") && Contains("address"));
    CHECK_THAT(error_of(read_din, "0 10\n\nx 10\n"), Contains("t:3") && Contains("label"));
    CHECK_THAT(error_of(read_din, std::string("\x01\xff 10\n")), Contains("'\\u0001\xef\xbf\xbd'"));
    CHECK_THAT(error_of(read_din, "x 10\n"), Contains("t:1"));
    CHECK_THAT(error_of(read_din, "10 10\n"), Contains("no label is 10"));
    CHECK_THAT(error_of(read_din, "0 10000000000000000\n"), Contains("64 bits"));
    CHECK_THAT(error_of(read_binary_din, std::string(11, '\0')),
               Contains("byte 8") && Contains("3 of 8"));
    CHECK_THAT(error_of(read_binary_din, std::string("\0\0\0\0\0\0\x20\0", 8)), Contains("byte 0"));
    CHECK_THAT(error_of(read_oracle_general, std::string(30, '\0')),
               Contains("byte 24") && Contains("6 of 24"));
    CHECK_THAT(error_of(read_oracle_general,
                        std::string(16, '\0') + std::string("\xfe") + std::string(7, '\xff')),
               Contains("byte 0"));
}

TEST_CASE("the three ways of addresses in traceg hold the same")
{
    const auto before = [](int instructions) {
        return traceg::header({"k", {2, 1, 1}, {40, 1, 1}}) +
               "#BEGIN_TB\n\nthread block = 1,0,0\n\nwarp = 1\ninsts = " +
               std::to_string(instructions) + "\n";
    };
    const std::string after = "0030 ffffffff 0 EXIT 0 0\n\n#END_TB\n";
    traceg::Kernel kernel;
    const traceg::Access expected{1, 1, 0, "LDG.E.64", 8, {{1, 0x1000}, {2, 0x0ff0}, {3, 0x0fe0}}};
    for (const char* addresses : {"0 0x1000 0xff0 0xfe0", "1 0x1000 -16", "2 0x1000 -16 -16"}) {
        const auto read = accesses_of(
            before(2) + "0000 0000000e 1 R4 LDG.E.64 1 R2 8 " + addresses + "\n" + after, kernel);
        CHECK(read == std::vector<traceg::Access>{expected});
    }
    CHECK(kernel == traceg::Kernel{"k", {2, 1, 1}, {40, 1, 1}});
    // With lines of the source, and an instruction that has no memory.
    const std::string text = "-enable lineinfo = 1\n" + before(3) +
                             "17 0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 \n"
                             "18 0010 0000000e 1 R4 LDG.E.64 1 R2 8 1 0x1000 -16\n18" +
                             " " + after;
    CHECK(accesses_of(text, kernel) == std::vector<traceg::Access>{expected});
}

TEST_CASE("a warp of a traceg file has as many instructions as it says")
{
    const auto read = [](const std::string& warps) {
        traceg::Kernel kernel;
        return accesses_of(traceg::header({"k", {1, 1, 1}, {64, 1, 1}}) +
                               "#BEGIN_TB\nthread block = 0,0,0\n" + warps + "#END_TB\n",
                           kernel)
            .size();
    };
    const std::string load = "0098 00000001 1 R4 LDG.E 1 R4 4 1 0x0 4\n";
    const std::string other = "00a0 ffffffff 0 EXIT 0 0\n";
    CHECK(read("warp = 0\ninsts = 2\n" + load + other + "warp = 1\ninsts = 1\n" + load) == 2);
    CHECK(read("warp = 0\ninsts = 0\nwarp = 1\n" + load) == 1); // no number, nothing to hold
    for (const std::string& warps :
         std::vector<std::string>{"warp = 0\ninsts = 5\n" + load, "warp = 0\ninsts = 0\n" + load,
                                  "warp = 0\ninsts = 2\n" + load + "warp = 1\ninsts = 1\n" + load,
                                  "warp = 0\ninsts = 1\n" + load + "warp = 1\ninsts = 1\n",
                                  "warp = 0\ninsts = 1\nthread block = 0,0,0\n"}) {
        CAPTURE(warps);
        CHECK_THROWS_WITH(read(warps), Contains("'insts' says") && Contains("cut off"));
    }
    CHECK_THROWS_WITH(read("warp = 0\ninsts = 5\n" + load),
                      Contains("t:") && Contains("warp 0 ends here with 1 instructions"));
    CHECK_THROWS_WITH(read("insts = 1\nwarp = 0\n" + load), Contains("no number of a warp's"));
    CHECK_THROWS_WITH(read("warp = 0\ninsts = many\n" + load), Contains("no number of a warp's"));
}

TEST_CASE("loads without addresses are told from instructions without memory")
{
    traceg::Kernel kernel;
    const auto read = accesses_of(traceg::header({"k", {1, 1, 1}, {32, 1, 1}}) +
                                      "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n"
                                      "0000 ffffffff 1 R4 LDG.E.64 1 R2 0\n"
                                      "0010 00000000 1 R4 LDG.E.64 1 R2 0\n"
                                      "0020 ffffffff 0 LDGDEPBAR 0 0\n"
                                      "0030 00000001 1 R4 TEX.SCR.LL 1 R2 0\n"
                                      "0040 ffffffff 0 UTMALDG.2D 1 R2 4 1 0x0 4\n#END_TB\n",
                                  kernel);
    CHECK(read == std::vector<traceg::Access>{{0, 0, 0, "LDG.E.64", 8, {}},
                                              {0, 0, 1, "TEX.SCR.LL", 4, {}}});
}

TEST_CASE("random loads survive traceg in each way")
{
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        traceg::Access access{0, 0, 0, "", random.pick<std::uint32_t>({1, 2, 4, 8, 16}), {}};
        access.opcode = traceg::load_opcode(access.bytes);
        std::uint64_t address = static_cast<std::uint64_t>(random.between(0, 1 << 30));
        const std::int64_t stride = random.between(-64, 64);
        for (int lane = random.small(0, 31); lane < 32; ++lane) {
            if (!random.one_in(10) || access.lanes.empty()) {
                access.lanes.emplace_back(lane, address);
            }
            address +=
                static_cast<std::uint64_t>(random.one_in(20) ? random.between(-9, 9) : stride);
        }
        for (const auto mode : {traceg::AddressMode::list_all, traceg::AddressMode::base_stride,
                                traceg::AddressMode::base_delta}) {
            traceg::Kernel kernel;
            const auto read =
                accesses_of(traceg::header({"k", {1, 1, 1}, {32, 1, 1}}) +
                                "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n" +
                                traceg::load_line(0, access, mode) + "#END_TB\n",
                            kernel);
            CHECK(read == std::vector<traceg::Access>{access});
        }
    }
}
