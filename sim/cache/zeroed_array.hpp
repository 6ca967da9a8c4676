#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace texelscope::sim {

/// A fixed array of zeros. The operating system hands out the pages as they are touched, so a large array that is
/// hardly used costs hardly anything.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivial_v<T>);

public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size) : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size)
    {
        if (data_ == nullptr && size > 0) {
            throw std::bad_alloc();
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T* data() { return data_.get(); }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

} // namespace texelscope::sim
