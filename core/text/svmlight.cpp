#include "text/svmlight.hpp"

#include "text/decimals.hpp"
#include "text/line.hpp"

namespace regretless::text {

void SvmlightParser::record(std::string_view content, Examples& out) {
  Line line(content.substr(0, content.find('#')));
  if (!line.skip_blanks()) return;
  const std::string_view before = line.rest();
  const double label = line.number("a label");
  check_label(before.substr(0, before.size() - line.rest().size()), label);
  if (!line.at_end() && !Line::is_blank(line.rest()[0])) line.fail("a blank after the label");
  out.begin();
  while (line.skip_blanks()) {
    const char* const here = line.rest().data();
    const char* const end = here + line.rest().size();
    if (const auto plain = plain_columns(here, end, limit(), 1, false, out); plain != here) {
      line.advance(std::size_t(plain - here));
      continue;
    }
    if (line.take("qid:")) {
      line.number("a query number");
      continue;
    }
    std::int32_t column = 0;
    const std::string_view rest = line.rest();
    const auto [after, error] = std::from_chars(rest.data(), rest.data() + rest.size(), column);
    if (error != std::errc() || rest[0] == '-') line.fail("a feature index from 0 to 2147483647");
    line.advance(std::size_t(after - rest.data()));
    if (!line.take(":")) line.fail("index:value");
    out.add(std::int64_t(column), line.number("a value"));
    if (!line.at_end() && !Line::is_blank(line.rest()[0])) line.fail("a blank after the value");
  }
  out.finish(label);
}

}  // namespace regretless::text
