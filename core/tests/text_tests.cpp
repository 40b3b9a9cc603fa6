// Tests of the text formats. No Python is needed, so they run under the address and
// undefined-behaviour sanitizers.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"

using namespace regretless::text;

namespace {

#define CHECK_SAME(got, expected) check_same((got), (expected), __LINE__)

void check_same(const std::string& got, const std::string& expected, int line) {
  check(got == expected, "got\n" + got + "\nnot\n" + expected, __FILE__, line);
}
void check_part(const std::string& got, const std::string& part, const std::string& of, int line) {
  check(!got.empty() && got.find(part) != std::string::npos,
        "'" + got + "' without '" + part + "' for " + of, __FILE__, line);
}

// --- examples as text ----------------------------------------------------------------------------
std::string short_number(double v) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", v);
  return digits;
}

// A line per example: label, weight and tag where there are any, then the features.
std::string written(const Examples& examples) {
  std::string out;
  for (std::size_t t = 0; t < examples.size(); ++t) {
    const bool text = t < examples.label_texts.size() && !examples.label_texts[t].empty();
    out += text ? examples.label_texts[t]
                : (std::isnan(examples.labels[t]) ? "-" : short_number(examples.labels[t]));
    if (examples.importance[t] != 1) out += " x" + short_number(examples.importance[t]);
    if (!examples.tags.empty() && !examples.tags[t].empty()) out += " '" + examples.tags[t];
    out += " |";
    for (std::size_t i = examples.starts[t]; i < examples.starts[t + 1]; ++i) {
      const Examples::Name& name = examples.names(t)[i - examples.starts[t]];
      out += " " +
             (name.is_column() ? "#" + std::to_string(name.key) : std::string(examples.name(name)));
      if (examples.values[i] != 1) out += ":" + short_number(examples.values[i]);
    }
    out += "\n";
  }
  return out;
}

using Make = std::function<std::unique_ptr<Parser>(Parser::Options)>;

struct Outcome {
  std::string examples, error;
  std::int64_t skipped = 0, line = 0;
  bool operator==(const Outcome&) const = default;
};

// Passes the text in pieces, each with the rest of the last one.
Outcome read(const Make& make, std::string_view text, std::size_t size = std::size_t(1) << 30,
             Parser::Options options = {}) {
  const auto parser = make(options);
  Examples out(0, false, true);
  Outcome outcome;
  std::string held;
  try {
    do {
      held += text.substr(0, size);
      text.remove_prefix(std::min(size, text.size()));
      const std::vector<char> exact(held.begin(), held.end());  // for the address sanitizer
      held.erase(0, parser->parse({exact.data(), exact.size()}, text.empty(), out));
    } while (!text.empty());
    CHECK(held.empty());
  } catch (const std::invalid_argument& error) {
    outcome.error = error.what();
  }
  outcome.examples = written(out);
  outcome.skipped = parser->skipped();
  outcome.line = parser->line();
  return outcome;
}

void check_pieces(const Make& make, const std::string& text, Parser::Options options, int line) {
  const Outcome whole = read(make, text, text.size() + 1, options);
  for (const std::size_t size : {1, 2, 3, 5, 7, 11, 16, 64})
    check(read(make, text, size, options) == whole, "pieces of " + std::to_string(size), __FILE__,
          line);
}

Make csv(const CsvColumns& columns) {
  return [=](Parser::Options options) { return std::make_unique<CsvParser>(options, columns); };
}
// The parser for a file with this text.
Make csv(const std::string& text, const CsvWishes& wishes = {}, bool header = true) {
  return csv(infer_csv(text, true, 0, header, wishes));
}
Make jsonl(const std::vector<std::string>& ignored = {}) {
  return [=](Parser::Options options) {
    return std::make_unique<JsonlParser>(options, "y", "w", "id", ignored);
  };
}

// --- CSV -----------------------------------------------------------------------------------------
const std::string kCsv =
    "\xef\xbb\xbfid,y,w,age,city,note\r\n"
    "a1,1,2,30,Paris,\"say \"\"hi\"\", now\"\r\n"
    "\r\n"
    "a2,0,1, 4.5 ,\"New\r\nYork\",?\n"
    "\"a,3\",NA,,-1e3,NA,\"\"\n"
    ",1,0,true,\" x\",5\" pipe";
const CsvWishes kCsvWishes{"y", "w", "id", {}, {}, {}, true};

void test_csv() {
  const Make make = csv(kCsv, kCsvWishes);
  const Outcome outcome = read(make, kCsv);
  CHECK_SAME(outcome.error, "");
  CHECK_SAME(outcome.examples,
             "1 x2 'a1 | age:30 city=Paris note=say \"hi\", now\n"
             "0 'a2 | age:4.5 city=New\r\nYork\n"
             "- 'a,3 | age:-1000\n"
             "1 x0 | age city= x note=5\" pipe\n");
  check_pieces(make, kCsv, {}, __LINE__);

  // two fields with doubled quotes: the first is still there when the second is read
  const std::string doubled = "id,y\n\"\"\"a\"\"\",\"\"\"" + std::string(100, 'b') + "\"\"\"\n";
  CHECK_SAME(read(csv(doubled, {"y", "", "id", {}, {}, {}, true}), doubled).examples,
             "\"" + std::string(100, 'b') + "\" '\"a\" |\n");

  // without a header columns are named by numbers; other delimiters work
  CHECK_SAME(read(csv("1;2;x\n0;0;y\n", {.label = "0"}, false), "1;2;x\n0;0;y\n").examples,
             "1 | #1:2 2=x\n0 | 2=y\n");
  CHECK_SAME(read(csv("a\tb\n1\t\n\t2\n"), "a\tb\n1\t\n\t2\n").examples, "- | a\n- | b:2\n");
  CHECK_SAME(read(csv("7,y\n5,1\n", {.label = "y"}), "7,y\n5,1\n").examples, "1 | #7:5\n");

  // everything that counts as missing; booleans
  const std::string missing = "v\n1\nNA\nN/A\nNaN\nnan\nnull\nNULL\nNone\n?\n";
  CHECK_SAME(read(csv(missing), missing).examples,
             "- | v\n- |\n- |\n- |\n- |\n- |\n- |\n- |\n- |\n");
  const std::string booleans = "v\ntrue\nTrue\nTRUE\nfalse\nFalse\nFALSE\n";
  CHECK_SAME(read(csv(booleans), booleans).examples, "- | v\n- | v\n- | v\n- |\n- |\n- |\n");

  // text labels, some missing
  const std::string labels = "y,x\ncat,1\n,2\ndog,3\n,4\n";
  CHECK_SAME(read(csv(labels, {.label = "y"}), labels).examples,
             "cat | x\n- | x:2\ndog | x:3\n- | x:4\n");
  CHECK_SAME(read(csv(labels, {.label = "y"}), labels, 4, {false, true}).error,
             "line 3: the label is missing");

  // a parser that continues in the middle of a file does not expect the header
  CsvParser later({}, infer_csv("a,b\n1,2\n", true, 0, true, {}));
  later.go_on_at(5, later.labels());
  Examples out(0, false, true);
  later.parse("3,4\n", true, out);
  CHECK_SAME(written(out), "- | a:3 b:4\n");
}

void test_bad_csv() {
  const CsvColumns columns{',',
                           true,
                           {"y", "a", "w", "c", "t"},
                           {CsvColumns::label_number, CsvColumns::number, CsvColumns::weight,
                            CsvColumns::category, CsvColumns::tag}};
  const Make make = csv(columns);
  const std::string header = "y,a,w,c,t\n", good = "1,2,3,\"x\ny\",t\n";
  const std::pair<std::string, const char*> bad[] = {
      {"1,2,1,x", "expected 5 fields, found 4"},
      {"1", "expected 5 fields, found 1"},
      {"1,2,1,x,t,", "expected 5 fields, found 6"},
      {"1,2,1,x,t,u", "expected 5 fields, found 6"},
      {"1,x,t", "expected 5 fields, found 3"},
      {"1;2;1;x;t", "expected 5 fields, found 1"},
      {"\"1,2,1,x,t\"", "expected 5 fields, found 1"},
      {",,,", "expected 5 fields, found 4"},
      {"yes,2,1,x,t", "column 'y': 'yes' is not a number"},
      {"inf,2,1,x,t", "column 'y': 'inf' is not a finite number"},
      {"1 2,2,1,x,t", "column 'y': '1 2' is not a number"},
      {"1,abc,1,x,t", "column 'a': 'abc' is not a number"},
      {"1,inf,1,x,t", "column 'a': 'inf' is not a finite number"},
      {"1,-Infinity,1,x,t", "column 'a': '-Infinity' is not a finite number"},
      {"1,2x,1,x,t", "column 'a': '2x' is not a number"},
      {"1,0x10,1,x,t", "column 'a': '0x10' is not a number"},
      {"1,--2,1,x,t", "column 'a': '--2' is not a number"},
      {"1,1e,1,x,t", "column 'a': '1e' is not a number"},
      {"1,1e999,1,x,t", "column 'a': '1e999' is not a"},
      {"1,1e20,1,x,t", "the value of 'a' is not a finite number of at most 1e19"},
      {"1,\"2,5\",1,x,t", "column 'a': '2,5' is not a number"},
      {"1,.,1,x,t", "column 'a': '.' is not a number"},
      {"1,1_000,1,x,t", "column 'a': '1_000' is not a number"},
      {"1,2,-1,x,t", "column 'w': the weight is negative"},
      {"1,2,w,x,t", "column 'w': 'w' is not a number"},
      {"1,2,1,\"x\"y,t", "expected a delimiter after the closing quote, not 'y,t'"},
      {"1,2,1,\"x\" ,t", "expected a delimiter after the closing quote, not ' ,t'"},
      {"1,2,1,\"x\"\"\"y,t", "expected a delimiter after the closing quote"},
      {"1,2,1,\xff,t", "not valid UTF-8"},
      {"1,2,1,\xc3,t", "not valid UTF-8"},
      {std::string("1,2,1,\0,t", 9), "NUL byte"},
      {"1," + std::string(59, 'a') + "\xc3\xa9,1,x,t", "aaa...' is not a number"},
  };
  CHECK(std::size(bad) >= 25);
  for (const auto& [record, part] : bad) {
    const std::string text = header + good + record + "\n" + good;
    const Outcome outcome = read(make, text);
    check_part(outcome.error, "line 4: ", record, __LINE__);
    check_part(outcome.error, part, record, __LINE__);
    check_pieces(make, text, {}, __LINE__);
    const Outcome skipping = read(make, text, 9, {true, false});
    CHECK(skipping.error.empty() && skipping.skipped == 1 && skipping.line == 7);
    CHECK_SAME(skipping.examples, "1 x3 't | a:2 c=x\ny\n1 x3 't | a:2 c=x\ny\n");
    check_pieces(make, text, {true, false}, __LINE__);
  }
  // it takes the rest of the file with it
  const std::string unclosed = header + good + "1,2,1,\"x,t\n" + good.substr(0, 5);
  CHECK_SAME(read(make, unclosed).error, "line 4: a quote is not closed");
  CHECK(read(make, unclosed, 3, {true, false}).skipped == 1);
  check_pieces(make, unclosed, {}, __LINE__);

  // a header that differs from that of the first file is an error, even with skip_bad
  for (const Parser::Options options : {Parser::Options{}, Parser::Options{true, false}}) {
    CHECK_SAME(read(make, "y,b,w,c,t\n" + good, 3, options).error,
               "line 1: another header than expected: column 2 is 'b', not 'a'");
    CHECK_SAME(read(make, "y,a,w,c\n" + good, 3, options).error,
               "line 1: another header than expected: expected 5 fields, found 4");
  }

  for (const char delimiter : {'"', '\n', '\r', 'e', '5', '.', '-', '+', '\0', '\xe9'}) {
    CsvColumns wrong = columns;
    wrong.delimiter = delimiter;
    bool refused = false;
    try {
      CsvParser parser({}, wrong);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

std::string kinds(const CsvColumns& columns) {
  std::string out(1, columns.delimiter);
  for (std::size_t i = 0; i < columns.names.size(); ++i)
    out += " " + columns.names[i] + "/" + "ncLTwti"[columns.kinds[i]];
  return out;
}

void test_infer_csv() {
  const auto infer = [](std::string_view sample, const CsvWishes& wishes = {}, bool header = true,
                        char delimiter = 0, bool all = true) {
    try {
      return kinds(infer_csv(sample, all, delimiter, header, wishes));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  CHECK_SAME(infer("a,b,c\n1,x,\n2,3,NA\n"), ", a/n b/c c/n");
  CHECK_SAME(infer("a, b ,c\r\n1, 2 ,true\r\n"), ", a/n b/n c/n");
  CHECK_SAME(infer("\n\r\na\tb,c\td\n1\t2\t3\n"), "\t a/n b,c/n d/n");
  CHECK_SAME(infer("\xef\xbb\xbf\"a\"|b\n1|2\n"), "| a/n b/n");
  CHECK_SAME(infer("\"a;;;\",b\n1,2\n"), ", a;;;/n b/n");
  CHECK_SAME(infer("a:b\n1:x\n", {}, true, ':'), ": a/n b/c");
  CHECK_SAME(infer("a\n1\n"), ", a/n");
  CHECK_SAME(infer("1;x\n2;y\n", {}, false), "; 0/n 1/c");
  CHECK_SAME(infer("a,b\n1,inf\n2,3\n"), ", a/n b/n");
  // a record that is cut off or bad tells nothing about the columns
  CHECK_SAME(infer("a,b\n1,2\n3,4x", {}, true, 0, false), ", a/n b/n");
  CHECK_SAME(infer("a,b\n1,2\n3,4x", {}, true, 0, true), ", a/n b/c");
  CHECK_SAME(infer("a,b\nx\n\"1\"x,2\n3,4\n\xff,y\n"), ", a/n b/n");
  std::string long_file = "a\n";
  for (int i = 0; i < 1000; ++i) long_file += "1\n";
  CHECK_SAME(infer(long_file + "x\n"), ", a/n");

  CHECK_SAME(infer("y,a,b,c,d,e\n1,1,1,1,x,1\n", {"y", "a", "b", {"c"}, {"d"}, {"e"}, true}),
             ", y/L a/w b/t c/c d/n e/i");
  CHECK_SAME(infer("y,a\nno,1\n", {.label = "y"}), ", y/T a/n");
  CHECK_SAME(infer("y,a\nno,1\n", {.label = "y", .label_is_text_allowed = false}), ", y/L a/n");
  CHECK_SAME(infer("label,a\n0,1\n", {.label = "lable"}),
             "there is no column 'lable' (did you mean 'label'?); the columns are 'label', 'a'");
  CHECK_SAME(infer("u,v\n0,1\n", {.ignored = {"y"}}),
             "there is no column 'y'; the columns are 'u', 'v'");
  CHECK_SAME(infer("u,v\n0,1\n", {.label = "u", .ignored = {"u"}}),
             "column 'u' is asked for twice");
  CHECK_SAME(infer("u,v,u\n0,1,2\n"), "the header has two columns 'u'");
  CHECK_SAME(infer(",v\n0,1\n"), "column 1 has no name in the header");
  for (const char* empty : {"", "\n", "\r\n\n", "\xef\xbb\xbf", "  \n"})
    CHECK_SAME(infer(empty), "the file is empty");
  check_part(infer("a,\"b\n1,2\n"), "the first record cannot be read", "a quote", __LINE__);
  check_part(infer("a,\xff\n1,2\n"), "the first record cannot be read", "damage", __LINE__);
  check_part(infer("a,\"b\n1,2\n", {}, true, 0, false),
             "the first record does not end in the first", "a quote", __LINE__);
  check_part(infer("a,b\n", {}, true, 'x'), "the delimiter is to be", "x", __LINE__);
}

// --- JSON lines ----------------------------------------------------------------------------------
const std::string kJsonl =
    "{\"y\": 1, \"w\": 2, \"id\": \"a1\", \"age\": 30, \"city\": \"Paris\"}\n"
    "\n \r\n"
    "{\"age\":-1.5e1,\"user\":{\"on\":true,\"off\":false,\"deep\":{\"x\":0.5}},\"7\":3,\"y\":false}"
    "\r\n"
    "\t{ \"a\\u00e9\\n\\\"\" : \"\\ud83d\\ude00\\/\" , \"none\" : null, \"e\":{}, \"id\": 12.0}\n"
    "{}\n"
    "{\"y\":null,\"caf\xc3\xa9\":\"\"}";

void test_jsonl() {
  const Outcome outcome = read(jsonl(), kJsonl);
  CHECK_SAME(outcome.error, "");
  CHECK_SAME(outcome.examples,
             "1 x2 'a1 | age:30 city=Paris\n"
             "0 | age:-15 user.on user.deep.x:0.5 #7:3\n"
             "- '12.0 | a\xc3\xa9\n\"=\xf0\x9f\x98\x80/\n"
             "- |\n"
             "- | caf\xc3\xa9=\n");
  check_pieces(jsonl(), kJsonl, {}, __LINE__);
  check_pieces(jsonl(), kJsonl, {true, true}, __LINE__);

  CHECK_SAME(read(jsonl(), "{\"y\":\"no\"}\n{}\n{\"y\":\"y\\te\\u0073\"}\n{}\n").examples,
             "no |\n- |\ny\tes |\n- |\n");
  CHECK_SAME(read(jsonl({"m", "u.v"}),
                  "{\"m\":[1,{\"a\":[null,\"]\\\"\"]}, true],\"u\":{\"v\":{},"
                  "\"w\":2},\"n\":1}")
                 .examples,
             "- | u.w:2 n\n");
  CHECK_SAME(
      read(jsonl(), "{\"a\":0.1,\"b\":-0,\"c\":1E+2,\"d\":123456789.125,\"e\":1e-7}").examples,
      "- | a:" + short_number(0.1f) + " c:100 d:" + short_number(123456789.125f) +
          " e:" + short_number(1e-7f) + "\n");
  // more names than there is room for at first, then each of them again
  std::string wide = "{\"a0\":1";
  for (int i = 1; i < 500; ++i) wide += ",\"a" + std::to_string(i) + "\":1";
  CHECK_SAME(read(jsonl(), wide + "}\n" + wide + "}\n").error, "");
  for (int i = 0; i < 500; ++i) {
    const std::string name = "a" + std::to_string(i);
    CHECK_SAME(read(jsonl(), wide + ",\"" + name + "\":1}").error,
               "line 1: the name '" + name + "' stands twice");
  }
}

void test_bad_jsonl() {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text = "{\"i\":";
    for (int i = 1; i < depth; ++i) text += open;
    text += "1";
    for (int i = 1; i < depth; ++i) text += close;
    return text + "}";
  };
  const std::string good = "{\"y\":1,\"a\":2}\n";
  const std::pair<std::string, const char*> bad[] = {
      {"1", "expected an object"},
      {"[1]", "expected an object"},
      {"\"a\"", "expected an object"},
      {"null", "expected an object"},
      {"a,b", "expected an object"},
      {"{", "expected a name in double quotes, found the end of the line"},
      {"{\"a\"", "expected ':' after a name, found the end of the line"},
      {"{\"a\":", "expected a value, found the end of the line"},
      {"{\"a\":1", "expected ',' or '}', found the end of the line"},
      {"{\"a\":1,", "expected a name in double quotes"},
      {"{\"a\":1,}", "expected a name in double quotes at '}'"},
      {"{,}", "expected a name in double quotes at ',}'"},
      {"{a:1}", "expected a name in double quotes at 'a:1}'"},
      {"{'a':1}", "expected a name in double quotes"},
      {"{1:1}", "expected a name in double quotes"},
      {"{\"a\" 1}", "expected ':' after a name at '1}'"},
      {"{\"a\":1 \"b\":2}", "expected ',' or '}' at '\"b\":2}'"},
      {"{\"a\":1]", "expected ',' or '}' at ']'"},
      {"{\"a\":1} x", "expected the end of the line after the object at 'x'"},
      {"{\"a\":1}{\"b\":1}", "expected the end of the line"},
      {"{\"a\":1}}", "expected the end of the line"},
      {"{\"a\":1}// no", "expected the end of the line"},
      {"{\"\":1}", "a name is empty"},
      {"{\"a\":1,\"a\":2}", "the name 'a' stands twice"},
      {"{\"a\":1,\"\\u0061\":2}", "the name 'a' stands twice"},
      {"{\"a\":{\"b\":1},\"a.b\":2}", "the name 'a.b' stands twice"},
      {"{\"y\":1,\"y\":2}", "the name 'y' stands twice"},
      {"{\"a\":[1,2]}", "'a' is an array; spread it over several names"},
      {"{\"a\":{\"b\":[]}}", "'a.b' is an array"},
      {"{\"a\":Infinity}", "expected a value at 'Infinity}'"},
      {"{\"a\":Nan}", "expected a value at 'Nan}'"},
      {"{\"a\":Infinity}", "expected a value"},
      {"{\"a\":-Infinity}", "'-Infinity' is not a number as JSON writes it"},
      {"{\"a\":nan}", "expected a value at 'nan}'"},
      {"{\"a\":01}", "'01' is not a number as JSON writes it"},
      {"{\"a\":+1}", "expected a value at '+1}'"},
      {"{\"a\":.5}", "expected a value"},
      {"{\"a\":5.}", "'5.' is not a number as JSON writes it"},
      {"{\"a\":5.e1}", "'5.e1' is not a number"},
      {"{\"a\":1e}", "'1e' is not a number"},
      {"{\"a\":1e+}", "'1e+' is not a number"},
      {"{\"a\":-}", "'-' is not a number"},
      {"{\"a\":1.2.3}", "'1.2.3' is not a number"},
      {"{\"a\":0x10}", "expected ',' or '}' at 'x10}'"},
      {"{\"a\":1e999}", "'1e999' is not a finite number"},
      {"{\"a\":1e20}", "the value of 'a' is not a finite number of at most 1e19"},
      {"{\"a\":tru}", "expected a value"},
      {"{\"a\":True}", "expected a value"},
      {"{\"a\":truer}", "expected ',' or '}' at 'r}'"},
      {"{\"a\":nul", "expected a value at 'nul'"},
      {"{\"a\":\"x}", "a string is not closed"},
      {"{\"a\":\"x\\\"}", "a string is not closed"},
      {"{\"a\":\"x\\", "a string is not closed"},
      {"{\"a", "a string is not closed"},
      {"{\"a\":\"\t\"}", "a control character"},
      {"{\"a\":\"\\x41\"}", "unknown escape '\\x41\"}'"},
      {"{\"a\":\"\\\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"}", "unknown escape"},
      {"{\"a\":\"\\u12g4\"}", "\\u needs four hex digits"},
      {"{\"a\":\"\\u-123\"}", "\\u needs four hex digits"},
      {"{\"a\":\"\\u12", "\\u needs four hex digits"},
      {"{\"a\":\"\\ud83d\"}", "half of a surrogate pair"},
      {"{\"a\":\"\\ude00\\ud83d\"}", "half of a surrogate pair"},
      {"{\"a\":\"\\ud83d\\u0041\"}", "half of a surrogate pair"},
      {"{\"a\":\"\\ud83dx\"}", "half of a surrogate pair"},
      {"{\"y\":{}}", "the label 'y' is an object"},
      {"{\"y\":[1]}", "the label 'y' is an array"},
      {"{\"y\":\"\"}", "the label 'y' is an empty text"},
      {"{\"y\":\"no\"}", "the label 'y' is a text, and was a number before"},
      {"{\"y\":}", "expected a value at '}'"},
      {"{\"w\":-1}", "the weight 'w' is negative"},
      {"{\"w\":\"1\"}", "expected a number for the weight 'w'"},
      {"{\"id\":{}}", "expected a string or a number for the tag 'id'"},
      {"{\"i\":[1,]}", "expected a value at ']}'"},
      {"{\"i\":[1}", "expected ',' or ']' at '}'"},
      {"{\"i\":{\"a\":1,}}", "expected a string at '}}'"},
      {nested(65, "{\"i\":", "}"), "more than 64 objects or arrays in each other"},
      {nested(100000, "{\"a\":", "}"), "more than 64 objects or arrays in each other"},
      {nested(65, "[", "]"), "more than 64 objects or arrays in each other"},
      {nested(100000, "[", "]"), "more than 64 objects or arrays in each other"},
      {"{\"a\":\"\xff\"}", "not valid UTF-8"},
      {std::string("{\"a\":\"\0\"}", 9), "NUL byte"},
      {std::string("{\"a\":1}\0", 8), "NUL byte"},
  };
  CHECK(std::size(bad) >= 25);
  const Make make = jsonl({"i"});
  for (const auto& [record, part] : bad) {
    const std::string text = good + record + "\n" + good;
    const Outcome outcome = read(make, text);
    const std::string head = record.substr(0, 60);
    check_part(outcome.error, "line 2: ", head, __LINE__);
    check_part(outcome.error, part, head, __LINE__);
    const Outcome skipping = read(make, text, 5000, {true, false});
    CHECK(skipping.error.empty() && skipping.skipped == 1 && skipping.line == 4);
    CHECK_SAME(skipping.examples, "1 | a:2\n1 | a:2\n");
    if (text.size() < 1000) check_pieces(make, text, {}, __LINE__);
  }
  CHECK_SAME(read(make, nested(64, "{\"i\":", "}") + "\n" + nested(64, "[", "]")).error, "");
  CHECK_SAME(read(jsonl(), "{\"y\":\"no\"}\n{\"y\":true}").error,
             "line 2: the label 'y' is a number, and was a text before");
  CHECK_SAME(read(jsonl(), "{\"y\":1}\n{\"y\":null}", 3, {false, true}).error,
             "line 2: the label 'y' is missing");
  // a bad record does not decide the kind of labels
  CHECK_SAME(read(jsonl(), "{\"y\":\"no\" 1}\n{\"y\":2}", 3, {true, false}).examples, "2 |\n");
}

// --- random texts --------------------------------------------------------------------------------
const std::string kVw = "1 2 'tag |a:2 x:0.5 y |b z:-1e2\n-1 | x y:3\n0.5 0 t|a x\n\n |b q";
const std::string kSvmlight = "+1 1:0.5 7:-2e3 # note\r\n\n-1.5 qid:3 2:1\n3 1:1";

// Short lines of plain numbers. In a whole text numbers are read several at a time; in small
// pieces, where nothing follows, one by one. Both must agree, after any mutation.
const std::string kPlainVw =
    "1 | 1:0.5 23:-1.25 4567890:3 12345678:0.12345678 5:1 0:2.5 77:-0.001\n"
    "-1 | 3 4 55 666:.5 7:5. 8:0 9:-0.0 10:99999999 11:123456.78 12:0.123456\n"
    "1 |:0.5 1:1 2:-2 3:3.5 99999999:1.00000001 123456789:4 4:123456789 5:1\n"
    "1 | 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12\n"
    "-1 | 100000:1.41 20000:0.52 3000:1.4 400:0.5 50:1.02 6:1 7:0.97\n"
    "1 | 1:1\n-1 | 2:0.25 3:0.125\n1 | 4:17.0625 5:8.5 6:1.5 7:2.5 8:3.5 9:1.125 10:2\n";
const std::string kPlainSvmlight =
    "1 1:0.5 23:-1.25 4567890:3 12345678:0.12345678 5:1 0:2.5 77:-0.001\n"
    "-1 3:1 4:.5 5:5. 6:0 7:-0.0 8:99999999 9:123456.78 10:0.123456\n"
    "1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12\n"
    "-1 1:1.41 20:0.52 300:1.4 4000:0.5 50000:1.02 600000:1 7:0.97 # 1:2\n"
    "1 qid:3 4:17.0625 5:8.5 6:1.5\n-1 1:1\n1 4:17.0625 5:8.5 6:1.5 7:2.5 8:3.5 9:1.125\n";
const std::string kPlainCsv =
    "a,b,c,d,e,y,f\n"
    "1.5,-2.25,0.123456789012345,3,0.001,1,4\n"
    "123456789012345,-0,12.5,.5,5.,0,1234567890123456\n"
    ",1.5,-2.5,0.25,NA,1,-99999.99999\n"
    "0.1,0.2,0.3,0.4,0.5,0,0.6\n"
    "-0.1234567890123,1e3,+4,2,1,0,3\n"
    "1,2,3,4,5,1,6\n9,8,7,6,5,0,4\n0.111,0.222,0.333,0.444,0.555,1,0.666\n";
const CsvWishes kPlainWishes{.label = "y", .numeric = {"a", "b", "c", "d", "e", "f"}};

// Mutations of good texts are read or refused, in the same way for all pieces.
void test_mutations(const Make& make, const std::string& good, unsigned seed) {
  std::mt19937 random(seed);
  const std::string_view special = "\"\\,:{}[]\n\r\t |'#-+.eE0919nulltruefa\x80\xff\xc3\xa9";
  int refused = 0, different = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      const std::size_t at = random() % text.size(), length = 1 + random() % 5;
      const char c = random() % 4 ? special[random() % special.size()] : char(random() % 256);
      switch (random() % 5) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          if (text.size() > 10) text.erase(at, length);
          break;
        case 3:
          text.insert(random() % text.size(), text.substr(at, length));
          break;
        default:
          text[at] = char(text[at] ^ (1 << (random() % 8)));
      }
    }
    const Parser::Options options{round % 2 == 0, round % 4 < 2};
    const Outcome whole = read(make, text, text.size() + 1, options);
    refused += !whole.error.empty() || whole.skipped;
    different += !(read(make, text, 1 + random() % 40, options) == whole);
    CHECK(whole.error.empty() || whole.error.find("line ") == 0);
    try {
      infer_csv(text, round % 2 == 0, round % 3 ? ',' : '\0', round % 5 != 0, kCsvWishes);
    } catch (const std::invalid_argument&) {
    }
  }
  CHECK(different == 0);
  CHECK(refused > 2000 && refused < 20000);
}

// --- repeated features ---------------------------------------------------------------------------
std::string rows_of(std::string_view line, int bits, bool named) {
  VwParser parser({}, {});
  Examples out(bits, true, named);
  parser.parse(line, true, out);
  std::string written;
  for (std::size_t i = 1; i < out.rows.size(); ++i)
    written += std::to_string(out.rows[i]) + ":" + short_number(out.values[i]) + " ";
  return written;
}

void test_repeats() {
  const Make vw = [](Parser::Options options) {
    return std::make_unique<VwParser>(options, std::vector<VwParser::Interaction>{});
  };
  const Make svmlight = [](Parser::Options options) {
    return std::make_unique<SvmlightParser>(options);
  };
  const std::string text =
      "1 | a:6 a:7\n1 | a b a:2 c:1 b:-1 a |n a |n a:3\n1 | 7 07 7:2\n1 | a b\n1 | a a\n";
  const std::string expected = "1 | a:13\n1 | a:4 c n|a:4\n1 | #7:3 07\n1 | a b\n1 | a:2\n";
  CHECK_SAME(read(vw, text).examples, expected);
  check_pieces(vw, text, {}, __LINE__);
  const std::string columns = "1 9:1 3:2 9:3 3:-2\n1 1:1 2:1 3:1\n1 5:1 5:1\n";
  CHECK_SAME(read(svmlight, columns).examples, "1 | #9:4\n1 | #1 #2 #3\n1 | #5:2\n");
  check_pieces(svmlight, columns, {}, __LINE__);
  CHECK_SAME(read(vw, "1 | a:9e18 a:9e18\n").error,
             "line 1: the values of 'a' add up to more than 1e19");
  CHECK_SAME(read(vw, "1 | a:9e18 a:9e18\n1 | b\n", 9, {true, false}).examples, "1 | b\n");

  // rows are added up after names, whether names are kept or not
  for (const bool named : {false, true}) {
    CHECK_SAME(rows_of("1 | 4 1 8:2 5:-1 6\n", 2, named), "1:3 3:1 ");
    CHECK_SAME(rows_of("1 | 0 1 2 3\n1 | 3 3\n", 2, named), "1:1 2:1 3:1 4:1 0:1 4:2 ");
    CHECK_SAME(rows_of("1 | 0:0.1 2:0.3 0:0.2\n", 1, named),
               "1:" + short_number(float(double(float(double(0.1f) + double(0.2f))) + 0.3f)) + " ");
  }
  // as many as you like
  std::string many = "1 |";
  for (int k = 0; k < 100000; ++k) many += " w" + std::to_string(k % 50000);
  const Outcome outcome = read(vw, many + "\n");
  CHECK(std::count(outcome.examples.begin(), outcome.examples.end(), ':') == 50000);
}

}  // namespace

int main() {
  test_repeats();
  test_csv();
  test_bad_csv();
  test_infer_csv();
  test_jsonl();
  test_bad_jsonl();
  test_mutations(csv(kCsv, kCsvWishes), kCsv, 1);
  test_mutations(jsonl({"none"}), kJsonl, 2);
  test_mutations(
      [](Parser::Options options) {
        return std::make_unique<VwParser>(
            options, std::vector<VwParser::Interaction>{{"a", "b"}, {"a", "a"}});
      },
      kVw, 3);
  test_mutations([](Parser::Options options) { return std::make_unique<SvmlightParser>(options); },
                 kSvmlight, 4);
  test_mutations(
      [](Parser::Options options) {
        return std::make_unique<VwParser>(options, std::vector<VwParser::Interaction>{});
      },
      kPlainVw, 5);
  test_mutations([](Parser::Options options) { return std::make_unique<SvmlightParser>(options); },
                 kPlainSvmlight, 6);
  test_mutations(csv(kPlainCsv, kPlainWishes), kPlainCsv, 7);
  return outcome();
}
