#include "kernels.hpp"

namespace regretless_baseline {
extern const regretless::Kernels table;
}
namespace regretless_double_baseline {
extern const regretless::Loops loops;
}
#ifdef REGRETLESS_HAS_AVX2
namespace regretless_avx2 {
extern const regretless::Kernels table;
}
namespace regretless_double_avx2 {
extern const regretless::Loops loops;
}
#endif

namespace regretless {
namespace {

bool has_avx2() {
#ifdef REGRETLESS_HAS_AVX2
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

}  // namespace

Kernels baseline_kernels() { return regretless_baseline::table; }

Kernels kernels() {
#ifdef REGRETLESS_HAS_AVX2
  if (has_avx2()) return regretless_avx2::table;
#endif
  return baseline_kernels();
}

Kernels double_kernels() {
  Kernels all = kernels();
  static_cast<Loops&>(all) = regretless_double_baseline::loops;
#ifdef REGRETLESS_HAS_AVX2
  if (has_avx2()) static_cast<Loops&>(all) = regretless_double_avx2::loops;
#endif
  all.words = 2;
  return all;
}

}  // namespace regretless
