#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "tests/fuzz/entries.hpp"

#include <stdexcept>
#include <string>

namespace texelscope::fuzz {
using namespace devices;

bool profile(std::string_view input)
{
    DeviceProfile read;
    try {
        read = parse_profile(std::string(input), "profile.xml");
    } catch (const Error&) {
        return false;
    }
    if (parse_profile(to_xml(read), "again.xml") != read) { // an Error here is a finding
        throw std::logic_error("a profile that is written and read again is another one");
    }
    return true;
}

} // namespace texelscope::fuzz
