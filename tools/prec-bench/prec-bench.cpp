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

struct RunCommand {
  explicit RunCommand(cl::OptionCategory &category) : category(category) {}

  cl::OptionCategory &category;
  RunOptions options;
  cl::SubCommand command{"run", "measure the commands of a graph's steps"};
  cl::opt<std::string, true> graph{
      cl::Positional,         cl::Required,
      cl::desc("graph.mlir"), cl::location(options.graph),
      cl::sub(command),       cl::cat(category)};
  cl::list<std::string> recipes{
      "recipe", cl::desc("recipe beside bf16; may be given for several"),
      cl::sub(command), cl::cat(category)};
  cl::opt<std::string, true> target{
      "target", cl::desc("cpu (the default), or this machine's GPU, as sm_90a"),
      cl::location(options.target), cl::sub(command), cl::cat(category)};
  cl::opt<std::string, true> output{
      "output", cl::desc("report to write (report.json)"),
      cl::location(options.output), cl::sub(command), cl::cat(category)};
  cl::alias shortOutput{"o", cl::aliasopt(output)};
  cl::opt<std::string, true> module{
      "module", cl::desc("where the bench module stays, to be measured again"),
      cl::location(options.module), cl::sub(command), cl::cat(category)};
  cl::opt<std::string, true> assign{
      "assign", cl::desc("options of --assign-precision, for every recipe"),
      cl::location(options.assign), cl::sub(command), cl::cat(category)};
  cl::opt<std::string, true> ptxas{
      "ptxas", cl::desc("assembler of PTX; searched for by default"),
      cl::location(options.ptxas), cl::sub(command), cl::cat(category)};
  cl::list<std::string> cudaLibraries{"cuda-libraries",
                                      cl::desc("folders of cuBLASLt and cuDNN"),
                                      cl::sub(command), cl::cat(category)};
  cl::opt<double, true> budget{"budget",
                               cl::desc("seconds of measuring (60)"),
                               cl::location(options.budget),
                               cl::init(60),
                               cl::sub(command),
                               cl::cat(category)};
  cl::opt<double, true> interval{
      "interval",
      cl::desc("share of a median that its interval may have (0.01)"),
      cl::location(options.interval),
      cl::init(0.01),
      cl::sub(command),
      cl::cat(category)};
  cl::opt<unsigned, true> threads{
      "threads", cl::desc("threads of the CPU (all)"),
      cl::location(options.threads), cl::sub(command), cl::cat(category)};
  cl::opt<bool, true> resume{"resume", cl::desc("go on with the report"),
                             cl::location(options.resume), cl::sub(command),
                             cl::cat(category)};
};

} // namespace

int prec_bench_main(int argc, char **argv, const ToolContext &) {
  llvm::InitLLVM initialize(argc, argv);
  constexpr int kTrouble = 2;
  cl::OptionCategory category("Options");
  MergeCommand merge(category);
  DiffCommand diff(category);
  RunCommand run(category);
  for (cl::SubCommand *command : {&cl::SubCommand::getTopLevel(),
                                  &merge.command, &diff.command, &run.command})
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
  if (run.command) {
    run.options.recipes = run.recipes;
    run.options.cudaLibraries = run.cudaLibraries;
    return runRun(run.options, argv[0]);
  }
  llvm::errs() << "prec-bench: a command must be given: run, merge or diff\n";
  return kTrouble;
}
