#pragma once

#include <functional>
#include <string>

namespace texelscope::cli {

/// What `work` returns, computed in a forked process: a crash or a hang there does not take this one with it. An Error or
/// any other exception of `work` is thrown here as missing, with its text. Throws missing where the process died, with the
/// signal, and where it took longer than `seconds`; it is then killed. This process must have no threads, and must not have
/// touched what `work` will open (an OpenCL driver). What the process prints to standard error is lost, but for sanitizers'
/// reports.
[[nodiscard]] std::string isolated(const std::function<std::string()>& work, double seconds);

} // namespace texelscope::cli
