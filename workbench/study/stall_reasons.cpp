#include "workbench/study/stall_reasons.hpp"

#include "base/lists.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::study {

std::string stalls_text(const StallStatistics& stalls)
{
    return base::joined(stall_reasons, [&](const StallReason& reason) {
        return fmt::format("{:.1f} % {}", 100 * reason.share(stalls), reason.words);
    });
}

} // namespace texelscope::workbench::study
