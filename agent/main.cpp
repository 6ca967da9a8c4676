// texelscope-agent: runs OpenCL jobs on the machine that it is started on, which need not have
// anything else of Texelscope.

#include "agent/agent_arguments.hpp"
#include "agent/kept_results.hpp"
#include "agent/opencl_loader.hpp"
#include "agent/work.hpp"
#include "base/error.hpp"
#include "devices/jobs/conditions.hpp"
#include "devices/jobs/device_listing.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <new>

using namespace texelscope::agent;

namespace {

// Exit codes, which agent_runner.cpp goes by.
constexpr int done = 0, failed = 1, bad_input_code = 2, missing_code = 3, hangs = 4;

int list(const Arguments& arguments)
{
    const std::string library = load_opencl(opencl_places(arguments.order.opencl));
    const std::vector<OpenClDeviceInfo> devices = opencl_devices();
    if (devices.empty()) {
        throw missing("there is no OpenCL device", library, "check the driver");
    }
    for (const OpenClDeviceInfo& device : devices) {
        std::printf("%d  %s on %s, driver %s, %s; images %s %lldx%lld; work-groups of %lld\n",
                    device.index, device.name.c_str(), device.platform.c_str(),
                    device.driver.c_str(), device.version.c_str(),
                    device.images ? "up to" : "none:", static_cast<long long>(device.image_width),
                    static_cast<long long>(device.image_height),
                    static_cast<long long>(device.max_work_group));
    }
    std::printf("library: %s\nnow: %s\n", library.c_str(),
                to_string(read_conditions(arguments.order.sysfs)).c_str());
    return done;
}

/// Writes all that drivers tell of their devices. One that hangs meanwhile is ended by the alarm.
int describe(const Arguments& arguments)
{
    constexpr unsigned most_seconds = 60;
    alarm(most_seconds);
    DeviceListing listing;
    listing.library = load_opencl(opencl_places(arguments.order.opencl));
    listing.devices = listed_opencl_devices();
    listing.now = read_conditions(arguments.order.sysfs);
    std::ofstream out(arguments.listing_file, std::ios::binary);
    write_listing(out, listing);
    if (!out.flush()) {
        throw bad_input("cannot be written", arguments.listing_file, "make room, or give another");
    }
    return done;
}

struct JobsSeen {
    std::int64_t jobs;
    std::uint64_t fingerprint;
};

/// Reads the whole file once, so that one that is damaged anywhere runs nothing.
JobsSeen look_through(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw bad_input("cannot be read", path, "give a file of jobs that is there");
    }
    JobFileReader reader(file, path);
    while (reader.next()) {
    }
    return {reader.jobs(), reader.fingerprint()};
}

int run(const Arguments& arguments)
{
    const JobsSeen seen = look_through(arguments.order.jobs_file);
    KeptResults results(arguments.results_file, seen.jobs, seen.fingerprint, arguments.resume);
    if (results.done()) {
        return done;
    }
    if (arguments.isolate) {
        work_isolated(arguments.order, results);
    } else if (!work_here(arguments.order, results)) {
        if (!results.done()) {
            std::fputs("texelscope-agent: a launch takes too long and cannot be recalled; go on "
                       "with --resume\n",
                       stderr);
        }
        _exit(results.done() ? done : hangs); // closing the device would wait for the launch
    }
    return done;
}

int do_what(const Arguments& arguments)
{
    switch (arguments.what) {
    case Arguments::What::list:
        return list(arguments);
    case Arguments::What::describe:
        return describe(arguments);
    case Arguments::What::help:
        std::fputs(usage().c_str(), stdout);
        return done;
    case Arguments::What::version:
        std::puts("texelscope-agent " TEXELSCOPE_VERSION);
        return done;
    case Arguments::What::serve:
        serve(arguments.order, STDIN_FILENO);
    case Arguments::What::serve_list:
        serve_list(arguments.order, STDIN_FILENO);
    case Arguments::What::run:
        break;
    }
    return run(arguments);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGHUP, SIG_IGN);  // a connection that is lost does not end the work
    std::signal(SIGPIPE, SIG_IGN); // nor does nobody reading what is printed
    try {
        return do_what(parse({argv + 1, argv + argc}));
    } catch (const Error& error) {
        std::fprintf(stderr, "texelscope-agent: %s\n", error.what());
        return error.kind() == Error::Kind::missing ? missing_code : bad_input_code;
    } catch (const std::bad_alloc&) {
        std::fputs("texelscope-agent: out of memory; use a smaller shape\n", stderr);
        return failed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "texelscope-agent: %s\n", error.what());
        return failed;
    }
}
