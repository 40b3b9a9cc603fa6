// Parse a file and tell how long it took; built and run by written_by_hand.py:
//
//   g++ -O3 -std=c++20 -ffp-contract=off -Icore benchmarks/written_by_hand_text.cpp
//       core/text/*.cpp core/memory.cpp -o parse
//   parse REPEATS KIND FILE        KIND: csv, svmlight, vw or jsonl
//
// Prints the median of nanoseconds of CPU time an example, and the sum of all values.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"

using namespace regretless::text;

namespace {

constexpr std::size_t kPiece = 1 << 19;

double cpu() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::unique_ptr<Parser> parser_of(std::string_view kind, std::string_view text) {
  const Parser::Options options{false, true};
  if (kind == "csv")
    return std::make_unique<CsvParser>(
        options, infer_csv(text.substr(0, kPiece), text.size() <= kPiece, 0, true, {.label = "y"}));
  if (kind == "svmlight") return std::make_unique<SvmlightParser>(options);
  if (kind == "vw")
    return std::make_unique<VwParser>(options, std::vector<std::vector<std::string>>{});
  return std::make_unique<JsonlParser>(options, "y", "", "", std::vector<std::string>{});
}

}  // namespace

int main(int, char** words) {
  const int repeats = std::atoi(words[1]);
  std::ifstream file(words[3]);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<double> times;
  std::size_t count = 0;
  double sum = 0;
  for (int r = 0; r < repeats; ++r) {
    const auto parser = parser_of(words[2], all);
    count = 0, sum = 0;
    const double start = cpu();
    for (std::size_t at = 0, used = 1; used && at < all.size(); at += used) {
      const std::string_view piece = std::string_view(all).substr(at, kPiece);
      Examples out(18, true, false);
      used = parser->parse(piece, at + piece.size() == all.size(), out);
      count += out.size();
      for (std::size_t i = 0; i < out.starts.back(); ++i) sum += double(out.values[i]);
    }
    times.push_back(cpu() - start);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  std::printf("%.6g\t%.9g\n", times[std::size_t(repeats / 2)] * 1e9 / double(count), sum);
}
