# cmake -DROOT=DIR -P check_layers.cmake
# Fails on an #include that points up the diagram
#
#     traces  <- sim <- model
#     traces  <- codegen
#     {traces, sim, model, codegen} <- devices <- experiments <- {cli, gui}
#     devices <- agent
#
# or that is not written from the project root, or that comes before a source file's own header (which shows that the
# header leans on no other one), and names file, line and rule. Tests, benchmarks and fuzzers may include everything.
cmake_minimum_required(VERSION 3.25)

set(layers traces sim model codegen devices agent experiments cli gui)
set(below_traces)
set(below_sim traces)
set(below_model traces sim)
set(below_codegen traces)
set(below_devices traces sim model codegen)
set(below_agent ${below_devices} devices)
set(below_experiments ${below_devices} devices)
set(below_cli ${below_experiments} experiments)
set(below_gui ${below_experiments} experiments)

if(NOT IS_DIRECTORY "${ROOT}")
    message(FATAL_ERROR "ROOT=${ROOT} is not a directory")
endif()

# Line number, from 1, of the first occurrence of `line` in `file`.
function(line_number file line result)
    file(READ "${file}" text)
    string(FIND "${text}" "${line}" position)
    string(SUBSTRING "${text}" 0 ${position} before)
    string(REGEX REPLACE "[^\n]" "" newlines "${before}")
    string(LENGTH "${newlines}" count)
    math(EXPR count "${count} + 1")
    set(${result} ${count} PARENT_SCOPE)
endfunction()

set(includes 0)
set(broken 0)
foreach(layer IN LISTS layers)
    list(JOIN below_${layer} ", " allowed)
    file(GLOB_RECURSE files RELATIVE "${ROOT}"
        "${ROOT}/${layer}/*.hpp" "${ROOT}/${layer}/*.cpp" "${ROOT}/${layer}/*.h" "${ROOT}/${layer}/*.inc")
    foreach(file IN LISTS files)
        file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
        string(REGEX REPLACE "\\.cpp$" ".hpp" own_header "${file}")
        set(first TRUE)
        foreach(line IN LISTS lines)
            math(EXPR includes "${includes} + 1")
            string(REGEX MATCH "include[ \t]*[<\"]([^>\"]*)" _ "${line}")
            set(header "${CMAKE_MATCH_1}")
            string(REGEX MATCH "^[^/]*" folder "${header}")
            set(rule "")
            get_filename_component(directory "${file}" DIRECTORY)
            if(folder STREQUAL ".." OR folder STREQUAL "." OR (NOT header MATCHES "/" AND EXISTS "${ROOT}/${directory}/${header}"))
                set(rule "headers are included from the project root (#include \"${layer}/...\")")
            elseif(folder IN_LIST layers AND NOT folder STREQUAL layer AND NOT folder IN_LIST below_${layer})
                if(allowed STREQUAL "")
                    set(rule "${layer} may include no other folder")
                else()
                    set(rule "${layer} may include ${allowed}, not ${folder}")
                endif()
            endif()
            if(rule STREQUAL "" AND first AND file MATCHES "\\.cpp$" AND NOT header STREQUAL own_header AND EXISTS "${ROOT}/${own_header}")
                set(rule "a source file includes its own header first (#include \"${own_header}\")")
            endif()
            if(NOT rule STREQUAL "")
                line_number("${ROOT}/${file}" "${line}" number)
                message(NOTICE "${file}:${number}: \"${header}\": ${rule}")
                math(EXPR broken "${broken} + 1")
            endif()
            set(first FALSE)
        endforeach()
    endforeach()
endforeach()

if(includes EQUAL 0)
    message(FATAL_ERROR "no #include was found below ${ROOT}")
endif()
if(broken GREATER 0)
    message(FATAL_ERROR "${broken} of ${includes} includes break a rule")
endif()
message(STATUS "${includes} includes keep the order of the layers, each source file's own header first")
