#include "workbench/study/study_form.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/printable_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <new>
#include <sstream>
#include <string_view>

namespace texelscope::workbench::study {
namespace {

constexpr const char* schema = "the form of a study's file is in docs/reference/configurations.md";

/// Reads a form from one XML text, and knows the line of each element for messages.
class StudyReader {
public:
    StudyReader(const std::string& xml, const std::string& path) : xml_(xml), path_(path) {}

    [[nodiscard]] StudyForm read() const
    {
        pugi::xml_document document;
        const auto parsed = document.load_buffer(xml_.data(), xml_.size(),
                                                 pugi::parse_default | pugi::parse_trim_pcdata,
                                                 pugi::encoding_utf8);
        if (parsed.status == pugi::status_out_of_memory) {
            throw std::bad_alloc();
        }
        if (!parsed) {
            throw bad_input(fmt::format("malformed XML: {}", parsed.description()),
                            where(parsed.offset), schema);
        }
        const pugi::xml_node study = document.document_element();
        if (std::string_view(study.name()) != "study") {
            throw bad_input("this is no study: there is no element <study>",
                            where(study.offset_debug()), schema);
        }
        StudyForm form;
        form.op.clear();
        form.device.clear();
        for (const pugi::xml_node node : study.children()) {
            read_element(form, node);
        }
        if (form.op.empty() || form.device.empty()) {
            throw bad_input(form.op.empty()
                                ? "<study> has no <operator name=\"...\" shape=\"...\"/>"
                                : "<study> has no <device name=\"...\"/>",
                            where(study.offset_debug()), schema);
        }
        return form;
    }

private:
    void read_element(StudyForm& form, const pugi::xml_node& node) const
    {
        const std::string_view name = node.name();
        if (name == "operator") {
            check_attributes(node, {"name", "shape", "padding"});
            form.op = node.attribute("name").value();
            form.shape = node.attribute("shape").value();
            form.padding = node.attribute("padding").value();
        } else if (name == "configuration") {
            form.config = text_of(node);
        } else if (name == "device") {
            check_attributes(node, {"name"});
            form.device = found(node.attribute("name").value());
        } else if (name == "set") {
            check_attributes(node, {"key"}, false);
            if (std::string_view(node.attribute("key").value()).find('=') !=
                std::string_view::npos) {
                throw bad_input("the key of a <set> has a =", where(node.offset_debug()), schema);
            }
            form.overrides.push_back(fmt::format("{}={}", node.attribute("key").value(),
                                                 plain(node, node.child_value())));
        } else if (name == "registers") {
            form.registers = text_of(node);
        } else if (name == "seed") {
            form.seed = text_of(node);
        } else if (name == "rank") {
            form.rank = text_of(node) != "no";
        } else {
            throw bad_input(fmt::format("<{}> does not belong into a study", name),
                            where(node.offset_debug()), schema);
        }
    }

    void check_attributes(const pugi::xml_node& node,
                          std::initializer_list<std::string_view> allowed, bool empty = true) const
    {
        for (const pugi::xml_attribute given : node.attributes()) {
            if (std::find(allowed.begin(), allowed.end(), std::string_view(given.name())) ==
                allowed.end()) {
                throw bad_input(
                    fmt::format("<{}> has no attribute \"{}\"", node.name(), given.name()),
                    where(node.offset_debug()), schema);
            }
            (void)plain(node, given.value());
        }
        if (empty && node.first_child()) {
            throw bad_input(fmt::format("<{}> holds nothing but attributes", node.name()),
                            where(node.offset_debug()), schema);
        }
    }

    [[nodiscard]] std::string text_of(const pugi::xml_node& node) const
    {
        check_attributes(node, {}, false);
        return plain(node, node.child_value());
    }

    /// The text itself. Refuses characters that XML cannot hold, so that whatever is read can be
    /// written again.
    [[nodiscard]] std::string plain(const pugi::xml_node& node, const char* text) const
    {
        const auto is_control = [](char c) {
            return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t';
        };
        if (std::any_of(text, text + std::strlen(text), is_control) || !is_utf8(text)) {
            throw bad_input(
                fmt::format("<{}> has a control character, or is no UTF-8", node.name()),
                where(node.offset_debug()), schema);
        }
        return text;
    }

    /// The path of a profile's file: beside the study if there is one, else as it is named.
    [[nodiscard]] std::string found(const std::string& device) const
    {
        const std::filesystem::path named(device);
        const bool is_xml = named.extension() == ".xml";
        const std::filesystem::path beside = std::filesystem::path(path_).parent_path() / named;
        std::error_code none;
        const bool lies_beside =
            is_xml && named.is_relative() && std::filesystem::exists(beside, none);
        const std::filesystem::path& file = lies_beside ? beside : named;
        // a pipe or /dev/zero would be read without end
        if ((is_xml || named.has_parent_path()) && std::filesystem::exists(file, none) &&
            !std::filesystem::is_regular_file(file, none)) {
            throw bad_input(fmt::format("its device '{}' is no file", printable(device)), path_,
                            schema);
        }
        return file.string();
    }

    [[nodiscard]] std::string where(std::ptrdiff_t offset) const
    {
        const auto end = xml_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(xml_));
        return fmt::format("{}:{}", path_, 1 + std::count(xml_.begin(), end, '\n'));
    }

    const std::string& xml_;
    const std::string& path_;
};

} // namespace

std::string to_xml(const StudyForm& form)
{
    if (form.given) {
        throw bad_input(
            "a kernel of a network cannot be written into a study's file", form.op,
            "open it from its network again; network plan MODEL --json has its configuration");
    }
    pugi::xml_document document;
    pugi::xml_node study = document.append_child("study");
    const auto add_text = [&](const char* name, const std::string& text) {
        pugi::xml_node node = study.append_child(name);
        node.append_child(pugi::node_pcdata).set_value(text.c_str());
        return node;
    };
    pugi::xml_node op = study.append_child("operator");
    op.append_attribute("name").set_value(form.op.c_str());
    op.append_attribute("shape").set_value(form.shape.c_str());
    if (!form.padding.empty()) {
        op.append_attribute("padding").set_value(form.padding.c_str());
    }
    if (!form.config.empty()) {
        add_text("configuration", form.config);
    }
    study.append_child("device").append_attribute("name").set_value(form.device.c_str());
    for (const std::string& text : form.overrides) {
        if (!text.empty()) {
            const std::size_t equals = std::min(text.find('='), text.size());
            add_text("set", equals < text.size() ? text.substr(equals + 1) : std::string())
                .append_attribute("key")
                .set_value(text.substr(0, equals).c_str());
        }
    }
    if (form.registers != StudyForm().registers) {
        add_text("registers", form.registers);
    }
    add_text("seed", form.seed);
    if (!form.rank) {
        add_text("rank", "no");
    }
    std::ostringstream xml;
    document.save(xml, "    ");
    return xml.str();
}

StudyForm parse_study_form(const std::string& xml, const std::string& path)
{
    return StudyReader(xml, path).read();
}

StudyForm read_study_form(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string xml = file ? rest_of(file, path) : std::string();
    if (xml.empty()) {
        throw bad_input("the study cannot be read or is empty", path, "check the path");
    }
    return parse_study_form(xml, path);
}

DeviceProfile device_of(const StudyForm& form)
{
    std::vector<std::string> overrides = form.overrides;
    std::erase(overrides, std::string());
    return with_overrides(find_profile(form.device), overrides, "override");
}

std::uint64_t seed_of(const StudyForm& form)
{
    const std::string& text = form.seed;
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw bad_input("'" + text + "' is not a seed", "seed", "give a whole number from 0 on");
    }
    return seed;
}

Operator operator_of(const StudyForm& form)
{
    return form.given ? *form.given : parse_operator(form.op, form.shape, form.padding);
}

StudyRequest to_request(const StudyForm& form)
{
    StudyRequest request{operator_of(form), {}, device_of(form), seed_of(form), form.rank};
    request.schedule =
        form.config.empty() ? request.op.default_schedule : parse_schedule(form.config);
    check_limits(loop_nest(request.op, request.schedule), request.device);
    request.device = with_registers(std::move(request.device), form.registers);
    return request;
}

bool is_study_file(const std::string& path)
{
    pugi::xml_document document;
    // A broken text still has the elements before its error.
    (void)document.load_file(path.c_str());
    return std::string_view(document.document_element().name()) == "study";
}

} // namespace texelscope::workbench::study
