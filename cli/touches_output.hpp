#pragma once

#include "cli/command.hpp"
#include "sim/observers/texel_touches.hpp"
#include "traces/launch.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::cli {

/// `--touches IMAGE:X,Y` of `simulate`: who touched a texel, when, and what each lookup met in the
/// caches. `line`: any texel of its L1 line counts. `limit`: touches that are listed; all are
/// counted.
struct TouchesArguments {
    std::string texel;
    bool line = false;
    std::int64_t limit = 50;

    void add_to(CLI::App& parser);
    [[nodiscard]] bool given() const { return !texel.empty(); }
    [[nodiscard]] std::unique_ptr<TexelTouchObserver>
    observer(std::span<const Image> images, const SimulationOptions& options,
             const AccessSelection& selection) const;
};

/// What names the work-items in the output. Without a launch, as for a CSV trace, there are no
/// global ids.
struct TouchesContext {
    std::span<const Image> images;
    int warp_size = 1;
    const Launch* launch = nullptr;
    std::vector<std::string> behind = {}; ///< names of the levels of cache behind L1
};

[[nodiscard]] ordered_json touches_json(const TouchesArguments& arguments,
                                        const TexelTouchObserver& touches,
                                        const TouchesContext& context);
[[nodiscard]] std::string touches_text(const TouchesArguments& arguments,
                                       const TexelTouchObserver& touches,
                                       const TouchesContext& context);

} // namespace texelscope::cli
