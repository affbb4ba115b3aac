# cmake -DOUTPUT=file -DFILES=a.json|b.json -P EmbedFiles.cmake
string(REPLACE "|" ";" files "${FILES}")
set(text "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"json(${content})json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
