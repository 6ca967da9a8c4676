#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "devices/profile/device_profile.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <initializer_list>
#include <new>
#include <sstream>
#include <string_view>

namespace texelscope::devices {
namespace {

bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Without white space at the ends, and with one blank for each run inside: texts may be wrapped in
/// the file.
std::string collapse(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (!is_space(c)) {
            result += c;
        } else if (!result.empty() && result.back() != ' ') {
            result += ' ';
        }
    }
    if (!result.empty() && result.back() == ' ') {
        result.pop_back();
    }
    return result;
}

/// One profile text on its way to a DeviceProfile: knows the line of each element.
class ProfileReader {
public:
    ProfileReader(const std::string& xml, const std::string& path) : xml_(xml), path_(path) {}

    [[nodiscard]] DeviceProfile read() const
    {
        pugi::xml_document document;
        // As a fragment, so that text beside the root element is kept and can be refused.
        const auto parsed =
            document.load_buffer(xml_.data(), xml_.size(),
                                 pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
        if (parsed.status == pugi::status_out_of_memory) {
            throw std::bad_alloc();
        }
        if (!parsed) {
            throw bad_input(fmt::format("malformed XML: {}", parsed.description()),
                            where(parsed.offset), "the schema is in devices/profiles/README.md");
        }
        return read_device(root_of(document));
    }

private:
    [[nodiscard]] std::string where(std::ptrdiff_t offset) const
    {
        const auto end = xml_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(xml_));
        return fmt::format("{}:{}", path_, 1 + std::count(xml_.begin(), end, '\n'));
    }
    /// Line of an element's tag, or of a text's first character that is no white space.
    [[nodiscard]] std::string where(const pugi::xml_node& node) const
    {
        const std::ptrdiff_t offset = node.offset_debug();
        const auto begin = xml_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(xml_));
        return where(std::find_if_not(begin, xml_.end(), is_space) - xml_.begin());
    }

    [[nodiscard]] pugi::xml_node root_of(const pugi::xml_document& document) const
    {
        pugi::xml_node root;
        for (const pugi::xml_node child : document.children()) {
            const bool first_element = child.type() == pugi::node_element && !root;
            if (!first_element || std::string_view{child.name()} != "device") {
                throw bad_input("a profile is one element <device> and nothing beside it",
                                where(child), "the schema is in devices/profiles/README.md");
            }
            root = child;
        }
        if (!root) {
            throw bad_input("there is no element <device>", where(0),
                            "the schema is in devices/profiles/README.md");
        }
        return root;
    }

    [[nodiscard]] DeviceProfile read_device(const pugi::xml_node& device) const
    {
        check_attributes(device, {"name", "of"});
        DeviceProfile profile;
        profile.name = attribute(device, "name");
        if (profile.name.empty()) {
            throw bad_input("<device> has no name", where(device), "write <device name=\"...\">");
        }
        profile.of = attribute(device, "of");
        bool described = false;
        for (const pugi::xml_node child : device.children()) {
            const std::string_view name = child.type() == pugi::node_element ? child.name() : "";
            if (name == "value") {
                read_value(profile, child);
            } else if (name == "description" && !described) {
                check_attributes(child, {});
                profile.description = text_of(child);
                described = true;
            } else {
                throw bad_input(
                    name.empty() ? fmt::format("text \"{}\" in <device>", collapse(child.value()))
                                 : fmt::format("<{}> does not belong here", name),
                    where(child), "<device> holds one <description>, then <value>s");
            }
        }
        try {
            validate(profile.simulation);
            validate(profile.model);
        } catch (const Error& error) {
            throw bad_input(error.what(), where(device));
        }
        return profile;
    }

    void read_value(DeviceProfile& profile, const pugi::xml_node& node) const
    {
        check_attributes(node, {"key", "unit", "from", "source"});
        const std::string key = attribute(node, "key");
        if (key.empty()) {
            throw bad_input("<value> has no key", where(node), "write <value key=\"...\">");
        }
        if (profile.values.contains(key)) {
            throw bad_input(fmt::format("{} is given twice", key), where(node), "keep one of them");
        }
        if (attribute(node, "from").empty()) {
            throw bad_input(fmt::format("{} does not say where it is from", key), where(node),
                            "write from=\"measured\", \"assumed\" or the like");
        }
        try {
            set_value(profile, key,
                      {.text = text_of(node),
                       .unit = attribute(node, "unit"),
                       .provenance = parse_provenance(attribute(node, "from")),
                       .source = attribute(node, "source")});
        } catch (const Error& error) {
            throw bad_input(error.what(), where(node));
        }
    }

    [[nodiscard]] static std::string attribute(const pugi::xml_node& node, const char* name)
    {
        return collapse(node.attribute(name).value());
    }

    void check_attributes(const pugi::xml_node& node,
                          std::initializer_list<std::string_view> allowed) const
    {
        std::vector<std::string_view> seen;
        for (const pugi::xml_attribute given : node.attributes()) {
            const std::string_view name = given.name();
            if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
                throw bad_input(fmt::format("<{}> has no attribute \"{}\"", node.name(), name),
                                where(node), "the schema is in devices/profiles/README.md");
            }
            if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
                throw bad_input(fmt::format("attribute \"{}\" is given twice", name), where(node),
                                "keep one of them");
            }
            seen.push_back(name);
        }
    }

    [[nodiscard]] std::string text_of(const pugi::xml_node& node) const
    {
        std::string text;
        for (const pugi::xml_node child : node.children()) {
            if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata) {
                throw bad_input(fmt::format("<{}> holds text alone", node.name()), where(child),
                                fmt::format("take <{}> out", child.name()));
            }
            text += child.value();
        }
        return collapse(text);
    }

    const std::string& xml_;
    const std::string& path_;
};

} // namespace

DeviceProfile parse_profile(const std::string& xml, const std::string& path)
{
    return ProfileReader(xml, path).read();
}

DeviceProfile read_profile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string xml = file ? rest_of(file, path) : std::string();
    if (xml.empty()) {
        throw bad_input("the device profile cannot be read or is empty", path, "check the path");
    }
    return parse_profile(xml, path);
}

std::string to_xml(const DeviceProfile& profile)
{
    pugi::xml_document document;
    pugi::xml_node device = document.append_child("device");
    device.append_attribute("name") = profile.name.c_str();
    if (!profile.of.empty()) {
        device.append_attribute("of") = profile.of.c_str();
    }
    if (!profile.description.empty()) {
        device.append_child("description").text() = profile.description.c_str();
    }
    for (const Setting& setting : profile_keys(profile)) {
        const auto found = profile.values.find(setting.key);
        if (found == profile.values.end()) {
            continue;
        }
        const ProfileValue& value = found->second;
        pugi::xml_node node = device.append_child("value");
        node.append_attribute("key") = setting.key.c_str();
        if (!value.unit.empty()) {
            node.append_attribute("unit") = value.unit.c_str();
        }
        node.append_attribute("from") = to_string(value.provenance).c_str();
        node.append_attribute("source") = value.source.c_str();
        node.text() = value.text.c_str();
    }
    std::ostringstream text;
    document.save(text, "    ", pugi::format_indent | pugi::format_no_declaration);
    return text.str();
}

} // namespace texelscope::devices
