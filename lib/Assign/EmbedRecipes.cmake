# cmake -DOUTPUT=file -DRECIPES=a.json|b.json -P EmbedRecipes.cmake
string(REPLACE "|" ";" recipes "${RECIPES}")
set(text "")
foreach(recipe ${recipes})
  get_filename_component(name ${recipe} NAME_WE)
  file(READ ${recipe} content)
  string(APPEND text "{\"${name}\", R\"json(${content})json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
