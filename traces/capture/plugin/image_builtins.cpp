// Records accesses to images. Oclgrind tells a plugin of loads and stores of memory, but not which
// texels a call such as read_imagef() asks for. So the entries of its table of built-in functions
// are replaced by recorded_builtin(), which works the texels out from the arguments (TouchedTexels)
// and then calls the original function.

#include "traces/capture/plugin/image_builtins.hpp"

#include "traces/capture/plugin/llvm_values.hpp"
#include "traces/capture/plugin/recorder.hpp"
#include "traces/native/trace_record.hpp"

#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <utility>

namespace texelscope::traces {
namespace {

using oclgrind::BuiltinFunction;
using oclgrind::TypedValue;
using oclgrind::WorkItem;

struct Coordinates {
    std::array<double, 4> values{};
    std::size_t count = 0;
};

// `whole`: the coordinates are integers, as the function's overload says.
Coordinates coordinates_of(const TypedValue& value, bool whole)
{
    Coordinates out;
    out.count = std::min<std::size_t>(value.num, 4);
    for (unsigned i = 0; i < out.count; ++i) {
        out.values[i] = whole ? static_cast<double>(value.getSInt(i)) : value.getFloat(i);
    }
    return out;
}

/// In Oclgrind a sampler's value is a pointer to an LLVM constant with its bits, whether the kernel
/// or the host made it.
Sampler sampler_of(const TypedValue& value)
{
    const auto bits = LLVMConstIntGetZExtValue(reinterpret_cast<void*>(value.getPointer()));
    Sampler sampler;
    sampler.linear = (bits & CLK_FILTER_LINEAR) != 0;
    sampler.normalized = (bits & CLK_NORMALIZED_COORDS_TRUE) != 0;
    switch (bits & CLK_ADDRESS_MASK) {
    case CLK_ADDRESS_NONE:
        sampler.address = SamplerAddress::none;
        break;
    case CLK_ADDRESS_CLAMP_TO_EDGE:
        sampler.address = SamplerAddress::clamp_to_edge;
        break;
    case CLK_ADDRESS_CLAMP:
        sampler.address = SamplerAddress::clamp;
        break;
    case CLK_ADDRESS_REPEAT:
        sampler.address = SamplerAddress::repeat;
        break;
    case CLK_ADDRESS_MIRRORED_REPEAT:
        sampler.address = SamplerAddress::mirrored_repeat;
        break;
    default:
        throw std::runtime_error("a sampler of an unknown addressing mode is not supported");
    }
    return sampler;
}

/// The image that the call names, and its place in the launch.
struct NamedImage {
    const oclgrind::Image* image = nullptr;
    std::uint8_t object = 0;
};

NamedImage image_of(const WorkItem& item, const llvm::CallInst* call, const RecordedLaunch& launch)
{
    const TypedValue value = item.getOperand(call_argument(call, 0));
    const auto* image = reinterpret_cast<const oclgrind::Image*>(value.getPointer());
    const int place = launch.find(*image);
    if (place < 0) {
        throw std::runtime_error("an image that is no argument of the kernel is not supported");
    }
    return {image, static_cast<std::uint8_t>(place)};
}

void add_texels(RunningGroup& group, const WorkItem* item, AccessKind kind, const NamedImage& named,
                Sampler sampler, const Coordinates& at)
{
    const SampledImage& shape = group.launch->images[named.object].shape;
    const TouchedTexels touched(shape, sampler, {at.values.data(), at.count});
    for (const VolumeTexel& texel : touched.texels()) {
        // Depths are below 32768; what is clipped is outside either way.
        const auto third = static_cast<std::int16_t>(
            std::clamp<std::int32_t>(texel.z, std::numeric_limits<std::int16_t>::min(),
                                     std::numeric_limits<std::int16_t>::max()));
        group.add(item, {0, static_cast<std::uint8_t>(kind), named.object,
                         static_cast<std::uint16_t>(third), texel.x, texel.y});
    }
}

void record_read(RunningGroup& group, const WorkItem* item, const llvm::CallInst* call,
                 const std::string& overload)
{
    const NamedImage named = image_of(*item, call, *group.launch);
    const bool with_sampler = call_arguments(call) > 2;
    // A read without a sampler (OpenCL C 1.2, section 6.12.14.3) reads the texel itself, as the
    // default Sampler does.
    Sampler sampler;
    if (with_sampler) {
        sampler = sampler_of(item->getOperand(call_argument(call, 1)));
    }
    // The overload's last letter is the type of the coordinates: 'i' for integers, 'f' for floats.
    const bool whole = !overload.empty() && overload.back() == 'i';
    add_texels(group, item, AccessKind::image_read, named, sampler,
               coordinates_of(item->getOperand(call_argument(call, with_sampler ? 2 : 1)), whole));
}

void record_write(RunningGroup& group, const WorkItem* item, const llvm::CallInst* call)
{
    add_texels(group, item, AccessKind::image_write, image_of(*item, call, *group.launch),
               Sampler{}, coordinates_of(item->getOperand(call_argument(call, 1)), true));
}

/// Stands in a replaced entry's `op`, which is handed to the function.
struct Replaced {
    BuiltinFunction original;
    bool write = false;
};

void recorded_builtin(WorkItem* item, const llvm::CallInst* call, const std::string& name,
                      const std::string& overload, TypedValue& result, void* op)
{
    const auto& replaced = *static_cast<const Replaced*>(op);
    RunningGroup& group = running_group();
    if (group.launch != nullptr) {
        try {
            if (replaced.write) {
                record_write(group, item, call);
            } else {
                record_read(group, item, call, overload);
            }
        } catch (const std::exception& error) {
            // The simulated program runs on; only its launch is not recorded.
            group.recorder->give_up(error.what());
            group.launch = nullptr;
        }
    }
    // The original function loads and stores the texel's bytes; these are no accesses to a buffer.
    group.in_image_builtin = true;
    replaced.original.func(item, call, name, overload, result, replaced.original.op);
    group.in_image_builtin = false;
}

} // namespace

void record_image_builtins()
{
    // The entries outlive every context; the library is never unloaded.
    static std::list<Replaced> entries;
    if (!entries.empty()) {
        return;
    }
    for (const char* name : {"read_imagef", "read_imageh", "read_imagei", "read_imageui",
                             "write_imagef", "write_imageh", "write_imagei", "write_imageui"}) {
        const auto entry = oclgrind::workItemBuiltins.find(name);
        if (entry != oclgrind::workItemBuiltins.end()) {
            entries.push_back({entry->second, std::string(name).starts_with("write")});
            entry->second = BuiltinFunction(recorded_builtin, &entries.back());
        }
    }
}

} // namespace texelscope::traces
