#include "experiments/probes/buffer_bandwidth.hpp"

#include "experiments/probes/stream_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace texelscope {
namespace {

constexpr const char* gb_per_s = "bandwidth [GB/s]";
constexpr std::int64_t number_bytes = 4;

class BufferBandwidth {
public:
    BufferBandwidth(Target& target, const ProbeOptions& options) : target_(target), options_(options) {}

    [[nodiscard]] ProbeResult probe()
    {
        by_size();
        by_width();
        constant(true);
        constant(false);
        return result_;
    }

private:
    [[nodiscard]] ProbePoint point(Stream stream, double x)
    {
        check_interrupt(options_);
        fill_device(stream, target_.info());
        return {x, scaled(stream_rates(target_, stream, options_), static_cast<double>(stream.width * number_bytes))};
    }

    void add(const std::string& key, const ProbePoint& point, const std::string& how)
    {
        result_.findings.push_back({key, median(point), "GB/s", {}, how});
    }

    [[nodiscard]] static const ProbePoint& best(const ProbeCurve& curve)
    {
        return *std::max_element(curve.points.begin(), curve.points.end(),
                                 [](const ProbePoint& a, const ProbePoint& b) { return median(a) < median(b); });
    }

    void by_size()
    {
        constexpr std::int64_t least = 4096;
        ProbeCurve curve{"buffer over size", "bytes of the array", gb_per_s, true, {}, {}};
        Stream stream;
        for (std::int64_t bytes = least; bytes <= options_.largest_image; bytes *= 2) {
            stream.elements = bytes / (stream.width * number_bytes);
            curve.points.push_back(point(stream, static_cast<double>(bytes)));
        }
        const ProbePoint& top = best(curve);
        curve.marks.push_back({top.x, top.x, top.x, "fastest"});
        add("bandwidth.buffer", top, fmt::format("float4, the fastest of all sizes, {:.0f} bytes", top.x));
        add("bandwidth.buffer.large", curve.points.back(),
            fmt::format("float4, {:.0f} bytes: from memory, if no cache is as large", curve.points.back().x));
        result_.curves.push_back(std::move(curve));
    }

    void by_width()
    {
        constexpr std::int64_t bytes = 16384; // what a first level holds
        ProbeCurve curve{"buffer over vector width", "numbers of a read", gb_per_s, true, {}, {}};
        for (const int width : {1, 2, 4, 8, 16}) {
            Stream stream;
            stream.width = width;
            stream.elements = bytes / (width * number_bytes);
            curve.points.push_back(point(stream, width));
        }
        const ProbePoint& top = best(curve);
        curve.marks.push_back({top.x, top.x, top.x, "fastest"});
        result_.findings.push_back(
            {"buffer.vector",
             top.x,
             "numbers",
             {},
             fmt::format("the fastest reads of an array of {} bytes, {:.4g} GB/s", bytes, median(top))});
        result_.curves.push_back(std::move(curve));
    }

    void constant(bool same)
    {
        constexpr std::int64_t most = 16384; // a device without the full profile may have no more
        const std::string which = same ? "same element" : "each its own";
        ProbeCurve curve{"constant, " + which, "bytes of the array", gb_per_s, true, {}, {}};
        Stream stream;
        stream.memory = MemorySpace::constant;
        stream.same = same;
        for (std::int64_t bytes = 1024; bytes <= most; bytes *= 2) {
            stream.elements = bytes / (stream.width * number_bytes);
            curve.points.push_back(point(stream, static_cast<double>(bytes)));
        }
        const ProbePoint& top = best(curve);
        add(same ? "bandwidth.constant.same" : "bandwidth.constant.own", top,
            fmt::format("float4, work-items of a group read {}, {:.0f} bytes",
                        same ? "the same element at a time" : "neighbouring elements", top.x));
        result_.curves.push_back(std::move(curve));
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

} // namespace texelscope
