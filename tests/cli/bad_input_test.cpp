// Bad input: one line that names what, where and what to do; exit 2 or 3; nothing half-written.

#include "base/npy.hpp"
#include "tests/cli/checked_program.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

const Words simulate_small{"simulate", "--op", "matmul", "--shape", "8,8,8"};

} // namespace

TEST_CASE("Usage errors")
{
    refused({}, "subcommand");
    refused({"frobnicate"}, "no subcommand 'frobnicate'");
    refused({"simulate", "--nonsense"}, "--nonsense");
    refused({"simulate"}, "neither a trace file nor an operator");
    refused({"tune", "--op", "matmul", "--shape", "8,8,8", "--top", "many"}, "--top");
    refused({"predict"}, "--shape");
    refused({"trace", "import"}, "no trace file");
}

TEST_CASE("Unknown operator, pattern, device, key")
{
    refused({"simulate", "--op", "fft", "--shape", "8"}, "no operator 'fft'; operators are matmul");
    refused(simulate_small + Words{"--config", "A=diagonal,row;T=4x4;G=8x8"},
            "'diagonal' is not an access pattern");
    refused(simulate_small + Words{"--device", "adreno-1"}, "adreno-740");
    refused(simulate_small + Words{"--device", "nowhere.xml"}, "nowhere.xml");
    refused(simulate_small + Words{"--set", "l1.capasity=2048"}, "did you mean 'l1.capacity'?");
    refused(simulate_small + Words{"--set", "l1.capacity"}, "is not KEY=VALUE");
    refused(simulate_small + Words{"--set", "l1.capacity=lots"}, "'lots'");
    refused(simulate_small + Words{"--set", "l1.capacity=100"}, "l1.capacity");
    refused(simulate_small + Words{"--set", "layout=4x4:zigzag,row"},
            "'zigzag' is not a storage order");
    refused(simulate_small + Words{"--set", "layout=mali-u-interleaved2"},
            "did you mean 'mali-u-interleaved'?");
    refused(simulate_small + Words{"--set", "layout=bits:2x2:x0,x0"}, "share a place");
    refused(simulate_small + Words{"--heatmap", "map.bmp"}, "neither .png nor .csv nor .npy");
    refused(simulate_small + Words{"--heatmap", "map.png", "--heatmap-image", "Q"},
            "there is no image 'Q'; images are A, B");
}

TEST_CASE("A configuration that is malformed, illegal, or breaks a limit of the device")
{
    refused(simulate_small + Words{"--config", "T=4x4"}, "'A' is missing");
    refused(simulate_small + Words{"--config", "A=row,row;T=4x4;W=8x8;G=12x8"},
            "does not tile the work-group");
    refused(simulate_small + Words{"--config", "A=row,row;T=4x4;G=64x64"},
            "larger than the device's 1024");
    refused({"run", "--op", "matmul", "--shape", "8,8,8", "--config", "A=row,row;T=4x4;G=256x256"},
            "unsupported");
}

TEST_CASE("A shape of zero, or one too large for an image")
{
    refused({"generate", "--op", "matmul", "--shape", "0,8,8"}, "size 0");
    refused({"generate", "--op", "matmul", "--shape", "8,8"}, "2 sizes");
    refused({"generate", "--op", "matmul", "--shape", "8,8,eight"}, "'eight'");
    refused({"predict", "--op", "matmul", "--shape", "20000,8,8"},
            "larger than the device's 16384x16384");
    refused({"run", "--op", "matmul", "--shape", "40000,4,4"}, "unsupported");
}

TEST_CASE("Malformed CSV and XML")
{
    const TemporaryFolder folder;
    const auto csv = [&](const std::string& text) {
        return Words{"simulate", folder.write("t.csv", text), "--image", "A:4x4x16"};
    };
    const std::string header = "group,item,step,image,x,y\n";
    refused(csv("x,y\n"), "t.csv:1");
    refused(csv(header + "0,0,0,A,1\n"), "t.csv:2: a row has six fields");
    refused(csv(header + "0,0,0,A,1,1\n0,0,1,A,one,1\n"), "t.csv:3: column 'x'");
    refused(csv(header + "0,0,0,B,1,1\n"), "image 'B' is not declared");
    refused(csv(header + "0,0,0,A,1,1\n0,0,0,A,2,2\n"), "t.csv");
    refused({"simulate", folder.write("e.csv", header), "--image", "A:0x4x16"}, "out of range");
    refused({"simulate", folder.file("none.csv")}, "cannot open");
    refused(simulate_small +
                Words{"--device", folder.write("d.xml", "<device name=\"x\">\n<value key=")},
            "d.xml:2");
    refused(simulate_small +
                Words{"--device",
                      folder.write(
                          "k.xml",
                          "<device name=\"x\"><description>d</description>\n<value key=\"l1.size\" "
                          "from=\"assumed\" source=\"s\">1</value></device>")},
            "k.xml:2");
}

TEST_CASE("Numbers out of range, and options that do not go together")
{
    refused({"histogram", "--op", "matmul", "--shape", "8,8,8", "--item", "-5"}, "no work-item -5");
    refused({"histogram", "--op", "matmul", "--shape", "8,8,8", "--group", "99"}, "in group 99");
    refused({"tune", "--op", "matmul", "--shape", "8,8,8", "--top", "-1"}, "--top");
    refused(simulate_small + Words{"--seed", "-1"}, "--seed");
    refused(simulate_small + Words{"--set", "cores=1000000000"}, "cores");
    refused(simulate_small + Words{"--set", "cores=0"}, "cores");
    refused(simulate_small + Words{"--set", "occupancy=0"}, "occupancy");
    refused(simulate_small + Words{"--set", "occupancy=2000000000"}, "occupancy");
    refused(simulate_small + Words{"--set", "latency.memory=1000000000000000"}, "latency.memory");
    refused(simulate_small + Words{"--set", "layout=32768x32768:row,row", "--set", "l1.line=16"},
            "layout");
    refused(simulate_small + Words{"--address", "edge"}, "for trace files");
    refused({"trace", "export", "--op", "matmul", "--shape", "8,8,8", "--json"}, "give -o FILE");
    refused({"simulate", "/"}, "this is a folder");
    refused({"run", "--op", "matmul", "--shape", "30000,30000,30000"}, "unsupported");
}

TEST_CASE("Output that cannot be written is an error")
{
    CHECK(run_to_full_device({"trace", "export", "--op", "matmul", "--shape", "64,64,64"}) == 2);
    CHECK(run_to_full_device({"devices"}) == 2);
}

TEST_CASE("A failed command leaves files as they were")
{
    const TemporaryFolder folder;
    const std::string old = folder.write("kernel.cl", "old");
    refused({"generate", "--op", "matmul", "--shape", "8,8,8", "--config", "A=row", "-o", old},
            "A=row");
    CHECK(read_file(old) == "old");
    refused({"generate", "--op", "matmul", "--shape", "8,8,8", "-o", folder.file("none/kernel.cl")},
            "none/kernel.cl");
    refused({"trace", "export", "--op", "matmul", "--shape", "8,8,0", "-o", folder.file("t.csv")},
            "size 0");
    CHECK(folder.files() == 1);
}

TEST_CASE("No OpenCL device")
{
    const TemporaryFolder folder;
    refused({"run", "--op", "matmul", "--shape", "8,8,8", "--on", "no such device"},
            "no such device", 3);
    refused({"run", "--op", "matmul", "--shape", "8,8,8"}, "no OpenCL device", 3,
            "OCL_ICD_VENDORS=" + folder.file(""));
    const ProgramResult devices = run_program({"devices"}, "OCL_ICD_VENDORS=" + folder.file(""));
    CHECK(devices.exit_code == 0);
    CHECK_THAT(devices.output, Contains("none found"));
}

TEST_CASE("Arrays that do not fit are refused")
{
    const TemporaryFolder folder;
    const Words run{"run", "--op", "matmul", "--shape", "2,2,2"};
    refused(run + Words{"--input", "A=" + folder.file("none.npy")}, "none.npy");
    refused(run + Words{"--input", "Z=" + folder.file("none.npy")}, "names are A, B");
    refused(run + Words{"--input", "A=" + folder.write("text.npy", "not an array")}, "text.npy");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::string some =
        folder.write("some.npy", texelscope::base::npy_bytes({{2, 2}, {1, nan, 2, nan}}));
    refused(run + Words{"--input", "B=" + some},
            "some.npy: the input 'B' has 2 NaN among its 4 numbers");
    const float infinity = std::numeric_limits<float>::infinity();
    const std::string endless =
        folder.write("inf.npy", texelscope::base::npy_bytes({{2, 2}, {1, 2, 3, infinity}}));
    CHECK_THAT(run_program(run + Words{"--input", "B=" + endless}).errors, !Contains("NaN among"));
}
