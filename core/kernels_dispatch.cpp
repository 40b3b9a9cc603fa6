#include "kernels.hpp"

namespace regretless_baseline {
extern const regretless::Kernels table;
}
#ifdef REGRETLESS_HAS_AVX2
namespace regretless_avx2 {
extern const regretless::Kernels table;
}
#endif

namespace regretless_double {
extern const regretless::Loops loops;
}

namespace regretless {

Kernels baseline_kernels() { return regretless_baseline::table; }

Kernels kernels() {
#ifdef REGRETLESS_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return regretless_avx2::table;
#endif
  return baseline_kernels();
}

Kernels double_kernels() {
  Kernels all = kernels();
  static_cast<Loops&>(all) = regretless_double::loops;
  all.words = 2;
  return all;
}

}  // namespace regretless
