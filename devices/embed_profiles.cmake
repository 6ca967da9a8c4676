# cmake -D PROFILES=<folder of *.xml, and of *.machines.json beside some of them> -D OUTPUT=<file.cpp> -P embed_profiles.cmake
# Writes the definition of texelscope::builtin_profiles(), so that a program needs no file beside it.
file(GLOB files "${PROFILES}/*.xml")
list(SORT files)

set(entries "")
foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" xml)
    if(xml MATCHES "\\)profile\"")
        message(FATAL_ERROR "${file}: contains the end mark of the string that it is embedded in")
    endif()
    set(machines "")
    if(EXISTS "${PROFILES}/${name}.machines.json")
        file(READ "${PROFILES}/${name}.machines.json" machines)
    endif()
    if(machines MATCHES "\\)profile\"")
        message(FATAL_ERROR "${name}.machines.json: contains the end mark of the string that it is embedded in")
    endif()
    string(APPEND entries "    {\"${name}\", R\"profile(${xml})profile\", R\"profile(${machines})profile\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"devices/profile/builtin_profiles.hpp\"

namespace texelscope::devices {
namespace {

constexpr BuiltinProfile profiles[] = {
${entries}};

} // namespace

std::span<const BuiltinProfile> builtin_profiles()
{
    return profiles;
}

} // namespace texelscope::devices
")
