#include "base/error.hpp"
#include "tests/fuzz/entries.hpp"
#include "traces/formats/address_records.hpp"
#include "traces/formats/traceg.hpp"
#include "traces/native/trace_steps.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace texelscope::fuzz {
using namespace traces;

namespace {

void require(bool holds, const char* what)
{
    if (!holds) {
        throw std::logic_error(what);
    }
}

/// Walks over what is there; returns the accesses. Stops where a small file unpacks to very much.
std::int64_t walk(const TraceFile& file)
{
    std::int64_t accesses = 0;
    for (int launch = 0; launch < file.launch_count(); ++launch) {
        for (const bool reads : {true, false}) {
            TraceSteps steps(file, launch, reads);
            while (accesses < 100'000 && steps.next()) {
                require(!steps.rows().empty(), "a step has no access");
                accesses += static_cast<std::int64_t>(steps.rows().size());
            }
        }
    }
    return accesses;
}

using Reader = void (*)(std::istream&, const std::string&, const AddressSink&);

bool records(Reader reader, std::string_view input,
             const std::function<void(std::string&, const AddressRecord&)>& write)
{
    std::vector<AddressRecord> read;
    std::string written;
    try {
        std::istringstream in{std::string(input)};
        reader(in, "trace", [&](const AddressRecord& record) {
            read.push_back(record);
            write(written, record);
        });
    } catch (const Error&) {
        return false;
    }
    std::size_t next = 0;
    std::istringstream in(written);
    reader(in, "again", [&](const AddressRecord& record) { // an Error here is a finding
        require(next < read.size() && read[next] == record, "a record that is written and read again is another one");
        ++next;
    });
    require(next == read.size(), "a record is lost");
    return true;
}

} // namespace

bool native(std::string_view input)
{
    const std::string bytes(input);
    try {
        (void)walk(TraceFile("salvaged", bytes, TraceFile::Damage::salvage));
    } catch (const Error&) { // no native trace at all
    }
    try {
        (void)walk(TraceFile("trace", bytes));
    } catch (const Error&) {
        return false;
    }
    return true;
}

bool din(std::string_view input)
{
    return records(read_din, input, append_din);
}

bool din_binary(std::string_view input)
{
    return records(read_binary_din, input, append_binary_din);
}

bool oracle_general(std::string_view input)
{
    return records(read_oracle_general, input,
                   [](std::string& out, const AddressRecord& record) { append_oracle_general(out, 0, record, -1); });
}

bool traceg(std::string_view input)
{
    try {
        std::istringstream in{std::string(input)};
        texelscope::traces::traceg::read(
            in, "trace", [](const texelscope::traces::traceg::Kernel&) {},
            [](const texelscope::traces::traceg::Access& access) {
                require(!access.lanes.empty() && access.lanes.size() <= 32, "an access has no lane");
            });
    } catch (const Error&) {
        return false;
    }
    return true;
}

} // namespace texelscope::fuzz
