// Files and messages between programs that run kernels, training that goes on, and what compilers
// print.

#include "devices/compilers/compiler_output.hpp"
#include "devices/jobs/device_listing.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/jobs/result_log.hpp"
#include "devices/jobs/worker_messages.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "workbench/network_studies/training_checkpoint.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace texelscope::fuzz {
using namespace devices;
using namespace workbench::network_studies;

bool jobs(std::string_view input)
{
    const auto read = [](const std::string& text) {
        std::istringstream in(text);
        return read_jobs(in, "jobs");
    };
    const auto found = accepted([&] { return read(std::string(input)); });
    if (!found) {
        return false;
    }
    for (const Job& job : *found) {
        for (const JobArgument& argument : job.arguments) {
            require(memory_bytes(argument) >= 0, "an argument has fewer than no bytes");
        }
    }
    const auto text_of = [](const std::vector<Job>& list) {
        std::ostringstream out;
        write_jobs(out, list);
        return out.str();
    };
    const std::string written = text_of(*found);
    require(text_of(read(written)) == written, "jobs that are written and read again are others");
    return true;
}

bool device_listing(std::string_view input)
{
    const auto read = [](const std::string& text) {
        std::istringstream in(text);
        return read_listing(in, "devices");
    };
    const auto found = accepted([&] { return read(std::string(input)); });
    if (!found) {
        return false;
    }
    const auto text_of = [](const DeviceListing& listing) {
        std::ostringstream out;
        write_listing(out, listing);
        return out.str();
    };
    const std::string written = text_of(*found);
    require(text_of(read(written)) == written,
            "a list of devices that is written and read again is another");
    return true;
}

bool result_log(std::string_view input)
{
    const auto read = [](const std::string& text) {
        std::istringstream in(text);
        return read_result_log(in, "results");
    };
    const auto found = accepted([&] { return read(std::string(input)); });
    if (!found || !found->head || !found->broken.empty()) {
        return false;
    }
    require(found->good_bytes == static_cast<std::int64_t>(input.size()),
            "a log is whole and has bytes that are not good");
    const auto text_of = [](const ResultLog& log) {
        std::string text = head_record(*log.head);
        for (std::size_t i = 0; i < log.results.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i);
            text += started_record(number) + result_record(number, log.results[i]);
        }
        return text + (log.under_way ? started_record(*log.under_way) : std::string());
    };
    const std::string written = text_of(*found);
    const ResultLog again = read(written);
    require(again.broken.empty() && text_of(again) == written,
            "results that are written and read again are others");
    return true;
}

bool worker_messages(std::string_view input)
{
    // The first byte says in pieces of how many bytes the rest comes.
    const std::size_t piece = input.empty() ? 1 : 1 + static_cast<unsigned char>(input.front());
    input.remove_prefix(input.empty() ? 0 : 1);
    WorkerMessages messages;
    std::size_t taken = 0;
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "there is no socket");
    const auto close_both = [](int* both) { ::close(both[0]), ::close(both[1]); };
    const std::unique_ptr<int, decltype(close_both)> closer(ends, close_both);
    for (std::size_t at = 0; at < input.size(); at += piece) {
        const std::string_view part = input.substr(at, piece);
        messages.add(part.data(), part.size());
        while (const auto message = messages.next()) {
            constexpr std::size_t head = 9;
            require(input.substr(taken + head, message->text.size()) == message->text,
                    "a message has another text");
            std::string again(head + message->text.size(), '\0');
            require(send(ends[0], *message) &&
                        ::recv(ends[1], again.data(), again.size(), MSG_WAITALL) > 0,
                    "a message cannot be sent");
            require(again == input.substr(taken, again.size()),
                    "a message that is sent is another one");
            taken += again.size();
        }
    }
    require(taken <= input.size(), "messages are longer than what came");
    return taken > 0 && taken == input.size();
}

bool checkpoint(std::string_view input)
{
    constexpr const char* what = "net, data 1, seed 1";
    const auto found =
        accepted([&] { return read_checkpoint(std::string(input), what, "checkpoint"); });
    if (!found) {
        return false;
    }
    const std::string written = checkpoint_text(*found, what);
    require(checkpoint_text(read_checkpoint(written, what, "again"), what) == written,
            "training that is written and read again is another one");
    return true;
}

bool compiler_output(std::string_view input)
{
    // The first line says which GPU is asked for, and the version of the driver.
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string asked(input.substr(0, end));
    const std::string output(input.substr(std::min(end + 1, input.size())));
    const std::string name = asked.substr(0, asked.find(' '));
    const std::string driver = asked.substr(std::min(asked.size(), name.size() + 1));
    const BuildOutput built = parse_build_output(output);
    require(built.complete() <= built.files.size(), "more files are complete than there are");
    const auto found =
        accepted([&] { return parse_compiler_output(find_compiler_gpu(name), driver, output); });
    if (!found) {
        return false;
    }
    const CompilerGpu& gpu = find_compiler_gpu(name);
    require(has_statistics(gpu, output), "a kernel is read that has no statistics");
    const std::string essential = essential_output(gpu, output);
    const CompiledKernel again = parse_compiler_output(gpu, driver, essential);
    require(again.registers == found->registers && again.instructions == found->instructions &&
                again.by_class == found->by_class && again.warps == found->warps,
            "what is read of an output is not in its essential part");
    return true;
}

bool build_log(std::string_view input)
{
    const DriverFootprint found = footprint_from_log(std::string(input));
    require(!found.registers || *found.registers >= 0, "a kernel has fewer than no registers");
    require(!found.spilled_bytes || *found.spilled_bytes >= 0,
            "a kernel spills fewer than no bytes");
    return found.registers.has_value();
}

} // namespace texelscope::fuzz
