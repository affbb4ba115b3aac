# cmake -DOUTPUT=file -DFILES=a.js|b.css -P EmbedPage.cmake
string(REPLACE "|" ";" files "${FILES}")
set(text "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"page(${content})page\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
