#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "monitor/config/yaml_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

constexpr std::size_t kMaxDepth = 20;
constexpr std::size_t kMaxWeight = 200'000;  // nodes, long texts counting more
constexpr std::size_t kMaxScalarBytes = 10'000;

// Ends the parse from inside a handler; yaml-cpp has no other way out.
struct StopReading {
  Mark mark;
  std::string message;
};

// Better words for the complaints of yaml-cpp that people meet.
struct Wording {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array<Wording, 13> kWordings{{
    {"illegal map value",
     "':' is not expected here; check the indentation and the line above; quote a text that holds "
     "': '"},
    {"illegal map key", "a key is not expected here; check the indentation"},
    {"illegal block entry",
     "'- ' is not expected here; check the indentation, and the line above for an open bracket"},
    {"illegal flow end", "a closing bracket without an opening one"},
    {"end of map not found", "a key was expected here; check the indentation and the quotes"},
    {"end of sequence not found", "'- ' was expected here; check the indentation"},
    {"end of map flow not found", "'}' or ',' was expected here; is a bracket left open?"},
    {"end of sequence flow not found", "']' or ',' was expected here; is a bracket left open?"},
    {"unknown token", "a text cannot begin with this character; quote it"},
    {"illegal EOF in scalar", "a quote is not closed"},
    {"the referenced anchor is not defined",
     "an alias without an anchor; quote a text that begins with '*'"},
    {"unknown escape character", "unknown escape after '\\'; use single quotes for plain text"},
    {"bad file", "nested too deeply"},
}};

// Only up to the colon: what follows it is text of the file, perhaps a secret.
std::string reworded(std::string_view theirs) {
  theirs = trim(theirs.substr(0, theirs.find(':')));
  const auto* found = std::find_if(kWordings.begin(), kWordings.end(),
                                   [&](const Wording& w) { return w.theirs == theirs; });
  if (found != kWordings.end()) return std::string(found->ours);
  return fmt::format("not valid YAML: {}", theirs);
}

// What follows the first word and the blanks after it.
std::string_view behind_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_of(" \t\r\n"), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

// For a line that begins with a quote: whether that quote is closed in it.
bool quote_closes(std::string_view line) {
  const char quote = line[0];
  std::size_t i = 1;
  while (i < line.size()) {
    const bool doubled = quote == '\'' && line.substr(i).starts_with("''");
    if (line[i] == quote && !doubled) return true;
    i += doubled || (quote == '"' && line[i] == '\\') ? 2 : 1;
  }
  return false;
}

std::size_t weight(const YamlNode& node) {
  std::size_t sum = 1 + node.text.size() / 100;
  for (const YamlNode& key : node.keys) sum += weight(key);
  for (const YamlNode& item : node.items) sum += weight(item);
  return sum;
}

// Builds our tree from the events. Unlike YAML::Node it keeps duplicate keys and places, tells `~`
// from "~", and can stop.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const LineIndex& lines, ProblemList& problems)
      : text_(text), lines_(lines), problems_(problems) {}

  std::optional<YamlNode> take() { return std::move(root_); }
  Mark mark(const YAML::Mark& m) const { return lines_.mark(m.line, m.column); }

  void OnDocumentStart(const YAML::Mark& m) override {
    if (documents_++ == 0) return;
    throw StopReading{mark(m),
                      "a second document begins here, or text that belongs to nothing; a file "
                      "holds one document (check the indentation)"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& m, YAML::anchor_t anchor) override {
    YamlNode node = begin(m, YamlNode::Kind::kNull);
    const std::string_view rest = source(m);
    if (rest.starts_with('~')) node.text = "~";
    if (iequals(rest.substr(0, 4), "null")) node.text = rest.substr(0, 4);
    place(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& m, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw StopReading{mark(m), "an alias inside its own anchor"};
    add_weight(m, weight(known->second));
    YamlNode copy = known->second;
    copy.mark = mark(m);
    check_depth(m, depth_of(copy));
    place(std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& m, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = begin(m, YamlNode::Kind::kScalar);
    const std::string_view rest = source(m);
    node.quoted = rest.starts_with('"') || rest.starts_with('\'');
    if (value.size() > kMaxScalarBytes) {
      throw StopReading{node.mark, fmt::format("a text of more than {} bytes", kMaxScalarBytes)};
    }
    check_one_line(node.mark, rest, value);
    node.text = value;
    add_weight(m, value.size() / 100);
    place(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& m, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(m, YamlNode::Kind::kList, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& m, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(m, YamlNode::Kind::kTable, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
  };

  std::string_view from(const YAML::Mark& m) const {
    return text_.substr(std::min(static_cast<std::size_t>(m.pos), text_.size()));
  }

  // The text of a node, behind its anchor and tag.
  std::string_view source(const YAML::Mark& m) const {
    std::string_view rest = from(m);
    while (rest.starts_with('&') || rest.starts_with('!')) rest = behind_word(rest);
    return rest;
  }

  bool has_tag(const YAML::Mark& m) const {
    const std::string_view rest = from(m);
    return (rest.starts_with('&') ? behind_word(rest) : rest).starts_with('!');
  }

  YamlNode begin(const YAML::Mark& m, YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    node.mark = mark(m);
    if (has_tag(m)) problems_.add(node.mark, "YAML tags (!) are not supported; quote a text");
    add_weight(m, 1);
    return node;
  }

  // Where a text goes on over lines, something was forgotten: a quote, or the right indentation.
  void check_one_line(Mark at, std::string_view rest, const std::string& value) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with('"') || line.starts_with('\'')) {
      if (!quote_closes(line)) problems_.add(at, "this quote is not closed on its line");
    } else if (line.starts_with('|') || line.starts_with('>')) {
      problems_.add(at, "texts over several lines ('|', '>') are not supported");
    } else if (!line.starts_with(value)) {
      problems_.add(at, "this text goes on in the next line; check the indentation there");
    }
  }

  void add_weight(const YAML::Mark& m, std::size_t more) {
    weight_ += more;
    if (weight_ > kMaxWeight) throw StopReading{mark(m), "too many values, aliases included"};
  }

  void check_depth(const YAML::Mark& m, std::size_t more) const {
    if (open_.size() + more > kMaxDepth) {
      throw StopReading{mark(m), fmt::format("nested too deeply; at most {} levels", kMaxDepth)};
    }
  }

  static std::size_t depth_of(const YamlNode& node) {
    std::size_t depth = 0;
    for (const YamlNode& key : node.keys) depth = std::max(depth, depth_of(key));
    for (const YamlNode& item : node.items) depth = std::max(depth, depth_of(item));
    return depth + (node.kind == YamlNode::Kind::kScalar ? 0 : 1);
  }

  void open(const YAML::Mark& m, YamlNode::Kind kind, YAML::anchor_t anchor) {
    check_depth(m, 1);
    open_.push_back({begin(m, kind), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    place(std::move(done.node), done.anchor);
  }

  void place(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      weight_ += weight(node);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back().node;
    const bool key =
        parent.kind == YamlNode::Kind::kTable && parent.keys.size() == parent.items.size();
    (key ? parent.keys : parent.items).push_back(std::move(node));
  }

  std::string_view text_;
  const LineIndex& lines_;
  ProblemList& problems_;
  std::optional<YamlNode> root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t weight_ = 0;
  int documents_ = 0;
};

}  // namespace

std::optional<YamlNode> read_yaml(std::string_view text, ProblemList& problems) {
  const LineIndex lines(text);
  TreeBuilder builder(text, lines, problems);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // Twice, never in a loop: the second call finds a second document, and a loop over documents
    // can hang in yaml-cpp 0.7.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
  } catch (const StopReading& stop) {
    problems.add(stop.mark, stop.message);
    return std::nullopt;
  } catch (const YAML::Exception& e) {
    problems.add(lines.mark(e.mark.line, e.mark.column), reworded(e.msg));
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace tokprobe::config_detail
