#include "base/error.hpp"

#include "base/control_characters.hpp"

namespace texelscope::base {
namespace {

/// What a file says may be part of a message: its control characters go, so that a terminal takes
/// no commands from it.
std::string one_line(const std::string& what, const std::string& where, const std::string& remedy)
{
    return without_controls((where.empty() ? "" : where + ": ") + what +
                            (remedy.empty() ? "" : "; " + remedy));
}

} // namespace

Error bad_input(const std::string& what, const std::string& where, const std::string& remedy)
{
    return {Error::Kind::bad_input, one_line(what, where, remedy)};
}

Error missing(const std::string& what, const std::string& where, const std::string& remedy)
{
    return {Error::Kind::missing, one_line(what, where, remedy)};
}

} // namespace texelscope::base
