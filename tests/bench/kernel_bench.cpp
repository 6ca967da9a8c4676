// Generated kernels against CLBlast and OpenBLAS, and against the roofline of the device. Run by
// hand:
//     bench_kernels [--on DEVICE] [--json FILE] [OPERATOR SHAPE [CONFIGURATION...]]
// Without an operator: matrix products at several sizes and the two convolutions, each with the
// configurations of candidates(). Times are those of batches of launches, measured alike for
// everybody. One thread on a CPU.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/opencl/job_memory.hpp"
#include "tests/bench/blas.hpp"
#include "tests/bench/device_rates.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace texelscope::bench {
using namespace devices;

namespace {

using nlohmann::ordered_json;

struct Bench {
    cl::Device device;
    OpenClDeviceInfo info;
    cl::Context context;
    cl::CommandQueue queue;
    cl::CommandQueue profiled;
    TexelBackend backend = TexelBackend::native;
    DeviceRates rates;
};

struct Case {
    std::string op;
    std::string shape;
    std::vector<std::string> configurations;
};

struct Timed {
    std::string configuration;
    double seconds = 0;
    /// Seconds of one launch by the device's clock; 0 where it was not asked for.
    double on_device = 0;
    std::vector<double> raw;
    double reads = 0; ///< texels that the kernel reads
    int registers_estimate = 0;
    DriverFootprint footprint;
    std::vector<float> output;
};

std::vector<float> random_values(std::int64_t count)
{
    std::mt19937 engine(1);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = static_cast<float>(engine() % 2001) / 1000.0F - 1.0F;
    }
    return values;
}

Timed time_configuration(Bench& bench, const Operator& op, const std::string& configuration,
                         bool keep_output)
{
    const Schedule schedule = parse_schedule(configuration);
    const LoopNest nest = loop_nest(op, schedule);
    std::vector<std::vector<float>> inputs;
    for (const Operand& input : nest.inputs) {
        inputs.push_back(pack(input, random_values(input.tensor.size())));
    }
    const Job job = nest_job(nest, inputs, bench.backend, {}, bench.info);
    const cl::Program program(bench.context, job.source);
    program.build(bench.device, job.options.c_str());
    cl::Kernel kernel(program, job.kernel.c_str());
    WordPlacer placer(bench.context, bench.device, bench.queue);
    std::vector<JobMemory> tensors;
    for (std::size_t i = 0; i < job.arguments.size(); ++i) {
        tensors.push_back(memory_of(bench.context, bench.queue, placer, job.arguments[i]));
        set_argument(kernel, static_cast<cl_uint>(i), job.arguments[i], tensors.back());
    }
    const auto size = [&](std::size_t i) { return static_cast<std::size_t>(nest.local[i]); };
    const auto global = [&](std::size_t i) {
        return static_cast<std::size_t>(nest.groups[i]) * size(i);
    };
    Timed timed;
    timed.configuration = configuration;
    timed.registers_estimate = nest.registers_per_item;
    timed.footprint = footprint_from_log(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(bench.device));
    const cl::NDRange items(global(0), global(1), global(2));
    const cl::NDRange group(size(0), size(1), size(2));
    timed.seconds = batch_seconds(
        bench.queue, [&] { bench.queue.enqueueNDRangeKernel(kernel, cl::NullRange, items, group); },
        7, &timed.raw);
    timed.on_device = event_seconds([&](cl::Event& event) {
        bench.profiled.enqueueNDRangeKernel(kernel, cl::NullRange, items, group, nullptr, &event);
    });
    const Launch launch = launch_of(nest);
    timed.reads = static_cast<double>(reads_per_item(launch.body)) *
                  static_cast<double>(launch.group_count() * launch.group_size());
    if (keep_output) {
        timed.output =
            unpack(nest.output,
                   stored_texels(nest.output.storage,
                                 contents_of(bench.queue, job.arguments.back(), tensors.back())));
    }
    return timed;
}

bool all_images(const std::string& configuration)
{
    return parse_schedule(configuration).memory.empty();
}

std::vector<std::string> candidates(const Bench& bench, const std::string& op)
{
    if (op == "matmul" && bench.info.cpu) {
        return {"A=row,column;T=32x8;G=1x16;V=16", "A=row,row;T=32x8;G=8x8;V=16",
                "A=row,row;T=16x8;G=8x8", "A=row,column;T=32x8;G=1x16;M=buffer,buffer,buffer;V=16",
                "A=row,column;T=32x8;G=8x8;M=buffer,buffer,buffer;V=16"};
    }
    if (op == "matmul") {
        std::vector<std::string> list;
        for (const char* patterns : {"row,column", "column,column", "row,row"}) {
            for (const char* tile : {"T=8x8;G=16x16;W=8x4", "T=8x8;G=8x16;W=8x4",
                                     "T=8x8;G=16x8;W=16x2", "T=8x16;G=16x8;W=8x4"}) {
                for (const char* memory : {"", ";M=image,buffer,buffer", ";M=buffer,image,buffer",
                                           ";M=buffer,buffer,buffer"}) {
                    list.push_back(fmt::format("A={};{}{}", patterns, tile, memory));
                }
            }
        }
        return list;
    }
    std::vector<std::string> list;
    const bool depthwise = op == "dwconv2d";
    for (const char* patterns : {"row,column", "row,row", "column,column", "column,row"}) {
        for (const char* tile :
             {"T=4x2x1", "T=4x4x1", "T=4x4x2", "T=4x7x1", "T=8x4x1", "T=8x7x1", "T=8x4x2"}) {
            for (const char* group :
                 {"G=8x8x1", "G=16x8x1", "G=8x4x4", "G=16x4x1", "G=32x4x1", "G=4x8x4"}) {
                list.push_back(fmt::format("A={};{};{}{}", patterns, tile, group,
                                           depthwise ? ";U=kh,kw" : ""));
            }
        }
    }
    return list;
}

ordered_json measurement(const std::string& who, const Operator& op, double flops,
                         const Timed& timed)
{
    return {{"who", who},
            {"op", op.name},
            {"shape", op.shape},
            {"config", timed.configuration},
            {"seconds", timed.seconds},
            {"gflops", flops / timed.seconds * 1e-9},
            {"on_device_seconds", timed.on_device},
            {"texel_reads", timed.reads},
            {"registers_estimate", timed.registers_estimate},
            {"registers", timed.footprint.registers ? ordered_json(*timed.footprint.registers)
                                                    : ordered_json(nullptr)},
            {"spilled_bytes", timed.footprint.spilled_bytes
                                  ? ordered_json(*timed.footprint.spilled_bytes)
                                  : ordered_json(nullptr)},
            {"samples", timed.raw}};
}

/// The best of the configurations, of images alone and of all; each result goes into `results`.
void run_case(Bench& bench, const Case& c, const ClBlast& clblast, const OpenBlas& openblas,
              ordered_json& results)
{
    const Operator op = parse_operator(c.op, c.shape);
    const double flops = op.flops;
    const auto report = [&](const std::string& who, const Timed& timed, double base) {
        results.push_back(measurement(who, op, flops, timed));
        fmt::print("{:9} {:24} {:10.1f} GFLOP/s {}  {}\n", c.op, who, flops / timed.seconds * 1e-9,
                   base > 0 ? fmt::format("{:5.2f} x CLBlast", base / timed.seconds)
                            : std::string(16, ' '),
                   timed.configuration);
        std::fflush(stdout);
    };
    double clblast_seconds = 0;
    std::vector<float> product;
    if (c.op == "matmul" && op.shape[0] == op.shape[1] && op.shape[1] == op.shape[2]) {
        const auto n = static_cast<std::size_t>(op.shape[0]);
        const std::vector<float> values = random_values(static_cast<std::int64_t>(n * n));
        if (clblast.is_there()) {
            const auto buffer = [&] {
                cl::Buffer b(bench.context, CL_MEM_READ_WRITE, n * n * 4);
                bench.queue.enqueueWriteBuffer(b, CL_TRUE, 0, n * n * 4, values.data());
                return b;
            };
            const cl::Buffer a = buffer();
            const cl::Buffer b = buffer();
            cl::Buffer result = buffer();
            Timed timed;
            timed.seconds = batch_seconds(
                bench.queue, [&] { clblast.sgemm(bench.queue, n, a, b, result); }, 7, &timed.raw);
            clblast_seconds = timed.seconds;
            product.resize(n * n);
            bench.queue.enqueueReadBuffer(result, CL_TRUE, 0, n * n * 4, product.data());
            report("CLBlast, defaults", timed, clblast_seconds);
        }
        if (bench.info.cpu && openblas.is_there()) {
            std::vector<float> result(n * n);
            Timed timed;
            timed.seconds = batch_seconds(
                bench.queue,
                [&] { openblas.sgemm(n, values.data(), values.data(), result.data()); }, 7,
                &timed.raw);
            report("OpenBLAS, one thread", timed, clblast_seconds);
        }
    }
    Timed best;
    Timed best_images;
    for (const std::string& configuration :
         c.configurations.empty() ? candidates(bench, c.op) : c.configurations) {
        try {
            const Timed timed = time_configuration(bench, op, configuration, false);
            results.push_back(measurement("candidate", op, flops, timed));
            const auto keep = [&](Timed& known) {
                if (known.seconds == 0 || timed.seconds < known.seconds) {
                    known = timed;
                }
            };
            keep(best);
            if (all_images(configuration)) {
                keep(best_images);
            }
        } catch (const cl::Error& error) {
            fmt::print(stderr, "{}: {}\n", configuration, describe(error));
        } catch (const Error& error) {
            fmt::print(stderr, "{}\n", error.what());
        }
    }
    const auto final_report = [&](const std::string& who, const Timed& timed) {
        if (timed.seconds == 0) {
            return;
        }
        report(who, timed, clblast_seconds);
        if (bench.info.cpu) {
            return; // a CPU has no texture units, and its peak depends on the width of vectors
        }
        // min(peak, texel rate * flops per texel that this kernel reads)
        const double roof = std::min(bench.rates.flops, bench.rates.texels * flops / timed.reads);
        fmt::print("{:34} {:.2f} of the roofline {:.1f} GFLOP/s ({}); {:.2f} of it by the device's "
                   "clock alone\n",
                   "", flops / timed.seconds / roof, roof * 1e-9,
                   roof == bench.rates.flops ? "arithmetic" : "texel rate",
                   flops / timed.on_device / roof);
    };
    final_report("generated, images", best_images);
    if (best.configuration != best_images.configuration) {
        final_report("generated, any memory", best);
    }
    if (!product.empty() && best.seconds > 0) {
        const Timed again = time_configuration(bench, op, best.configuration, true);
        double worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < product.size(); ++i) {
            worst = std::max(worst, std::abs(double{again.output[i]} - double{product[i]}));
            largest = std::max(largest, std::abs(double{product[i]}));
        }
        fmt::print("{:34} largest difference from CLBlast's result {:.2e} of {:.2e}\n", "", worst,
                   largest);
    }
}

int run(int argc, char** argv)
{
    std::string on = "pocl";
    std::string json;
    std::vector<std::string> rest;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if ((word == "--on" || word == "--json") && i + 1 < argc) {
            (word == "--on" ? on : json) = argv[++i];
        } else {
            rest.push_back(word);
        }
    }
    auto found = find_opencl_devices();
    std::vector<OpenClDeviceInfo> infos;
    for (const FoundDevice& device : found) {
        infos.push_back(device.info);
    }
    const OpenClDeviceInfo info = preferred_device(infos, on);
    Bench bench;
    bench.device = found[static_cast<std::size_t>(info.index)].device;
    bench.info = info;
    bench.context = cl::Context(bench.device);
    bench.queue = cl::CommandQueue(bench.context, bench.device);
    bench.profiled = cl::CommandQueue(bench.context, bench.device, CL_QUEUE_PROFILING_ENABLE);
    bench.backend = OpenClDevice(std::to_string(info.index)).best_backend();
    bench.rates = measure_rates(bench.context, bench.queue, bench.device);
    fmt::print("{} ({}), texels by {}\nmeasured: {:.1f} GFLOP/s float32, {:.2f} G texels/s (RGBA "
               "float, in cache), "
               "{:.1f} us a launch\n",
               info.name, info.driver, to_string(bench.backend), bench.rates.flops * 1e-9,
               bench.rates.texels * 1e-9, bench.rates.launch * 1e6);

    std::vector<Case> cases;
    if (rest.size() >= 2) {
        cases.push_back({rest[0], rest[1], {rest.begin() + 2, rest.end()}});
    } else if (info.cpu) {
        cases = {{"matmul", "256,256,256", {}},
                 {"matmul", "512,512,512", {}},
                 {"matmul", "1024,1024,1024", {}}};
    } else {
        cases = {{"matmul", "1024,1024,1024", {}},
                 {"matmul", "2048,2048,2048", {}},
                 {"matmul", "4096,4096,4096", {}},
                 {"conv2d", "1,56,56,256,256,3,3,1", {}},
                 {"dwconv2d", "1,112,112,64,3,3,1", {}}};
    }
    const ClBlast clblast;
    const OpenBlas openblas;
    if (!clblast.is_there()) {
        fmt::print("no CLBlast to compare with (Debian: libclblast1)\n");
    }
    ordered_json out{{"device", info.name},
                     {"driver", info.driver},
                     {"texels_by", to_string(bench.backend)},
                     {"flops", bench.rates.flops},
                     {"launch_seconds", bench.rates.launch},
                     {"texels", bench.rates.texels},
                     {"results", ordered_json::array()}};
    for (const Case& c : cases) {
        run_case(bench, c, clblast, openblas, out["results"]);
    }
    if (!json.empty()) {
        std::ofstream(json) << out.dump(1) << '\n';
    }
    return 0;
}

} // namespace
} // namespace texelscope::bench

int main(int argc, char** argv)
{
    // Before any library reads them.
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    try {
        return texelscope::bench::run(argc, argv);
    } catch (const cl::Error& error) {
        fmt::print(stderr, "bench_kernels: {}\n", texelscope::devices::describe(error));
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_kernels: {}\n", error.what());
    }
    return 2;
}
