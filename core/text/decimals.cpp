#include "text/decimals.hpp"

#include <array>

#include "text/line.hpp"
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace regretless::text {

#ifdef __x86_64__

namespace {

#define REGRETLESS_WIDE [[gnu::target("avx2,bmi")]]

constexpr std::ptrdiff_t kBlock = 64;
constexpr std::ptrdiff_t kSeen = kBlock + 16;  // a number that begins in a block is loaded whole

// The bytes of a block that are no digits, by their places: taken one after the other.
struct Marks {
  std::uint64_t left;
  REGRETLESS_WIDE explicit Marks(const char* p)
      : left(others(p) | std::uint64_t(others(p + 32)) << 32) {}
  // kBlock when there is none.
  REGRETLESS_WIDE unsigned next() const { return unsigned(_tzcnt_u64(left)); }
  // Leave the next behind, or, without a branch, do not.
  REGRETLESS_WIDE void skip(bool really = true) { left &= left - really; }

 private:
  REGRETLESS_WIDE static std::uint32_t others(const char* p) {
    const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i off = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
    const __m256i digits = _mm256_cmpeq_epi8(_mm256_min_epu8(off, _mm256_set1_epi8(9)), off);
    return ~std::uint32_t(_mm256_movemask_epi8(digits));
  }
};

REGRETLESS_WIDE inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
REGRETLESS_WIDE inline __m128i digits_at(const char* p) {
  return _mm_sub_epi8(load(p), _mm_set1_epi8('0'));
}
// Pairs of digits, pairs of these, and pairs of those: two numbers of eight digits.
REGRETLESS_WIDE inline __m128i numbers_of(__m128i digits) {
  const __m128i sums =
      _mm_madd_epi16(_mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a)), _mm_set1_epi32(0x00010064));
  return _mm_madd_epi16(_mm_packus_epi32(sums, sums), _mm_set1_epi32(0x00012710));
}

// A decimal after a mark: where its digits begin, how many there are before and after the point.
struct Place {
  bool negative;
  unsigned begin, whole, places, end;
  REGRETLESS_WIDE Place(const char* text, unsigned at, Marks& marks) {
    negative = text[at] == '-';  // as good as random: no branch
    marks.skip(negative);
    begin = at + negative;
    end = marks.next();
    whole = end - begin;
    places = 0;
    if (text[end] == '.') {
      marks.skip();
      const unsigned point = end;
      end = marks.next();
      places = end - point - 1;
    }
  }
};

// Which bytes go where: the digits of a name to the right of the lower half of a vector, those of a
// value, without its point, to the right of the upper half; the rest becomes 0.
using Shuffle = std::array<std::uint8_t, 16>;
constexpr std::uint8_t kZero = 0x80;
constexpr auto kNames = [] {
  std::array<Shuffle, 9> all{};
  for (unsigned n = 0; n <= 8; ++n)
    for (unsigned i = 0; i < 16; ++i)
      all[n][i] = i < 8 && i + n >= 8 ? std::uint8_t(i + n - 8) : kZero;
  return all;
}();
constexpr auto kValues = [] {
  std::array<std::array<Shuffle, 9>, 9> all{};
  for (unsigned whole = 0; whole <= 8; ++whole)
    for (unsigned places = 0; places <= 8; ++places)
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned digits = whole + places, skipped = 16 - digits;
        const unsigned k = i < skipped ? 0 : i - skipped;  // the k-th digit
        all[whole][places][i] =
            i < skipped || digits > 8 ? kZero : std::uint8_t(k < whole ? k : k + 1);
      }
  return all;
}();

template <bool kRows, bool kNamed>
REGRETLESS_WIDE const char* columns(const char* p, const char* end, const char* limit, double scale,
                                    bool bare, Examples& out) {
  const Examples::Space to = out.space();
  const double scales[] = {scale, -scale};
  std::size_t count = 0;
  while (limit - p >= kSeen && p < end) {
    const char* const text = p;
    Marks marks(text);
    const auto line_end = std::size_t(end - text);
    unsigned begin = *text == ' ', stop = begin;
    marks.skip(begin);
    while (true) {
      stop = marks.next();
      const unsigned length = stop - begin;
      if (length - 1 > 7 || (text[begin] == '0' && length > 1)) break;
      __m128i digits = _mm_shuffle_epi8(digits_at(text + begin), load(kNames[length].data()));
      double value = scale;
      const bool valued = text[stop] == ':';
      if (valued) {
        marks.skip();
        const Place at(text, stop + 1, marks);
        if (at.whole > 8 || at.places > 8 || at.whole + at.places - 1 > 7) break;
        digits = _mm_or_si128(digits, _mm_shuffle_epi8(digits_at(text + at.begin),
                                                       load(kValues[at.whole][at.places].data())));
        digits = numbers_of(digits);
        value =
            double(_mm_extract_epi32(digits, 1)) / kPowersOfTen[at.places] * scales[at.negative];
        stop = at.end;
      } else if (bare) {
        digits = numbers_of(digits);
      } else {
        break;
      }
      if (stop == kBlock || (text[stop] != ' ' && stop != line_end)) break;
      const auto column = std::uint32_t(_mm_cvtsi128_si32(digits));
      if (kRows) to.rows[count] = to.row(column);
      if (kNamed) to.names[count] = {column, 0, Examples::Name::kColumn};
      to.values[count] = float(value);
      count += value != 0;  // what is 0 is absent
      p = text + stop;
      if (stop == line_end) break;
      marks.skip();
      begin = stop + 1;
    }
    if (p == text) break;
  }
  out.took(count);
  return p;
}

// The decimal of `whole` digits, and a point and `places` more if there are any: 1 to 15 in all.
REGRETLESS_WIDE inline double decimal(const char* p, unsigned whole, unsigned places) {
  alignas(16) static constexpr std::int8_t kSlide[32] = {
      -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1,
      0,   1,   2,   3,   4,   5,   6,   7,  8,  9,  10, 11, 12, 13, 14, 15};
  // digits to the right end of the vector, zeros before them, the point left out
  __m128i from = load(kSlide + whole + places);
  from = _mm_sub_epi8(from, _mm_cmpgt_epi8(from, _mm_set1_epi8(char(whole - 1))));
  const __m128i sums = numbers_of(_mm_shuffle_epi8(digits_at(p), from));
  const auto both = std::uint64_t(_mm_cvtsi128_si64(sums));
  const auto number = std::int64_t((both & 0xffffffff) * 100'000'000 + (both >> 32));
  return double(number) / kPowersOfTen[places];
}

REGRETLESS_WIDE std::size_t numbers(const char*& p, const char* end, const char* limit,
                                    char delimiter, double* out, std::size_t most) {
  std::size_t found = 0;
  const char* text = p;
  while (found < most && text < end && limit - text >= kSeen) {
    Marks marks(text);
    const auto line_end = std::size_t(end - text);
    const std::size_t before = found;
    for (unsigned begin = 0; found < most; marks.skip()) {
      const Place at(text, begin, marks);
      if (at.end == kBlock || at.whole + at.places - 1 > 14) break;
      if (text[at.end] != delimiter && at.end != line_end) return found;
      const double value = decimal(text + at.begin, at.whole, at.places);
      out[found++] = at.negative ? -value : value;
      p = text + at.end;
      if (at.end == line_end) return found;
      begin = at.end + 1;
    }
    if (found == before) break;
    text = p + 1;
  }
  return found;
}

const bool kWide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");

}  // namespace

const char* plain_columns(const char* p, const char* end, const char* limit, double scale,
                          bool bare, Examples& out) {
  if (!kWide || !(std::fabs(scale) <= 1e10)) return p;  // else values may be too large
  const auto read = !out.bits()   ? columns<false, true>
                    : out.named() ? columns<true, true>
                                  : columns<true, false>;
  return read(p, end, limit, scale, bare, out);
}
std::size_t plain_numbers(const char*& p, const char* end, const char* limit, char delimiter,
                          double* out, std::size_t most) {
  return kWide ? numbers(p, end, limit, delimiter, out, most) : 0;
}

#else

const char* plain_columns(const char* p, const char*, const char*, double, bool, Examples&) {
  return p;
}
std::size_t plain_numbers(const char*&, const char*, const char*, char, double*, std::size_t) {
  return 0;
}

#endif

}  // namespace regretless::text
