/*===- c_api.c - the runtime from plain C ---------------------------------===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* c_api STEP.SO FOLDER trains the hand-made perceptron of models.py: sets    *|
|* weights, steps, evaluates, saves, loads; and sees errors as values.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "prec-rt/prec-rt.h"

#include "Dlpack.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static void succeed(prec_rt_error *error, int line) {
  if (!error)
    return;
  fprintf(stderr, "%s:%d: %s\n", __FILE__, line, prec_rt_error_message(error));
  prec_rt_error_destroy(error);
  exit(1);
}
#define OK(call) succeed(call, __LINE__)

/* The call must fail with a code and a message that contains `text`. */
static void fail(prec_rt_error *error, prec_rt_code code, const char *text,
                 int line) {
  if (error && prec_rt_error_code(error) == code &&
      strstr(prec_rt_error_message(error), text)) {
    prec_rt_error_destroy(error);
    return;
  }
  fprintf(stderr, "%s:%d: expected error %d with '%s', but got %d with %s\n",
          __FILE__, line, code, text, prec_rt_error_code(error),
          error ? prec_rt_error_message(error) : "none");
  exit(1);
}
#define FAILS(call, code, text) fail(call, PREC_RT_ERROR_##code, text, __LINE__)

enum { BATCH = 32, INPUT = 24, OUTPUT = 8, HIDDEN = 40 };

static prec_rt_tensor tensor(const char *name, size_t rank,
                             const int64_t *shape, void *data) {
  prec_rt_tensor result = {.name = name,
                           .dtype = PREC_RT_F32,
                           .rank = rank,
                           .shape = shape,
                           .data = data};
  return result;
}

/* What the module asks of an allocator. */
typedef struct {
  int given, taken, left; /* calls, and how many more succeed */
  size_t bytes;           /* that are out */
} memory;

static void *give(size_t bytes, size_t alignment, void *user) {
  memory *counts = user;
  char *raw, *aligned;
  EXPECT(bytes > 0 && alignment == 256);
  if (counts->left-- == 0)
    return NULL;
  ++counts->given;
  counts->bytes += bytes;
  raw = malloc(bytes + 2 * alignment);
  aligned = raw + alignment * 2 - (uintptr_t)raw % alignment - alignment;
  if (aligned == raw)
    aligned += alignment;
  ((void **)aligned)[-1] = raw;
  return aligned;
}

static void take(void *pointer, size_t bytes, void *user) {
  memory *counts = user;
  ++counts->taken;
  counts->bytes -= bytes;
  free(((void **)pointer)[-1]);
}

/* No multiple of the alignment. */
static void *give_crooked(size_t bytes, size_t alignment, void *user) {
  char *start = give(bytes + alignment, alignment, user);
  return start ? start + 8 : NULL;
}

static void take_crooked(void *pointer, size_t bytes, void *user) {
  take((char *)pointer - 8, bytes + 256, user);
}

/* Each option that is refused, with the module that `path` has. */
static void refuse_options(const char *path) {
  prec_rt_module *module = NULL;
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  struct {
    prec_rt_options known;
    int64_t later;
  } newer = {PREC_RT_OPTIONS_INIT, 0};
  const char *const folders[] = {NULL};
  memory counts = {0, 0, -1, 0};
  int handle = 0;
#define REFUSED(field, value, code, text)                                      \
  do {                                                                         \
    prec_rt_options other = options;                                           \
    other.field = value;                                                       \
    FAILS(prec_rt_open(path, &other, &module), code, text);                    \
  } while (0)
  REFUSED(size, 0, INVALID_ARGUMENT, "the size of options must be");
  REFUSED(size, 20, INVALID_ARGUMENT, "but got 20");
  newer.known.size = sizeof newer;
  newer.later = 1;
  FAILS(prec_rt_open(path, &newer.known, &module), UNSUPPORTED,
        "options must be those of this version");
  newer.later = 0;
  OK(prec_rt_open(path, &newer.known, &module));
  prec_rt_close(module);
  module = NULL;
  REFUSED(num_library_folders, 1, INVALID_ARGUMENT, "folders of libraries");
  options.num_library_folders = 1;
  REFUSED(library_folders, folders, INVALID_ARGUMENT, "a folder of libraries");
  options.num_library_folders = 0;
  REFUSED(device, -2, INVALID_ARGUMENT, "but got -2");
  REFUSED(device, 1, INVALID_ARGUMENT, "must be opened on device 0, but got 1");
  REFUSED(stream, &handle, INVALID_ARGUMENT, "without a stream");
  REFUSED(threads, 1u << 20, INVALID_ARGUMENT, "at most 16384 threads");
  REFUSED(world_size, 2, INVALID_ARGUMENT, "0 of 1, but got 0 of 2");
  REFUSED(world_size, -1, INVALID_ARGUMENT, "but got 0 of -1");
  REFUSED(rank, 1, INVALID_ARGUMENT, "but got 1 of 0");
  REFUSED(allocate, give, INVALID_ARGUMENT, "given together");
  REFUSED(deallocate, take, INVALID_ARGUMENT, "given together");
  options.allocate = give_crooked;
  options.deallocate = take_crooked;
  REFUSED(allocator_user, &counts, INVALID_ARGUMENT, "at a multiple of 256");
  EXPECT(counts.given == counts.taken && counts.given == 1);
  options.allocate = give;
  options.deallocate = take;
  for (int allowed = 0; allowed < 3; ++allowed) {
    memory few = {0, 0, allowed, 0};
    REFUSED(allocator_user, &few, OUT_OF_MEMORY, "allocate gave none");
    EXPECT(few.given == allowed && few.taken == allowed && few.bytes == 0);
  }
  EXPECT(module == NULL);
}

/* One rank alone, and what is refused before ranks connect. */
static void connect_ranks(const char *path) {
  prec_rt_module *module = NULL;
  prec_rt_communicator *ranks = NULL;
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  prec_rt_connect_options connect = {sizeof connect, 0, 0, NULL, 0};
  prec_rt_launch launch = {.size = sizeof launch};
  FAILS(prec_rt_connect(NULL, &ranks), INVALID_ARGUMENT, "but got null");
  FAILS(prec_rt_connect(&connect, NULL), INVALID_ARGUMENT, "but got null");
  FAILS(prec_rt_connect(&connect, &ranks), INVALID_ARGUMENT,
        "a number of ranks must be in [1, 65536], but got 0");
  connect.world_size = 2;
  FAILS(prec_rt_connect(&connect, &ranks), INVALID_ARGUMENT,
        "must be HOST:PORT, but got ''");
  connect.timeout_s = -1;
  FAILS(prec_rt_connect(&connect, &ranks), INVALID_ARGUMENT,
        "timeout_s must be in [0, 1e6], but got -1");
  connect.timeout_s = 0;
  connect.size = 4;
  FAILS(prec_rt_connect(&connect, &ranks), INVALID_ARGUMENT,
        "the size of options must be");
  EXPECT(ranks == NULL);
  connect.size = sizeof connect;
  connect.world_size = 1;
  OK(prec_rt_connect(&connect, &ranks));
  options.communicator = ranks;
  options.world_size = 1;
  OK(prec_rt_open(path, &options, &module));
  prec_rt_close(module);
  options.rank = 1;
  FAILS(prec_rt_open(path, &options, &module), INVALID_ARGUMENT,
        "0 of 1, but got 1 of 1");
  char own[2] = {'a', 'b'}, all[2] = {0, 0};
  FAILS(prec_rt_all_gather(NULL, own, all, 2), INVALID_ARGUMENT,
        "a communicator");
  FAILS(prec_rt_all_gather(ranks, NULL, all, 2), INVALID_ARGUMENT,
        "bytes to send");
  FAILS(prec_rt_all_gather(ranks, own, NULL, 2), INVALID_ARGUMENT,
        "a place for bytes");
  FAILS(prec_rt_all_gather(ranks, own, all, (size_t)-1), INVALID_ARGUMENT,
        "fewer than 2^63");
  OK(prec_rt_all_gather(ranks, own, all, 2));
  EXPECT(all[0] == 'a' && all[1] == 'b');
  prec_rt_disconnect(ranks, NULL);
  prec_rt_disconnect(NULL, NULL);
  FAILS(prec_rt_find_launch(NULL, NULL), INVALID_ARGUMENT, "but got null");
  FAILS(prec_rt_find_launch("nowhere", &launch), INVALID_ARGUMENT,
        "must be HOST:PORT, but got 'nowhere'");
  OK(prec_rt_find_launch("host:7", &launch));
  EXPECT(launch.rank == 0 && launch.world_size == 1);
  EXPECT(!strcmp(launch.address, "host:7") && launch.launcher[0] == 0);
}

/* A loss that depends on nothing that the options say. */
static double train(const char *path, const prec_rt_options *options,
                    const prec_rt_tensor *batch, int wait) {
  prec_rt_module *module = NULL;
  prec_rt_step_result result = PREC_RT_STEP_RESULT_INIT;
  size_t index = 0;
  OK(prec_rt_open(path, options, &module));
  EXPECT(prec_rt_stream(module) == NULL);
  OK(prec_rt_init_random(module, 42, 0.2));
  OK(prec_rt_set_hyper(module, "lr", 0.02));
  for (int i = 0; i < 5; ++i)
    if (wait) {
      OK(prec_rt_step(module, batch, 2, &result));
    } else {
      OK(prec_rt_step_async(module, batch, 2));
      FAILS(prec_rt_step_async(module, batch, 2), BUSY, "must be waited for");
      FAILS(prec_rt_set_hyper(module, "lr", 1), BUSY, "must be waited for");
      OK(prec_rt_find_binding(module, "lr", &index));
      result.size = 0;
      FAILS(prec_rt_wait(module, &result), INVALID_ARGUMENT, "must be set");
      result.size = sizeof result;
      OK(prec_rt_wait(module, &result));
    }
  EXPECT(result.step == 5 && result.size == sizeof result);
  FAILS(prec_rt_wait(module, &result), INVALID_STATE, "but got none");
  if (!wait)
    OK(prec_rt_step_async(module, batch, 2));
  prec_rt_close(module);
  return result.loss;
}

/* Tensors that no module takes. */
static void refuse_tensors(prec_rt_module *module, size_t index,
                           prec_rt_tensor value) {
  const int64_t dense[] = {INPUT, 1}, apart[] = {1, HIDDEN};
#define WRONG(field, wrong, text)                                              \
  do {                                                                         \
    prec_rt_tensor other = value;                                              \
    other.field = wrong;                                                       \
    FAILS(prec_rt_set(module, index, &other), INVALID_ARGUMENT, text);         \
    FAILS(prec_rt_get(module, index, &other), INVALID_ARGUMENT, text);         \
  } while (0)
  WRONG(strides, apart, "dense and row-major, but got strides [1, 40]");
  WRONG(device_kind, 7, "one of prec_rt_device_kind, but got 7");
  WRONG(device_index, 1, "0 on the host, but got 1");
  WRONG(reserved, 1, "must be 0, but got 1");
  WRONG(device_kind, PREC_RT_CUDA,
        "must be on the host, as the module is for the CPU, but is on GPU 0");
  WRONG(rank, 1, "must have shape [40, 24], but got [40]");
  WRONG(dtype, PREC_RT_I32, "converts to f32, but got i32");
  WRONG(dtype, 99, "dtype must be one of");
  WRONG(data, NULL, "data must be given");
  value.strides = dense;
  OK(prec_rt_set(module, index, &value));
}

static int32_t compute(const prec_rt_call *call, char *message, size_t capacity,
                       void *user) {
  (void)call, (void)message, (void)capacity, (void)user;
  return 0;
}

/* Functions of calls, which a module without calls does not use. */
static void functions(const char *path) {
  prec_rt_module *module = NULL;
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  prec_rt_function given[] = {{"a", compute, NULL}, {"b", compute, NULL}};
  options.num_functions = 2;
  FAILS(prec_rt_open(path, &options, &module), INVALID_ARGUMENT,
        "functions must be given, but got null");
  options.functions = given;
  given[1].name = NULL;
  FAILS(prec_rt_open(path, &options, &module), INVALID_ARGUMENT,
        "the name of a function must be given, but got null");
  given[1].name = "a";
  FAILS(prec_rt_open(path, &options, &module), INVALID_ARGUMENT,
        "functions must have names of their own, but got two of 'a'");
  given[1].call = NULL;
  FAILS(prec_rt_open(path, &options, &module), INVALID_ARGUMENT,
        "function 'a' must be given, but got null");
  given[1] = (prec_rt_function){"b", compute, NULL};
  OK(prec_rt_open(path, &options, &module));
  prec_rt_close(module);
}

/* A module of the same state, steps that nobody waits for, and counts. */
static void goes_on(const char *path, prec_rt_module *module,
                    const prec_rt_tensor *batch) {
  prec_rt_module *same = NULL;
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  float loss = 0;
  int64_t steps = 0;
  prec_rt_tensor output = tensor("loss", 0, NULL, &loss);
  options.state_of = module;
  OK(prec_rt_open(path, &options, &same));
  OK(prec_rt_enqueue(same, "step", batch, 2, &output, 1));
  EXPECT(loss > 0);
  OK(prec_rt_get_steps(module, &steps));
  EXPECT(steps == 2);
  OK(prec_rt_set_steps(same, 1));
  OK(prec_rt_refresh(same));
  OK(prec_rt_restore(same));
  prec_rt_trust_batches(same, 1);
  prec_rt_trust_batches(NULL, 1);
  FAILS(prec_rt_enqueue(same, NULL, batch, 2, NULL, 0), INVALID_ARGUMENT,
        "an entry point must be given, but got null");
  FAILS(prec_rt_enqueue(same, "step", batch, 2, NULL, 1), INVALID_ARGUMENT,
        "outputs must be given, but got null");
  output.name = NULL;
  FAILS(prec_rt_enqueue(same, "step", batch, 2, &output, 1), INVALID_ARGUMENT,
        "the name of an output must be given, but got null");
  FAILS(prec_rt_get_steps(same, NULL), INVALID_ARGUMENT, "but got null");
  FAILS(prec_rt_set_steps(same, -1), INVALID_ARGUMENT, "in [0, 2^53]");
  FAILS(prec_rt_refresh(NULL), INVALID_ARGUMENT, "a module must be given");
  prec_rt_close(same);
}

/* Views live on, say what they are, and are what the module has. */
static void view(const char *path, const prec_rt_tensor *batch) {
  prec_rt_module *module = NULL;
  DLManagedTensorVersioned *weight = NULL, *input = NULL;
  DLManagedTensor *older = NULL;
  prec_rt_tensor described, all;
  prec_rt_statistics statistics = {.size = sizeof statistics};
  memory counts = {0, 0, -1, 0};
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  size_t w, x;
  const float *read;
  options.allocate = give;
  options.deallocate = take;
  options.allocator_user = &counts;
  OK(prec_rt_open(path, &options, &module));
  OK(prec_rt_find_binding(module, "fc1.weight", &w));
  OK(prec_rt_find_binding(module, "x", &x));
  OK(prec_rt_init_random(module, 1, 0.2));
  FAILS(prec_rt_view(module, 99, &weight), INVALID_ARGUMENT, "must be below");
  FAILS(prec_rt_view(module, w, NULL), INVALID_ARGUMENT, "but got null");
  FAILS(prec_rt_view_legacy(module, w, &older), UNSUPPORTED, "1.0 or newer");
  OK(prec_rt_view(module, w, &weight));
  OK(prec_rt_view(module, x, &input));
  OK(prec_rt_view_legacy(module, x, &older));
  EXPECT(weight->flags == DLPACK_FLAG_BITMASK_READ_ONLY && input->flags == 0);
  EXPECT(weight->version.major == 1 && older->dl_tensor.ndim == 2);
  EXPECT(weight->dl_tensor.device.device_type == kDLCPU);
  EXPECT(weight->dl_tensor.shape[0] == HIDDEN &&
         weight->dl_tensor.strides[0] == INPUT &&
         weight->dl_tensor.strides[1] == 1);
  EXPECT(input->dl_tensor.data == older->dl_tensor.data);
  OK(prec_rt_set(module, x, &batch[0]));
  EXPECT(!memcmp(input->dl_tensor.data, batch[0].data,
                 BATCH * INPUT * sizeof(float)));

  OK(prec_rt_from_dlpack(weight, "fc1.weight", &described));
  EXPECT(!strcmp(described.name, "fc1.weight") && described.rank == 2 &&
         described.dtype == PREC_RT_F32 &&
         described.device_kind == PREC_RT_HOST);
  OK(prec_rt_set(module, w, &described));
  OK(prec_rt_from_dlpack_legacy(older, NULL, &described));
  EXPECT(described.name == NULL && described.data == older->dl_tensor.data);
  FAILS(prec_rt_from_dlpack(NULL, "x", &all), INVALID_ARGUMENT, "null");
  FAILS(prec_rt_from_dlpack_legacy(NULL, "x", &all), INVALID_ARGUMENT, "null");
#define FOREIGN(field, wrong, code, text)                                      \
  do {                                                                         \
    DLManagedTensorVersioned other = *weight;                                  \
    other.field = wrong;                                                       \
    FAILS(prec_rt_from_dlpack(&other, "x", &all), code, text);                 \
  } while (0)
  FOREIGN(version.major, 2, UNSUPPORTED, "of version 1, but got 2.");
  FOREIGN(dl_tensor.dtype.code, 5, INVALID_ARGUMENT, "code 5 of 32 bits");
  FOREIGN(dl_tensor.dtype.lanes, 4, INVALID_ARGUMENT, "4 lanes");
  FOREIGN(dl_tensor.device.device_type, 8, INVALID_ARGUMENT, "device type 8");
  FOREIGN(dl_tensor.ndim, -1, INVALID_ARGUMENT, "but got -1");
  FOREIGN(dl_tensor.shape, NULL, INVALID_ARGUMENT, "shape must be given");
  FAILS(prec_rt_get_statistics(module, NULL), INVALID_ARGUMENT, "null");
  OK(prec_rt_get_statistics(module, &statistics));
  EXPECT(statistics.device_copies == 0 && statistics.through_host_copies == 0);
  statistics.size = 0;
  FAILS(prec_rt_get_statistics(module, &statistics), INVALID_ARGUMENT,
        "must be set by the caller");

  older->deleter(older);
  prec_rt_close(module);
  EXPECT(counts.bytes > 0 && counts.taken == 0);
  read = weight->dl_tensor.data;
  EXPECT(read[0] == read[0]);
  input->deleter(input);
  EXPECT(counts.taken == 0);
  weight->deleter(weight);
  EXPECT(counts.taken == counts.given && counts.given > 2 && counts.bytes == 0);
}

/* The bytes of a file, which the caller frees. */
static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  void *bytes;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(*size);
  EXPECT(fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void open_memory(const char *path) {
  prec_rt_module *module = NULL;
  size_t size;
  char *bytes = read_file(path, &size);
  OK(prec_rt_open_memory(bytes, size, "inside", NULL, &module));
  bytes[size / 2] ^= 1; /* of a copy */
  OK(prec_rt_init_random(module, 1, 0.2));
  prec_rt_close(module);
  FAILS(prec_rt_open_memory(bytes, size, "inside", NULL, &module), BAD_FILE,
        "inside: must be the file that the compiler wrote");
  FAILS(prec_rt_open_memory(bytes, 0, "inside", NULL, &module), BAD_FILE,
        "inside: must be an ELF shared object");
  FAILS(prec_rt_open_memory(NULL, 0, "inside", NULL, &module), INVALID_ARGUMENT,
        "a module's bytes must be given");
  FAILS(prec_rt_open_memory(bytes, size, NULL, NULL, &module), INVALID_ARGUMENT,
        "a module's name must be given");
  free(bytes);
}

int main(int argc, char **argv) {
  static float x[BATCH * INPUT], y[BATCH * OUTPUT];
  const int64_t x_shape[] = {BATCH, INPUT}, y_shape[] = {BATCH, OUTPUT};
  const int64_t w_shape[] = {HIDDEN, INPUT};
  const prec_rt_tensor batch[] = {tensor("x", 2, x_shape, x),
                                  tensor("y", 2, y_shape, y)};
  const prec_rt_tensor twice[] = {batch[0], batch[1], batch[0]};
  const prec_rt_tensor other[] = {batch[0], tensor("z", 2, y_shape, y)};
  prec_rt_options options = PREC_RT_OPTIONS_INIT;
  prec_rt_module *module = NULL;
  prec_rt_step_result first = PREC_RT_STEP_RESULT_INIT, result = first,
                      repeated = first;
  prec_rt_binding binding = {.size = sizeof binding};
  prec_rt_tensor value;
  size_t size, index;
  char path[4096];
  float *weight, *again;
  int64_t position = 0;

  if (argc != 3)
    return 2;
  EXPECT(prec_rt_abi() == PREC_RT_ABI);
  EXPECT(prec_rt_error_code(NULL) == PREC_RT_OK);
  FAILS(prec_rt_open("none.so", NULL, &module), NOT_FOUND,
        "none.so: must be readable");
  FAILS(prec_rt_open("/", NULL, &module), FILE, "must be a regular file");
  FAILS(prec_rt_open(argv[0], NULL, &module), BAD_FILE, "must be a step");
  FAILS(prec_rt_open(NULL, NULL, &module), INVALID_ARGUMENT, "but got null");
  EXPECT(module == NULL);
  refuse_options(argv[1]);
  connect_ranks(argv[1]);
  open_memory(argv[1]);
  OK(prec_rt_open(argv[1], &options, &module));
  EXPECT(prec_rt_manifest(module, &size)[0] == '{' && size > 100);
  EXPECT(prec_rt_num_bindings(module) == 9);
  FAILS(prec_rt_get_binding(module, 9, &binding), INVALID_ARGUMENT,
        "must be below 9");
  binding.size = 0;
  FAILS(prec_rt_get_binding(module, 0, &binding), INVALID_ARGUMENT,
        "the size of a binding must be set");
  {
    struct {
      prec_rt_binding known;
      int64_t later;
    } newer = {{.size = sizeof newer}, 5};
    OK(prec_rt_get_binding(module, 0, &newer.known));
    EXPECT(newer.known.rank == 2 && newer.later == 0);
  }
  /* Of a caller that knows the first two fields. */
  binding.size = offsetof(prec_rt_binding, role);
  binding.rank = 77;
  OK(prec_rt_get_binding(module, 0, &binding));
  EXPECT(binding.rank == 77 && binding.name[0] != 0);
  binding.size = sizeof binding;
  FAILS(prec_rt_find_binding(module, "fc9", &index), INVALID_ARGUMENT, "'fc9'");
  OK(prec_rt_find_binding(module, "fc1.weight", &index));
  OK(prec_rt_get_binding(module, index, &binding));
  EXPECT(!strcmp(binding.name, "fc1.weight") && binding.rank == 2);
  EXPECT(binding.role == PREC_RT_PARAMETER && binding.dtype == PREC_RT_F32);
  EXPECT(binding.shape[0] == 40 && binding.shape[1] == INPUT);

  for (int i = 0; i < BATCH * INPUT; ++i)
    x[i] = sinf(i);
  for (int i = 0; i < BATCH * OUTPUT; ++i)
    y[i] = cosf(3 * i);
  FAILS(prec_rt_step(module, batch, 2, &result), INVALID_STATE,
        "must be set before 'step'");
  OK(prec_rt_init_random(module, 42, 0.2));
  OK(prec_rt_init(module));
  FAILS(prec_rt_step(module, batch, 1, &result), INVALID_ARGUMENT,
        "'y' is missing");
  FAILS(prec_rt_step(module, twice, 3, &result), INVALID_ARGUMENT,
        "'x' is given twice");
  FAILS(prec_rt_step(module, other, 2, &result), INVALID_ARGUMENT,
        "'z' is no input");
  OK(prec_rt_set_hyper(module, "lr", 0.02));
  FAILS(prec_rt_set_hyper(module, "beta7", 1), INVALID_ARGUMENT, "beta7");
  OK(prec_rt_step(module, batch, 2, &first));
  EXPECT(first.step == 1 && first.finite && !first.skipped);
  goes_on(argv[1], module, batch);
  EXPECT(prec_rt_not_finite(module) == NULL);
  for (int i = 0; i < 50; ++i)
    OK(prec_rt_step(module, NULL, 0, &result));
  EXPECT(result.step == 51 && result.loss < first.loss);

  OK(prec_rt_eval(module, batch, 2, &result));
  OK(prec_rt_eval(module, batch, 2, &repeated));
  EXPECT(result.loss == repeated.loss);

  size = HIDDEN * INPUT * sizeof(float);
  weight = malloc(size);
  again = malloc(size);
  value = tensor(NULL, 2, w_shape, weight);
  OK(prec_rt_get(module, index, &value));
  refuse_tensors(module, index, value);
  snprintf(path, sizeof path, "%s/c.safetensors", argv[2]);
  OK(prec_rt_save(module, path));
  OK(prec_rt_save_checkpoint(module, argv[2], 7));
  prec_rt_close(module);

  OK(prec_rt_open(argv[1], NULL, &module));
  FAILS(prec_rt_load(module, argv[1]), BAD_FILE, "header must be");
  FAILS(prec_rt_load(module, "/none"), NOT_FOUND, "must be readable");
  OK(prec_rt_load(module, path));
  value.data = again;
  OK(prec_rt_get(module, index, &value));
  EXPECT(!memcmp(weight, again, size));
  OK(prec_rt_eval(module, batch, 2, &repeated));
  EXPECT(result.loss == repeated.loss);
  OK(prec_rt_load_checkpoint(module, argv[2], NULL, &position));
  EXPECT(position == 7);
  OK(prec_rt_step(module, batch, 2, &result));
  EXPECT(result.step == 52);
  prec_rt_close(module);

  {
    memory counts = {0, 0, -1, 0};
    double expected = train(argv[1], NULL, batch, 1);
    EXPECT(train(argv[1], NULL, batch, 0) == expected);
    for (options.threads = 1; options.threads <= 5; ++options.threads)
      EXPECT(train(argv[1], &options, batch, 1) == expected);
    options.threads = 0;
    options.allocate = give;
    options.deallocate = take;
    options.allocator_user = &counts;
    EXPECT(train(argv[1], &options, batch, 1) == expected);
    EXPECT(counts.given == counts.taken && counts.given > 2);
    EXPECT(counts.bytes == 0);
  }
  functions(argv[1]);
  view(argv[1], batch);
  free(weight);
  free(again);
  if (!failures)
    puts("passed");
  return failures != 0;
}
