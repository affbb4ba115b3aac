# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run_doc.sh DOCUMENT TOOL...: runs the commands of a document's blocks ```sh
# that begin with one of the tools. A difference is no failure.
document=$1
shift
names=
for tool in "$@"; do
  PATH=$(dirname "$tool"):$PATH
  names+=${names:+|}$(basename "$tool")
done
sed -n '/^```sh$/,/^```$/p' "$document" | grep -E "^($names) " | sed 's/ *#.*//' | while IFS= read -r command; do
  echo "\$ $command"
  bash -c "$command" || [[ $? = 1 && $command = *--diff-precision* ]]
done
