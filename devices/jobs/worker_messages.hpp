#pragma once

#include "base/layers.hpp"

#include <functional>
#include <optional>
#include <string>

namespace texelscope::devices {

/// A message between a process that runs jobs (the worker) and the one that watches it, over a
/// stream socket.
struct WorkerMessage {
    enum class Kind : char {
        job = 'j',      ///< to the worker; text: a job file of one job
        alive = 'a',    ///< text: milliseconds until the next message at most
        opened = 'o',   ///< text: the device, as write_device() writes it
        started = 's',  ///< the worker starts the next job
        finished = 'f', ///< text: the result, as result_record() writes it
        missing = 'm',  ///< text: an Error of that kind
        bad_input = 'b' ///< text: an Error of that kind
    };
    Kind kind = Kind::alive;
    std::string text;
};

/// Sends the whole message. False if the other side has closed the socket, or if `writable` gives
/// up: it waits until the socket takes more bytes and returns whether it does. Without `writable`
/// the call waits as long as it takes.
[[nodiscard]] bool send(int socket, const WorkerMessage& message,
                        const std::function<bool()>& writable = {});

/// Assembles messages from the pieces that a socket delivers.
class WorkerMessages {
public:
    void add(const char* bytes, std::size_t count);
    /// The next complete message; nothing if more bytes are needed.
    [[nodiscard]] std::optional<WorkerMessage> next();

private:
    std::string bytes_;
    std::size_t used_ = 0;
};

} // namespace texelscope::devices
