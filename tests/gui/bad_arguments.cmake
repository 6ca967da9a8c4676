# cmake -DPROGRAM=texelscope-gui -P bad_arguments.cmake
# Bad arguments end the program with 2 and one line on stderr, before there is a window.
cmake_minimum_required(VERSION 3.25)

function(refuses expected)
    execute_process(COMMAND ${PROGRAM} --no-settings ${ARGN}
        RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE error TIMEOUT 60)
    if(NOT code EQUAL 2)
        message(FATAL_ERROR "${ARGN}: ended with ${code}, not 2")
    endif()
    if(NOT out STREQUAL "")
        message(FATAL_ERROR "${ARGN}: wrote to stdout: ${out}")
    endif()
    if(NOT error MATCHES "^texelscope-gui: [^\n]*${expected}[^\n]*\n$")
        message(FATAL_ERROR "${ARGN}: not one line with '${expected}': ${error}")
    endif()
endfunction()

refuses("bogus" --bogus)
refuses("shape" --shape)
refuses("stray" stray)
refuses("nonsense" --op nonsense --shape 1,2,3)
refuses("block3" --config "A=block3,row\;T=4x4\;W=8x8\;G=8x8x1")
refuses("no-such-device" --device no-such-device)
refuses("no.such.key" --set no.such.key=1)
refuses("many" --seed many)
