// A coverage-guided fuzzer for compilers without libFuzzer: it mutates inputs and keeps those that
// reach a new edge of the program.
//
//   fuzz_text FILE_OR_DIRECTORY... [--seconds N] [--seed S] [--write DIR]
//
// Inputs are run from small to large. With --write those that add edges are stored; with --seconds
// 0 that makes a corpus minimal. The code under test is compiled with -fsanitize-coverage=trace-pc;
// this file must not be.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace {

namespace fs = std::filesystem;
using Input = std::string;

constexpr std::size_t kLongest = 400;    // bytes of an input
constexpr std::size_t kEdges = 1 << 16;  // hashed
constexpr unsigned kSlow = 20;           // seconds

// --- edges reached -------------------------------------------------------------------------------
bool taken[kEdges];           // by the present input
std::uint32_t order[kEdges];  // those edges
std::size_t taken_count = 0;
std::uintptr_t previous = 0;
bool known[kEdges];  // by any input
std::size_t known_count = 0;

}  // namespace

// Called at the beginning of every block. Relative addresses are the same in each run.
extern "C" void __sanitizer_cov_trace_pc() {
  const std::uintptr_t block =
      (std::uintptr_t(__builtin_return_address(0)) - std::uintptr_t(&LLVMFuzzerTestOneInput)) *
          0x9e3779b97f4a7c15ULL >>
      40;
  const auto edge = std::uint32_t((previous ^ block) % kEdges);
  previous = block >> 1;
  if (taken[edge]) return;
  taken[edge] = true;
  order[taken_count++] = edge;
}

namespace {

// --- failures ------------------------------------------------------------------------------------
Input running;

std::string name_of(const Input& input) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : input) hash = (hash ^ std::uint8_t(c)) * 0x100000001b3ULL;
  char name[17];
  std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash));
  return name;
}

void store(const fs::path& path, const Input& input) {
  std::ofstream(path, std::ios::binary).write(input.data(), std::streamsize(input.size()));
}

void save_culprit() {
  const std::string path = "crash-" + name_of(running);
  store(path, running);
  std::fprintf(stderr, "the input is in %s:\n", path.c_str());
  for (const char c : running)
    std::fprintf(stderr, c >= ' ' && c < 127 && c != '\\' ? "%c" : "\\x%02x", std::uint8_t(c));
  std::fprintf(stderr, "\n");
}

void on_signal(int number) {
  if (number == SIGALRM) std::fprintf(stderr, "an input takes more than %u seconds\n", kSlow);
  save_culprit();
  _exit(1);
}

void watch() {
  signal(SIGABRT, on_signal);
  signal(SIGALRM, on_signal);
  if (__sanitizer_set_death_callback)  // the sanitizer has its own handlers, which say more
    __sanitizer_set_death_callback(save_culprit);
  else
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, on_signal);
}

// --- running -------------------------------------------------------------------------------------
void run(const Input& input) {
  running = input;
  for (; taken_count; --taken_count) taken[order[taken_count - 1]] = false;
  previous = 0;
  alarm(kSlow);
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::vector<std::uint32_t> fresh_edges() {
  std::vector<std::uint32_t> fresh;
  std::copy_if(order, order + taken_count, std::back_inserter(fresh),
               [](std::uint32_t edge) { return !known[edge]; });
  return fresh;
}

// Removes the bytes that are not needed to reach these edges.
Input shortened(Input input, const std::vector<std::uint32_t>& edges) {
  for (std::size_t size = input.size() / 2; size > 0; size /= 2)
    for (std::size_t at = 0; at + size <= input.size();) {
      Input shorter = input;
      run(shorter.erase(at, size));
      if (std::all_of(edges.begin(), edges.end(), [](std::uint32_t edge) { return taken[edge]; }))
        input = shorter;
      else
        at += size;
    }
  return input;
}

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {
    if (!folder_.empty()) fs::create_directories(folder_);
  }
  std::size_t size() const { return inputs_.size(); }
  const Input& any(std::mt19937_64& random) const { return inputs_[random() % inputs_.size()]; }

  void offer(const Input& input, bool shorten) {
    run(input);
    const auto fresh = fresh_edges();
    if (fresh.empty()) return;
    inputs_.push_back(shorten ? shortened(input, fresh) : input);
    run(inputs_.back());
    for (const std::uint32_t edge : fresh_edges()) known[edge] = true, ++known_count;
    if (!folder_.empty()) store(folder_ / name_of(inputs_.back()), inputs_.back());
  }

 private:
  fs::path folder_;
  std::vector<Input> inputs_;
};

// --- mutations -----------------------------------------------------------------------------------
constexpr std::string_view kTokens[] = {"\n",
                                        "\r\n",
                                        "\xef\xbb\xbf",
                                        " | ",
                                        " |a ",
                                        " |b:2 ",
                                        " |user ",
                                        " |c x",
                                        "'tag",
                                        ":1",
                                        ":-1e2",
                                        "1 ",
                                        "-1 ",
                                        " 7:2",
                                        "0.5",
                                        "1e19",
                                        "1e20",
                                        "1e-300",
                                        "nan",
                                        "inf",
                                        "123456789012345678",
                                        "qid:1 ",
                                        "# ",
                                        "id,y,w,a,c\n",
                                        "n,1,1,2,x\n",
                                        ",",
                                        ";",
                                        "\t",
                                        "\"",
                                        "\"\"",
                                        "NA",
                                        "true",
                                        "null",
                                        "{\"",
                                        "\":",
                                        "\"y\":",
                                        "\"w\":",
                                        "\"id\":",
                                        "\"i\":",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "\\u00e9",
                                        "\\ud83d\\ude00",
                                        "\\n",
                                        "\\",
                                        "\xc3\xa9",
                                        "\xf0\x9f\x98\x80",
                                        "\xed\xa0\x80",
                                        std::string_view("\0", 1)};

Input mutated(Input input, const Corpus& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
  do {
    const std::size_t at = below(input.size() + 1), length = 1 + below(1 + below(16));
    const std::string_view token = kTokens[below(std::size(kTokens))];
    const auto byte = char(random());
    switch (below(9)) {
      case 0:
        if (at < input.size()) input[at] = char(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = byte;
        break;
      case 2:
        input.insert(at, 1, byte);
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.insert(below(input.size() + 1), input.substr(at, length));
        break;
      case 5:
        input.insert(at, token);
        break;
      case 6:
        input.replace(at, token.size(), token);
        break;
      case 7: {
        const Input& other = corpus.any(random);
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      }
      default:  // another format, or other options
        if (input.size() > 1) input[below(2)] = byte;
    }
  } while (below(3));
  return input.substr(0, kLongest);
}

std::vector<Input> loaded(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (fs::is_directory(path))
      for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
    else
      files.push_back(path);
  }
  std::vector<Input> inputs;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      std::exit(2);
    }
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return inputs;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<fs::path> paths;
  fs::path folder;
  double seconds = 0;
  std::uint64_t seed = std::random_device()();
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (!name.starts_with("--")) {
      paths.emplace_back(name);
    } else if (++i == count) {
      std::fprintf(stderr, "%s needs a value\n", arguments[i - 1]);
      return 2;
    } else if (name == "--seconds") {
      seconds = std::atof(arguments[i]);
    } else if (name == "--seed") {
      seed = std::strtoull(arguments[i], nullptr, 10);
    } else if (name == "--write") {
      folder = arguments[i];
    } else {
      std::fprintf(stderr, "%s: there are --seconds, --seed and --write\n", arguments[i - 1]);
      return 2;
    }
  }
  watch();
  const std::vector<Input> given = loaded(paths);
  Corpus corpus(folder);
  for (const Input& input : given) corpus.offer(input, false);
  if (!corpus.size()) corpus.offer("", false);
  const auto report = [&](std::size_t executions) {
    std::printf("%zu executions, %zu edges, %zu inputs, seed %llu\n", executions, known_count,
                corpus.size(), static_cast<unsigned long long>(seed));
  };
  report(given.size());
  if (seconds <= 0) return 0;

  std::mt19937_64 random(seed);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::size_t executions = given.size();
  for (; Clock::now() < end; ++executions)
    corpus.offer(mutated(corpus.any(random), corpus, random), true);
  report(executions);
}
