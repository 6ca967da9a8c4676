#include "base/error.hpp"
#include "tests/fuzz/entries.hpp"
#include "traces/formats/csv_trace.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace texelscope::fuzz {
using namespace traces;

bool csv(std::string_view input)
{
    const auto read = [](const std::string& text) {
        std::istringstream in(text);
        return read_csv(in, "trace", {});
    };
    std::unique_ptr<TraceSource> trace;
    try {
        trace = read(std::string(input));
    } catch (const Error&) {
        return false;
    }
    std::ostringstream written;
    const std::int64_t rows = write_csv(written, *trace);
    const std::unique_ptr<TraceSource> again = read(written.str()); // an Error here is a finding
    std::ostringstream rewritten;
    if (write_csv(rewritten, *again) != rows || rewritten.str() != written.str()) {
        throw std::logic_error("a trace that is written and read again is another one");
    }
    return true;
}

} // namespace texelscope::fuzz
