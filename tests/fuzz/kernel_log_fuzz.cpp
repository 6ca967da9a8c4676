// Logs of measured kernels that others wrote.

#include "codegen/nest/schedule.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/kernel_logs/logged_kernel.hpp"

#include <string>
#include <variant>

namespace texelscope::fuzz {

using namespace workbench::kernel_logs;

bool autotvm_log(std::string_view input)
{
    const AutotvmLog log = parse_autotvm_log(input);
    for (const MalformedLine& line : log.malformed) {
        require(line.line > 0 && !line.reason.empty(), "a line is malformed without a word");
    }
    for (const LogRow& row : log.rows) {
        const AutotvmLog again = parse_autotvm_log(autotvm_line(row));
        require(again.rows.size() == 1 && again.malformed.empty() &&
                    autotvm_line(again.rows.front()) == autotvm_line(row),
                "a row is not written and read as the same");
        const ReadRow read = read_row(row);
        if (const auto* const kernel = std::get_if<LoggedKernel>(&read)) {
            // Where the numbers are sizes of ours, the text is a configuration.
            const auto schedule = accepted([&] { return parse_schedule(kernel->config); });
            require(!schedule || parse_schedule(to_string(*schedule)) == *schedule,
                    "a row is no configuration that prints and parses back");
        } else {
            require(!std::get<NotUnderstood>(read).reason.empty(),
                    "a row is not understood without a word");
        }
    }
    require(log.rows.empty() || !log.malformed.empty() || is_autotvm_log(input),
            "a log is not told by its first line");
    return !log.rows.empty() && log.malformed.empty();
}

} // namespace texelscope::fuzz
