# cmake -DROOT=DIR -P check_layers.cmake
# Fails on an #include that points up the diagram
#
#     base <- traces <- sim <- model
#             traces <- codegen
#     {sim, model, codegen} <- devices <- workbench <- experiments <- {cli, gui, python}
#                              devices <- networks <- workbench
#                              devices <- agent
#
# or up the order of a folder's own parts (below), or that leaves the few folders that a part may see,
# or that is not written from the project root, or that comes before a source file's own header (which
# shows that the header leans on no other one), and names file, line and rule. Tests, benchmarks and
# fuzzers may include everything.
cmake_minimum_required(VERSION 3.25)

set(layers base traces sim model codegen devices networks agent workbench experiments cli gui python)
set(below_base)
set(below_traces base)
set(below_sim base traces)
set(below_model base traces sim)
set(below_codegen base traces)
set(below_devices base traces sim model codegen)
set(below_networks ${below_devices} devices)
set(below_agent ${below_devices} devices)
set(below_workbench ${below_devices} devices networks)
set(below_experiments ${below_workbench} workbench)
set(below_cli ${below_experiments} experiments)
set(below_gui ${below_experiments} experiments)
set(below_python ${below_experiments} experiments)

# What a part may see of other folders, where that is less than its folder may.
set(below_workbench_plots base traces sim)
foreach(part space kernel_logs study store machines tuning probes report explain phones)
    set(below_workbench_${part} ${below_devices} devices)
endforeach()

# The parts of a folder, each of which may include those before it; "." is what lies in the folder
# itself. A folder that is not named here is one part.
set(parts_traces index . native capture formats)
set(parts_sim layout cache options result schedule memory repetition reuse timed observers .)
set(parts_model curves statistics bottleneck walks tmmodel identification)
set(parts_codegen nest passes lowering operators text)
set(parts_devices profile compilers registers launch jobs opencl runners kernels targets)
set(parts_networks graph operators onnx models passes training lowering plan execution)
set(parts_workbench plots space kernel_logs study store machines tuning probes report explain phones network_studies)
set(parts_experiments shared search tmmodel romou work_groups training judges phones .)
set(parts_gui widgets study store heat_map plots tour start device kernel ranking cross_check choice network figures probes identification shell)

if(NOT IS_DIRECTORY "${ROOT}")
    message(FATAL_ERROR "ROOT=${ROOT} is not a directory")
endif()

# The part of its folder that a file belongs to.
function(part_of file result)
    string(REGEX MATCH "^[^/]*/([^/]*)/" _ "${file}")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    if("${CMAKE_MATCH_1}" STREQUAL "")
        set(${result} "." PARENT_SCOPE)
    endif()
endfunction()

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
    file(GLOB_RECURSE files RELATIVE "${ROOT}"
        "${ROOT}/${layer}/*.hpp" "${ROOT}/${layer}/*.cpp" "${ROOT}/${layer}/*.h" "${ROOT}/${layer}/*.inc")
    foreach(file IN LISTS files)
        file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
        string(REGEX REPLACE "\\.cpp$" ".hpp" own_header "${file}")
        part_of("${file}" part)
        set(whose ${layer})
        set(below ${below_${layer}})
        if(DEFINED below_${layer}_${part})
            set(whose ${layer}/${part})
            set(below ${below_${layer}_${part}})
        endif()
        list(JOIN below ", " allowed)
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
            elseif(folder IN_LIST layers AND NOT folder STREQUAL layer AND NOT folder IN_LIST below)
                if(allowed STREQUAL "")
                    set(rule "${whose} may include no other folder")
                else()
                    set(rule "${whose} may include ${allowed}, not ${folder}")
                endif()
            elseif(folder STREQUAL layer AND DEFINED parts_${layer})
                part_of("${header}" other)
                list(FIND parts_${layer} "${part}" place)
                list(FIND parts_${layer} "${other}" other_place)
                if(place LESS 0 OR other_place LESS 0)
                    set(rule "a part of ${layer} is missing in the order of its parts (tests/layers/check_layers.cmake)")
                elseif(other_place GREATER place)
                    list(JOIN parts_${layer} " " order)
                    set(rule "${layer}/${part} may include only the parts before it: ${order}")
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
