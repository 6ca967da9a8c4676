#include "cli/sweep_mpi.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#ifdef TEXELSCOPE_MPI
#include <boost/mpi.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#endif

namespace texelscope::cli {

namespace {

/// A number that mpirun left in the environment: of Open MPI, or of MPICH and those that follow it.
std::optional<int> mpi_number(const char* open_mpi, const char* mpich)
{
    for (const char* name : {open_mpi, mpich}) {
        if (const char* const text = std::getenv(name)) {
            return std::atoi(text);
        }
    }
    return std::nullopt;
}

} // namespace

bool started_by_mpi()
{
    return mpi_number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE").value_or(1) > 1;
}

bool first_of_mpi()
{
    return mpi_number("OMPI_COMM_WORLD_RANK", "PMI_RANK") == 0;
}

#ifdef TEXELSCOPE_MPI

namespace {

namespace mpi = boost::mpi;

// Tags of messages: a worker asks for a task (with the answer to its last one), rank 0 hands it a
// number of a task or nothing_left. Every rank makes the same list of tasks from the plan, so a
// number will do.
constexpr int ask = 1, hand = 2;
constexpr long nothing_left = -1;

/// What a worker says when it asks for a task: the answer to its last one, if it had one.
struct Answer {
    long task = nothing_left;
    std::string error; ///< what timer threw; empty: nothing
    StoredResult result;

    /// Without what rank 0 knows (the key) and what the simulator does not have (check, times,
    /// seed).
    template <class Archive>
    void serialize(Archive& archive, unsigned)
    {
        archive& task& error& result.op& result.shape& result.padding& result.config& result
            .status& result.reason& result.samples_ns& result.timestamp;
    }
};

} // namespace

class MpiRanks::Implementation {
public:
    mpi::environment environment;
    mpi::communicator world;
};

MpiRanks::MpiRanks() : implementation_(std::make_unique<Implementation>()) {}
MpiRanks::~MpiRanks() = default;

bool MpiRanks::leads() const
{
    return implementation_->world.rank() == 0;
}

int MpiRanks::workers() const
{
    return implementation_->world.size() - 1;
}

SweepWorkers MpiRanks::hand_out()
{
    mpi::communicator& world = implementation_->world;
    return [&world](const std::vector<std::size_t>& wanted,
                    const std::function<StoredResult(std::size_t)>&,
                    const std::function<void(std::size_t, StoredResult)>& done) {
        std::size_t next = 0;
        std::string error;
        for (int working = world.size() - 1; working > 0;) {
            while (!world.iprobe(mpi::any_source, ask)) {
                // recv would keep a core busy with waiting
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
            Answer answer;
            const int rank = world.recv(mpi::any_source, ask, answer).source();
            error = error.empty() ? answer.error : error;
            if (answer.error.empty() && answer.task != nothing_left) {
                done(static_cast<std::size_t>(answer.task), std::move(answer.result));
            }
            // After an error or an interrupt nothing more is handed out; what is under way is
            // waited for.
            const bool more = next < wanted.size() && error.empty() && !interrupted();
            world.send(rank, hand, more ? static_cast<long>(wanted[next++]) : nothing_left);
            working -= more ? 0 : 1;
        }
        if (!error.empty()) {
            throw bad_input(error, "a rank of the sweep");
        }
        if (next < wanted.size()) {
            throw Interrupted{};
        }
    };
}

void MpiRanks::work(const SweepPlan& plan, const std::string& program)
{
    mpi::communicator& world = implementation_->world;
    const std::vector<SweepTask> tasks = sweep_tasks(plan).tasks;
    const std::vector<OperatorTimer> judges = sweep_timers(plan, program);
    Answer answer;
    for (;;) {
        world.send(0, ask, answer);
        long task = nothing_left;
        world.recv(0, hand, task);
        if (task == nothing_left) {
            return;
        }
        try {
            answer = {task, {}, judge_task(plan, judges, tasks[static_cast<std::size_t>(task)])};
        } catch (const std::exception& thrown) {
            answer = {};
            answer.error = thrown.what();
        }
    }
}

#else

// Built without MPI: the constructor throws, so the members below are never reached.
class MpiRanks::Implementation {};

MpiRanks::MpiRanks()
{
    throw missing("this program was built without MPI", "mpirun",
                  "install libboost-mpi-dev and build again, or start it without mpirun");
}
MpiRanks::~MpiRanks() = default;
bool MpiRanks::leads() const
{
    return true;
}
int MpiRanks::workers() const
{
    return 0;
}
SweepWorkers MpiRanks::hand_out()
{
    return {};
}
void MpiRanks::work(const SweepPlan&, const std::string&) {}

#endif

} // namespace texelscope::cli
