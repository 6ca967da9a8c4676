#pragma once

#include "sim/memory/run.hpp"
#include "sim/memory/timed_memory.hpp"

#include <vector>

namespace texelscope::sim {

/// For the timed mode: every access goes through Run::access(), whose observers see it.
class WatchedMemory final : public TimedMemory {
public:
    /// `run` must outlive this.
    explicit WatchedMemory(Run& run) : run_(run) {}
    [[nodiscard]] std::unique_ptr<TimedWarp> open(int core, WarpId warp) override;

private:
    class Warp;
    Run& run_;
    std::vector<TimedLookup> lookups_;
};

} // namespace texelscope::sim
