#include "text/decimals.hpp"

#include <array>
#include <bit>

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

// 64 bytes; comparisons return a bit for each.
struct Block {
  __m256i low, high;
  REGRETLESS_WIDE explicit Block(const char* p)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))) {}
  REGRETLESS_WIDE std::uint64_t digits() const { return bits(digits(low), digits(high)); }
  REGRETLESS_WIDE std::uint64_t equal(char c) const {
    const __m256i all = _mm256_set1_epi8(c);
    return bits(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
  }

 private:
  REGRETLESS_WIDE static __m256i digits(__m256i text) {
    const __m256i off = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(off, _mm256_set1_epi8(9)), off);
  }
  REGRETLESS_WIDE static std::uint64_t bits(__m256i low, __m256i high) {
    return std::uint32_t(_mm256_movemask_epi8(low)) |
           std::uint64_t(std::uint32_t(_mm256_movemask_epi8(high))) << 32;
  }
};

// The positions of the bytes of a block that are not digits, taken one after the other.
struct Marks {
  std::uint64_t left, signs = 0;
  REGRETLESS_WIDE explicit Marks(const char* p) : left(~Block(p).digits()) {}
  // Removes minus signs at the beginning of numbers, all at once: if signs are frequent a branch
  // would often be mispredicted.
  REGRETLESS_WIDE Marks(const char* p, char delimiter) : Marks(p) {
    const Block block(p);
    signs = block.equal('-') & (block.equal(delimiter) << 1 | 1);
    left &= ~signs;
  }
  // The next position; kBlock if there is none.
  REGRETLESS_WIDE unsigned next() const { return unsigned(_tzcnt_u64(left)); }
  // Moves past the next position if `really`, without a branch.
  REGRETLESS_WIDE void skip(bool really = true) { left &= left - really; }
  bool sign(unsigned at) const { return at < kBlock && signs >> at & 1; }
  // The same, for rare signs.
  REGRETLESS_WIDE bool skip_sign(const char* text, unsigned at) {
    if (next() != at || text[at] != '-') return false;
    skip();
    return true;
  }
};

REGRETLESS_WIDE inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
REGRETLESS_WIDE inline __m128i digits_at(const char* p) {
  return _mm_sub_epi8(load(p), _mm_set1_epi8('0'));
}
// Adds up pairs of digits, pairs of these and pairs of those: two numbers of eight digits.
REGRETLESS_WIDE inline __m128i numbers_of(__m128i digits) {
  const __m128i sums =
      _mm_madd_epi16(_mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a)), _mm_set1_epi32(0x00010064));
  return _mm_madd_epi16(_mm_packus_epi32(sums, sums), _mm_set1_epi32(0x00012710));
}

// A decimal after a mark: where its digits begin, and how many there are before and after the
// point. The marks say nothing about bytes beyond the block: a number that continues there has no
// end.
struct Place {
  bool negative;
  unsigned begin, whole, places = 0, end;
  REGRETLESS_WIDE Place(const char* text, unsigned at, bool signed_, Marks& marks)
      : negative(signed_), begin(at + negative), end(marks.next()) {
    whole = end - begin;
    if (text[end] == '.') {
      marks.skip();
      places = marks.next() - end - 1;
      end += places + 1;
    }
  }
  // Whether there are 1 to `most` digits; false if the end is beyond the block.
  bool is_plain(unsigned most) const { return whole + places - 1 < most && places <= most; }
  // Without a branch, as above.
  double signed_value(double value) const {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | std::uint64_t(negative)
                                                                           << 63);
  }
};

// The shuffle that moves the digits of a name to the right end of the lower half of a vector, and
// those of a value, without its point, to the right end of the upper half. The rest becomes 0.
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

template <bool kRows, bool kScaled>
REGRETLESS_WIDE const char* columns(const char* p, const char* end, const char* limit, double scale,
                                    bool bare, Examples& out) {
  const Examples::Space to = out.space();
  std::size_t count = 0;
  while (limit - p >= kSeen && p < end) {
    const char* const text = p;
    Marks marks(text);
    unsigned begin = *text == ' ';
    marks.skip(begin);
    while (true) {
      unsigned stop = marks.next();
      const unsigned length = stop - begin;
      if (length - 1 > 7 || (text[begin] == '0' && length > 1)) break;
      __m128i digits = _mm_shuffle_epi8(digits_at(text + begin), load(kNames[length].data()));
      double value = 1;
      bool there = true;
      if (text[stop] == ':') {
        marks.skip();
        const bool negative = marks.skip_sign(text, stop + 1);
        const Place at(text, stop + 1, negative, marks);
        if (!at.is_plain(8)) break;
        digits = _mm_or_si128(digits, _mm_shuffle_epi8(digits_at(text + at.begin),
                                                       load(kValues[at.whole][at.places].data())));
        digits = numbers_of(digits);
        const int number = _mm_extract_epi32(digits, 1);
        value = at.signed_value(double(number) / kPowersOfTen[at.places]);
        there = number != 0;  // a value of 0 counts as absent
        stop = at.end;
      } else if (bare) {
        digits = numbers_of(digits);
      } else {
        break;
      }
      const bool last = text[stop] != ' ';
      if (last && text + stop != end) break;
      const auto column = std::uint32_t(_mm_cvtsi128_si32(digits));
      if (kRows) to.rows[count] = to.row(column);
      to.names[count] = {column, 0, Examples::Name::kColumn};
      to.set(count, kScaled ? value * scale : value);
      count += there;
      p = text + stop;
      if (last) break;
      marks.skip();
      begin = stop + 1;
    }
    if (p == text) break;
  }
  out.took(count);
  return p;
}

// The decimal with `whole` digits before the point and `places` after it, 1 to 15 in all.
REGRETLESS_WIDE inline double decimal(const char* p, unsigned whole, unsigned places) {
  alignas(16) static constexpr std::int8_t kSlide[32] = {
      -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1,
      0,   1,   2,   3,   4,   5,   6,   7,  8,  9,  10, 11, 12, 13, 14, 15};
  // digits at the right end of the vector, zeros before them, without the point
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
    Marks marks(text, delimiter);
    const auto line_end = std::size_t(end - text);
    const std::size_t before = found;
    for (unsigned begin = 0; found < most; marks.skip()) {
      const Place at(text, begin, marks.sign(begin), marks);
      if (!at.is_plain(15) || (text[at.end] != delimiter && at.end != line_end)) break;
      out[found++] = at.signed_value(decimal(text + at.begin, at.whole, at.places));
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
  // with other scales values may be too large, or 0
  if (!kWide || !(std::fabs(scale) <= 1e10 && std::fabs(scale) >= 1e-30)) return p;
  const auto read = [&]<bool kScaled>() {
    return (out.bits() ? columns<true, kScaled> : columns<false, kScaled>)(p, end, limit, scale,
                                                                           bare, out);
  };
  return scale == 1 ? read.operator()<false>() : read.operator()<true>();
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
