#include "base/error.hpp"
#include "base/lists.hpp"
#include "traces/native/trace_record.hpp"
#include "workbench/explain/kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

// Arguments and the parameters that they are for.

namespace texelscope::workbench::explain {
namespace {

using ArgumentKind = KernelArgument::Kind;

/// Whether a type is one of numbers, or a vector of them.
bool is_number(std::string_view type)
{
    return std::ranges::find(number_types(), type.substr(0, type.find_first_of("0123456789")),
                             &NumberType::name) != number_types().end();
}

/// A type of images, by how its name begins.
struct ImageType {
    std::string_view begin;
    ImageKind kind;
    const char* size;  ///< what to type
    std::size_t sides; ///< of that
};
/// The more special ones come first.
constexpr ImageType image_types[] = {
    {"image1d_buffer", ImageKind::one_buffer, "WIDTH", 1},
    {"image1d_array", ImageKind::one_array, "WIDTHxLAYERS", 2},
    {"image1d", ImageKind::one, "WIDTH", 1},
    {"image2d_array", ImageKind::two_array, "WIDTHxHEIGHTxLAYERS", 3},
    {"image3d", ImageKind::three, "WIDTHxHEIGHTxDEPTH", 3},
    {"", ImageKind::two, "WIDTHxHEIGHT", 2},
};
const ImageType& image_type(const KernelParameter& parameter)
{
    return *std::ranges::find_if(
        image_types, [&](const ImageType& type) { return parameter.type.starts_with(type.begin); });
}

/// What to type for a parameter, with words for what only the user knows.
std::string form_of(const KernelParameter& parameter)
{
    const std::string& type = parameter.type;
    std::string form = parameter.name + "=";
    if (parameter.is_image()) {
        return form + "image:" + image_type(parameter).size + ":rgba32f";
    }
    if (type == "sampler_t") {
        return form + "sampler:border:nearest";
    }
    if (parameter.address == "local") {
        return form + "local:BYTES";
    }
    if (type.ends_with("*")) {
        const std::string element = type.substr(0, type.size() - 1);
        return form + (is_number(element) ? "buffer:COUNT:" + element : "buffer:BYTES");
    }
    return form + (is_number(type) ? type + ":NUMBER" : "bytes:BYTES");
}

/// Whether the argument is of the kind that the parameter needs.
bool suits(const KernelArgument& argument, const KernelParameter& parameter)
{
    const std::string& type = parameter.type;
    if (parameter.is_image()) {
        return argument.kind == ArgumentKind::image &&
               argument.size.size() == image_type(parameter).sides;
    }
    if (type == "sampler_t") {
        return argument.kind == ArgumentKind::sampler;
    }
    if (parameter.address == "local") {
        return argument.kind == ArgumentKind::local;
    }
    if (type.ends_with("*")) {
        return argument.kind == ArgumentKind::buffer;
    }
    // A type that the program defines may be a number or a struct.
    const bool known = is_number(type);
    return argument.kind == ArgumentKind::value ? !known || type == type_name(argument)
                                                : argument.kind == ArgumentKind::bytes && !known;
}

} // namespace

std::vector<KernelArgument> matched(const KernelSignature& kernel,
                                    std::vector<KernelArgument> given)
{
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string where = "--arg " + to_string(given[i]);
        if (std::ranges::find(kernel.parameters, given[i].name, &KernelParameter::name) ==
            kernel.parameters.end()) {
            throw bad_input("the kernel '" + kernel.name + "' has no such parameter", where,
                            kernel.parameters.empty()
                                ? "it has none"
                                : "it has " +
                                      base::joined(kernel.parameters, &KernelParameter::name));
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (given[j].name == given[i].name) {
                throw bad_input("it is given twice", where, "give it once");
            }
        }
    }
    std::vector<KernelArgument> ordered;
    std::vector<const KernelParameter*> missing_ones;
    for (const KernelParameter& parameter : kernel.parameters) {
        const auto found = std::ranges::find(given, parameter.name, &KernelArgument::name);
        if (found == given.end()) {
            missing_ones.push_back(&parameter);
            continue;
        }
        if (!suits(*found, parameter)) {
            throw bad_input("it is not what the kernel takes: " + parameter.declaration(),
                            "--arg " + to_string(*found), "write " + form_of(parameter));
        }
        ordered.push_back(std::move(*found));
    }
    if (!missing_ones.empty()) {
        throw bad_input(
            fmt::format("the kernel '{}' needs {} more argument{}: {}", kernel.name,
                        missing_ones.size(), missing_ones.size() == 1 ? "" : "s",
                        base::joined(missing_ones,
                                     [](const KernelParameter* p) { return p->declaration(); })),
            "",
            "add " + base::joined(
                         missing_ones,
                         [](const KernelParameter* p) { return "--arg " + form_of(*p); }, " "));
    }
    return ordered;
}

std::string request_line(const KernelArgument& argument, const KernelParameter& parameter)
{
    switch (argument.kind) {
    case ArgumentKind::image: {
        const auto side = [&](std::size_t i) {
            return i < argument.size.size() ? argument.size[i] : 1;
        };
        const ImageKind kind = image_type(parameter).kind;
        const bool rows = kind == ImageKind::one_array; // its second side counts layers
        const auto format = format_words(argument.format);
        return fmt::format("image {} {} {} {} {} {}", to_string(kind), format[0], format[1],
                           side(0), rows ? 1 : side(1), rows ? side(1) : side(2));
    }
    case ArgumentKind::buffer:
        return fmt::format("buffer {}", argument.bytes);
    case ArgumentKind::local:
        return fmt::format("local-memory {}", argument.bytes);
    case ArgumentKind::sampler:
        return fmt::format("sampler {} {} {}", argument.sampler[2].empty() ? 0 : 1,
                           argument.sampler[0], argument.sampler[1]);
    case ArgumentKind::value:
    case ArgumentKind::bytes:
        break;
    }
    return fmt::format("value {}", argument.bytes);
}

} // namespace texelscope::workbench::explain
