/*===- prec-rt.h - run step modules -------------------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Opens a step module, sets weights, trains, reads back and saves. The same  *|
|* for every target: memory handed in and out is host memory.                 *|
|*                                                                            *|
|* A call that can fail returns NULL, or an error that the caller destroys;   *|
|* a call that failed has changed nothing unless it says so. A module is used *|
|* from one thread at a time, and refuses a call while another one runs;      *|
|* different modules may run on different threads. Pointers that a call needs *|
|* and shapes are checked: null and negative dimensions are errors.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_RT_H
#define PREC_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PREC_RT_EXPORT __attribute__((visibility("default")))
#else
#define PREC_RT_EXPORT
#endif

#define PREC_RT_ABI 1

typedef struct prec_rt_module prec_rt_module;
typedef struct prec_rt_error prec_rt_error;

/* Lower case; one line, or one line a difference between file and module. */
PREC_RT_EXPORT const char *prec_rt_error_message(const prec_rt_error *error);
PREC_RT_EXPORT void prec_rt_error_destroy(prec_rt_error *error);

/* PREC_RT_ABI of the library. */
PREC_RT_EXPORT uint32_t prec_rt_abi(void);

/* Of fixed size, as any value may come in: PREC_RT_F32, PREC_RT_BF16, ... */
typedef int32_t prec_rt_dtype;
enum {
#define PREC_DTYPE(SYMBOL, name, bytes, isFloat) PREC_RT_##SYMBOL,
#include "prec-rt/enums.def"
};

/* PREC_RT_PARAMETER, PREC_RT_FROZEN_PARAMETER, ... */
typedef int32_t prec_rt_role;
enum {
#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment) PREC_RT_##SYMBOL,
#include "prec-rt/enums.def"
};

/* Dense, row-major. */
typedef struct prec_rt_tensor {
  const char *name;
  prec_rt_dtype dtype;
  size_t rank;
  const int64_t *shape;
  const void *data;
} prec_rt_tensor;

/* Strings and shape live as long as the module. */
typedef struct prec_rt_binding {
  const char *name;
  prec_rt_role role;
  prec_rt_dtype dtype; /* as stored */
  size_t rank;
  const int64_t *shape;
  const char *parameter; /* of optimizer state, work weights and numerics
                            of parameters, else "" */
  const char *slot;      /* of optimizer state, else "" */
} prec_rt_binding;

typedef struct prec_rt_step_result {
  double loss;
  int64_t step; /* number of steps done */
  /* 0 if the loss or (of a step) a metric is NaN or infinite, or the step was
     skipped */
  int32_t finite;
  /* 1 if the loss or a gradient of the step was not finite, or an index that it
     computed was no row of its table, and the step changed nothing but the loss
     scale and its count of skipped steps */
  int32_t skipped;
} prec_rt_step_result;

/* Reads the file once, checks its hash and its manifest, loads its code,
   allocates all its memory. What becomes of the file later does not matter. A
   module is a program: its code runs with the rights of this process, so open
   only those that you would run. The hash shows damage, not intent. */
PREC_RT_EXPORT prec_rt_error *prec_rt_open(const char *path,
                                           prec_rt_module **module);
/* The same, with folders in which a GPU module's libraries (cuBLASLt, cuDNN)
   may lie besides the dynamic linker's own, such as site-packages/nvidia. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_open_with(const char *path, const char *const *library_folders,
                  size_t count, prec_rt_module **module);
PREC_RT_EXPORT void prec_rt_close(prec_rt_module *module);

/* The manifest's JSON text, not zero-terminated. */
PREC_RT_EXPORT const char *prec_rt_manifest(const prec_rt_module *module,
                                            size_t *size);

PREC_RT_EXPORT size_t prec_rt_num_bindings(const prec_rt_module *module);
PREC_RT_EXPORT prec_rt_error *prec_rt_get_binding(const prec_rt_module *module,
                                                  size_t index,
                                                  prec_rt_binding *binding);
/* By name; weights also by an alias, and before other roles of that name. */
PREC_RT_EXPORT prec_rt_error *prec_rt_find_binding(const prec_rt_module *module,
                                                   const char *name,
                                                   size_t *index);

/* Sets a binding. The value converts to the stored dtype exactly, or fails;
   the tensor's name is not read. */
PREC_RT_EXPORT prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                                          const prec_rt_tensor *value);
/* Reads a binding as `dtype` into `size` bytes at `data`. */
PREC_RT_EXPORT prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                                          prec_rt_dtype dtype, void *data,
                                          size_t size);

/* "lr" sets lr of every parameter group, "lr.1" of group 1. */
PREC_RT_EXPORT prec_rt_error *prec_rt_set_hyper(prec_rt_module *module,
                                                const char *name, double value);

/* Random weights, computed on the device: normal(0, stddev) for parameters of
   two or more dimensions, zero for biases, one for other vectors. Starts a new
   training: optimizer state and step count are zero. */
PREC_RT_EXPORT prec_rt_error *prec_rt_init_random(prec_rt_module *module,
                                                  uint64_t seed, double stddev);

/* Makes work weights and scale state from masters now; a step or eval does so
   by itself when weights have changed. */
PREC_RT_EXPORT prec_rt_error *prec_rt_init(prec_rt_module *module);

/* Shapes are static. Unless this is called with 1, a batch of another shape is
   an error; then a batch with fewer rows (first dimension), such as the last
   one of a data set, is completed with rows of zeros and of ignored labels.
   Loss and gradients are the smaller batch's: where the manifest's `padding`
   does not say that such rows change nothing, it is an error with the reason. A
   scale taken over the whole batch may differ. */
PREC_RT_EXPORT void prec_rt_pad_batches(prec_rt_module *module,
                                        int32_t enabled);

/* One training step. `batch` sets every input of role batch, or is empty to
   keep the last one. The hyper-parameter `step` advances by itself. A loss that
   is not finite is no error: see `finite`. */
PREC_RT_EXPORT prec_rt_error *prec_rt_step(prec_rt_module *module,
                                           const prec_rt_tensor *batch,
                                           size_t count,
                                           prec_rt_step_result *result);
/* The same step, bit for bit, of a module compiled with --collect-numerics,
   which sets the bindings of role PREC_RT_NUMERICS as well. */
PREC_RT_EXPORT prec_rt_error *prec_rt_sample(prec_rt_module *module,
                                             const prec_rt_tensor *batch,
                                             size_t count,
                                             prec_rt_step_result *result);
/* A step in parts, of a module compiled with --accumulate: forward and backward
   of one micro-batch, once or more, then the update by the mean of their
   gradients, each weighted by how many of its labels are not ignored (all alike
   where the manifest's `micro_batch_weights` is "equal"): the step over one
   batch of all. `result` of the first is of its own batch, that of the second
   of the step; its loss is the same mean. Until prec_rt_apply no checkpoint is
   saved and no whole step runs; weights that are set begin the step again. */
PREC_RT_EXPORT prec_rt_error *prec_rt_accumulate(prec_rt_module *module,
                                                 const prec_rt_tensor *batch,
                                                 size_t count,
                                                 prec_rt_step_result *result);
PREC_RT_EXPORT prec_rt_error *prec_rt_apply(prec_rt_module *module,
                                            prec_rt_step_result *result);
/* What was not finite in the last step: "loss", "gradient of " and a
   parameter's name; of several the one computed first. Before these, which
   index was no row of its table: "index into ", the table's name and
   "(N rows)". NULL if the step was good or its module has no guard. Lives as
   long as the module. */
PREC_RT_EXPORT const char *prec_rt_not_finite(const prec_rt_module *module);
/* The loss alone; no weight and no state changes. A computed index that is no
   row of its table is an error. */
PREC_RT_EXPORT prec_rt_error *prec_rt_eval(prec_rt_module *module,
                                           const prec_rt_tensor *batch,
                                           size_t count,
                                           prec_rt_step_result *result);

/* One training step, command by command. `json` is an array of
   {"name", "path", "phase", "op", "seconds"}; free it with prec_rt_free. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_profile(prec_rt_module *module, const prec_rt_tensor *batch,
                size_t count, prec_rt_step_result *result, char **json);
PREC_RT_EXPORT void prec_rt_free(char *text);

/* Weights as one safetensors file under the framework's names. Loading starts
   a new training, or, of a file that has the optimizer's states of all
   parameters beside them (PARAMETER.SLOT), goes on at the step that is the
   module's default of `step`; some of them are an error. Differences to the
   module are listed all at once. Masters narrower than the weights hold them
   rounded to nearest. */
PREC_RT_EXPORT prec_rt_error *prec_rt_load(prec_rt_module *module,
                                           const char *path);
PREC_RT_EXPORT prec_rt_error *prec_rt_save(prec_rt_module *module,
                                           const char *path);

/* Weights, optimizer and scale state, step count and the caller's position in
   its data, in a folder. Either the old or the new checkpoint is there, also
   after the process was killed. A checkpoint of a module that scales in another
   way loads, too; scale state begins anew then. */
PREC_RT_EXPORT prec_rt_error *prec_rt_save_checkpoint(prec_rt_module *module,
                                                      const char *folder,
                                                      int64_t data_position);
PREC_RT_EXPORT prec_rt_error *prec_rt_load_checkpoint(prec_rt_module *module,
                                                      const char *folder,
                                                      int64_t *data_position);
/* The same with the file of weights that the training began with: of frozen
   weights a checkpoint holds what its module kept, which may be nothing but
   copies that this module does not read. "" for none. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_load_checkpoint_with(prec_rt_module *module, const char *folder,
                             const char *weights, int64_t *data_position);

/* What a user should know of the checkpoint that was loaded last, a line each,
   such as that a module of another graph saved it; "" if there is nothing.
   Lives until the next one is loaded. */
PREC_RT_EXPORT const char *prec_rt_notes(const prec_rt_module *module);

#ifdef __cplusplus
}
#endif

#endif /* PREC_RT_H */
