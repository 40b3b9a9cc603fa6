// Oja's sketch as the kernels see it: plain memory.
#pragma once

namespace regretless {

struct OjaView {
  int rank, stride;              // number of rows of F, and their distance, a multiple of 4
  double *lambda, *F, *norms;    // V = F Y, and |Y_i|^2
  double *p, *u, *moved, *room;  // scratch: a row each, and four rows and eight numbers
};

}  // namespace regretless
