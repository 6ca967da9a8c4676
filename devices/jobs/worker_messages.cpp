// A message is one byte for its kind, eight bytes for the number of bytes of its text in the
// machine's own order (both ends are on this machine), then the text.

#include "devices/jobs/worker_messages.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace texelscope::devices {
namespace {

constexpr std::size_t head_bytes = 1 + sizeof(std::uint64_t);

bool send_all(int socket, const char* bytes, std::size_t count,
              const std::function<bool()>& writable)
{
    while (count > 0) {
        if (writable && !writable()) {
            return false;
        }
        const ssize_t sent =
            ::send(socket, bytes, count, MSG_NOSIGNAL | (writable ? MSG_DONTWAIT : 0));
        if (sent < 0 && errno != EINTR && errno != EAGAIN) {
            return false;
        }
        bytes += sent < 0 ? 0 : sent;
        count -= sent < 0 ? 0 : static_cast<std::size_t>(sent);
    }
    return true;
}

} // namespace

bool send(int socket, const WorkerMessage& message, const std::function<bool()>& writable)
{
    char head[head_bytes] = {static_cast<char>(message.kind)};
    const std::uint64_t count = message.text.size();
    std::memcpy(head + 1, &count, sizeof count);
    return send_all(socket, head, sizeof head, writable) &&
           send_all(socket, message.text.data(), message.text.size(), writable);
}

void WorkerMessages::add(const char* bytes, std::size_t count)
{
    // Bytes of messages that were handed out are removed only here, once for many messages.
    if (used_ > 0) {
        bytes_.erase(0, used_);
        used_ = 0;
    }
    bytes_.append(bytes, count);
}

std::optional<WorkerMessage> WorkerMessages::next()
{
    if (bytes_.size() - used_ < head_bytes) {
        return std::nullopt;
    }
    std::uint64_t count = 0;
    std::memcpy(&count, bytes_.data() + used_ + 1, sizeof count);
    if (bytes_.size() - used_ - head_bytes < count) {
        return std::nullopt;
    }
    WorkerMessage message;
    message.kind = static_cast<WorkerMessage::Kind>(bytes_[used_]);
    message.text = bytes_.substr(used_ + head_bytes, count);
    used_ += head_bytes + count;
    return message;
}

} // namespace texelscope::devices
