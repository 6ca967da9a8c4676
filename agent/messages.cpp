#include "agent/messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace texelscope::agent {
namespace {

constexpr std::size_t head_bytes = 1 + sizeof(std::uint64_t);

void write_all(int pipe, const char* bytes, std::size_t count)
{
    while (count > 0) {
        const ssize_t written = write(pipe, bytes, count);
        if (written < 0 && errno != EINTR) {
            _exit(1);
        }
        bytes += written < 0 ? 0 : written;
        count -= written < 0 ? 0 : static_cast<std::size_t>(written);
    }
}

} // namespace

void send(int pipe, Message::Kind kind, const std::string& text)
{
    char head[head_bytes] = {static_cast<char>(kind)};
    const std::uint64_t count = text.size();
    std::memcpy(head + 1, &count, sizeof count);
    write_all(pipe, head, sizeof head);
    write_all(pipe, text.data(), text.size());
}

void MessageBuffer::add(const char* bytes, std::size_t count)
{
    if (used_ > 0) {
        bytes_.erase(0, used_);
        used_ = 0;
    }
    bytes_.append(bytes, count);
}

std::optional<Message> MessageBuffer::next()
{
    if (bytes_.size() - used_ < head_bytes) {
        return std::nullopt;
    }
    std::uint64_t count = 0;
    std::memcpy(&count, bytes_.data() + used_ + 1, sizeof count);
    if (bytes_.size() - used_ - head_bytes < count) {
        return std::nullopt;
    }
    Message message;
    message.kind = static_cast<Message::Kind>(bytes_[used_]);
    message.text = bytes_.substr(used_ + head_bytes, count);
    used_ += head_bytes + count;
    return message;
}

} // namespace texelscope::agent
