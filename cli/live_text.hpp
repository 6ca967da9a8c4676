#pragma once

#include "cli/command.hpp"

#include <cstddef>
#include <string>

namespace texelscope::cli {

/// Text on a terminal that is refined under the reader's eyes: each text takes the place of the one
/// before. Where standard output is no terminal, TERM is dumb, or JSON is asked for, it shows
/// nothing.
class LiveText {
public:
    explicit LiveText(const GlobalOptions& global);
    LiveText(const LiveText&) = delete;
    LiveText& operator=(const LiveText&) = delete;
    ~LiveText() { wipe(); }

    /// Shows as much of a text as the terminal has room for.
    void show(const std::string& text);
    /// Takes away what is shown, so that other output takes its place.
    void wipe();

private:
    const GlobalOptions& global_;
    bool shows_;
    std::size_t lines_ = 0; ///< that are shown
};

} // namespace texelscope::cli
