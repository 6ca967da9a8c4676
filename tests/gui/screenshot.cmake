# cmake -DPROGRAM=texelscope-gui -DPICTURE=F.png -P screenshot.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE ${PICTURE})
execute_process(
    COMMAND ${PROGRAM} --no-settings --op matmul --shape 16,16,16 --device adreno-740 --set l1.capacity=2048
            --screenshot ${PICTURE}
    RESULT_VARIABLE code ERROR_VARIABLE error TIMEOUT 300)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "ended with ${code}: ${error}")
endif()
file(READ ${PICTURE} signature LIMIT 8 HEX)
if(NOT signature STREQUAL "89504e470d0a1a0a")
    message(FATAL_ERROR "${PICTURE} is no PNG file: ${signature}")
endif()
