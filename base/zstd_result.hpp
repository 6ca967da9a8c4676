#pragma once

#include "base/layers.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <memory>
#include <new>

namespace texelscope::base {

/// Checks a result of zstd and returns it. For an error, throws std::bad_alloc where zstd found no
/// memory, else `Failure` with zstd's message.
template <class Failure>
std::size_t checked_zstd(std::size_t result)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
        throw std::bad_alloc();
    }
    if (ZSTD_isError(result) != 0) {
        throw Failure(ZSTD_getErrorName(result));
    }
    return result;
}

/// Takes ownership of a zstd context. Throws std::bad_alloc where it is null: zstd returns null
/// where it finds no memory, and must not be given it.
template <class Context, class Free>
std::unique_ptr<Context, Free> zstd_context(Context* context, Free free)
{
    if (context == nullptr) {
        throw std::bad_alloc();
    }
    return {context, free};
}

} // namespace texelscope::base
