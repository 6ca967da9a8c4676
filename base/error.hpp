#pragma once

#include "base/layers.hpp"

#include <stdexcept>
#include <string>

namespace texelscope::base {

/// Bad input, or something missing on this machine, said in one line: what is wrong, where, and
/// what to do. Libraries throw it; only the command line prints it and turns `kind` into an exit
/// code.
class Error : public std::runtime_error {
public:
    enum class Kind {
        bad_input, ///< the user's text, file, shape or configuration; exit code 2
        missing,   ///< a device or a dependency is not there; exit code 3
    };

    Error(Kind kind, const std::string& line) : std::runtime_error(line), kind_(kind) {}

    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

/// "WHERE: WHAT; REMEDY" as bad input. `where` and `remedy` may be empty.
[[nodiscard]] Error bad_input(const std::string& what, const std::string& where = {},
                              const std::string& remedy = {});

/// The same for a device or dependency that is absent.
[[nodiscard]] Error missing(const std::string& what, const std::string& where = {},
                            const std::string& remedy = {});

} // namespace texelscope::base
