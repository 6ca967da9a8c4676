// The worker's side of devices/jobs/worker_messages.hpp: opens the device, then takes job after
// job. It ends as soon as the other side closes the socket, even in the middle of a launch, by
// _exit(): destructors might wait for a driver that hangs.

#include "agent/opencl_loader.hpp"
#include "agent/work.hpp"
#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/worker_messages.hpp"
#include "devices/opencl/opencl_jobs.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <thread>

namespace texelscope::agent {
namespace {

using Kind = WorkerMessage::Kind;

/// Ends the process once the other side has closed its end.
void end_with_other_side(int socket)
{
    std::thread([socket] {
        pollfd closed{socket, 0, 0}; // POLLHUP is always told
        while (poll(&closed, 1, -1) <= 0) {
        }
        _exit(0);
    }).detach();
}

void tell(int socket, Kind kind, const std::string& text = {})
{
    if (!send(socket, {kind, text})) {
        _exit(1);
    }
}

/// The next job; ends the process where there is none.
Job next_job(int socket, WorkerMessages& messages)
{
    std::array<char, 65536> bytes{};
    while (true) {
        if (const auto message = messages.next()) {
            std::istringstream text(message->text);
            return read_jobs(text, "job").at(0);
        }
        const ssize_t count = read(socket, bytes.data(), bytes.size());
        if (count <= 0) {
            _exit(0); // no destructors: a driver may hang in its own
        }
        messages.add(bytes.data(), static_cast<std::size_t>(count));
    }
}

constexpr double opening_seconds = 60;

// Tells the other side how long it may hear nothing of this process.
void alive_for(int socket, double seconds)
{
    tell(socket, Kind::alive, std::to_string(static_cast<long long>(seconds * 1000)));
}

std::string device_record(const OpenClDeviceInfo& device)
{
    RecordText record;
    write_device(record, device);
    return std::move(record).finished();
}

/// Does it until the process ends; what it throws is told.
template <class Work>
[[noreturn]] void serve_what(int socket, const Work& work)
{
    // Ctrl-C goes to all processes of a terminal; the other side decides
    std::signal(SIGINT, SIG_IGN);
    try {
        end_with_other_side(socket);
        work();
    } catch (const Error& error) {
        tell(socket, error.kind() == Error::Kind::missing ? Kind::missing : Kind::bad_input,
             error.what());
    } catch (const std::bad_alloc&) {
        tell(socket, Kind::missing,
             "the process that opens the device is out of memory; use a smaller shape");
    } catch (const std::exception& error) {
        tell(socket, Kind::missing,
             std::string("the device fails: ") + error.what() + "; check its driver");
    }
    _exit(1);
}

void serve_jobs(const WorkOrder& order, int socket)
{
    const auto alive = [&](double seconds) { alive_for(socket, seconds); };
    alive(opening_seconds);
    load_opencl(opencl_places(order.opencl));
    const OpenClJobs device(order.device, order.sysfs);
    tell(socket, Kind::opened, device_record(device.info()));
    for (WorkerMessages messages;;) {
        const Job job = next_job(socket, messages);
        alive(opening_seconds);
        tell(socket, Kind::started);
        tell(socket, Kind::finished, result_record(0, device.run(job, alive)));
    }
}

} // namespace

void serve(const WorkOrder& order, int socket)
{
    serve_what(socket, [&] { serve_jobs(order, socket); });
}

void serve_list(const WorkOrder& order, int socket)
{
    serve_what(socket, [&] {
        alive_for(socket, opening_seconds);
        try {
            load_opencl(opencl_places(order.opencl));
        } catch (const Error&) { // without a library there are none
            tell(socket, Kind::finished);
            _exit(0);
        }
        for (const OpenClDeviceInfo& device : opencl_devices()) {
            tell(socket, Kind::opened, device_record(device));
        }
        tell(socket, Kind::finished);
        _exit(0);
    });
}

} // namespace texelscope::agent
