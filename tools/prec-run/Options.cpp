//===- Options.cpp - the command line of prec-run -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and reads the command line of prec-run. Every option is declared
// once, with the check of its value and the options that it excludes. An option
// that does not exist is answered with the nearest one that does, by
// Levenshtein's distance, if it differs in at most a third of its characters.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "prec-rt/version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

using namespace prec::run;

/// NaN passes ranges.
static std::string readRate(const std::string &text, BaseRates &rates) {
  size_t equals = text.find('=');
  std::string number =
      equals == std::string::npos ? text : text.substr(equals + 1);
  double rate = 0;
  if (!CLI::detail::lexical_cast(number, rate) || std::isnan(rate) ||
      rate < 0 || rate > 1e6)
    return "a learning rate must lie in [0, 1e6], but got " + number;
  bool isNew = equals == std::string::npos
                   ? !std::exchange(rates.all, rate).has_value()
                   : rates.ofGroup.emplace(text.substr(0, equals), rate).second;
  if (!isNew)
    return "a learning rate must be given once for a group, but got " + text +
           " as another";
  return {};
}

static std::string isDeviation(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= 3e38)
    return {};
  return "a standard deviation must lie in (0, 3e38], but got " + text;
}

static std::string isCount(const std::string &text) {
  int64_t value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= 0)
    return {};
  return "a count must be a number and not negative, but got " + text;
}

/// "STEP:MODULE".
static std::string readSwitch(const std::string &text, Options &options) {
  size_t colon = text.find(':');
  std::string step = text.substr(0, colon);
  int64_t first = 0;
  if (colon == std::string::npos || colon + 1 == text.size() ||
      !CLI::detail::lexical_cast(step, first) || first < 1)
    return "a switch must be STEP:MODULE with a step from 1 on, but got " +
           text;
  if (!options.switches.emplace(first, text.substr(colon + 1)).second)
    return "switches must have steps of their own, but got " + step + " twice";
  return {};
}

/// "N" or "NAME=N".
static std::string readShift(const std::string &text, LabelShifts &shifts) {
  size_t equals = text.rfind('=');
  std::string number =
      equals == std::string::npos ? text : text.substr(equals + 1);
  int64_t shift = 0;
  if (equals == 0 || !CLI::detail::lexical_cast(number, shift) || shift < 0 ||
      shift > 1 << 20)
    return "a shift must be N or NAME=N with a number of tokens in [0, 2^20], "
           "but got " +
           text;
  if (equals == std::string::npos)
    shifts.ofLabels = shift;
  else
    shifts.named[text.substr(0, equals)] = shift;
  return {};
}

static std::string isDecibels(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= -1000 && value <= 1000)
    return {};
  return "a ratio must lie in [-1000, 1000] dB, but got " + text;
}

static std::string isTemperature(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e6)
    return {};
  return "a temperature must lie in [0, 1e6], but got " + text;
}

static void declareOptions(CLI::App &app, Options &options, std::string &init,
                           std::string &schedule) {
  app.add_option("module", options.module, "step module (step.so)")->required();
  auto *weights = app.add_option(
      "--weights", options.weights,
      "start weights, a safetensors file; with the optimizer's states in it, "
      "training goes on at the step of these; with --resume, frozen ones that "
      "the "
      "checkpoint does not hold as the module reads them");
  auto *random = app.add_option("--init", init, "start weights: random")
                     ->check(CLI::IsMember({"random"}));
  app.add_option("--seed", options.seed,
                 "of --init random, and of --temperature");
  app.add_option("--stddev", options.stddev, "of --init random")
      ->check(isDeviation);
  auto *resume =
      app.add_option("--resume", options.resume,
                     "continue from a folder that --save wrote, or from "
                     "an index in it");
  weights->excludes(random);
  random->excludes(resume);

  auto *tokens =
      app.add_option("--tokens", options.tokens,
                     "training text: a file of uint16 token ids, a .npy of "
                     "uint16 or uint32, or a pattern of files in quotes; may "
                     "be given for several")
          ->allow_extra_args(false);
  app.add_option("--eval-tokens", options.evalTokens,
                 "held-out text, in the same form")
      ->allow_extra_args(false);
  app.add_option("--shuffle", options.shuffle,
                 "SEED: read the windows of --tokens, each as long as a row of "
                 "a batch, in an order of every epoch's own, as "
                 "prec.TokenDataset does (default: the order of the files)")
      ->needs(tokens);
  app.add_option_function<std::vector<std::string>>(
         "--label-shift",
         [&options](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string error = readShift(text, options.labelShifts);
                 !error.empty())
               throw CLI::ValidationError(error);
         },
         "N or NAME=N: how many tokens labels, or the input NAME, are ahead of "
         "the other inputs; may be given for several (default: as the module "
         "says)")
      ->allow_extra_args(false);
  app.add_flag("--u32", options.wideTokens, "token files hold uint32");
  app.add_option("--steps", options.steps,
                 "train until this many steps are done, those before --resume "
                 "included")
      ->check(isCount);
  app.add_option("--micro-batches", options.microBatches,
                 "batches of a step, whose gradients are averaged, weighted by "
                 "their labels that count; more than one needs a module "
                 "compiled with --accumulate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--eval-every", options.evalEvery,
                 "held-out loss every K steps (default: at start and end)")
      ->check(CLI::PositiveNumber);
  app.add_option("--eval-batches", options.evalBatches,
                 "batches of a held-out loss")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option_function<std::vector<std::string>>(
         "--lr",
         [&options](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string error = readRate(text, options.rates);
                 !error.empty())
               throw CLI::ValidationError("--lr", error);
         },
         "RATE of every parameter group, or GROUP=RATE of one, counted from 0; "
         "may be given for several (default: the module's)")
      ->allow_extra_args(false);
  app.add_option("--lr-schedule", schedule,
                 "constant, cosine to zero at the last step, or wsd: constant "
                 "and then linear to zero over the last --decay steps")
      ->check(CLI::IsMember({"constant", "cosine", "wsd"}))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup,
                 "steps over which the learning rate rises from zero")
      ->check(isCount);
  app.add_option("--decay", options.decay, "steps over which wsd falls to zero")
      ->check(CLI::PositiveNumber);

  app.add_option("--metrics", options.metrics,
                 "write every step's loss and metrics as JSON lines");
  auto *numerics = app.add_option(
      "--collect-numerics", options.numerics,
      "write what quantizations did to their tensors and updates to their "
      "parameters in sampled steps, a numerics.json; needs a module compiled "
      "with --collect-numerics");
  app.add_option("--every", options.sampleEvery, "sample every Nth step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(numerics);
  auto *save = app.add_option(
      "--save", options.save,
      "folder for weights and optimizer state after the last step, and after "
      "the step during which SIGTERM or SIGINT came or an error ended the run");
  app.add_option("--save-every", options.saveEvery,
                 "save every K steps as well, while training goes on")
      ->check(CLI::PositiveNumber);
  app.add_option("--keep", options.keep,
                 "how many of the newest checkpoints stay in the folder; "
                 "--resume FOLDER/stepN.index.json goes on from an earlier one")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->needs(save);
  app.add_flag("--keep-best", options.keepBest,
               "keep the checkpoint of the lowest held-out loss as well, "
               "FOLDER/best.index.json; needs --eval-tokens")
      ->needs(save);
  app.add_option("--keep-bad-batches", options.badBatches,
                 "folder for the batches of steps that are skipped, the first "
                 "8 of a run, each a token file");
  app.add_option("--compare", options.compare,
                 "the same graph compiled for another target: run every "
                 "command on both and report the first that disagrees");
  app.add_option_function<std::vector<std::string>>(
         "--switch",
         [&options](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string error = readSwitch(text, options); !error.empty())
               throw CLI::ValidationError(error);
         },
         "STEP:MODULE: from this step on train with another module of the same "
         "model, such as one in FP8 behind a start in BF16; may be given for "
         "several")
      ->allow_extra_args(false);
  auto *fallback = app.add_option(
      "--fallback", options.fallback,
      "module of the same model to go on with once steps are skipped");
  app.add_option("--fallback-after", options.fallbackAfter,
                 "skipped steps in a row before --fallback")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(fallback);
  auto *verify = app.add_option(
      "--verify", options.verify,
      "modules of the same model: how far their gradients of one batch are "
      "from this module's, parameter by parameter");
  auto *bisect = app.add_flag(
      "--bisect", options.bisect,
      "find which operands in fp8 or fp4 make the next step bad; needs a "
      "module compiled with --switchable");
  verify->excludes(bisect);
  app.add_option("--least-snr", options.leastSnr,
                 "what loss and gradients of a good step have at least, in dB, "
                 "by those with every operand raised")
      ->check(isDecibels)
      ->capture_default_str()
      ->needs(bisect);
  auto *noise = app.add_option(
      "--gradient-noise", options.gradientNoise,
      "measure how much noise each contraction in fp8 or fp4 adds to the "
      "gradient, and write a numerics.json with it; needs a module compiled "
      "with --switchable");
  noise->excludes(verify)->excludes(bisect);
  app.add_option("--noise-batches", options.noiseBatches,
                 "measure so many batches, one after the other")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(noise);
  app.add_option(
      "--report", options.report,
      "write all that --verify, --bisect, --predict or --race finds as "
      "JSON");
  auto *generate =
      app.add_option("--generate", options.generate,
                     "continue each --prompt by up to N tokens, with the "
                     "weights as they are, and print all ids; needs a causal "
                     "model whose module has the output 'logits'")
          ->check(CLI::PositiveNumber)
          ->excludes(verify)
          ->excludes(bisect)
          ->excludes(tokens);
  app.add_option("--prompt", options.prompts,
                 "of --generate: token ids, such as 17,4,32; may be given for "
                 "several texts")
      ->allow_extra_args(false)
      ->needs(generate);
  app.add_option("--temperature", options.temperature,
                 "of --generate: 0 takes the likeliest token (default), more "
                 "draws tokens, by --seed")
      ->check(isTemperature)
      ->needs(generate);
  app.add_option("--top-k", options.topK,
                 "of --generate: draw of the K likeliest tokens alone")
      ->check(CLI::PositiveNumber)
      ->needs(generate);
  app.add_option("--stop", options.stop,
                 "of --generate: the id of a token that ends a text")
      ->check(CLI::NonNegativeNumber)
      ->needs(generate);
  app.add_option(
         "--functions", options.functions,
         "library (.so) that has the functions which a module for the "
         "CPU calls, by prec_rt_functions_v1 of prec-rt.h; may be given "
         "for several")
      ->allow_extra_args(false);
  app.add_flag("--inspect", options.inspect,
               "say what the module is, without loading its code");
  app.add_flag("--traffic", options.traffic,
               "say what a step moves and what an ideal fusion would, without "
               "loading its code");
  auto *placements = app.add_flag(
      "--placements", options.placements,
      "say which rank holds and sends what, of a module for several, without "
      "loading its code");
  app.add_option("--placements-html", options.placementsHtml,
                 "write the same as a page")
      ->needs(placements);
  auto *bench = app.add_option(
      "--bench", options.bench,
      "measure every command of a module that was compiled with --bench, and "
      "write this report, which prec-bench merges");
  app.add_flag("--bench-resume", options.benchResume,
               "go on with the report that --bench names")
      ->needs(bench);
  auto *predict = app.add_option(
      "--predict", options.predict,
      "say how long a step will take, by the times of commands in a report of "
      "--bench, without loading the module's code");
  auto *race = app.add_option(
      "--race", options.race,
      "modules whose whole steps are timed in turns with this module's");
  app.add_option("--budget", options.benchBudget,
                 "seconds of measuring, of --bench and --race")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--interval", options.benchInterval,
                 "until the interval of each median is this share of it or "
                 "less, --bench and --race measure")
      ->check(CLI::Range(1e-6, 1.0))
      ->capture_default_str();
  bench->excludes(predict)->excludes(race);
  predict->excludes(race);
  auto *profile =
      app.add_flag("--profile", options.profile,
                   "time every command of a step, after training, and say what "
                   "it moves and computes");
  app.add_option("--profile-of", options.profileOf,
                 "of times that were measured elsewhere, as prec.Module's "
                 "profile gives them, as JSON; nothing is loaded or run")
      ->needs(profile);
  app.add_option("--profile-machine", options.profileMachine,
                 "speeds of the machine, such as targets/sm_90a.json: what "
                 "share of its limits commands reach")
      ->needs(profile);
  app.add_flag("--profile-floor", options.profileFloor,
               "replay the products and attention of a step without the rest, "
               "measure copies, and say how far above that floor commands are")
      ->needs(profile);
  app.add_option("--profile-json", options.profileJson,
                 "write the profile as JSON")
      ->needs(profile);
  app.add_option("--profile-html", options.profileHtml,
                 "write the profile as a page")
      ->needs(profile);
  app.add_option("--rendezvous", options.rendezvous,
                 "HOST:PORT at which ranks meet, of the host of rank 0; "
                 "torchrun says it itself");
  app.add_option("--rank-timeout", options.rankTimeout,
                 "seconds that a rank may be behind the others")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--cuda-libraries", options.open.libraryFolders,
                 "folders of cuBLASLt and cuDNN, such as "
                 "site-packages/nvidia");
  app.add_option("--device", options.open.device,
                 "number of the GPU that runs modules for a GPU, from 0; "
                 "otherwise the first one")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--threads", options.open.threads,
                 "threads of modules for the CPU; otherwise one a processor. "
                 "Results do not depend on it")
      ->check(CLI::PositiveNumber);
}

/// Changes of single characters that make one text of another: Levenshtein's
/// distance, row by row of its table.
static size_t countChanges(const std::string &from, const std::string &to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// "; the nearest is --NAME", if an option differs from `text` in no more than
/// a third of its characters.
static std::string describeNearest(const CLI::App &app,
                                   const std::string &text) {
  std::string given = text.substr(0, text.find('=')), nearest;
  size_t least = given.size() / 3 + 1;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames()) {
      size_t changes = countChanges(given, "--" + name);
      if (changes >= least)
        continue;
      least = changes;
      nearest = "--" + name;
    }
  return nearest.empty() ? "" : "; the nearest is " + nearest;
}

std::optional<int> prec::run::parseOptions(int argc, char **argv,
                                           Options &options) {
  CLI::App app("Trains with a step module.", "prec-run");
  app.set_version_flag("--version", "prec " PREC_VERSION);
  std::string init, schedule = "constant";
  declareOptions(app, options, init, schedule);
  try {
    app.parse(argc, argv);
    // Such as a variable of a shell that is not set.
    for (const CLI::Option *option : app.get_options())
      for (const std::string &value : option->results())
        if (value.empty())
          throw CLI::ValidationError(option->get_name() +
                                     " must have a value, but got an empty "
                                     "one");
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion &version) {
    return app.exit(version);
  } catch (const CLI::ExtrasError &error) {
    std::string all, nearest;
    for (const std::string &text : app.remaining()) {
      all += (all.empty() ? "" : " ") + text;
      if (nearest.empty() && text.rfind("--", 0) == 0)
        nearest = describeNearest(app, text);
    }
    fprintf(stderr,
            "prec-run: error: arguments must be options, but got %s%s\n",
            all.c_str(), nearest.c_str());
    return 1;
  } catch (const CLI::ParseError &error) {
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    fprintf(stderr, "prec-run: error: %s\n", message.c_str());
    return 1;
  }
  if (!options.report.empty() && options.verify.empty() && !options.bisect &&
      options.predict.empty() && options.race.empty()) {
    fprintf(stderr, "prec-run: error: --report requires --verify, --bisect, "
                    "--predict or --race\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i)
    options.commandLine += (i > 1 ? " " : "") + std::string(argv[i]);
  options.random = init == "random";
  options.schedule = schedule == "cosine" ? Schedule::cosine
                     : schedule == "wsd"  ? Schedule::wsd
                                          : Schedule::constant;
  return std::nullopt;
}
