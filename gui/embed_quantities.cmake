# cmake -D TEXT=<quantities.md> -D OUTPUT=<file.cpp> -P embed_quantities.cmake
# Writes the definition of texelscope::quantities_markdown(), so that the program needs no file beside it.
file(READ "${TEXT}" text)
if(text MATCHES "\\)quantities\"")
    message(FATAL_ERROR "${TEXT}: contains the end mark of the string that it is embedded in")
endif()
file(WRITE "${OUTPUT}" "#include \"gui/study/quantities.hpp\"

namespace texelscope::gui {

std::string_view quantities_markdown()
{
    return R\"quantities(${text})quantities\";
}

} // namespace texelscope::gui
")
