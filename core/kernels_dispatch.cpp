#include "kernels.hpp"

namespace regretless {

namespace baseline {
extern const Kernels table;
}
#ifdef REGRETLESS_HAS_AVX2
namespace avx2 {
extern const Kernels table;
}
#endif

Kernels baseline_kernels() { return baseline::table; }

Kernels kernels() {
#ifdef REGRETLESS_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return avx2::table;
#endif
  return baseline::table;
}

}  // namespace regretless
