//===- prec-bench.cpp - precision policies from measurements --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "ToolContext.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using namespace prec;

namespace {

struct MergeCommand {
  explicit MergeCommand(cl::OptionCategory &category) : category(category) {}

  cl::OptionCategory &category;
  MergeOptions options;
  cl::SubCommand command{"merge", "reports of benchmarks to one policy"};
  cl::list<std::string> reports{cl::Positional, cl::OneOrMore,
                                cl::desc("REPORT..."), cl::sub(command),
                                cl::cat(category)};
  cl::opt<std::string, true> output{
      "output",
      cl::desc("policy to write; the standard output by default"),
      cl::location(options.output),
      cl::init("-"),
      cl::sub(command),
      cl::cat(category)};
  cl::alias shortOutput{"o", cl::aliasopt(output)};
  cl::opt<PolicyVersion, true> version{
      "policy-version",
      cl::desc("format of the policy (1 by default)"),
      cl::values(clEnumValN(PolicyVersion::Thresholds, "1",
                            "thresholds of tokens, by module"),
                 clEnumValN(PolicyVersion::Times, "2",
                            "times, by contraction and module")),
      cl::location(options.version),
      cl::sub(command),
      cl::cat(category)};
  cl::opt<double, true> threshold{
      "speedup-threshold",
      cl::desc("speedup that FP8 must exceed to count (1.0 by default)"),
      cl::location(options.speedupThreshold),
      cl::init(1.0),
      cl::sub(command),
      cl::cat(category)};
  cl::opt<std::string, true> gpu{
      "gpu", cl::desc("machine to take, or that layer timings are of"),
      cl::location(options.gpu), cl::sub(command), cl::cat(category)};
  cl::opt<std::string, true> model{
      "model", cl::desc("only modules of this model"),
      cl::location(options.model), cl::sub(command), cl::cat(category)};
};

struct DiffCommand {
  explicit DiffCommand(cl::OptionCategory &category) : category(category) {}

  cl::OptionCategory &category;
  DiffOptions options;
  cl::SubCommand command{"diff", "what differs between two policies"};
  cl::opt<std::string, true> before{
      cl::Positional,     cl::Required,
      cl::desc("BEFORE"), cl::location(options.before),
      cl::sub(command),   cl::cat(category)};
  cl::opt<std::string, true> after{
      cl::Positional,    cl::Required,
      cl::desc("AFTER"), cl::location(options.after),
      cl::sub(command),  cl::cat(category)};
};

} // namespace

int prec_bench_main(int argc, char **argv, const ToolContext &) {
  llvm::InitLLVM initialize(argc, argv);
  constexpr int kTrouble = 2;
  cl::OptionCategory category("Options");
  MergeCommand merge(category);
  DiffCommand diff(category);
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &merge.command, &diff.command})
    cl::HideUnrelatedOptions(category, *command);
  // Given a stream, parsing leaves the exit code to us: 1 means a difference.
  if (!cl::ParseCommandLineOptions(
          argc, argv, "prec-bench: precision policies from measurements\n",
          &llvm::errs()))
    return kTrouble;
  if (merge.command) {
    merge.options.reports = merge.reports;
    return runMerge(merge.options);
  }
  if (diff.command)
    return runDiff(diff.options);
  llvm::errs() << "prec-bench: a command must be given: merge or diff\n";
  return kTrouble;
}
