# cmake -D INPUT=<file> -D OUTPUT=<file.cpp> -D HEADER=<header> -D NAME=<function> -P embed_text.cmake
# Writes the definition of texelscope::NAME(), which the header declares: the text of the file.
file(READ "${INPUT}" text)
if(text MATCHES "\\)text\"")
    message(FATAL_ERROR "${INPUT}: contains the end mark of the string that it is embedded in")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

std::string_view texelscope::${NAME}()
{
    return R\"text(${text})text\";
}
")
