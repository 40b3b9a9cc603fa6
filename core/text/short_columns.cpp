#include "text/short_columns.hpp"

#include <array>

#include "text/line.hpp"
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace regretless::text {

namespace {

// Both are loops and nothing else, so that they have all registers. The end of the line is far
// enough away for them to look ahead without asking.

const char* by_words(const char* p, const char* end, double scale, Examples& out) {
  const char* const last = end - 24;
  while (p < last) {
    const char* q = p + (*p == ' ');
    const Word name(q);
    if (!name.others) return p;
    const unsigned length = Word::before(name.others);
    if (length == 0 || (*q == '0' && length > 1)) return p;
    q += length;
    double value = scale;
    if (*q == ':') {
      const bool negative = *++q == '-';
      q += negative;
      const Word word(q);
      if (!word.others) return p;
      unsigned digits = Word::before(word.others), size = digits, places = 0;
      std::uint64_t off = word.off;
      if (q[digits] == '.') {
        const std::uint64_t others = word.others & (word.others - 1);
        if (!others) return p;
        size = Word::before(others);
        const std::uint64_t whole = (std::uint64_t(1) << (8 * digits)) - 1;
        off = (off & whole) | ((off >> 8) & ~whole);  // the point taken out
        places = size - digits - 1;
        digits = size - 1;
      }
      if (digits == 0) return p;
      value *= double(std::int64_t(Word::number(off, digits))) / kPowersOfTen[places] *
               (1.0 - 2.0 * negative);
      q += size;
    }
    if (*q != ' ') return p;
    out.add(std::int64_t(Word::number(name.off, length)), value);
    p = q;
  }
  return p;
}

#ifdef __x86_64__

// Which bytes go where: the digits of a name to the right of the lower half of a vector, those of a
// value, without its point, to the right of the upper half; the rest becomes 0.
using Shuffle = std::array<std::uint8_t, 16>;
constexpr unsigned kMostWhole = 5, kMostPlaces = 6;
constexpr std::uint8_t kZero = 0x80;

constexpr auto kNames = [] {
  std::array<Shuffle, 8> all{};
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned i = 0; i < 16; ++i)
      all[n][i] = i < 8 && i + n >= 8 ? std::uint8_t(i + n - 8) : kZero;
  return all;
}();
constexpr auto kValues = [] {
  std::array<std::array<Shuffle, kMostPlaces + 1>, kMostWhole + 1> all{};
  for (unsigned whole = 0; whole <= kMostWhole; ++whole)
    for (unsigned places = 0; places <= kMostPlaces; ++places)
      for (unsigned i = 0; i < 16; ++i) {
        const unsigned digits = whole + places, skipped = 16 - digits;
        const unsigned k = i < skipped ? 0 : i - skipped;  // the k-th digit
        all[whole][places][i] =
            i < skipped || digits > 8 ? kZero : std::uint8_t(k < whole ? k : k + 1);
      }
  return all;
}();

[[gnu::target("sse4.1")]] const char* by_vectors(const char* p, const char* end, double scale,
                                                 Examples& out) {
  const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
  const __m128i tens = _mm_set1_epi16(0x010a), hundreds = _mm_set1_epi32(0x00010064),
                thousands = _mm_set1_epi32(0x00012710);
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const char* const last = end - 48;
  while (p < last) {
    const char* const q = p + (*p == ' ');
    const __m128i text = _mm_sub_epi8(load(q), zero);
    const unsigned others =
        0xffffu & ~unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(text, nine), text)));
    const unsigned length = unsigned(__builtin_ctz(others | 0x10000));
    if (length - 1 > 6 || (*q == '0' && length > 1)) return p;
    unsigned size = length, places = 0;
    double sign = scale;
    __m128i digits = _mm_shuffle_epi8(text, load(kNames[length].data()));
    const bool valued = q[length] == ':';
    if (valued) {
      const bool negative = q[length + 1] == '-';
      const unsigned begin = length + 1 + negative;
      unsigned rest = others & (others - 1);
      if (negative) {
        rest &= rest - 1;
        sign = -scale;
      }
      size = unsigned(__builtin_ctz(rest | 0x10000));
      const unsigned whole = size - begin;
      if (q[size] == '.') {
        rest &= rest - 1;
        const unsigned point = size;
        size = unsigned(__builtin_ctz(rest | 0x10000));
        places = size - point - 1;
      }
      if (size > 15 || whole > kMostWhole || places > kMostPlaces || whole + places - 1 > 7)
        return p;
      digits = _mm_or_si128(digits, _mm_shuffle_epi8(_mm_sub_epi8(load(q + begin), zero),
                                                     load(kValues[whole][places].data())));
    }
    if (q[size] != ' ') return p;
    // pairs of digits, pairs of these, and pairs of those: two numbers of eight digits at once
    __m128i sums = _mm_madd_epi16(_mm_maddubs_epi16(digits, tens), hundreds);
    sums = _mm_madd_epi16(_mm_packus_epi32(sums, sums), thousands);
    const auto column = std::int64_t(_mm_cvtsi128_si32(sums));
    const double value = valued ? double(_mm_extract_epi32(sums, 1)) / kPowersOfTen[places] : 1.0;
    out.add(column, value * sign);
    p = q + size;
  }
  return by_words(p, end, scale, out);
}

#endif

}  // namespace

const char* short_columns(const char* p, const char* end, double scale, Examples& out) {
#ifdef __x86_64__
  static const auto best = __builtin_cpu_supports("sse4.1") ? by_vectors : by_words;
  return best(p, end, scale, out);
#else
  return by_words(p, end, scale, out);
#endif
}

}  // namespace regretless::text
