# cmake -D HEADER=<header> -D FILES=<file;file> -D OUTPUT=<file.cpp> -P embed_text.cmake
# For each file NAME.EXT a function texelscope::devices::NAME_EXT() that returns its text, as the header declares it.
set(functions "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" name "${name}")
    file(READ "${file}" text)
    if(text MATCHES "\\)embedded\"")
        message(FATAL_ERROR "${file}: contains the end mark of the string that it is embedded in")
    endif()
    string(APPEND functions "
std::string_view ${name}()
{
    return R\"embedded(${text})embedded\";
}
")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace texelscope::devices {
${functions}
} // namespace texelscope::devices
")
