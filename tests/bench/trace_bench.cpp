// Native traces: bytes a read on disk, and how fast simulate() is on them beside linear simulation
// of the same launch in memory. Run by hand: bench_traces [FOLDER [PATTERN]].

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/bench/patterns.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

namespace texelscope::bench {
using namespace sim;

namespace {

/// Texels drawn from the whole image, each lane for itself: nothing to predict.
class RandomTexels final : public TraceSource {
public:
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::span<const Image> images() const override { return {&image_, 1}; }
    [[nodiscard]] std::int64_t group_count() const override { return 1; }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t, int) const override { return {0}; }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t, std::int32_t, int) const override
    {
        class Stream final : public WarpStream {
        public:
            bool next(WarpAccess& access) override
            {
                if (step_ == side * side / 64) {
                    return false;
                }
                access.step = step_++;
                access.lanes.resize(64);
                for (std::uint16_t lane = 0; lane < 64; ++lane) {
                    const std::uint64_t drawn = engine_();
                    access.lanes[lane] = {{static_cast<std::int32_t>(drawn % side),
                                           static_cast<std::int32_t>(drawn / side % side)},
                                          0,
                                          lane};
                }
                return true;
            }

        private:
            std::mt19937_64 engine_{1};
            std::uint32_t step_ = 0;
        };
        return std::make_unique<Stream>();
    }

private:
    std::string name_ = "uniform";
    Image image_{"A", {side, side}, Bytes{16}, AddressMode::border};
};

template <class Work>
double best_seconds(int times, Work work)
{
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

void measure(const TraceSource& source, const std::string& folder)
{
    constexpr double million = 1e6;
    const std::string path = folder + "/" + source.name() + ".tst";
    std::int64_t reads = 0;
    const double write = best_seconds(1, [&] {
        TraceWriter writer(path, "bench");
        reads = write_native(writer, source, traced_launch(source));
        writer.finish();
    });
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    SimulationOptions options;
    options.machine.cores = 1;
    options.machine.warp_size = 64;
    options.mode.jump = false;
    options.mode.miss_kinds = false;
    options.machine.l1().geometry = {.capacity = Bytes{8192}, .line = Bytes{64}, .ways = 4};
    options.machine.l2().geometry.capacity = Bytes{0};
    const auto trace = TraceFile(path).source(0);
    WarpAccess access;
    const double stream = best_seconds(5, [&] {
        const auto warp = trace->open(0, 0, 64);
        while (warp->next(access)) {
        }
    });
    SimulationResult in_memory;
    SimulationResult from_file;
    const double memory = best_seconds(5, [&] { in_memory = simulate(source, options); });
    const double file =
        best_seconds(5, [&] { from_file = simulate(*TraceFile(path).source(0), options); });
    const auto count = static_cast<double>(reads);
    std::printf("%-8s %9lld reads: %.4f bytes a read; written at %.0f M/s, streamed at %.0f M/s, "
                "simulated at %.0f M/s, in "
                "memory at %.0f M/s: ratio %.2f%s\n",
                source.name().c_str(), static_cast<long long>(reads), bytes / count,
                count / write / million, count / stream / million, count / file / million,
                count / memory / million, memory / file,
                in_memory.l1 == from_file.l1 ? "" : " - AND THE COUNTS DIFFER");
    std::filesystem::remove(path);
}

} // namespace
} // namespace texelscope::bench

int main(int argc, char** argv)
{
    using namespace texelscope;
    using namespace texelscope::sim;
    const std::string folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
    const std::string only = argc > 2 ? argv[2] : "";
    for (const char* pattern : {"row", "blk4", "tile8"}) {
        if (only.empty() || only == pattern) {
            bench::measure(*make_trace_source(bench::pattern_launch(pattern, 4)), folder);
        }
    }
    if (only.empty() || only == "rand") {
        bench::measure(*bench::random_walks(4, 1), folder);
    }
    if (only.empty() || only == "uniform") {
        bench::measure(bench::RandomTexels(), folder);
    }
    return 0;
}
