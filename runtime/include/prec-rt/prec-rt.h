/*===- prec-rt.h - run step modules -------------------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Opens a step module, sets weights, trains, reads back and saves. The same  *|
|* for every target; tensors of a GPU module may be on the host or its GPU.   *|
|*                                                                            *|
|* A call that can fail returns NULL, or an error that the caller destroys;   *|
|* a call that failed has changed nothing unless it says so. A module is used *|
|* from one thread at a time, and refuses a call while another one runs;      *|
|* different modules may run on different threads, on one GPU or on several.  *|
|* Pointers that a call needs and shapes are checked: null and negative       *|
|* dimensions are errors. What is handed in is read before the call returns,  *|
|* and not kept, unless it says so.                                           *|
|*                                                                            *|
|* Structures that begin with `size` may grow: set it to their size. What is  *|
|* read: fields behind a smaller size have their defaults; bytes behind the   *|
|* structure that the library knows must be zero. What is written: only so    *|
|* many bytes, and zeros behind what the library knows.                       *|
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

#define PREC_RT_ABI 2

typedef struct prec_rt_module prec_rt_module;
/* The ranks that run a module together: this process and others. */
typedef struct prec_rt_communicator prec_rt_communicator;
typedef struct prec_rt_error prec_rt_error;

/* What kind of thing went wrong. Later libraries may have more of them. */
typedef int32_t prec_rt_code;
enum {
  PREC_RT_OK = 0, /* of no error: NULL */
  /* An argument that no module takes, or that does not fit this one: null, a
     name that it has not, another shape or dtype, a hyper-parameter out of its
     range, an option of another target. */
  PREC_RT_ERROR_INVALID_ARGUMENT = 1,
  /* Not at this time: inputs that are not set, a whole step within
     micro-batches, prec_rt_wait for no step. */
  PREC_RT_ERROR_INVALID_STATE = 2,
  /* Numbers that must not be: an index that is no row of its table, a value
     that is not exact in the stored dtype, state to be saved that is not
     finite. */
  PREC_RT_ERROR_BAD_VALUE = 3,
  PREC_RT_ERROR_NOT_FOUND = 4, /* a file or folder that is not there */
  /* A file or folder that cannot be read or written, such as on a full disk. */
  PREC_RT_ERROR_FILE = 5,
  /* A file that is damaged, of another format or version, or does not fit the
     module. */
  PREC_RT_ERROR_BAD_FILE = 6,
  PREC_RT_ERROR_OUT_OF_MEMORY = 7, /* of the host or the device */
  /* The processor, GPU, driver or a library: absent, too old, not the one that
     the module is for, or failing. */
  PREC_RT_ERROR_DEVICE = 8,
  /* What this library, this build of it or this module cannot do. */
  PREC_RT_ERROR_UNSUPPORTED = 9,
  /* Another call on the module has not returned, a step was begun and not
     waited for, or another process saves in the folder. */
  PREC_RT_ERROR_BUSY = 10,
  PREC_RT_ERROR_INTERNAL = 11, /* a fault of the library */
  /* A function that the caller gave for a call of the module: in its words.
     What ran before it has run, so that state may be that of half a step. */
  PREC_RT_ERROR_FUNCTION = 12,
  /* Ranks that do not come, ended, are silent, or do not do the same: which,
     and why, as far as that is known. What they exchanged is lost, and the
     communicator cannot be used again. */
  PREC_RT_ERROR_RANKS = 13
};

PREC_RT_EXPORT prec_rt_code prec_rt_error_code(const prec_rt_error *error);
/* Lower case; one line, or one line a difference between file and module.
   Lives as long as the error. */
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

/* Where memory is. */
typedef int32_t prec_rt_device_kind;
enum {
  PREC_RT_HOST = 0,
  PREC_RT_CUDA = 1 /* memory of a GPU, by its CUdeviceptr */
};

/* Dense, row-major. Memory of the caller. Data on a GPU must be that of the
   module, and be written already, or before what is put on the module's stream
   (prec_rt_stream) from now on: a caller that writes it on another stream
   records an event there and makes the module's stream wait for it. */
typedef struct prec_rt_tensor {
  const char *name;
  prec_rt_dtype dtype;
  prec_rt_device_kind device_kind;
  int32_t device_index; /* of the GPU; 0 on the host */
  uint32_t reserved;    /* 0 */
  size_t rank;
  const int64_t *shape;
  /* In elements; NULL, or those of dense row-major: others are an error. */
  const int64_t *strides;
  void *data; /* written by prec_rt_get alone */
} prec_rt_tensor;

/* Strings and shape live as long as the module. */
typedef struct prec_rt_binding {
  size_t size; /* sizeof(prec_rt_binding) */
  const char *name;
  prec_rt_role role;
  prec_rt_dtype dtype; /* as stored */
  size_t rank;
  const int64_t *shape;
  const char *parameter; /* of optimizer state, work weights and numerics
                            of parameters, else "" */
  const char *slot;      /* of optimizer state, else "" */
  /* Of a binding that is this rank's slice of a tensor: the shape of that
     tensor, and where in it the slice begins, by dimension (NULL of one that
     has pieces of several parts). Of all others NULL. */
  const int64_t *whole_shape;
  const int64_t *slice_start;
} prec_rt_binding;

typedef struct prec_rt_step_result {
  size_t size; /* sizeof(prec_rt_step_result) */
  double loss;
  int64_t step; /* number of steps done */
  /* 0 if the loss or (of a step) a metric is NaN or infinite, or the step was
     skipped */
  int32_t finite;
  /* 1 if the loss or a gradient of the step was not finite, or an index that it
     computed was no row of its table, and the step changed nothing but the loss
     scale and its count of skipped steps */
  int32_t skipped;
  /* How often it ran again, or a micro-batch of it, as experts of a rank got
     more rows than there was room for, which changed nothing: with room for all
     (prec-compile --expert-room). 0 of a module whose experts are not divided
     among ranks. */
  int32_t crowded;
  int32_t reserved;
} prec_rt_step_result;
#define PREC_RT_STEP_RESULT_INIT {sizeof(prec_rt_step_result), 0, 0, 0, 0, 0, 0}

typedef int32_t prec_rt_log_level;
enum {
  PREC_RT_LOG_DEBUG = 0,  /* what a developer of the caller may want to see */
  PREC_RT_LOG_NOTE = 1,   /* what takes long, and why */
  PREC_RT_LOG_WARNING = 2 /* what a user should know of a result */
};
/* `text` is one line, and lives during the call. Called from the thread whose
   call has something to say; must not call the module. */
typedef void (*prec_rt_log_function)(prec_rt_log_level level, const char *text,
                                     void *user);

/* `bytes` > 0 bytes at a multiple of `alignment` (a power of two), of the
   module's GPU or, of a module for the CPU, of the host; NULL if there are
   none. On a GPU its primary context is current, and the memory must be usable
   on the module's stream. */
typedef void *(*prec_rt_allocate_function)(size_t bytes, size_t alignment,
                                           void *user);
/* What `allocate` gave, with the same `bytes`; nothing that the module started
   uses it any longer. */
typedef void (*prec_rt_deallocate_function)(void *memory, size_t bytes,
                                            void *user);

/* What a function of the caller's is to compute: results, which it writes, of
   inputs, in memory of the host. Lives as long as the module. */
typedef struct prec_rt_call {
  size_t size;          /* sizeof(prec_rt_call) */
  const char *command;  /* its name in the module */
  const char *function; /* by which it was given */
  const char *settings; /* text of whoever made the module */
  size_t num_inputs;
  const prec_rt_tensor *inputs; /* dense; data is not to be written */
  size_t num_results;
  const prec_rt_tensor *results; /* dense, and share no bytes with inputs */
} prec_rt_call;
/* Returns 0, or fails with what it writes to `message`: at most `capacity`
   bytes with a zero at the end. Called from the thread whose call runs the
   step; must not call the module. */
typedef int32_t (*prec_rt_host_function)(const prec_rt_call *call,
                                         char *message, size_t capacity,
                                         void *user);
typedef struct prec_rt_function {
  const char *name;
  prec_rt_host_function call;
  void *user;
} prec_rt_function;
/* What a library of functions exports for prec-run --functions. */
#define PREC_RT_FUNCTIONS_SYMBOL "prec_rt_functions_v1"
typedef const prec_rt_function *(*prec_rt_functions)(size_t *count);

/* How a module is opened; NULL is the same as all defaults. Begin with
   PREC_RT_OPTIONS_INIT. */
typedef struct prec_rt_options {
  size_t size; /* sizeof(prec_rt_options) */

  /* Folders in which a GPU module's libraries (cuBLASLt, cuDNN) may lie besides
     the dynamic linker's own, such as site-packages/nvidia. */
  const char *const *library_folders;
  size_t num_library_folders;

  /* Which GPU, in the CUDA driver's order. PREC_RT_ANY_DEVICE (default): that
     of `stream`, or of the CUDA context that is current in the calling thread,
     or GPU 0. Of a module for the CPU, 0 or PREC_RT_ANY_DEVICE. */
  int32_t device;
  /* Threads of a module for the CPU; 0 (default): as many as there are
     processors that the process may run on. Results are the same bits with any
     number. Of a GPU module, 0. */
  uint32_t threads;
  /* A CUstream of the GPU's primary context on which all of the module's work
     is put, in the order of the calls, CUDA graphs as well; it lives until the
     module is closed and its views are deleted, and nothing is captured from it
     during a call. Not the default streams, which CUDA graphs cannot be
     recorded from. NULL (default): one of the module's own. Of a module for the
     CPU, NULL. */
  void *stream;

  /* For the memory of the module: one call for each of its segments that is not
     empty, one for the scratch memory that its commands share, and on a GPU
     some while algorithms are measured. Both or none; NULL (default): the
     library allocates. They and `allocator_user` live until the module is
     closed and its views are deleted. They must not call the module. */
  prec_rt_allocate_function allocate;
  prec_rt_deallocate_function deallocate;
  void *allocator_user;

  /* NULL (default): notes are written to stderr, the rest to nowhere. Lives
     until the module is closed. */
  prec_rt_log_function log;
  void *log_user;

  /* The ranks that run the module together, as many as it was compiled for
     (`mesh` of its manifest); it lives until the module is closed. All of them
     open the same module, and call the same steps and saves in the same order:
     these exchange what they compute. NULL (default) of a module for one
     process. */
  prec_rt_communicator *communicator;
  /* 0 (default), or those of the communicator. */
  int32_t rank;
  int32_t world_size;

  /* Where a GPU module keeps which algorithms of cuBLASLt it chose (written by
     the first run, read by others); NULL (default): beside the module's file,
     or nowhere if it is opened from memory. */
  const char *algorithm_file;

  /* A module whose state (weights, optimizer and scale state, work weights and
     the counts of a training) this one uses instead of its own: both train the
     same weights, on batches of other shapes. It is of the same target, recipe,
     device and stream, and has the same state at the same places; it may be
     closed before. Only one of them runs at a time, and they share what each
     forgets between its runs, as large as the largest needs; a module that
     needs more moves it to memory of its own allocator, which is given back
     when the last of them is closed. NULL (default): a state of its own. */
  struct prec_rt_module *state_of;

  /* Functions that compute the calls of a module for the CPU, which is refused
     if it calls one of another name; others are not used. A GPU module holds
     kernels for its calls, and needs none. `user` of each lives until the
     module is closed. */
  const prec_rt_function *functions;
  size_t num_functions;
} prec_rt_options;

#define PREC_RT_ANY_DEVICE (-1)
#define PREC_RT_OPTIONS_INIT                                                   \
  {sizeof(prec_rt_options),                                                    \
   0,                                                                          \
   0,                                                                          \
   PREC_RT_ANY_DEVICE,                                                         \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0}

/* What a launcher (torchrun, Open MPI, Slurm) says of this process. */
typedef struct prec_rt_launch {
  size_t size; /* sizeof(prec_rt_launch) */
  int32_t rank;
  int32_t world_size; /* ranks; 1 without a launcher */
  int32_t local_rank; /* among those of this computer */
  int32_t reserved;
  char launcher[32]; /* "torchrun", "Open MPI", "Slurm" or "" */
  char address[320]; /* "HOST:PORT" of rank 0, or "" of one rank alone */
} prec_rt_launch;

/* Reads the variables of the environment that launchers set. `rendezvous` is
   "HOST:PORT" of rank 0, or NULL: the host that torchrun says, and the port
   behind its own. An error where a variable is no number, or where there are
   several ranks and nobody says where rank 0 is. */
PREC_RT_EXPORT prec_rt_error *prec_rt_find_launch(const char *rendezvous,
                                                  prec_rt_launch *launch);

/* How a rank finds the others. */
typedef struct prec_rt_connect_options {
  size_t size; /* sizeof(prec_rt_connect_options) */
  int32_t rank;
  int32_t world_size;  /* ranks */
  const char *address; /* "HOST:PORT" of rank 0; NULL of one rank alone */
  /* How long one rank may be behind another, in seconds; 0 (default): 300.
     A rank that is silent for longer ends what the others do. */
  double timeout_s;
} prec_rt_connect_options;

/* Waits until all ranks are there. Every process calls it with its rank. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_connect(const prec_rt_connect_options *options,
                prec_rt_communicator **communicator);
/* `out` gets the `bytes` bytes that each rank sends, in the order of ranks; all
   ranks send as many. All call it in the same order, from one thread at a time.
   What steps and files exchange is apart from it. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_all_gather(prec_rt_communicator *communicator, const void *in,
                   void *out, size_t bytes);
/* Ends the communicator, after the modules that were opened with it are closed.
   `reason` is why this rank ends before the others, as they will be told; NULL:
   it ends as all do, and waits up to 10 s for them. */
PREC_RT_EXPORT void prec_rt_disconnect(prec_rt_communicator *communicator,
                                       const char *reason);

/* Reads the file once, checks its hash and its manifest, loads its code,
   allocates all its memory. What becomes of the file later does not matter. A
   module is a program: its code runs with the rights of this process, so open
   only those that you would run. The hash shows damage, not intent. */
PREC_RT_EXPORT prec_rt_error *prec_rt_open(const char *path,
                                           const prec_rt_options *options,
                                           prec_rt_module **module);
/* The same of a file's bytes, which are copied. `name` is what errors call it,
   as they do a path. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_open_memory(const void *bytes, size_t size, const char *name,
                    const prec_rt_options *options, prec_rt_module **module);
/* Waits for what the module started, and gives back its memory; while there are
   views of it (prec_rt_view), the last one's deletion does. */
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
   the tensor's name is not read. Of a tensor on the GPU, and of those of a
   batch: one of the stored dtype is copied there, on the module's stream. What
   must be converted, checked (indices of tables, whole numbers of a known
   range, hyper-parameters) or padded goes through the host: see
   prec_rt_get_statistics. */
PREC_RT_EXPORT prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                                          const prec_rt_tensor *value);
/* Reads a binding into the memory of `target`, which has its shape and any
   dtype that holds its values exactly. Afterwards it is there; on the GPU, for
   every stream. */
PREC_RT_EXPORT prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                                          const prec_rt_tensor *target);

/* Of a module that several ranks run: the first rank that has the same slice of
   a binding's tensor as `rank`; 0 of what every rank has whole. */
PREC_RT_EXPORT prec_rt_error *prec_rt_find_slice(const prec_rt_module *module,
                                                 size_t index, int32_t rank,
                                                 int32_t *first);
/* The first rank that takes the same batches as `rank`: those that divide
   layers between them do, and ranks that train alone are their own. */
PREC_RT_EXPORT prec_rt_error *prec_rt_find_batch(const prec_rt_module *module,
                                                 int32_t rank, int32_t *first);
/* Copies a rank's slice, as that rank's prec_rt_get or prec_rt_view has it, to
   its place in the whole tensor. Both are dense, of the stored dtype, and in
   host memory. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_place_slice(const prec_rt_module *module, size_t index, int32_t rank,
                    const void *slice, size_t slice_bytes, void *whole,
                    size_t whole_bytes);

/* Tensors on a GPU that were handed to a module so far. */
typedef struct prec_rt_statistics {
  size_t size;                 /* sizeof(prec_rt_statistics) */
  int64_t device_copies;       /* copied on the GPU */
  int64_t device_bytes;        /* in the stored dtype */
  int64_t through_host_copies; /* copied to the host and back */
  int64_t through_host_bytes;
} prec_rt_statistics;
PREC_RT_EXPORT prec_rt_error *
prec_rt_get_statistics(const prec_rt_module *module,
                       prec_rt_statistics *statistics);

/* The CUstream of a GPU module, its own or that of its options; NULL of a
   module for the CPU. */
PREC_RT_EXPORT void *prec_rt_stream(const prec_rt_module *module);

/* DLPack (https://github.com/dmlc/dlpack), whose header is the caller's. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Describes a tensor of DLPack 1.x, or of DLPack before that, as a
   prec_rt_tensor that borrows its data, shape and strides: delete the one after
   the last call with the other. `name` may be NULL. On the host (pinned memory
   as well) or a GPU, of a dtype that prec_rt_dtype has. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_from_dlpack(const struct DLManagedTensorVersioned *source,
                    const char *name, prec_rt_tensor *tensor);
PREC_RT_EXPORT prec_rt_error *
prec_rt_from_dlpack_legacy(const struct DLManagedTensor *source,
                           const char *name, prec_rt_tensor *tensor);

/* A binding's memory itself, without a copy, for the caller to delete by its
   `deleter`, on any thread; it keeps the module's memory until then, also after
   prec_rt_close. Work that was started is waited for first; later steps write
   into what is viewed. Read-only (a flag of DLPack 1.x) but for optimizer
   states and for inputs of a batch that prec_rt_set does not check: the module
   must know when others change. An input counts as set when prec_rt_set or a
   batch has set it once. The older structure has no such flag: read-only
   bindings are an error. A staged parameter, which is not kept, is an error. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_view(prec_rt_module *module, size_t index,
             struct DLManagedTensorVersioned **view);
PREC_RT_EXPORT prec_rt_error *
prec_rt_view_legacy(prec_rt_module *module, size_t index,
                    struct DLManagedTensor **view);

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

/* Makes work weights again from masters that were written through views
   (prec_rt_view), or by a module of the same state, which nobody notices. Scale
   state that belongs to no weight, optimizer state and step count go on;
   micro-batches that were not applied are lost. */
PREC_RT_EXPORT prec_rt_error *prec_rt_refresh(prec_rt_module *module);
/* Makes work weights again from masters and from scale state that prec_rt_set
   has set since prec_rt_init, as prec_rt_load_checkpoint does. */
PREC_RT_EXPORT prec_rt_error *prec_rt_restore(prec_rt_module *module);
/* The number of steps done, from which the next step's number follows. */
PREC_RT_EXPORT prec_rt_error *prec_rt_get_steps(const prec_rt_module *module,
                                                int64_t *steps);
PREC_RT_EXPORT prec_rt_error *prec_rt_set_steps(prec_rt_module *module,
                                                int64_t steps);

/* Unless this is called with 1, indices and whole numbers of a batch on the GPU
   go through the host to be checked. With it those of the stored dtype are
   copied on the GPU as they are: the caller has checked them, as an index that
   is no row of its table reads memory that is not the table's. */
PREC_RT_EXPORT void prec_rt_trust_batches(prec_rt_module *module,
                                          int32_t enabled);

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
/* The same step in two calls: the first starts it and returns, the second waits
   for it. In between the module is busy: but for prec_rt_wait, prec_rt_close
   and questions about bindings, manifest and stream, calls are refused.
   Tensors of the batch that are on the GPU must stay as they are until then;
   those on the host are read. prec_rt_wait ends the step that was begun first;
   today one may be begun at a time. On the CPU the step is done when
   prec_rt_step_async returns. */
PREC_RT_EXPORT prec_rt_error *prec_rt_step_async(prec_rt_module *module,
                                                 const prec_rt_tensor *batch,
                                                 size_t count);
PREC_RT_EXPORT prec_rt_error *prec_rt_wait(prec_rt_module *module,
                                           prec_rt_step_result *result);
/* Puts an entry point ("step", "accumulate", "apply" or "eval") on the stream,
   and behind it copies of `outputs`: tensors by the names of losses, metrics
   and guards, of a GPU module in memory of its GPU. Nothing is waited for: any
   number of steps may be on the stream, and nobody looks at what they found;
   but of a module of ranks with experts of their own, whose step may have to
   run again (`crowded`), each entry point is waited for.
   The caller reads `outputs` when the stream is there: a guard holds the number
   of the first of its tensors that was not finite, or that of all of them. The
   batch on the GPU must stay as it is until then. On the CPU all is done when
   it returns. */
PREC_RT_EXPORT prec_rt_error *
prec_rt_enqueue(prec_rt_module *module, const char *entry_point,
                const prec_rt_tensor *batch, size_t count,
                const prec_rt_tensor *outputs, size_t num_outputs);
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
/* `weights` is the file of weights that the training began with, or NULL: of
   frozen weights a checkpoint holds what its module kept, which may be nothing
   but copies that this module does not read. */
PREC_RT_EXPORT prec_rt_error *prec_rt_load_checkpoint(prec_rt_module *module,
                                                      const char *folder,
                                                      const char *weights,
                                                      int64_t *data_position);

/* The order in which prec-run reads data: which of `count` windows, at least
   one, are at the `number` places of a training from `first` on. Places are
   those of one epoch after the other; each epoch has every window once, in an
   order of its own that follows from `seed`. */
PREC_RT_EXPORT prec_rt_error *prec_rt_shuffle(uint64_t seed, int64_t count,
                                              int64_t first, int64_t number,
                                              int64_t *windows);

/* What a user should know of the checkpoint that was loaded last, a line each,
   such as that a module of another graph saved it; "" if there is nothing.
   Lives until the next one is loaded. A log function gets them, too. */
PREC_RT_EXPORT const char *prec_rt_notes(const prec_rt_module *module);

#ifdef __cplusplus
}
#endif

#endif /* PREC_RT_H */
