#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace texelscope::test {

/// Starts a program by its words (the first is its path or name), waits until `ready`, and kills
/// (SIGKILL) the process that `victim` picks, given the program's own number; without one, the
/// program. Waits until the program has ended. False where it ended before it was ready.
bool kill_when(const std::vector<std::string>& words, const std::function<bool()>& ready,
               const std::function<pid_t(pid_t)>& victim = {});

/// The processes that it has started and that still are.
[[nodiscard]] std::vector<pid_t> children_of(pid_t process);

/// Rows that `texelscope results list` counts in a store; 0 where there is none yet.
[[nodiscard]] int rows_of_store(const std::string& store);

} // namespace texelscope::test
