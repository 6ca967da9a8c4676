#include "workbench/plots/png.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace texelscope::workbench::plots {

std::string to_png(const Picture& picture)
{
    if (picture.width <= 0 || picture.height <= 0 ||
        picture.pixels.size() !=
            static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height)) {
        throw bad_input(fmt::format("a picture of {}x{} with {} pixels cannot be written as PNG",
                                    picture.width, picture.height, picture.pixels.size()));
    }
    static_assert(sizeof(Rgb) == 3, "the PNG library takes the pixels as they lie");

    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGB;

    // An upper bound of the file's size, so that one pass is enough.
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0,
                                  nullptr) == 0) {
        const std::string reason = image.message;
        png_image_free(&image);
        // Out of memory is no fault of the picture.
        if (reason.find("memory") != std::string::npos) {
            throw std::bad_alloc();
        }
        throw bad_input(fmt::format("the PNG library cannot write the picture: {}", reason));
    }
    bytes.resize(size);
    return bytes;
}

} // namespace texelscope::workbench::plots
