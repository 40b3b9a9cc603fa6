// The state of a learner as named arrays, and back. What comes back may be from a damaged file.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "learner.hpp"

namespace nb = nanobind;

namespace regretless {
namespace {

std::string part(const char* name, std::size_t i) { return i ? name + std::to_string(i) : name; }
// Checks a row from a file: doubles, then floats, all of them finite, and some bounded.
void check_row(const float* row, const Model::Part& part) {
  const Layout& layout = part.bank->layout();
  const std::size_t doubles = std::size_t(layout.width) * layout.doubles;
  std::vector<double> first(doubles);
  if (doubles) std::memcpy(first.data(), row, doubles * sizeof(double));
  Field::number("bank", first).check();
  require(std::all_of(first.begin(), first.begin() + std::ptrdiff_t(part.bounded),
                      [&](double x) { return std::fabs(x) <= part.bound; }),
          "bank has a number beyond its bound");
  const auto check = [&]<class Number>(const Number* numbers) {
    require(std::all_of(numbers + layout.first_number(),
                        numbers + layout.first_shared() + layout.shared,
                        [](Number x) { return std::fabs(x) <= Number(1e38f); }),
            "bank has a number beyond 1e38");
  };
  if (layout.words == 1) return check(row);
  std::vector<double> numbers(layout.stride / 2);  // the array of a file need not be aligned
  std::memcpy(numbers.data(), row, layout.stride * sizeof(float));
  check(numbers.data());
}

}  // namespace

// The rows that hold anything: in a hashed bank often few.
std::vector<std::uint32_t> PyLearner::used_rows(const std::vector<Model::Part>& parts) {
  std::vector<std::uint32_t> used;
  const auto holds = [](const Model::Part& each, std::uint32_t row) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(each.row(row));
    return std::any_of(bytes, bytes + each.bank->bytes(1), [](unsigned char b) { return b != 0; });
  };
  for (std::uint32_t row = 0; row < learner_->features().size(); ++row)
    if (std::any_of(parts.begin(), parts.end(), [&](auto& each) { return holds(each, row); }))
      used.push_back(row);
  // In the order of the first bank: sums over all rows then have the same bits after loading.
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return parts[0].order(a) < parts[0].order(b);
  };
  if (!parts.empty()) std::stable_sort(used.begin(), used.end(), before);
  return used;
}
Array<std::uint32_t> PyLearner::used() {
  check_idle();
  return array_of(used_rows(learner_->parts()));
}

Votes* PyLearner::votes() {
  auto* model = dynamic_cast<Learner*>(learner_.get());
  return model && model->votes() ? &model->record() : nullptr;
}
Named<AnyArray> PyLearner::state() {
  check_idle();
  Named<AnyArray> d;
  learner_->pack();  // so the file does not depend on the order in which labels came
  const std::vector<Model::Part> parts = learner_->parts();
  const std::vector<std::uint32_t> used = used_rows(parts);
  d["rows"] = array_of(used);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t stride = parts[i].bank->layout().stride;
    std::vector<float> rows(used.size() * stride);
    for (std::size_t j = 0; j < used.size(); ++j)
      std::copy_n(parts[i].row(used[j]), stride, rows.data() + j * stride);
    d[part("bank", i).c_str()] = array_of(rows);
    d[part("scalars", i).c_str()] = array_of(*parts[i].scalars);
  }
  if (const std::vector<double> numbers = learner_->numbers(); !numbers.empty())
    d["numbers"] = array_of(numbers);
  reading_.save(d);
  if (const Votes* kept = votes()) {
    const Votes& v = *kept;
    d["vote_starts"] = array_of(v.starts);
    d["vote_rows"] = array_of(v.rows);
    d["vote_values"] = reading_.values_of(v.values.data(), v.doubles.data(), v.rows.size());
    d["vote_steps"] = array_of(v.steps);
    d["vote_lives"] = array_of(v.lives);
  }
  return d;
}
void PyLearner::restore(int lanes, nb::kwargs arrays) {
  check_idle();
  const auto damaged = [](const char* what) { throw nb::value_error(what); };
  if (lanes < 1 || lanes > 1 << 20) damaged("the number of lanes is damaged");
  reading_.restore(nb::cast<Vector<std::uint8_t>>(arrays["names"]),
                   nb::cast<Vector<std::int64_t>>(arrays["name_keys"]),
                   nb::cast<Vector<std::uint8_t>>(arrays["name_kinds"]),
                   nb::cast<Vector<std::uint32_t>>(arrays["name_rows"]));
  const Features& f = learner_->features();
  learner_->relane(std::vector<int>(std::size_t(lanes), -1),
                   std::vector<int>(std::size_t(lanes), 1));
  Vector<double> numbers;
  if (arrays.contains("numbers")) numbers = nb::cast<Vector<double>>(arrays["numbers"]);
  learner_->restore_numbers(numbers.data(), numbers.is_valid() ? numbers.size() : 0);
  learner_->grow();
  const std::vector<Model::Part> parts = learner_->parts();
  const auto used = nb::cast<Vector<std::uint32_t>>(arrays["rows"]);
  for (std::size_t j = 0; j < used.size(); ++j)
    if (used(j) >= f.size()) damaged("the bank does not fit the features and the rule");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto bank = nb::cast<Vector<float>>(arrays[part("bank", i).c_str()]);
    const auto scalars = nb::cast<Vector<double>>(arrays[part("scalars", i).c_str()]);
    const std::size_t stride = parts[i].bank->layout().stride;
    if (bank.size() != used.size() * stride)
      damaged("the bank does not fit the features and the rule");
    if (scalars.size() != parts[i].scalars->size()) damaged("the lanes do not fit the rule");
    check_scalars(scalars.data(), scalars.size());
    for (std::size_t j = 0; j < used.size(); ++j) {
      check_row(bank.data() + j * stride, parts[i]);
      std::copy_n(bank.data() + j * stride, stride, parts[i].touch(used(j)));
    }
    std::copy(scalars.data(), scalars.data() + scalars.size(), parts[i].scalars->data());
  }
  restore_votes(arrays);
  check_known(arrays, parts.size());
  if (!parts.empty()) check_weights(used.data(), used.size());
}

void PyLearner::check_known(const nb::kwargs& arrays, std::size_t parts) {
  std::vector<std::string> known{"rows",       "names",     "name_keys",
                                 "name_kinds", "name_rows", "numbers"};
  for (std::size_t i = 0; i < parts; ++i)
    for (const char* name : {"bank", "scalars"}) known.push_back(part(name, i));
  if (votes())
    for (const char* name : {"starts", "rows", "values", "steps", "lives"})
      known.push_back(std::string("vote_") + name);
  for (const auto& [key, array] : arrays) {
    const auto name = nb::cast<std::string>(key);
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse("the part '" + name + "' is unknown");
  }
}
// Checks that the score of every feature alone is small enough to be added to others.
void PyLearner::check_weights(const std::uint32_t* rows, std::size_t count) const {
  constexpr std::size_t kBlock = 256;
  constexpr double kTiny = 0x1p-100;  // rules react to larger ones: see Learner::weights
  constexpr double kMostWeight = 1e36;
  std::size_t starts[kBlock + 1];
  std::iota(starts, starts + kBlock + 1, std::size_t(0));
  const std::vector<float> values(kBlock, float(kTiny));
  const std::vector<double> doubles(kBlock, kTiny);
  std::vector<double> scores(kBlock * std::size_t(lanes()));
  for (std::size_t at = 0; at < count; at += kBlock) {
    const std::size_t size = std::min(kBlock, count - at);
    learner_->predict({.size = size,
                       .starts = starts,
                       .rows = rows + at,
                       .values = values.data(),
                       .doubles = doubles.data(),
                       .scores = scores.data(),
                       .bare = true});
    for (std::size_t i = 0; i < size * std::size_t(lanes()); ++i)
      if (!(std::fabs(scores[i]) <= kMostWeight * kTiny))
        refuse("bank has a weight that is not a number of at most 1e36");
  }
}
void PyLearner::restore_votes(const nb::kwargs& arrays) {
  Votes* kept = votes();
  if (arrays.contains("vote_starts") != (kept != nullptr))
    throw nb::value_error("the votes do not fit the rule");
  if (!kept) return;
  const auto read = [&]<class T>(const char* name, std::vector<T>& out) {
    auto a = nb::cast<Vector<T>>(arrays[name]);
    out.assign(a.data(), a.data() + a.size());
  };
  Votes v;
  std::vector<std::uint64_t> starts;
  read("vote_starts", starts);
  v.starts.assign(starts.begin(), starts.end());
  read("vote_rows", v.rows);
  if (precise_)
    read("vote_values", v.doubles);
  else
    read("vote_values", v.values);
  read("vote_steps", v.steps);
  read("vote_lives", v.lives);
  const std::size_t updates = v.lives.size();
  bool sound = v.starts.size() == updates + 1 && v.starts[0] == 0 &&
               v.starts.back() == v.rows.size() &&
               v.rows.size() == v.values.size() + v.doubles.size() &&
               v.steps.size() == updates * std::size_t(lanes()) &&
               std::is_sorted(v.starts.begin(), v.starts.end());
  const auto finite = [&](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](auto x) { return std::isfinite(double(x)); });
  };
  sound = sound && finite(v.values) && finite(v.doubles) && finite(v.steps) && finite(v.lives);
  for (std::uint32_t row : v.rows) sound = sound && row < learner_->features().size();
  if (!sound) throw nb::value_error("the votes are damaged");
  *kept = std::move(v);
}

}  // namespace regretless
