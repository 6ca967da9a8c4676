# cmake -DSCRATCH=DIR -P check_layers_test.cmake
# Plants small trees below SCRATCH and looks at what check_layers.cmake says about them.
cmake_minimum_required(VERSION 3.25)

# expect(NAME pass|FAIL-TEXT... FILES path content ...): a tree of these files passes, or fails with all of these texts.
function(expect name)
    cmake_parse_arguments(arg "PASS" "" "SAYS;FILES" ${ARGN})
    set(root "${SCRATCH}/${name}")
    file(REMOVE_RECURSE "${root}")
    while(arg_FILES)
        list(POP_FRONT arg_FILES path content)
        file(WRITE "${root}/${path}" "${content}")
    endwhile()
    execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${root} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(arg_PASS AND NOT result EQUAL 0)
        message(FATAL_ERROR "${name}: should pass, but:\n${output}")
    elseif(NOT arg_PASS AND result EQUAL 0)
        message(FATAL_ERROR "${name}: should fail, but:\n${output}")
    endif()
    foreach(text IN LISTS arg_SAYS)
        string(FIND "${output}" "${text}" position)
        if(position EQUAL -1)
            message(FATAL_ERROR "${name}: does not say \"${text}\":\n${output}")
        endif()
    endforeach()
    file(REMOVE_RECURSE "${root}")
endfunction()

expect(downward PASS SAYS "4 includes" FILES
    traces/a.hpp "#pragma once\n#include <vector>\n"
    sim/b.cpp "#include \"traces/a.hpp\"\n"
    cli/c.cpp "#include \"workbench/study/study.hpp\"\n"
    tests/cli/d.cpp "#include \"cli/c.hpp\"\n"
    gui/shell/d.cpp "#include \"gui/widgets/model.hpp\"\n")
expect(parts PASS SAYS "2 includes" FILES
    sim/layout/a.hpp "#pragma once\n"
    sim/cache/b.cpp "#include \"sim/layout/a.hpp\"\n"
    sim/c.cpp "#include \"sim/cache/b.hpp\"\n")
expect(parts_upward SAYS "sim/layout/a.cpp:1: \"sim/cache/b.hpp\": sim/layout may include only the parts before it"
    "sim/cache/b.cpp:1: \"sim/c.hpp\"" "2 of 2 includes" FILES
    sim/layout/a.cpp "#include \"sim/cache/b.hpp\"\n"
    sim/cache/b.cpp "#include \"sim/c.hpp\"\n")
expect(part_sees_less SAYS "workbench/study/a.cpp:1: \"networks/a.hpp\": workbench/study may include base"
    "workbench/plots/a.cpp:1: \"codegen/a.hpp\": workbench/plots may include base, traces, sim, not codegen"
    "2 of 3 includes" FILES
    workbench/study/a.cpp "#include \"networks/a.hpp\"\n"
    workbench/plots/a.cpp "#include \"codegen/a.hpp\"\n"
    workbench/network_studies/a.cpp "#include \"networks/a.hpp\"\n")
expect(parts_unknown SAYS "a part of experiments is missing in the order of its parts" FILES
    experiments/new/a.cpp "#include \"experiments/shared/b.hpp\"\n")
expect(upward SAYS "traces/deep/a.hpp:3: \"sim/b.hpp\": traces may include base, not sim" "1 of 2 includes" FILES
    traces/deep/a.hpp "#pragma once\n#include <vector>\n  # include \"sim/b.hpp\" // why\n")
expect(angle_brackets SAYS "sim/b.cpp:1: \"devices/c.hpp\": sim may include base, traces, not devices" FILES
    sim/b.cpp "#include <devices/c.hpp>\n")
expect(lowest SAYS "base/a.cpp:1: \"traces/b.hpp\": base may include no other folder" FILES
    base/a.cpp "#include \"traces/b.hpp\"\n")
expect(siblings SAYS "codegen/a.cpp:1" "sim/b.cpp:2" "gui/c.cpp:1" "3 of 4 includes" FILES
    codegen/a.cpp "#include \"sim/b.hpp\"\n"
    sim/b.cpp "#include \"traces/a.hpp\"\n#include \"codegen/a.hpp\"\n"
    gui/c.cpp "#include \"cli/c.hpp\"\n")
expect(relative SAYS "sim/b.cpp:1: \"../traces/a.hpp\": headers are included from the project root" "sim/b.cpp:2" FILES
    sim/c.hpp "#pragma once\n"
    sim/b.cpp "#include \"../traces/a.hpp\"\n#include \"c.hpp\"\n")
expect(own_header_first PASS SAYS "4 includes" FILES
    sim/a.hpp "#pragma once\n"
    sim/a.cpp "#include \"sim/a.hpp\"\n#include <vector>\n"
    sim/b.cpp "#include <vector>\n#include \"sim/a.hpp\"\n")
expect(own_header_late SAYS "model/walks/a.cpp:2: \"vector\": a source file includes its own header first (#include \"model/walks/a.hpp\")"
    "1 of 2 includes" FILES
    model/walks/a.hpp "#pragma once\n"
    model/walks/a.cpp "// what it is\n#include <vector>\n#include \"model/walks/a.hpp\"\n")
expect(nothing SAYS "no #include was found" FILES README "")
message(STATUS "check_layers.cmake tells good trees from bad ones")
