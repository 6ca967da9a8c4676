#include "workbench/probes/measurements.hpp"
#include "workbench/probes/stream_rates.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

struct Type {
    TexelType type;
    const char* name;
};
constexpr std::array types{Type{TexelType::fp32, "fp32"}, Type{TexelType::fp16, "fp16"},
                           Type{TexelType::unorm8, "unorm8"}, Type{TexelType::uint8, "uint8"}};
struct Channels {
    int count;
    const char* name;
};
constexpr std::array channels{Channels{1, "r"}, Channels{2, "rg"}, Channels{4, "rgba"}};

/// Texels that the first level holds in any format: half of its capacity, in texels of 16 bytes.
/// Where the capacity is not known, 1 KB is taken, half of the smallest that there is.
std::int64_t texels_that_stay(const Known& known)
{
    const double bytes = value_of(known, "l1.capacity").value_or(2048) / 2;
    return static_cast<std::int64_t>(std::bit_floor(
        static_cast<std::uint64_t>(bytes / static_cast<double>(texel_bytes(TexelType::fp32)))));
}

} // namespace

ProbeResult probe_texel_formats(Target& target, const Known& known, const ProbeOptions& options)
{
    ProbeResult result;
    for (const auto& [type, type_name] : types) {
        ProbeCurve curve{std::string(type_name) + " texels", "numbers of a texel",
                         "texels a second [1e9]", true};
        for (const auto& [count, channel_name] : channels) {
            Stream stream;
            stream.memory = MemorySpace::image;
            stream.type = type;
            stream.width = count;
            stream.elements = texels_that_stay(known);
            fill_device(stream, target.info());
            if (!add_rates(curve, count, 1, target, stream, options, result.notes)) {
                continue;
            }
            result.findings.push_back(
                {fmt::format("texels.{}.{}", channel_name, type_name), median(curve.points.back()),
                 "1e9/s",
                 fmt::format("{} texels of {} bytes, neighbours by neighbouring work-items",
                             stream.elements, texel_bytes(type, count))});
        }
        if (!curve.points.empty()) {
            result.curves.push_back(std::move(curve));
        }
    }
    return result;
}

} // namespace texelscope::workbench::probes
