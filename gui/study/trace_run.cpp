#include "gui/study/trace_run.hpp"

#include "base/error.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "traces/formats/csv_trace.hpp"
#include "traces/native/trace_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace texelscope::gui {
namespace {

struct Loaded {
    std::shared_ptr<const TraceSource> source;
    std::string kernel;
    std::vector<std::string> launches;
    std::int64_t left_out = 0;
};

Loaded load(const TraceRequest& request)
{
    if (!is_native_trace(request.path)) {
        return {read_csv(request.path, {}), {}, {"the only launch"}, 0};
    }
    const TraceFile trace(request.path);
    const int count = trace.launch_count();
    if (request.launch < 0 || request.launch >= count) {
        throw bad_input(count == 0 ? std::string("the trace has no launch")
                                   : fmt::format("there is no launch {}; the trace has {}", request.launch, count),
                        request.path, "record the program again, or open another trace");
    }
    Loaded loaded{
        trace.source(request.launch), trace.launch(request.launch).kernel, {}, trace.left_out(request.launch)};
    for (int i = 0; i < count; ++i) {
        const TracedLaunch& launch = trace.launch(i);
        loaded.launches.push_back(fmt::format("{}: {}, {}×{}×{} work-items", i, launch.kernel, launch.global[0],
                                              launch.global[1], launch.global[2]));
    }
    return loaded;
}

} // namespace

TraceResult run_trace(const TraceRequest& request, const Progress& progress, const StopToken& stop)
{
    constexpr double read = 0.1; // of the whole
    constexpr double simulated = 0.9;
    const auto report = [&](const std::string& stage, double fraction) {
        if (progress) {
            progress(stage, fraction);
        }
    };
    report("reading the trace", 0);
    Loaded loaded = load(request);
    const std::string file = std::filesystem::path(request.path).filename().string();
    const std::string name = loaded.kernel.empty() ? file : loaded.kernel + " of " + file;
    TraceResult result{
        run_launch(
            name, loaded.source, request.device.name, request.device.simulation,
            [&](const std::string& stage, double fraction) { report(stage, read + (simulated - read) * fraction); },
            stop),
        request, std::move(loaded.launches), loaded.left_out};
    report("counting strides", simulated);
    const ItemHistograms histograms = item_histograms(*result.source, default_block_shapes(), stop);
    for (std::size_t i = 0; i < result.images.size(); ++i) {
        result.images[i].histogram = histograms.mean(static_cast<int>(i));
    }
    report("done", 1);
    return result;
}

} // namespace texelscope::gui
