// The parts of Reading that do not depend on the form of a batch.
#include "reading.hpp"

namespace regretless {

Reading::Located Reading::locate(const text::Examples& x) {
  const Features& f = features_;
  if (f.hashed() && x.bits() == f.bits() && x.intercept() == intercept_ &&
      (!doubles_ || x.precise()))
    return nb::make_tuple(array_of(x.starts), array_of(x.rows.data(), x.rows.size()),
                          values_of(x.values.data(), x.doubles.data(), x.values.size()));
  if (x.bits() && x.bits() != f.bits())
    throw nb::value_error("the examples were read for another learner");
  return examples(x, 0, x.size(), false, [&](std::size_t n, auto source) {
    const Batch all = source.part(*this, 0, n, [](std::size_t) { return false; });
    for (std::size_t t = 0; t < n; ++t)
      if (all.known && all.known[t] > f.size()) throw nb::value_error("a name has no row yet");
    return nb::make_tuple(array_of(all.starts, n + 1), array_of(all.rows, all.starts[n]),
                          values_of(all.values, all.doubles, all.starts[n]));
  });
}

Reading::Names Reading::names() const {
  const Features& f = features_;
  Names out;
  for (std::uint32_t i = 1; i < f.keys().size(); ++i) {
    const nb::int_ row(f.hashed() ? f.remembered()[i - 1] : i);
    if (f.is_column(i)) {
      out[row] = f.column(i);
    } else {
      out[row] = nb::str(f.name(i).data(), f.name(i).size());
    }
  }
  return out;
}

void Reading::save(nb::dict d) const {
  const Features& f = features_;
  d["names"] = array_of(reinterpret_cast<const std::uint8_t*>(f.names().data()), f.names().size());
  d["name_keys"] = array_of(f.keys());
  d["name_kinds"] = array_of(f.kinds());
  d["name_rows"] = array_of(f.remembered());
}

void Reading::restore(Vector<std::uint8_t> names, Vector<std::int64_t> keys,
                      Vector<std::uint8_t> kinds, Vector<std::uint32_t> rows) {
  const auto damaged = [](const char* what) { throw nb::value_error(what); };
  Features& f = features_;
  if (keys.size() != kinds.size() || keys.size() < 1) damaged("the table of names is damaged");
  if (rows.size() != (f.hashed() ? keys.size() - 1 : 0)) damaged("the table of names is damaged");
  try {
    f.restore({reinterpret_cast<const char*>(names.data()), names.size()}, keys.data(),
              kinds.data(), rows.data(), keys.size());
  } catch (const std::invalid_argument& error) {
    damaged(error.what());
  }
  forget();
  try {
    this->names();
  } catch (const std::exception&) {
    damaged("a feature's name is not valid Unicode");
  }
}

void Reading::remember(const text::Examples& x, std::size_t from, std::size_t to) {
  Features& f = features_;
  for (std::size_t t = from; t < to; ++t)
    for (const text::Examples::Name& n : x.names(t).subspan(x.intercept())) {
      if (!f.remembers()) return;
      if (n.is_column()) {
        f.remember(f.find(std::int64_t(n.key)), std::int64_t(n.key));
      } else {
        f.remember(f.find(x.name(n), n.key), x.name(n));
      }
    }
}

}  // namespace regretless
