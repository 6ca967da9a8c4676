#pragma once

#include "base/stop.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace texelscope::base {

/// As many threads as this computer runs at a time; 1 where it does not say.
[[nodiscard]] inline int processor_threads()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// `asked`; where it is 0, processor_threads().
[[nodiscard]] inline int threads_or_all(int asked)
{
    return asked > 0 ? asked : processor_threads();
}

/// Runs `job(i)` for every i below `count` on `threads` threads (the caller's among them). Jobs
/// must not touch what others write; where each writes its own slot, the result does not depend on
/// the threads. `done(jobs)` is called from the caller's thread now and then. Throws what a job
/// throws (of several, any one), and Interrupted where `stop` says so.
inline void parallel_for(std::size_t count, int threads,
                         const std::function<void(std::size_t)>& job, const StopToken& stop = {},
                         const std::function<void(std::size_t)>& done = {})
{
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<bool> ended{false};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto fail = [&] {
        const std::scoped_lock lock(mutex);
        failure = failure ? failure : std::current_exception();
        ended = true;
    };
    const auto work = [&](bool is_caller) {
        try {
            for (std::size_t i = next++; i < count && !ended; i = next++) {
                if (is_caller && stop && stop()) {
                    throw Interrupted{};
                }
                job(i);
                ++finished;
                if (is_caller && done) {
                    done(finished);
                }
            }
        } catch (...) {
            fail();
        }
    };
    {
        std::vector<std::jthread> others;
        const auto helpers =
            std::min(count, static_cast<std::size_t>(std::max(threads, 1))) - (count > 0 ? 1 : 0);
        try {
            for (std::size_t i = 0; i < helpers; ++i) {
                others.emplace_back(work, false);
            }
        } catch (const std::system_error&) { // no more threads can be had: fewer do it
        }
        work(true);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace texelscope::base
