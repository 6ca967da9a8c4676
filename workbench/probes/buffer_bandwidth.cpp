#include "workbench/probes/measurements.hpp"
#include "workbench/probes/stream_rates.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

constexpr const char* gb_per_s = "bandwidth [GB/s]";
constexpr std::int64_t number_bytes = 4;

class BufferBandwidth {
public:
    BufferBandwidth(Target& target, const ProbeOptions& options)
        : target_(target), options_(options)
    {}

    // Over the size of the array, to see each level; over the width of a read; and of constant
    // memory, where all work-items of a group read the same element or each its own.
    [[nodiscard]] ProbeResult probe()
    {
        by_size();
        by_width();
        constant(true);
        constant(false);
        return result_;
    }

private:
    void measure(ProbeCurve& curve, Stream stream, double x)
    {
        fill_device(stream, target_.info());
        add_rates(curve, x, static_cast<double>(stream.width * number_bytes), target_, stream,
                  options_, result_.notes);
    }

    void add(const std::string& key, const ProbePoint& point, const std::string& how)
    {
        result_.findings.push_back({key, median(point), "GB/s", how});
    }

    /// Its fastest point marked; nothing where no point could be measured.
    void add(ProbeCurve curve)
    {
        if (!curve.points.empty()) {
            const double x = fastest(curve).x;
            curve.marks.push_back({x, x, x, "fastest"});
            result_.curves.push_back(std::move(curve));
        }
    }

    void by_size()
    {
        constexpr std::int64_t least = 4096;
        ProbeCurve curve{"buffer over size", "bytes of the array", gb_per_s, true};
        Stream stream;
        for (std::int64_t bytes = least; bytes <= options_.largest_image; bytes *= 2) {
            stream.elements = bytes / (stream.width * number_bytes);
            measure(curve, stream, static_cast<double>(bytes));
        }
        if (!curve.points.empty()) {
            const ProbePoint& top = fastest(curve);
            const ProbePoint& large = curve.points.back();
            add("bandwidth.buffer", top,
                fmt::format("float4, the fastest of all sizes, {:.0f} bytes", top.x));
            add("bandwidth.buffer.large", large,
                fmt::format("float4, {:.0f} bytes: from memory, if no cache is as large", large.x));
        }
        add(std::move(curve));
    }

    void by_width()
    {
        constexpr std::int64_t bytes = 16384; // what a first level holds
        ProbeCurve curve{"buffer over vector width", "numbers of a read", gb_per_s, true};
        for (const int width : {1, 2, 4, 8, 16}) {
            Stream stream;
            stream.width = width;
            stream.elements = bytes / (width * number_bytes);
            measure(curve, stream, width);
        }
        if (!curve.points.empty()) {
            const ProbePoint& top = fastest(curve);
            result_.findings.push_back(
                {"buffer.vector", top.x, "numbers",
                 fmt::format("the fastest reads of an array of {} bytes, {:.4g} GB/s", bytes,
                             median(top))});
        }
        add(std::move(curve));
    }

    void constant(bool same)
    {
        constexpr std::int64_t most = 16384; // a device without the full profile may have no more
        const std::string which = same ? "same element" : "each its own";
        ProbeCurve curve{"constant, " + which, "bytes of the array", gb_per_s, true};
        Stream stream;
        stream.memory = MemorySpace::constant;
        stream.same = same;
        for (std::int64_t bytes = 1024; bytes <= most; bytes *= 2) {
            stream.elements = bytes / (stream.width * number_bytes);
            measure(curve, stream, static_cast<double>(bytes));
        }
        if (!curve.points.empty()) {
            const ProbePoint& top = fastest(curve);
            add(same ? "bandwidth.constant.same" : "bandwidth.constant.own", top,
                fmt::format("float4, work-items of a group read {}, {:.0f} bytes",
                            same ? "the same element at a time" : "neighbouring elements", top.x));
        }
        add(std::move(curve));
    }

    Target& target_;
    const ProbeOptions& options_;
    ProbeResult result_;
};

} // namespace

ProbeResult probe_buffer_bandwidth(Target& target, const Known&, const ProbeOptions& options)
{
    return BufferBandwidth(target, options).probe();
}

} // namespace texelscope::workbench::probes
