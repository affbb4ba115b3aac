//===- Weights.cpp - the start weights of a run ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Weights.h"

#include "Checkpoint.h"

#include <cstdio>

using namespace prec::rt;
using namespace prec::run;

static Status load(Session &session, const std::string &path, bool speaks) {
  Result<int64_t> rounded = loadWeights(session, path);
  if (!rounded.ok())
    return rounded.status();
  if (*rounded && speaks)
    fprintf(stderr,
            "prec-run: note: %lld tensors of %s are rounded to masters that "
            "are narrower\n",
            static_cast<long long>(*rounded), path.c_str());
  return {};
}

Status prec::run::setWeights(Session &session, const Options &options,
                             DataPlace &data) {
  if (!options.resume.empty()) {
    Result<LoadedCheckpoint> loaded =
        loadCheckpoint(session, options.resume, options.weights);
    if (!loaded.ok())
      return loaded.status();
    data = loaded->data;
    if (options.speaks())
      for (const std::string &note : loaded->notes(options.resume))
        fprintf(stderr, "prec-run: note: %s\n", note.c_str());
    return {};
  }
  if (options.random)
    return session.initializeRandom(options.seed, options.stddev);
  if (!options.weights.empty())
    return load(session, options.weights, options.speaks());
  return Status::invalidArgument(
      "start weights must be given with --weights, --init "
      "random or --resume, but are not");
}
