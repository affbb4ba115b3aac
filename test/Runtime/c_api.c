/*===- c_api.c - the runtime from plain C ---------------------------------===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* c_api STEP.SO FOLDER trains the hand-made perceptron of models.py: sets    *|
|* weights, steps, evaluates, saves, loads; and sees errors as values.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "prec-rt/prec-rt.h"

#include <math.h>
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

/* The call must fail with a message that contains `text`. */
static void fail(prec_rt_error *error, const char *text, int line) {
  if (error && strstr(prec_rt_error_message(error), text)) {
    prec_rt_error_destroy(error);
    return;
  }
  fprintf(stderr, "%s:%d: expected an error with '%s', but got %s\n", __FILE__,
          line, text, error ? prec_rt_error_message(error) : "none");
  exit(1);
}
#define FAILS(call, text) fail(call, text, __LINE__)

enum { BATCH = 32, INPUT = 24, OUTPUT = 8 };

int main(int argc, char **argv) {
  static float x[BATCH * INPUT], y[BATCH * OUTPUT];
  const int64_t x_shape[] = {BATCH, INPUT}, y_shape[] = {BATCH, OUTPUT};
  const prec_rt_tensor batch[] = {{"x", PREC_RT_F32, 2, x_shape, x},
                                  {"y", PREC_RT_F32, 2, y_shape, y}};
  const prec_rt_tensor twice[] = {batch[0], batch[1], batch[0]};
  const prec_rt_tensor other[] = {batch[0], {"z", PREC_RT_F32, 2, y_shape, y}};
  prec_rt_module *module = NULL;
  prec_rt_step_result first, result, repeated;
  prec_rt_binding binding;
  size_t size, index;
  char path[4096];
  float *weight, *again;
  int64_t position = 0;

  if (argc != 3)
    return 2;
  EXPECT(prec_rt_abi() == PREC_RT_ABI);
  FAILS(prec_rt_open("none.so", &module), "none.so: must be readable");
  FAILS(prec_rt_open(NULL, &module), "but got null");
  EXPECT(module == NULL);
  OK(prec_rt_open(argv[1], &module));
  EXPECT(prec_rt_manifest(module, &size)[0] == '{' && size > 100);
  EXPECT(prec_rt_num_bindings(module) == 9);
  FAILS(prec_rt_get_binding(module, 9, &binding), "must be below 9");
  FAILS(prec_rt_find_binding(module, "fc9", &index), "'fc9'");
  OK(prec_rt_find_binding(module, "fc1.weight", &index));
  OK(prec_rt_get_binding(module, index, &binding));
  EXPECT(!strcmp(binding.name, "fc1.weight") && binding.rank == 2);
  EXPECT(binding.role == PREC_RT_PARAMETER && binding.dtype == PREC_RT_F32);
  EXPECT(binding.shape[0] == 40 && binding.shape[1] == INPUT);

  for (int i = 0; i < BATCH * INPUT; ++i)
    x[i] = sinf(i);
  for (int i = 0; i < BATCH * OUTPUT; ++i)
    y[i] = cosf(3 * i);
  FAILS(prec_rt_step(module, batch, 2, &result), "must be set before 'step'");
  OK(prec_rt_init_random(module, 42, 0.2));
  OK(prec_rt_init(module));
  FAILS(prec_rt_step(module, batch, 1, &result), "'y' is missing");
  FAILS(prec_rt_step(module, twice, 3, &result), "'x' is given twice");
  FAILS(prec_rt_step(module, other, 2, &result), "'z' is no input");
  OK(prec_rt_set_hyper(module, "lr", 0.02));
  FAILS(prec_rt_set_hyper(module, "beta7", 1), "beta7");
  OK(prec_rt_step(module, batch, 2, &first));
  EXPECT(first.step == 1 && first.finite && !first.skipped);
  EXPECT(prec_rt_not_finite(module) == NULL);
  for (int i = 0; i < 50; ++i)
    OK(prec_rt_step(module, NULL, 0, &result));
  EXPECT(result.step == 51 && result.loss < first.loss);

  OK(prec_rt_eval(module, batch, 2, &result));
  OK(prec_rt_eval(module, batch, 2, &repeated));
  EXPECT(result.loss == repeated.loss);

  size = 40 * INPUT * sizeof(float);
  weight = malloc(size);
  again = malloc(size);
  FAILS(prec_rt_get(module, index, PREC_RT_F32, weight, size - 1), "needs");
  FAILS(prec_rt_get(module, index, 99, weight, size), "dtype");
  OK(prec_rt_get(module, index, PREC_RT_F32, weight, size));
  snprintf(path, sizeof path, "%s/c.safetensors", argv[2]);
  OK(prec_rt_save(module, path));
  OK(prec_rt_save_checkpoint(module, argv[2], 7));
  prec_rt_close(module);

  OK(prec_rt_open(argv[1], &module));
  FAILS(prec_rt_load(module, argv[1]), "header must be");
  OK(prec_rt_load(module, path));
  OK(prec_rt_get(module, index, PREC_RT_F32, again, size));
  EXPECT(!memcmp(weight, again, size));
  OK(prec_rt_eval(module, batch, 2, &repeated));
  EXPECT(result.loss == repeated.loss);
  OK(prec_rt_load_checkpoint(module, argv[2], &position));
  EXPECT(position == 7);
  OK(prec_rt_step(module, batch, 2, &result));
  EXPECT(result.step == 52);
  prec_rt_close(module);
  free(weight);
  free(again);
  if (!failures)
    puts("passed");
  return failures != 0;
}
