/*===- format.h - numbers and names that both sides know ----------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* What compiler, runtime and Python must agree on beside enums.def,          *|
|* scalings.def and manifest.def: how scales lie in memory, streams of random *|
|* bits, names.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_RT_FORMAT_H
#define PREC_RT_FORMAT_H

/* Layouts of inverse scales (scalings.h): grouped ones begin each row at a
   multiple of so many. */
#define PREC_SCALE_INV_GROUP 4
/* Tiles are of 128 rows and 4 blocks: line i of a tile holds the blocks of rows
   i, i + 32, i + 64 and i + 96. */
#define PREC_SCALE_INV_TILE 128
#define PREC_SCALE_INV_STRIDE 32

/* Where scaled operands are contracted along rows of groups, each group begins
   at a multiple of so many; rows between groups are zeros. */
#define PREC_GROUP_ALIGNMENT 128

/* Where the streams of random bits begin that are not those of masters, which
   are the numbers of their results: of stochastic quantizations and of
   dropout. */
#define PREC_QUANTIZE_STREAMS (1 << 20)
#define PREC_DROPOUT_STREAMS (1 << 24)
/* A step draws by step * so many + micro-batch. */
#define PREC_MOST_MICRO_BATCHES 4096

/* Elements of a block of moments in 8 bits (as in bitsandbytes), and the slots
   of one: the optimizer's name of it with these. */
#define PREC_MOMENT_BLOCK 256
#define PREC_CODES_SUFFIX "_codes"
#define PREC_ABSMAX_SUFFIX "_absmax"

#endif /* PREC_RT_FORMAT_H */
