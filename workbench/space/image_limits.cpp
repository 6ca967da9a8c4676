#include "workbench/space/image_limits.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/narrowed.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::space {
namespace {

/// Whether the images of a kernel are within the limits of the device. The size of an input's image
/// depends on its own pattern, but not on those of other inputs, so that few nests tell of all
/// combinations.
class ImageFit {
public:
    ImageFit(const Operator& op, const DeviceProfile& device) : op_(op), device_(device) {}

    bool operator()(const KernelChoice& kernel)
    {
        const Known& known = known_of(kernel);
        bool fits = kernel.memory_of(kernel.patterns.size()) == Memory::buffer || known.output;
        for (std::size_t input = 0; fits && input < kernel.patterns.size(); ++input) {
            fits = kernel.memory_of(input) == Memory::buffer ||
                   known.inputs[input][static_cast<std::size_t>(kernel.patterns[input])];
        }
        return fits;
    }

    /// Whether they are, whatever the patterns and memories.
    bool whatever(const KernelChoice& kernel)
    {
        const Known& known = known_of(kernel);
        return known.output && std::ranges::all_of(known.inputs, [](const auto& fits) {
                   return std::ranges::all_of(fits, [](bool each) { return each; });
               });
    }

private:
    struct Known {
        bool output = false;
        std::vector<std::array<bool, all_access_patterns.size()>> inputs; ///< by pattern
    };

    /// What is known of all kernels that differ in patterns and memory alone. Parts that only
    /// decide the text of the loops are left out of the key.
    const Known& known_of(const KernelChoice& kernel)
    {
        KernelChoice images{.patterns = {},
                            .tile = kernel.tile,
                            .turns = kernel.turns,
                            .turn = kernel.turn,
                            .split = kernel.split,
                            .storage = kernel.storage,
                            .frameworks = kernel.frameworks,
                            .eliminate_addresses = false};
        const auto [found, fresh] = known_.try_emplace(to_string(images));
        if (fresh) {
            found->second.inputs.resize(op_.inputs.size());
            for (const AccessPattern pattern : all_access_patterns) {
                images.patterns.assign(op_.inputs.size(), pattern);
                if (!is_legal(op_, schedule_of(images, {}))) {
                    return found->second; // no pattern makes the tile legal: nothing fits
                }
                const LoopNest nest = loop_nest(op_, schedule_of(images, {}));
                for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
                    found->second.inputs[input][static_cast<std::size_t>(pattern)] =
                        fits(nest.inputs[input]);
                }
                found->second.output = fits(nest.output);
            }
        }
        return found->second;
    }

    [[nodiscard]] bool fits(const Operand& operand) const
    {
        try {
            check_operand(operand, device_.limits, {});
            return true;
        } catch (const Error&) {
            return false;
        }
    }

    const Operator& op_;
    const DeviceProfile& device_;
    std::map<std::string, Known> known_; ///< by the text of what they share
};

} // namespace

ConfigurationSpace within_image_limits(ConfigurationSpace space, const Operator& op,
                                       const DeviceProfile& device)
{
    // Kernels that may be looked at one by one. If more are tied together, the space keeps those
    // that do not fit, and they fall out when they are asked for.
    constexpr std::size_t most = 20'000;
    ImageFit fit(op, device);
    const std::int64_t whole =
        narrowed(space,
                 {condition_on_kernels(
                     "TDRFP", [&](const KernelChoice& kernel) { return fit.whatever(kernel); })})
            .counts.kept;
    if (whole == space.size() || tied_kernels(space, "ATDRMFP") > most) {
        return space;
    }
    return narrowed(std::move(space),
                    {condition_on_kernels("ATDRMFP",
                                          [&](const KernelChoice& kernel) { return fit(kernel); })})
        .space;
}

} // namespace texelscope::workbench::space
