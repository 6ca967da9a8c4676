#pragma once

#include "base/layers.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <memory>
#include <new>

namespace texelscope::base {

/// What zstd has answered. Throws std::bad_alloc where it found no memory, else `Failure` with its
/// words.
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

/// A context that is there: zstd gives none where it finds no memory, and takes none.
template <class Context, class Free>
std::unique_ptr<Context, Free> zstd_context(Context* context, Free free)
{
    if (context == nullptr) {
        throw std::bad_alloc();
    }
    return {context, free};
}

} // namespace texelscope::base
