# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run_doc.sh DOCUMENT TOOL: runs the commands of a document's blocks ```sh. A
# difference is no failure.
PATH=$(dirname "$2"):$PATH
sed -n '/^```sh$/,/^```$/p' "$1" | grep '^prec-opt ' | sed 's/ *#.*//' | while IFS= read -r command; do
  echo "\$ $command"
  bash -c "$command" || [[ $? = 1 && $command = *--diff-precision* ]]
done
