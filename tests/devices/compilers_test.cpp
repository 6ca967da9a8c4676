// What real compilers print about kernels, as Mesa 26.1.6 and 25.0.7 printed it
// (tests/data/compilers, essential_output()).

#include "base/error.hpp"
#include "devices/compilers/compiler_output.hpp"
#include "devices/compilers/mesa_compilers.hpp"
#include "tests/devices/kept_compilation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <string>

using namespace texelscope::devices;
using namespace texelscope::test;
using Catch::Matchers::Contains;
using Class = InstructionClass;

namespace {

CompiledKernel parsed(const std::string& op, const std::string& gpu)
{
    return parse_compiler_output(find_compiler_gpu(gpu), "26.1.6",
                                 printed_by_compiler(op + "-" + gpu));
}

std::string without_line(const std::string& text, const std::string& with)
{
    const std::size_t at = text.find(with);
    REQUIRE(at != std::string::npos);
    const std::size_t start = text.rfind('\n', at) + 1, end = text.find('\n', at) + 1;
    return text.substr(0, start) + text.substr(end);
}

} // namespace

TEST_CASE("a matmul on Adreno 740: registers, waves, instructions, and all reads under way at once")
{
    const CompiledKernel kernel = parsed("matmul", "adreno-740");
    CHECK(kernel.vec4_registers == 16);
    CHECK(kernel.registers == 64);
    CHECK(kernel.warps == 12); // 96 / 16 * 2
    CHECK(kernel.warp_size == 64);
    CHECK(kernel.limit == CompiledLimit::registers);
    CHECK(kernel.instructions == 171);
    CHECK(kernel.count(Class::wait) == 22);
    CHECK(kernel.count(Class::multiply_add) == 64);
    CHECK(kernel.count(Class::texture) == 8);
    CHECK(kernel.count(Class::store) == 4);
    CHECK(kernel.count(Class::conversion) == 9);
    CHECK(kernel.reads_between_waits == std::vector<int>{8});
    CHECK(kernel.reads_in_flight() == 8);
    CHECK(kernel.code_bytes == 258 * 4);
    CHECK(kernel.loops == 1);
    CHECK(kernel.spill_loads + kernel.spill_stores == 0);
    CHECK(std::count_if(kernel.listing.begin(), kernel.listing.end(),
                        [](const ListingLine& line) { return line.reads_texture(); }) == 8);
}

TEST_CASE("the same matmul on other GPUs")
{
    const CompiledKernel a660 = parsed("matmul", "adreno-660");
    CHECK(a660.vec4_registers == 16);
    CHECK(a660.warps == 8); // 64 / 16 * 2
    CHECK(a660.limit == CompiledLimit::registers);
    const CompiledKernel g610 = parsed("matmul", "mali-g610");
    CHECK(g610.registers == 49);
    CHECK(g610.warps == 64); // 1024 work-items of 16: above 32 registers, half of 2048
    CHECK(g610.limit == CompiledLimit::registers);
    CHECK(g610.count(Class::texture) == 8);
    CHECK(g610.count(Class::multiply_add) == 64);
    CHECK(g610.reads_in_flight() == 2);
    const CompiledKernel g76 = parsed("matmul", "mali-g76");
    CHECK(g76.registers == 47);
    CHECK(g76.warps == 48); // 384 of 8
    CHECK(g76.instructions == 148);
}

TEST_CASE("the formats of Mesa 25")
{
    const CompilerGpu& gpu = find_compiler_gpu("adreno-740");
    const auto of = [&](const char* op) {
        return parse_compiler_output(gpu, "25.0.7",
                                     printed_by_compiler(op + std::string("-adreno-740-mesa25")));
    };
    const CompiledKernel matmul = of("matmul");
    const CompiledKernel newer = parsed("matmul", "adreno-740");
    CHECK(matmul.registers == newer.registers);
    CHECK(matmul.warps == newer.warps); // not printed: by the rule
    CHECK(matmul.limit == CompiledLimit::registers);
    CHECK(matmul.reads_between_waits == newer.reads_between_waits);
    CHECK(matmul.count(Class::wait) == 23);
    CHECK(matmul.count(Class::multiply_add) == 64);
    const CompiledKernel conv = of("conv2d");
    CHECK(conv.count(Class::multiply_add) == 256);
    CHECK(conv.warps == 96 / conv.vec4_registers * 2);
    CHECK(conv.loops == 2);
}

TEST_CASE("spills are told apart from other loads and stores")
{
    const CompiledKernel adreno = parsed("softmax_dx", "adreno-740");
    CHECK(adreno.vec4_registers == 48);
    CHECK(adreno.spill_stores == 108);
    CHECK(adreno.spill_loads == 108);
    CHECK(adreno.count(Class::spill) == 216);
    CHECK(adreno.count(Class::store) == 32); // of the output's texels
    const CompiledKernel mali = parsed("matmul8x4", "mali-g610");
    CHECK(mali.registers == 62);
    CHECK(mali.spill_stores == 2);
    CHECK(mali.spill_loads == 40);
    CHECK(mali.count(Class::spill) == 42);
}

TEST_CASE("every instruction has a class, and what is counted is what the compiler counts")
{
    for (const auto& [op, gpu] :
         std::initializer_list<std::pair<std::string, std::string>>{{"matmul", "adreno-740"},
                                                                    {"matmul", "adreno-660"},
                                                                    {"matmul", "mali-g610"},
                                                                    {"matmul", "mali-g76"},
                                                                    {"softmax_dx", "adreno-740"},
                                                                    {"matmul8x4", "mali-g610"}}) {
        CAPTURE(op, gpu);
        const CompiledKernel kernel = parsed(op, gpu);
        CHECK(std::accumulate(kernel.by_class.begin(), kernel.by_class.end(), 0) ==
              kernel.instructions);
        CHECK(std::accumulate(kernel.reads_between_waits.begin(), kernel.reads_between_waits.end(),
                              0) == kernel.count(Class::texture));
        CHECK(kernel.gpu == gpu);
        // What is kept of an output says the same.
        const CompilerGpu& which = find_compiler_gpu(gpu);
        const CompiledKernel again = parse_compiler_output(
            which, "26.1.6", essential_output(which, printed_by_compiler(op + "-" + gpu)));
        CHECK(again.by_class == kernel.by_class);
        CHECK(again.reads_between_waits == kernel.reads_between_waits);
    }
}

TEST_CASE("an output of another form is refused, with what is missing")
{
    const CompilerGpu& adreno = find_compiler_gpu("adreno-740");
    const CompilerGpu& mali = find_compiler_gpu("mali-g610");
    const std::string a = printed_by_compiler("matmul-adreno-740"),
                      m = printed_by_compiler("matmul-mali-g610");
    const auto parse = [](const CompilerGpu& gpu, const std::string& text) {
        return parse_compiler_output(gpu, "27", text);
    };
    CHECK_THROWS_WITH(parse(adreno, ""), Contains("Native code") && Contains("Mesa 25 and 26"));
    CHECK_THROWS_WITH(parse(adreno, without_line(a, "max_waves")), Contains("max_waves"));
    CHECK_THROWS_WITH(parse(adreno, without_line(a, "saml")),
                      Contains("another number of instructions"));
    CHECK_THROWS_WITH(parse(mali, without_line(m, "spills:fills")), Contains("spills:fills"));
    CHECK_THROWS_WITH(parse(mali, without_line(m, "TEX_SINGLE")),
                      Contains("another number of instructions"));
    std::string strange = a;
    strange.replace(strange.find("saml"), 4, "zaml");
    CHECK_THROWS_WITH(parse(adreno, strange), Contains("'zaml' is not known"));
    CHECK_THROWS_WITH(parse(mali, a), Contains("spills:fills"));
}

TEST_CASE("an instruction that Mesa leaves blank in Mali's listing is counted")
{
    const CompilerGpu& gpu = find_compiler_gpu("mali-g610");
    std::string text = printed_by_compiler("matmul-mali-g610");
    const std::size_t at = text.find("   IADD");
    text.replace(at, text.find('\n', at) - at, "   ");
    const CompiledKernel whole = parsed("matmul", "mali-g610");
    const CompiledKernel blank = parse_compiler_output(gpu, "26.1.6", text);
    CHECK(blank.by_class == whole.by_class);
    CHECK(blank.listing.size() == whole.listing.size());
    CHECK(parse_compiler_output(gpu, "26.1.6", essential_output(gpu, text)).by_class ==
          whole.by_class);
}

TEST_CASE("of a kernel that Mali's driver compiles twice, the last is read")
{
    // As Mesa printed of `b[get_global_id(0)] = ...`: with an offset of the launch, and without.
    const CompilerGpu& gpu = find_compiler_gpu("mali-g610");
    const std::string both = printed_by_compiler("global_id-mali-g610");
    const std::vector<KernelOutput> kernels = kernel_outputs(both);
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].name == "t");
    const CompiledKernel kernel = parse_compiler_output(gpu, "26.1.6", kernels[0].text);
    CHECK(kernel.instructions == 16);
    CHECK(kernel.registers == 7);
    CHECK(kernel_outputs(essential_output(gpu, both))[0].name == "t");
    CHECK(parse_compiler_output(gpu, "26.1.6", kernel_outputs(essential_output(gpu, both))[0].text)
              .by_class == kernel.by_class);
}

TEST_CASE("what a compiler says of several kernels of a program is told apart")
{
    for (const std::string name : {"adreno-740", "mali-g610"}) {
        CAPTURE(name);
        const CompilerGpu& gpu = find_compiler_gpu(name);
        const std::string output = printed_by_compiler("two-" + name);
        for (const std::string& text : {output, essential_output(gpu, output)}) {
            const std::vector<KernelOutput> kernels = kernel_outputs(text);
            REQUIRE(kernels.size() == 2);
            CHECK(kernels[0].name == "a");
            CHECK(kernels[1].name == "c");
            for (const KernelOutput& kernel : kernels) {
                CHECK(parse_compiler_output(gpu, "26.1.6", kernel.text).count(Class::store) == 1);
            }
        }
    }
}

TEST_CASE("what many kernels printed in one process is told apart, also where one ends it")
{
    const BuildOutput whole =
        parse_build_output("device FD740\ndriver 26.1.6\nfile 0\nMESA: a\nkernel k\nfile 1\n"
                           "failed -11\nlog\nerror: file 2\nend\n");
    CHECK(whole.driver == "26.1.6");
    CHECK(whole.files ==
          std::vector<std::string>{"MESA: a\nkernel k\n", "failed -11\nlog\nerror: file 2\n"});
    CHECK(whole.complete() == 2);
    const BuildOutput cut =
        parse_build_output("driver 26.1.6\nfile 0\nkernel k\nfile 1\nMESA: b\nSegmentation fault");
    CHECK(cut.files.size() == 2);
    CHECK(cut.complete() == 1);
    CHECK_FALSE(cut.ended);
    CHECK(parse_build_output("the OpenCL library has no device\n").complete() == 0);
}

TEST_CASE("where there is no compiler, it says how to get one")
{
    const TemporaryFolder folder;
    const MesaCompilers none(folder.file("compilers"), folder.file("programs"));
    CHECK_FALSE(none.has(CompilerFamily::mali));
    CHECK_THROWS_WITH(none.compile(find_compiler_gpu("mali-g76"), "kernel void k() {}", ""),
                      Contains("mali-g76") && Contains("compile --setup"));
    CHECK_THROWS_WITH(find_compiler_gpu("adreno-99"),
                      Contains("adreno-740") && Contains("mali-g610"));
}
