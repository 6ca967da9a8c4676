// Reads the agent's command line. The agent is C++17 and links as little as possible, so it does
// not use the library that the other programs parse options with.

#include "agent/agent_arguments.hpp"

#include "base/error.hpp"
#include "devices/jobs/sized_blocks.hpp"

namespace texelscope::agent {
namespace {

/// A number of seconds or degrees from 0 to 100,000, in thousandths; with at most three places.
std::int64_t thousandths(const std::string& text, const std::string& option)
{
    const std::size_t point = text.find('.');
    const std::string places = point == std::string::npos ? "" : text.substr(point + 1);
    std::int64_t number = -1;
    const bool fits = !text.empty() && text[0] != '.' && places.size() <= 3 &&
                      (point == std::string::npos || !places.empty()) &&
                      // Three zeros are appended and three digits taken: whole thousandths, without
                      // floating point.
                      parse_integer(text.substr(0, point) + (places + "000").substr(0, 3), number);
    if (!fits || number < 0 || number > 100'000'000) {
        throw bad_input("'" + text + "' is no number from 0 to 100000", option);
    }
    return number;
}

class Words {
public:
    explicit Words(const std::vector<std::string>& words) : words_(words) {}

    [[nodiscard]] bool any() const { return next_ < words_.size(); }
    std::string take() { return words_[next_++]; }
    /// What follows an option.
    std::string value_of(const std::string& option)
    {
        if (!any()) {
            throw bad_input("takes a value", option);
        }
        return take();
    }

private:
    const std::vector<std::string>& words_;
    std::size_t next_ = 0;
};

/// False where it is no option.
bool take_option(const std::string& word, Words& words, Arguments& arguments)
{
    if (word == "--list") {
        arguments.what = Arguments::What::list;
    } else if (word == "--describe") {
        arguments.what = Arguments::What::describe;
        arguments.listing_file = words.value_of(word);
    } else if (word == "--help" || word == "-h") {
        arguments.what = Arguments::What::help;
    } else if (word == "--version") {
        arguments.what = Arguments::What::version;
    } else if (word == "--serve") {
        arguments.what = Arguments::What::serve;
    } else if (word == "--serve-list") {
        arguments.what = Arguments::What::serve_list;
    } else if (word == "--isolate") {
        arguments.isolate = true;
    } else if (word == "--resume") {
        arguments.resume = true;
    } else if (word == "--device") {
        arguments.order.device = words.value_of(word);
    } else if (word == "--opencl") {
        arguments.order.opencl = words.value_of(word);
    } else if (word == "--sysfs") {
        arguments.order.sysfs = words.value_of(word);
    } else if (word == "--cool-down") {
        arguments.order.cool_down.seconds =
            static_cast<double>(thousandths(words.value_of(word), word)) / 1000;
    } else if (word == "--cool-limit") {
        arguments.order.cool_down.longest_seconds =
            static_cast<double>(thousandths(words.value_of(word), word)) / 1000;
    } else if (word == "--max-temperature") {
        arguments.order.cool_down.max_millidegrees = thousandths(words.value_of(word), word);
    } else {
        return false;
    }
    return true;
}

} // namespace

Arguments parse(const std::vector<std::string>& all)
{
    Arguments arguments;
    std::vector<std::string> files;
    for (Words words(all); words.any();) {
        const std::string word = words.take();
        if (take_option(word, words, arguments)) {
            continue;
        }
        if (word.size() > 1 && word[0] == '-') {
            throw bad_input("unknown option", word, "texelscope-agent --help lists them");
        }
        files.push_back(word);
    }
    if (arguments.what != Arguments::What::run) {
        return arguments;
    }
    if (files.size() != 2) {
        throw bad_input("a file of jobs and one for their results are needed", {},
                        "see texelscope-agent --help");
    }
    arguments.order.jobs_file = files[0];
    arguments.results_file = files[1];
    return arguments;
}

std::string usage()
{
    return R"(Usage: texelscope-agent [OPTION...] JOBS RESULTS
       texelscope-agent --list

Runs the OpenCL jobs of the file JOBS, which Texelscope wrote, and appends what became of each to RESULTS.

  --serve                jobs come over standard input, a socket, and results go back there: for Texelscope itself
  --serve-list           the OpenCL devices, told over such a socket
  --list                 the OpenCL devices of this machine
  --describe FILE        the same with limits, formats of images and extensions, into a file: for Texelscope itself
  --device INDEX|NAME    number, or part of a name; without it the first device that is no CPU, or else the first
  --isolate              in a process of their own: a job that crashes the driver or hangs loses nothing but itself
  --resume               go on with RESULTS after the last finished job; the one under way counts as crashed
  --cool-down SECONDS    rest between two jobs
  --max-temperature C    rest until it is no hotter, where the temperature can be read
  --cool-limit SECONDS   but no longer than this (300)
  --opencl LIBRARY       the OpenCL library: a path, or a name that is searched for; without it TEXELSCOPE_OPENCL names it,
                         or else libOpenCL.so and the places of phones' vendors are tried
  --sysfs DIR            where clocks and temperatures are read (/sys)
  --version, --help

Exit codes: 0 every job has a result, whatever it is; 2 bad input; 3 no OpenCL library or device; 4 a launch hangs, go on
with --resume.
)";
}

} // namespace texelscope::agent
