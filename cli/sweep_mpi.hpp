#pragma once

#include "workbench/tuning/sweep.hpp"

#include <memory>
#include <string>

namespace texelscope::cli {

/// Whether the process was started by mpirun or the like, as one of several.
[[nodiscard]] bool started_by_mpi();

/// Whether the process is rank 0 of an MPI program; this is known before MPI is started. False
/// where the process was not started by mpirun or the like.
[[nodiscard]] bool first_of_mpi();

/// The ranks of an MPI program. Rank 0 owns the store and hands out tasks; the other ranks judge,
/// and whoever has finished a task gets the next one. So ranks of different speed are all busy to
/// the end, and nobody but rank 0 writes.
class MpiRanks {
public:
    /// Starts MPI. Throws missing where the program was built without.
    MpiRanks();
    ~MpiRanks();
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    [[nodiscard]] bool leads() const;  ///< is rank 0
    [[nodiscard]] int workers() const; ///< ranks that judge

    /// For rank 0: hands tasks to the other ranks. Throws missing where there are none.
    [[nodiscard]] SweepWorkers hand_out();
    /// For every other rank: judges what it is handed, until rank 0 says that nothing is left.
    void work(const SweepPlan& plan, const std::string& program);

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace texelscope::cli
