#include "devices/jobs/device_listing.hpp"

#include "devices/jobs/conditions.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <istream>
#include <ostream>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::int64_t listing_version = 1;

void write_texts(RecordText& record, const std::string& key, const std::vector<std::string>& texts)
{
    record.line(key, {static_cast<std::int64_t>(texts.size())});
    for (const std::string& text : texts) {
        record.block("text", text);
    }
}

std::vector<std::string> read_texts(RecordReader& reader, const std::string& key)
{
    std::vector<std::string> texts;
    // No room is made beforehand: the count may be anything.
    for (std::int64_t left = reader.number(key, 0, largest_number); left > 0; --left) {
        texts.push_back(reader.block("text"));
    }
    return texts;
}

} // namespace

void write_listing(std::ostream& out, const DeviceListing& listing)
{
    RecordText head;
    head.line("texelscope-devices", {listing_version});
    head.line("devices", {static_cast<std::int64_t>(listing.devices.size())});
    head.block("library", listing.library);
    write_conditions(head, "now", listing.now);
    out << std::move(head).finished();
    for (const ListedDevice& device : listing.devices) {
        RecordText record;
        write_device(record, device.info);
        record.line("read_images", {device.read_images});
        write_texts(record, "extensions", device.extensions);
        write_texts(record, "formats", device.formats);
        record.block("no_formats", device.no_formats);
        out << std::move(record).finished();
    }
}

DeviceListing read_listing(std::istream& in, const std::string& where)
{
    RecordReader reader(in, where);
    DeviceListing listing;
    (void)reader.number("texelscope-devices", listing_version, listing_version);
    const std::int64_t count = reader.number("devices", 0, largest_number);
    listing.library = reader.block("library");
    listing.now = read_conditions(reader, "now");
    reader.end();
    for (std::int64_t i = 0; i < count; ++i) {
        ListedDevice device;
        device.info = read_device(reader);
        device.read_images = reader.number("read_images", 0, largest_number);
        device.extensions = read_texts(reader, "extensions");
        device.formats = read_texts(reader, "formats");
        device.no_formats = reader.block("no_formats");
        reader.end();
        listing.devices.push_back(std::move(device));
    }
    if (!reader.at_end()) {
        reader.fail("something follows the last device");
    }
    return listing;
}

} // namespace texelscope::devices
