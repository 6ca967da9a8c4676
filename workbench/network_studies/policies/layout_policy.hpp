#pragma once

#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "workbench/network_studies/kernel_search.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A reader of a value: the kernel, and the number of the kernel's input.
struct ValueReader {
    std::size_t kernel = 0;
    std::size_t input = 0;
};

/// A value that a policy lays out.
struct ValueToLay {
    const networks::Plan& plan; ///< with where the values begin: what their texels hold is settled
    networks::ValueId value = networks::no_value;
    std::vector<ValueReader> readers;
    const DeviceProfile& device;

    [[nodiscard]] const networks::Shape& shape() const { return plan.graph.value(value).shape; }
    /// The dimension that texels hold, or -1.
    [[nodiscard]] int packed() const
    {
        return plan.layouts[static_cast<std::size_t>(value)]->packed;
    }
    /// Texels along a dimension.
    [[nodiscard]] std::int64_t texels(int dimension) const;
};

/// The class of a kernel, as frameworks tell kernels apart.
enum class KernelClass {
    pointwise,       ///< a convolution of one tap, or a matrix product with constant weights
    convolution,     ///< of several taps
    depthwise,       ///< likewise, of each channel alone
    fully_connected, ///< a matrix product of one row with constant weights
    matrix_product,  ///< of what kernels made
    reduction,       ///< sums along axes, softmax, normalisation
    other,           ///< pools, what goes from element to element, what moves
};
/// A kernel that a policy schedules.
struct KernelToTile {
    KernelClass kind = KernelClass::other;
    /// Sizes of the output along the grid's axes: what texels hold (channels), the last of the
    /// other dimensions (width), the one before it (height), and all that is left (batch and
    /// others).
    std::int64_t channels = 1, width = 1, height = 1, planes = 1;
    bool vectors = true; ///< texels hold four neighbours
    const DeviceProfile& device;
};

/// What a policy says of a kernel's schedule. A part that the framework does not tune has one
/// choice.
struct KernelRule {
    std::vector<Dim3> tiles = {};  ///< tiles of channels, width and height; empty: searched
    std::vector<Dim3> groups = {}; ///< work-groups in work-items; empty: searched
    /// The part R of the schedule. Reductions search it whatever the policy, as all frameworks
    /// share reductions.
    std::int32_t split = 1;
    AccessPattern weights = AccessPattern::row;
    Memory weights_in = Memory::image;
};

/// How another framework would place a network's values and schedule its kernels, expressed in
/// terms of our kernels. Lowering, fusion and the search of what the framework tunes are the same
/// as ours; what differs is where values lie, and what the framework fixes.
///
/// Two things cannot be expressed as in other frameworks. Texels hold what ours hold (channels of
/// maps, the last dimension of matrices). And where a kernel reads beyond the edge of a value, our
/// values have gaps of zeros behind their dimensions, while frameworks check coordinates instead;
/// so sides of images are those of the framework except for these gaps. In memory, images are laid
/// out as the device's profile says.
struct LayoutPolicy {
    const char* key;     ///< of `--policy`
    const char* name;    ///< of the framework
    const char* rule;    ///< where values lie, in a few words
    const char* sources; ///< what it follows
    /// Where a value lies. Its gaps and its storage are left open.
    codegen::TensorLayout (*layout)(const ValueToLay& value);
    KernelRule (*kernel)(const KernelToTile& kernel);
    /// What the framework does with an image beyond the device's limit; nothing: it takes a buffer.
    const char* beyond;
};

/// The layout that the policy gives a value; gaps and storage are those that the value has already.
[[nodiscard]] codegen::TensorLayout laid_out(const LayoutPolicy& policy, const ValueToLay& value);

/// The policies of other frameworks, by key. A new policy is a row here.
[[nodiscard]] std::span<const LayoutPolicy> layout_policies();
/// The policy of a key. Throws bad_input, listing the keys, for an unknown one; "ours" is not among
/// them.
[[nodiscard]] const LayoutPolicy& find_policy(const std::string& key);
/// "ours" and all keys.
[[nodiscard]] std::vector<std::string> policy_keys();

} // namespace texelscope::workbench::network_studies
