// What real compilers make of random kernels of all operators, as a table: one line for each kernel
// and GPU. Kernel n is that of seed n, whatever the others are. Needs what texelscope compile
// --setup brings. Exit codes: 0 every output was understood, 1 a kernel was refused or an output
// not understood, 2 bad input.

#include "base/atomic_file.hpp"
#include "base/csv.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/mesa_compilers.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>

using namespace texelscope::devices;
using namespace texelscope::test;

namespace {

/// Sizes as networks have them, so that loops stay loops; random_operator() has small ones, which a
/// compiler unrolls.
Operator usual_operator(Random& random, const std::string& name)
{
    const auto is = [&](const char* prefix) { return name.rfind(prefix, 0) == 0; };
    const auto many = [&] {
        return random.pick<std::int64_t>({24, 32, 48, 64, 100, 128, 192, 256, 512});
    };
    const auto side = [&] { return random.pick<std::int64_t>({7, 14, 16, 28, 30, 56}); };
    const auto kernel = [&] { return random.pick<std::int64_t>({1, 3, 3, 5}); };
    const auto channels = [&] { return random.pick<std::int64_t>({3, 8, 16, 24, 32, 64, 96}); };
    const std::int64_t stride = random.between(1, 2);
    std::vector<std::int64_t> sizes;
    if (is("matmul")) {
        sizes = {many(), many(), many()};
    } else if (is("softmax") || is("layernorm")) {
        sizes = {many(), many()};
    } else if (is("conv3d")) {
        sizes = {1,     random.pick<std::int64_t>({4, 8}), 14, 14, channels(), channels(), 3, 3, 3,
                 stride};
    } else if (is("dwconv2d")) {
        sizes = {1, side(), side(), channels(), kernel(), kernel(), stride};
    } else {
        sizes = {1, side(), side(), channels(), channels(), kernel(), kernel(), stride};
    }
    return parse_operator(name, fmt::format("{}", fmt::join(sizes, ",")));
}

struct Kernel {
    std::string op, shape, padding, config, text;
};

Kernel random_kernel(std::uint64_t seed)
{
    Random random(seed);
    const std::vector<std::string> names = operator_names();
    const std::string& name = names[seed % names.size()];
    for (;;) {
        const Operator op =
            random.one_in(4) ? random_operator(random, name) : usual_operator(random, name);
        std::optional<Schedule> schedule;
        std::optional<LoopNest> nest;
        try {
            schedule = random_schedule(random, op, 256);
            nest = loop_nest(op, *schedule);
        } catch (const std::logic_error&) {
            continue; // a shape that no configuration fits, or whose images no device takes
        }
        return {op.name, fmt::format("{}", fmt::join(op.shape, ",")), op.padding,
                to_string(*schedule), opencl_text(*nest, TexelBackend::native)};
    }
}

std::string header()
{
    std::string line = "gpu,compiler,op,shape,padding,config,registers,vec4_registers,warps,"
                       "limited_by,instructions";
    for (std::size_t c = 0; c < instruction_classes; ++c) {
        line += "," + to_string(static_cast<InstructionClass>(c));
    }
    return line + ",reads_in_flight,waits,spill_stores,spill_loads,code_bytes,loops\n";
}

std::string row(const Kernel& kernel, const CompiledKernel& made)
{
    const auto field = texelscope::base::csv_field;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", made.gpu,
                       field(made.compiler), kernel.op, field(kernel.shape), kernel.padding,
                       field(kernel.config), made.registers, made.vec4_registers, made.warps,
                       to_string(made.limit), made.instructions, fmt::join(made.by_class, ","),
                       made.reads_in_flight(), made.reads_between_waits.size(), made.spill_stores,
                       made.spill_loads, made.code_bytes, made.loops);
}

} // namespace

int main(int argc, char** argv)
{
    std::string folder, out;
    std::vector<std::string> gpus{"adreno-630", "adreno-660", "adreno-730",
                                  "adreno-740", "mali-g76",   "mali-g610"};
    std::uint64_t first = 1;
    std::uint64_t cases = 1000;
    int threads = 2;
    CLI::App app("What real compilers make of random kernels of all operators.");
    app.add_option("--folder", folder, "of the compilers");
    app.add_option("--gpu", gpus, "of which GPUs")->capture_default_str();
    app.add_option("--first", first, "seed of the first kernel")->capture_default_str();
    app.add_option("--cases", cases, "how many")->capture_default_str();
    app.add_option("--threads", threads, "compilers at a time")->capture_default_str();
    app.add_option("-o,--out", out, "F.csv: the table");
    CLI11_PARSE(app, argc, argv);
    try {
        std::vector<Kernel> kernels;
        std::vector<std::string> texts;
        for (std::uint64_t seed = first; seed < first + cases; ++seed) {
            kernels.push_back(random_kernel(seed));
            texts.push_back(kernels.back().text);
        }
        const MesaCompilers compilers(folder);
        std::string table = header();
        std::size_t failed = 0, refused = 0;
        for (const std::string& name : gpus) {
            const std::vector<Compiled> compiled = compilers.compile_all(
                find_compiler_gpu(name), texts, texelscope::codegen::kernel_build_options, threads,
                [](const std::string& stage, double fraction) {
                    std::fprintf(stderr, "\r%s %.1f %% ", stage.c_str(), 100 * fraction);
                });
            for (std::size_t i = 0; i < kernels.size(); ++i) {
                if (const auto* error = std::get_if<Error>(&compiled[i])) {
                    // A compiler that crashes or takes too long is its own affair.
                    ++(error->kind() == Error::Kind::bad_input ? refused : failed);
                    std::fprintf(stderr, "seed %zu, %s %s --config \"%s\": %s\n",
                                 static_cast<std::size_t>(first) + i, kernels[i].op.c_str(),
                                 kernels[i].shape.c_str(), kernels[i].config.c_str(),
                                 error->what());
                } else {
                    table += row(kernels[i], std::get<CompiledKernel>(compiled[i]));
                }
            }
        }
        if (!out.empty()) {
            texelscope::base::write_file_atomically(out, table);
        }
        std::printf("%zu kernels, %zu GPUs: %zu refused or not understood; of %zu a compiler "
                    "crashed or took too long\n",
                    kernels.size(), gpus.size(), refused, failed);
        return refused == 0 ? 0 : 1;
    } catch (const Error& error) {
        std::fprintf(stderr, "compile_random: %s\n", error.what());
        return 2;
    }
}
