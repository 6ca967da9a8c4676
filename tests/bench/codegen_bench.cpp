// How long it takes to derive everything about one configuration of an operator without running it:
// kernel text, access functions and register footprint. One time for each forward operator and the
// gradients of the matrix product, and for large tiles whose loops are written out.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"
#include "codegen/text/kernel_source.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <string>

namespace {

using namespace texelscope::codegen;

struct Configuration {
    const char* op;
    const char* shape;
    const char* schedule;
};

constexpr std::array configurations{
    Configuration{"matmul", "64,64,64", "A=row,column;T=8x8;G=4x4"},
    Configuration{"conv2d", "1,14,14,32,64,3,3,1", "A=column,row;T=4x2;G=4x4x2"},
    Configuration{"dwconv2d", "1,56,56,96,3,3,1", "A=column,row;T=4x2;G=8x4x2"},
    Configuration{"deconv2d", "1,14,14,64,32,4,4,2", "A=column,row;T=4x2;G=4x4x2"},
    Configuration{"conv3d", "1,8,28,28,16,32,3,3,3,1", "A=column,row;T=4x2;G=4x4x2"},
    Configuration{"softmax", "128,1000", "A=row;T=4x1;G=1x64"},
    Configuration{"layernorm", "128,768", "A=row,row,row;T=4x1;G=1x64"},
    Configuration{"matmul_da", "64,64,64", "A=row,column;T=8x8;G=4x4"},
    Configuration{"matmul_db", "64,64,64", "A=row,column;T=8x8;G=4x4"},
    // Large: the tile, and the turns written out.
    Configuration{"matmul", "1024,1024,1024", "A=row,column;T=16x16;G=8x8"},
    Configuration{"conv2d", "1,56,56,64,64,3,3,1", "A=column,row;T=8x4;G=4x4x2;U=kh,kw"},
};

void derive(benchmark::State& state, const Configuration& configuration)
{
    const Operator op = parse_operator(configuration.op, configuration.shape);
    const Schedule schedule = parse_schedule(configuration.schedule);
    std::size_t text_bytes = 0;
    int registers = 0;
    for (auto _ : state) {
        const LoopNest nest = loop_nest(op, schedule);
        text_bytes = opencl_text(nest, TexelBackend::native).size();
        const Launch launch = launch_of(nest);
        benchmark::DoNotOptimize(launch.body.data());
        registers = nest.registers_per_item;
    }
    state.counters["text_bytes"] = static_cast<double>(text_bytes);
    state.counters["registers"] = registers;
}

} // namespace

int main(int argc, char** argv)
{
    for (const Configuration& configuration : configurations) {
        const std::string name = std::string(configuration.op) + "/" + configuration.shape + "/" +
                                 configuration.schedule;
        benchmark::RegisterBenchmark(name.c_str(), [&](benchmark::State& state) {
            derive(state, configuration);
        })->Unit(benchmark::kMicrosecond);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
