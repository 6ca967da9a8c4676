#include "workbench/explain/kernel_signature.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iomanip>
#include <sstream>
#include <string_view>

namespace texelscope::workbench::explain {
namespace {

/// Oclgrind's name for the text of a program.
constexpr std::string_view name_of_text = "input.cl:";

/// An error with the user's file and line in place of the line of the program's text.
std::string in_users_lines(const std::string& error, const std::string& text)
{
    const std::size_t end = error.find(':', name_of_text.size());
    if (!error.starts_with(name_of_text) || end == std::string::npos) {
        return error;
    }
    std::int64_t number = 0;
    std::from_chars(error.data() + name_of_text.size(), error.data() + end, number);
    std::istringstream lines(text);
    std::string file, line;
    std::int64_t at = 1; // the line of the user's file that comes next
    for (std::int64_t i = 1; i < number && std::getline(lines, line); ++i) {
        std::istringstream words(line);
        std::string directive;
        std::int64_t next = 0;
        if (words >> directive && directive == "#line" && words >> next) {
            words >> std::quoted(file);
            at = next;
        } else {
            ++at;
        }
    }
    return file.empty() ? error : fmt::format("{}:{}{}", file, at, error.substr(end));
}

/// What stands behind "failed", as an error: the compiler's first error, or the call that failed.
Error failure(std::istringstream& lines, const std::string& what, const std::string& code,
              const std::string& where, const std::string& text)
{
    std::string first, line;
    int errors = 0;
    while (std::getline(lines, line)) {
        if (line.find("error: ") != std::string::npos) {
            first = ++errors == 1 ? in_users_lines(line, text) : first;
        }
    }
    if (what == "clBuildProgram") {
        return bad_input("it does not compile: " + (first.empty() ? "error " + code : first) +
                             (errors > 1 ? fmt::format(" (and {} more)", errors - 1) : ""),
                         where);
    }
    return bad_input(fmt::format("the launch failed: {} gives error {}", what, code), where,
                     what == "clSetKernelArg" ? "give each argument the size that its type has"
                                              : "check sizes and arguments");
}

} // namespace

std::string KernelParameter::declaration() const
{
    const std::string before = is_image() ? access : address == "private" ? "" : address;
    return (before.empty() ? "" : before + " ") + type + " " + name;
}

std::vector<KernelSignature> parse_signatures(const std::string& answer, const std::string& where,
                                              const std::string& text)
{
    std::vector<KernelSignature> kernels;
    std::istringstream lines(answer);
    bool ended = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "kernel") {
            KernelSignature kernel;
            auto& local = kernel.required_local;
            words >> kernel.name >> local[0] >> local[1] >> local[2] >> kernel.local_bytes;
            kernels.push_back(std::move(kernel));
        } else if (what == "argument" && !kernels.empty()) {
            KernelParameter parameter;
            words >> parameter.address >> parameter.access >> parameter.name >> std::ws;
            std::getline(words, parameter.type);
            kernels.back().parameters.push_back(std::move(parameter));
        } else if (what == "failed") {
            std::string call, code;
            words >> call >> code;
            throw failure(lines, call, code, where, text);
        } else {
            ended |= what == "end";
        }
    }
    if (!ended) {
        throw missing("the kernels could not be looked at", where,
                      "see what Oclgrind printed above");
    }
    return kernels;
}

const KernelSignature& chosen_kernel(const std::vector<KernelSignature>& kernels,
                                     const std::string& name, const std::string& where)
{
    if (kernels.empty()) {
        throw bad_input("it has no kernel", where, "a kernel is a function marked `kernel`");
    }
    if (name.empty() && kernels.size() == 1) {
        return kernels[0];
    }
    const auto found = std::ranges::find(kernels, name, &KernelSignature::name);
    if (found == kernels.end()) {
        throw bad_input(
            name.empty() ? fmt::format("it has {} kernels", kernels.size())
                         : "there is no kernel '" + name + "'",
            where, "choose one with --kernel: " + base::joined(kernels, &KernelSignature::name));
    }
    return *found;
}

} // namespace texelscope::workbench::explain
