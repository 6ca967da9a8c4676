// Kernels that compute in half precision, on a CPU that does not: the text is compiled as C++ with
// a half type of its own (opencl_on_cpu.hpp), in both arithmetics.

#include "base/half.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/random_cases.hpp"
#include "workbench/study/checked_run.hpp"

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::study;

namespace {

struct Case {
    Operator op;
    LoopNest nest;
};

Case case_of(const std::string& op, const std::string& shape, const std::string& config)
{
    Operator parsed = parse_operator(op, shape);
    LoopNest nest = loop_nest(parsed, parse_schedule(config));
    return {std::move(parsed), std::move(nest)};
}

/// A namespace with the kernel, in C++, and a function that launches it on an array of its
/// arguments.
std::string compiled_text(const LoopNest& nest, const std::string& name, Precision arithmetic)
{
    static const std::regex vector_literal(R"(\((int2|(?:number|float|half)[48]?)\)\()");
    const std::string text =
        std::regex_replace(opencl_text(nest, TexelBackend::native), vector_literal, "$1(");
    std::string arguments;
    for (std::size_t i = 0; i <= nest.inputs.size(); ++i) {
        const Operand& operand = i < nest.inputs.size() ? nest.inputs[i] : nest.output;
        arguments += fmt::format("{}static_cast<{}>(arguments[{}])", i == 0 ? "" : ", ",
                                 operand.memory == Memory::image ? "image2d_t" : "half*", i);
    }
    return fmt::format(
        "{} cl_khr_fp16\nnamespace {} {{\n{}}}\nextern \"C\" void {}_launch(void** arguments)\n{{\n"
        "    launch({{{}}}, {{{}}}, {}, [&] {{ {}::{}({}); }});\n}}\n",
        arithmetic == Precision::fp16 ? "#define" : "#undef", name, text, name,
        fmt::join(nest.groups, ", "), fmt::join(nest.local, ", "),
        text.find("barrier(") != std::string::npos, name, nest.name, arguments);
}

/// Many kernels in one library, each in both arithmetics.
class OnCpu {
public:
    explicit OnCpu(const std::vector<Case>& cases)
    {
        std::string text = "#include \"" TEXELSCOPE_SOURCE "/tests/workbench/opencl_on_cpu.hpp\"\n";
        for (std::size_t i = 0; i < cases.size(); ++i) {
            for (const Precision arithmetic : {Precision::fp32, Precision::fp16}) {
                text += compiled_text(cases[i].nest, name(i, arithmetic), arithmetic);
            }
        }
        const std::string source = folder_.write("kernels.cpp", text);
        const std::string library = folder_.file("kernels.so");
        const std::string command = fmt::format(
            "'{}' -std=c++20 -w -O1 -ffp-contract=off -pthread -shared -fPIC '{}' -o '{}'",
            TEXELSCOPE_CXX_COMPILER, source, library);
        REQUIRE(std::system(command.c_str()) == 0); // NOLINT: compilers are programs
        library_ = dlopen(library.c_str(), RTLD_NOW);
        REQUIRE(library_ != nullptr);
        *static_cast<float (**)(float)>(dlsym(library_, "round_to_half")) = [](float value) {
            return base::rounded_to_half(value);
        };
    }
    ~OnCpu()
    {
        if (library_ != nullptr) {
            dlclose(library_);
        }
    }
    OnCpu(const OnCpu&) = delete;
    OnCpu& operator=(const OnCpu&) = delete;

    /// The output of a case's kernel.
    [[nodiscard]] std::vector<float> run(const Case& of, std::size_t number, Precision arithmetic,
                                         const std::vector<std::vector<float>>& inputs) const
    {
        struct Image {
            float* data;
            int width, height;
        };
        std::vector<std::vector<float>> texels;
        for (std::size_t i = 0; i < of.nest.inputs.size(); ++i) {
            texels.push_back(pack(of.nest.inputs[i], inputs[i]));
        }
        texels.emplace_back(static_cast<std::size_t>(of.nest.output.image.extent.area() * 4),
                            std::nanf(""));
        std::vector<Image> images;
        std::vector<void*> arguments;
        for (std::size_t i = 0; i < texels.size(); ++i) {
            const Operand& operand = i < of.nest.inputs.size() ? of.nest.inputs[i] : of.nest.output;
            images.push_back(
                {texels[i].data(), operand.image.extent.width, operand.image.extent.height});
        }
        for (std::size_t i = 0; i < texels.size(); ++i) {
            const Operand& operand = i < of.nest.inputs.size() ? of.nest.inputs[i] : of.nest.output;
            arguments.push_back(operand.memory == Memory::image ? static_cast<void*>(&images[i])
                                                                : images[i].data);
        }
        void* const function = dlsym(library_, (name(number, arithmetic) + "_launch").c_str());
        REQUIRE(function != nullptr);
        reinterpret_cast<void (*)(void**)>(function)(arguments.data()); // NOLINT: what dlsym is for
        return unpack(of.nest.output, texels.back());
    }

private:
    static std::string name(std::size_t number, Precision arithmetic)
    {
        return fmt::format("{}_{}", to_string(arithmetic), number);
    }

    test::TemporaryFolder folder_;
    void* library_ = nullptr;
};

OutputCheck check_of(const Case& one, const std::vector<float>& output, const Reference& reference,
                     Precision arithmetic)
{
    return check_output(output, reference.magnitudes, reference.values,
                        rounding_bound(one.op, one.nest, arithmetic));
}

/// Outputs whose first product is 128; the others are too small to change a half of that size.
std::vector<std::vector<float>> stagnating(const Operator& op)
{
    std::vector<std::vector<float>> values{
        std::vector<float>(static_cast<std::size_t>(op.inputs[0].size()), 0.0615F),
        std::vector<float>(static_cast<std::size_t>(op.inputs[1].size()), 1.0F)};
    values[0][0] = 128;
    return as_stored(values, Storage::fp16);
}

} // namespace

TEST_CASE("Random kernels compute in half precision within their bound, whole numbers exactly")
{
    std::vector<Case> cases;
    const int count = test::random_cases(1, 20);
    for (const std::string& name : operator_names()) {
        for (int i = 0; i < count; ++i) {
            test::Random random(static_cast<std::uint64_t>(2000 + i));
            Case one{test::random_operator(random, name), {}};
            Schedule schedule = test::random_schedule(random, one.op, 16);
            schedule.storage = Storage::fp16;
            if (schedule.vector == 16) {
                continue; // not known to opencl_on_cpu.hpp
            }
            one.nest = loop_nest(one.op, schedule);
            if (one.nest.half_sums) {
                cases.push_back(std::move(one));
            }
        }
    }
    // Long ones, whose sums are carried: by runs of iterations, behind inner loops, in loops that
    // are written out, in blocks.
    for (const char* config :
         {"A=row,column;T=4x2;G=2x2;P=fp16", "A=row,row;T=1x3;G=2x2;P=fp16",
          "A=block4,row;T=8x1;G=2x2;P=fp16;V=8", "A=row,column;T=4x2;G=2x2;R=3;P=fp16",
          "A=row,column;T=4x1;G=4x4;S=16;P=fp16", "A=row,column;T=4x1;G=4x4;S=160;P=fp16"}) {
        cases.push_back(case_of("matmul", "5,6,1180", config));
    }
    for (const char* config :
         {"A=row,column;T=4x2;G=2x2;P=fp16", "A=row,column;T=4x1;G=2x2;U=kh,kw;P=fp16",
          "A=row,row;T=4x1;G=2x2;L=ci,kh,kw;P=fp16", "A=row,row;T=4x1;G=2x2;U=kw;P=fp16"}) {
        cases.push_back(case_of("conv2d", "1,4,4,100,5,3,3,1", config));
    }
    const OnCpu cpu(cases);
    std::size_t carried = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& one = cases[i];
        CAPTURE(one.nest.operator_text, one.nest.schedule_text, one.nest.half_sums->terms);
        CHECK(one.nest.half_sums->terms <= HalfSums::most_terms);
        carried += one.nest.half_sums->carried ? 1U : 0U;
        const auto inputs = as_stored(random_inputs(one.op, 7), Storage::fp16);
        const Reference reference = make_reference(one.op, inputs, Storage::fp16);
        for (const Precision arithmetic : {Precision::fp32, Precision::fp16}) {
            CAPTURE(to_string(arithmetic));
            const OutputCheck check =
                check_of(one, cpu.run(one, i, arithmetic, inputs), reference, arithmetic);
            CAPTURE(check.max_rel, check.tolerance);
            CHECK(check.passed);
            const std::vector<float> whole = cpu.run(one, i, arithmetic, reference.exact->inputs);
            CHECK(exact_output(whole, *reference.exact));
        }
    }
    CHECK(carried >= 10);
}

TEST_CASE("The bound of half precision is nearly reached, and a sum that is carried too late goes "
          "beyond it")
{
    const std::vector<Case> cases{case_of("matmul", "1,4,256", "A=row,column;T=4x1;G=1x1;P=fp16")};
    const OnCpu cpu(cases);
    Case one = cases.front();
    REQUIRE(one.nest.half_sums->terms == 256);
    const auto inputs = stagnating(one.op);
    const Reference reference = make_reference(one.op, inputs);
    const std::vector<float> output = cpu.run(one, 0, Precision::fp16, inputs);
    CHECK(output[0] == 128);
    const OutputCheck check = check_of(one, output, reference, Precision::fp16);
    CHECK(check.passed);
    CHECK(check.max_rel > 0.5 * check.tolerance);
    one.nest.half_sums->terms = 64; // as if it had been carried then
    CHECK_FALSE(check_of(one, output, reference, Precision::fp16).passed);
    CHECK_FALSE(check_of(one, output, reference, Precision::fp32).passed);
}

TEST_CASE("Faults of a kernel in half precision are found: an output that is not there, one texel "
          "or one term that is wrong")
{
    const std::vector<Case> cases{case_of("matmul", "8,8,128", "A=row,column;T=4x2;G=2x2;P=fp16")};
    const Case& one = cases.front();
    const OnCpu cpu(cases);
    const auto inputs = as_stored(random_inputs(one.op, 3), Storage::fp16);
    const Reference reference = make_reference(one.op, inputs, Storage::fp16);
    const std::vector<float> output = cpu.run(one, 0, Precision::fp16, inputs);
    REQUIRE(check_of(one, output, reference, Precision::fp16).passed);
    CHECK_FALSE(check_of(one, std::vector<float>(64, 0), reference, Precision::fp16).passed);
    std::vector<float> turned(output.rbegin(), output.rend());
    CHECK_FALSE(check_of(one, turned, reference, Precision::fp16).passed);
    std::vector<float> hole = output;
    hole[5] = std::nanf("");
    CHECK_FALSE(check_of(one, hole, reference, Precision::fp16).passed);
    // A term that is left out is less than rounding may come to; whole numbers show it.
    auto wrong = reference.exact->inputs;
    const auto used = std::find(wrong[0].begin(), wrong[0].end(), 1.0F);
    REQUIRE(used != wrong[0].end());
    *used = 0;
    CHECK(
        exact_output(cpu.run(one, 0, Precision::fp16, reference.exact->inputs), *reference.exact));
    CHECK_FALSE(exact_output(cpu.run(one, 0, Precision::fp16, wrong), *reference.exact));
}

TEST_CASE("Registers and local memory of half precision are fewer, and the reads the same")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const auto nest = [&](const char* config) { return loop_nest(op, parse_schedule(config)); };
    const LoopNest single = nest("A=row,column;T=8x8;G=4x16");
    const LoopNest half = nest("A=row,column;T=8x8;G=4x16;P=fp16");
    CHECK(half.registers(Precision::fp32) == single.registers_per_item);
    // 16 sums and the 8 + 2 texels of a step: two registers each, not four; addresses and counters
    // stay.
    CHECK(single.registers_per_item - half.registers(Precision::fp16) >= 2 * (16 + 8 + 1));
    CHECK(half.arithmetic(true) == Precision::fp16);
    CHECK(half.arithmetic(false) == Precision::fp32);
    CHECK(single.arithmetic(true) == Precision::fp32);
    CHECK(loop_nest(parse_operator("softmax", "8,8"), parse_schedule("A=row;T=4x1;G=1x4;P=fp16"))
              .arithmetic(true) == Precision::fp32);
}
