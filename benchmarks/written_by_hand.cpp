// What the core writes itself, beside what a library offers: numbers, names, draws, small matrices.
// Built and run by written_by_hand.py:
//
//   g++ -O3 -std=c++20 -ffp-contract=off -Icore benchmarks/written_by_hand.cpp -o driver
//   driver REPEATS SIZE
//
// Prints a line for each piece of work: its name, the alternative, nanoseconds of ours and of the
// alternative (medians of CPU time, taken in turns), and a sum of the results of both. Alternatives
// whose headers are not installed (Eigen, xxhash) are named as missing.
#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define HAS_XXHASH
#endif
#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#define HAS_EIGEN
#endif

#include "bandits/random.hpp"
#include "hash.hpp"
#include "sampling.hpp"
#include "sketch/matrices.hpp"
#include "text/line.hpp"

namespace {

using regretless::bandits::Stream;
using Job = std::function<double()>;  // returns a sum of what it found

double cpu() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

int repeats = 7;

void compare(const char* work, const char* alternative, double count, const Job& ours,
             const Job& theirs) {
  std::vector<double> times[2];
  double sums[2] = {};
  for (int r = -1; r < repeats; ++r)  // the first turn warms up
    for (int which = 0; which < 2; ++which) {
      const double start = cpu();
      sums[which] = (which ? theirs : ours)();
      if (r >= 0) times[which].push_back(cpu() - start);
    }
  double middle[2];
  for (int which = 0; which < 2; ++which) {
    auto& all = times[which];
    std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
    middle[which] = all[std::size_t(repeats / 2)] * 1e9 / count;
  }
  std::printf("%s\t%s\t%.6g\t%.6g\t%.17g\t%.17g\n", work, alternative, middle[0], middle[1],
              sums[0], sums[1]);
  std::fflush(stdout);
}

void missing(const char* alternative) { std::printf("missing\t%s\n", alternative); }

// --- numbers
// ---------------------------------------------------------------------------------------

struct Lines {  // lines of 20 numbers with commas between them
  std::string text;
  std::vector<std::size_t> ends;
};

template <class Write>
Lines lines(int count, Write&& write) {
  Lines out;
  for (int i = 0; i < count; ++i) {
    char number[40];
    out.text.append(number, write(number, number + sizeof(number)));
    const bool last = i % 20 == 19;
    if (last) out.ends.push_back(out.text.size());
    out.text += last ? '\n' : ',';
  }
  out.text.append(64, ' ');
  return out;
}

double one_by_one(const Lines& all) {
  const char* p = all.text.data();
  double sum = 0, found;
  for (const std::size_t at : all.ends)
    for (const char* const end = all.text.data() + at; p < end; ++p) {
      p = regretless::text::read_number(p, end, found);
      sum += found;
    }
  return sum;
}
double from_chars(const Lines& all) {
  const char* p = all.text.data();
  double sum = 0, found;
  for (const std::size_t at : all.ends)
    for (const char* const end = all.text.data() + at; p < end; ++p) {
      const auto [rest, error] = std::from_chars(p, end, found);
      if (error != std::errc()) std::abort();
      p = rest;
      sum += found;
    }
  return sum;
}

void numbers(int count) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const Lines kinds[] = {
      lines(count,
            [&](char* at, char*) { return at + std::sprintf(at, "%d", int(random() % 1000)); }),
      lines(count, [&](char* at, char*) { return at + std::sprintf(at, "%.4f", normal(random)); }),
      lines(count, [&](char* at, char* end) { return std::to_chars(at, end, normal(random)).ptr; }),
  };
  const char* const names[] = {"integers below 1,000", "decimals of 4 places",
                               "doubles of 16 to 17 digits"};
  for (int k = 0; k < 3; ++k) {
    compare((std::string("one number: ") + names[k]).c_str(), "std::from_chars", count,
            [&] { return one_by_one(kinds[k]); }, [&] { return from_chars(kinds[k]); });
  }
}

// --- names
// -----------------------------------------------------------------------------------------

// Names of features as they occur: short words, categories, joined names.
std::vector<std::string> names(int count) {
  static const char* const kBegin[] = {"w", "ad=a", "user|age", "site=www.example.org/",
                                       "user.home.city="};
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(kBegin[i % 5] + std::to_string(i / 5));
  return all;
}

template <class Hash>
double added(const std::vector<std::string>& all, Hash&& hash) {
  std::uint64_t sum = 0;
  for (const std::string& name : all) sum += hash(name) & 0x3ffff;
  return double(sum);
}
// Names of which another has the same low 18 bits.
template <class Hash>
std::size_t collisions(const std::vector<std::string>& all, Hash&& hash) {
  std::unordered_set<std::uint64_t> seen;
  for (const std::string& name : all) seen.insert(hash(name) & 0x3ffff);
  return all.size() - seen.size();
}

void hashing(int count) {
  const auto all = names(count);
  const auto ours = [](std::string_view name) { return regretless::hash_bytes(name); };
  const auto standard = [](std::string_view name) {
    return std::uint64_t(std::hash<std::string_view>{}(name));
  };
  compare(
      "hash of a name", "std::hash", count, [&] { return added(all, ours); },
      [&] { return added(all, standard); });
  std::printf(
      "note\tOf 50,000 names hashed to 18 bits, %zu collide with an earlier one, %zu with "
      "`std::hash`; a random function has 4,479 on average.\n",
      collisions(names(50'000), ours), collisions(names(50'000), standard));
#ifdef HAS_XXHASH
  const auto xx = [](std::string_view name) {
    return std::uint64_t(XXH3_64bits(name.data(), name.size()));
  };
  compare(
      "hash of a name", "XXH3_64bits", count, [&] { return added(all, ours); },
      [&] { return added(all, xx); });
  const std::vector<std::string> texts(std::size_t(count / 100), std::string(1000, 'x'));
  compare(
      "hash of 1,000 bytes", "XXH3_64bits", count / 100, [&] { return added(texts, ours); },
      [&] { return added(texts, xx); });
#else
  missing("xxhash.h");
#endif
}

// --- draws
// -----------------------------------------------------------------------------------------

void draws(int count) {
  for (const int n : {10, 1000}) {
    std::vector<double> w(std::size_t(n), 0.0);
    for (int i = 0; i < n; ++i) w[std::size_t(i)] = 1.0 + i % 7;
    double total = 0;
    for (const double each : w) total += each;
    const int rounds = count / n;
    // the weights change in every round, so a distribution is made for each
    const auto ours = [&] {
      double sum = 0;
      for (int t = 0; t < rounds; ++t) {
        Stream stream(7, Stream::choice, t);
        sum +=
            double(regretless::drawn_index(w.data(), w.size(), nullptr, stream.uniform(), total));
      }
      return sum / rounds;
    };
    const auto standard = [&] {
      std::mt19937_64 random(7);
      double sum = 0;
      for (int t = 0; t < rounds; ++t)
        sum += std::discrete_distribution<int>(w.begin(), w.end())(random);
      return sum / rounds;
    };
    compare(("an arm of " + std::to_string(n) + " by changing weights").c_str(),
            "std::discrete_distribution, std::mt19937_64", rounds, ours, standard);
  }
  const auto seeded = [&] {
    double sum = 0;
    for (int t = 0; t < count / 1000; ++t) {
      std::mt19937_64 random(std::uint64_t(7 + t));
      sum += std::uniform_real_distribution<double>()(random);
    }
    return 1000 * sum / count;
  };
  const auto anew = [&] {
    double sum = 0;
    for (int t = 0; t < count / 1000; ++t) sum += Stream(7, Stream::coin, t).uniform();
    return 1000 * sum / count;
  };
  compare("a number of one round, seeded anew", "std::mt19937_64", count / 1000, anew, seeded);
  const int fewer = count / 10;
  compare(
      "a normal number", "std::normal_distribution, std::mt19937_64", fewer,
      [&] {
        Stream stream(7, Stream::world, 0);
        double sum = 0;
        for (int t = 0; t < fewer; ++t) sum += stream.normal();
        return sum / fewer;
      },
      [&] {
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        double sum = 0;
        for (int t = 0; t < fewer; ++t) sum += normal(random);
        return sum / fewer;
      });
  compare(
      "a gamma number of shape 2.5", "std::gamma_distribution, std::mt19937_64", fewer,
      [&] {
        Stream stream(7, Stream::world, 0);
        double sum = 0;
        for (int t = 0; t < fewer; ++t) sum += stream.gamma(2.5);
        return sum / fewer;
      },
      [&] {
        std::mt19937_64 random(7);
        std::gamma_distribution<double> gamma(2.5);
        double sum = 0;
        for (int t = 0; t < fewer; ++t) sum += gamma(random);
        return sum / fewer;
      });
}

// --- small matrices
// --------------------------------------------------------------------------------

#ifdef HAS_EIGEN
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#endif

regretless::Numbers covariance(int n) {
  Stream stream(3, Stream::world, n);
  regretless::Numbers G(std::size_t(2 * n * n)), A(std::size_t(n * n));
  for (double& each : G) each = stream.normal();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < 2 * n; ++k)
        A[std::size_t(i * n + j)] += G[std::size_t(k * n + i)] * G[std::size_t(k * n + j)];
  return A;
}

void matrices(double work) {
#ifndef HAS_EIGEN
  missing("Eigen/Dense");
  (void)work;
#else
  for (const int n : {5, 10, 20, 100, 512}) {
    const regretless::Numbers A = covariance(n), b(std::size_t(n), 1.0);
    const Eigen::Map<const Square> same(A.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), n);
    const int times = std::max(1, int(work / (double(n) * n * n + 50 * n)));
    compare(("Cholesky factor and solution, n = " + std::to_string(n)).c_str(), "Eigen::LLT", times,
            [&] {
              double sum = 0;
              regretless::Numbers L, x;
              for (int t = 0; t < times; ++t) {
                L = A, x = b;
                if (!regretless::cholesky(L.data(), n)) std::abort();
                regretless::solve_lower(L.data(), n, n, x.data());
                regretless::solve_upper(L.data(), n, n, x.data());
                sum += x[0];
              }
              return sum / times;
            },
            [&] {
              double sum = 0;
              Eigen::LLT<Square> factor(n);
              Eigen::VectorXd x(n);
              for (int t = 0; t < times; ++t) {
                factor.compute(same);
                x = factor.solve(right);
                sum += x[0];
              }
              return sum / times;
            });
  }
  for (const int n : {10, 20, 100, 300}) {
    const regretless::Numbers A = covariance(n);
    const Eigen::Map<const Square> same(A.data(), n, n);
    const int times = std::max(1, int(work / (20.0 * n * n * n)));
    compare(("eigenvalues and eigenvectors, n = " + std::to_string(n)).c_str(),
            "Eigen::SelfAdjointEigenSolver", times,
            [&] {
              double sum = 0;
              for (int t = 0; t < times; ++t) sum += regretless::Eigen(A, n).values[0];
              return sum / times;
            },
            [&] {
              double sum = 0;
              Eigen::SelfAdjointEigenSolver<Square> solver(n);
              for (int t = 0; t < times; ++t) {
                solver.compute(same);
                sum += solver.eigenvalues()[n - 1];
              }
              return sum / times;
            });
  }
  for (const int n : {20, 200, 1000}) {
    regretless::Numbers A = covariance(n), mine = A;
    Square theirs = Eigen::Map<const Square>(A.data(), n, n);
    const Eigen::VectorXd v = Eigen::VectorXd::Constant(n, 1e-3);
    const regretless::Numbers w(std::size_t(n), 1e-3);
    const int times = std::max(1, int(work / (4.0 * n * n)));
    compare(("change of rank one, n = " + std::to_string(n)).c_str(), "Eigen", times,
            [&] {
              for (int t = 0; t < times; ++t)  // as in sketch/full.hpp
                for (int i = 0; i < n; ++i) {
                  double* row = mine.data() + std::size_t(i) * std::size_t(n);
                  for (int j = 0; j < n; ++j)
                    row[j] -= 1e-3 * w[std::size_t(i)] * w[std::size_t(j)];
                }
              return mine[1];
            },
            [&] {
              for (int t = 0; t < times; ++t) theirs.noalias() -= (1e-3 * v) * v.transpose();
              return theirs(0, 1);
            });
  }
#endif
}

}  // namespace

int main(int count, char** words) {
  repeats = count > 1 ? std::atoi(words[1]) : 7;
  const double size = count > 2 ? std::atof(words[2]) : 1.0;  // of the work
  numbers(int(500'000 * size));
  hashing(int(1'000'000 * size));
  draws(int(5'000'000 * size));
  matrices(1e8 * size);
}
